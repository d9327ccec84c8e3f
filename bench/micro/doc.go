// Package micro times single operations: the cost of one allocation in a loop that does nothing else. Such loops are
// synthetic. They show the cost of the fast path with warm caches and branch predictors; the other suites show the gain
// of a program.
//
// # The shapes
//
// An operation is done in batches, and the peer is reset after each batch: everything so far is dead, and its memory is
// reused if the peer can. A batch has 16 Ki objects, or fewer if they would take more than 4 MiB: 4 MiB divided by the
// size, and at least one. Append makes slices of 50,000 to 100,000 ints together. A time is that of all batches,
// including resets, divided by the number of operations. All memory is zero, unless a remark says otherwise. An int has
// 8 bytes.
//
//	row                        one operation                                 batch
//	new-8                      a zero int64                                  16,384
//	new-64                     a zero [8]int64                               16,384
//	new-node                   a zero struct of an int64 and two pointers    16,384
//	new-1k                     a zero [1024]byte                              4,096
//	string-8, -32, -256        a copy of a string of N bytes                 16,384
//	slice-16                   a zero slice of 16 ints                       16,384
//	slice-1k                   ... of 1,024                                     512
//	slice-64k                  ... of 65,536                                      8
//	slice-1m                   ... of 1,048,576                                   1
//	append-100                 append 0 ... 99 to nil, one at a time            512
//	append-1000                ... of 1,000                                      64
//	append-10k                 ... of 10,000                                      8
//	append-100k                ... of 100,000                                     1
//
// The index of the loop, from 0 on, is written to the first word of every object, to the first element of every
// complete slice, and not to strings. The address of every object, of a slice's first element, of a string's first byte
// is then stored in a global variable. The pointers of a node stay nil.
//
// The rows of the group lifetime are about our arenas and comparable peers. Those of the group allocs count the Go
// heap's allocations for one operation of another row, once the peer is warm.
package micro
