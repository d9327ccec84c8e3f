// Package collections has containers whose memory comes from an arena.
//
//   - [Map] and [Set] are hash tables that mean what Go's map means.
//   - [Slice] is a slice that grows in an arena, [Buffer] is one of bytes, to be
//     written and read.
//   - [Deque] is a queue with two ends, [List] a linked list.
//   - [Interner] keeps one copy of each string.
//
// They are made to be built, used and dropped with the arena:
//
//	words := collections.NewMap[string, int](a, 0)
//	for _, w := range strings.Fields(text) {
//		*words.Ref(w)++
//	}
//	fmt.Println(words)
//	a.Reset()
//
// All work in any arena, with elements of any type. In a self-contained arena,
// what elements point to must be in the same arena, too (see package arena). A
// nil arena is the Go heap, and so is that of a zero value. In an arena that is warm,
// nothing is allocated on the heap, but by what prints and what has to do with
// JSON.
//
// A container ends with its memory: after the arena's Reset it must not be used, nor
// after a Rewind to a mark from before it was made or last grew. After Free
// it may be used until it needs memory. None gives memory back before that, but what
// was deleted from a Map, Set, Deque or Slice makes room for what comes next.
//
// # When to use which
//
// Figures are ratios of one run of go run ./bench -suites collections, with nothing
// else to do for two cores: more gains where the collector has more to do, or no
// core to itself.
//
// A [Map] of a thousand or a million entries is built and dropped 1.8 to 4.4 times as
// fast as Go's map, one of 10 entries 1.2 to 1.5 times. Entries are found 0.9 to 1.3
// times as fast with keys that are numbers or strings, and twice as fast with structs
// of numbers. On the Go heap, that is with a nil arena, a Map takes up to twice as
// long to build as Go's while it has only a few entries; use Go's map there. Use Go's
// map also for entries that come and go for longer than an arena should live, and
// where several goroutines write, [sync.Map].
//
// A [Slice] of up to a thousand elements is built and dropped 1.1 to 2 times as fast as
// with append, a [Buffer] of as many lines 1.5 to 5 times, a [Set] 1.2 to 2.3, a [Deque] 1.5 to
// 2.4, and a [List] 2.6 to 10 times as fast as container/list. At a million elements
// a Buffer is no faster and a Slice takes nearly twice as long: the places that it has
// outgrown stay behind in the arena, and what is too much for Reset to keep comes
// from the heap anew. Make it as large as it will be, or use append.
//
// An [arena.Append] to a variable is as good as a [Slice]; that one is for passing
// on, as a field, or where elements are inserted and deleted. A [Buffer] is dropped
// for good only when the arena is reset, as it grows its old places stay behind:
// to build one string of many megabytes again and again, reuse one bytes.Buffer.
package collections
