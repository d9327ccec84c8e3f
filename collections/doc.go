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
// A [Map] is built and dropped about twice as fast as Go's map, the GC's work
// included, also with as few as 10 entries, and found in as fast or faster: with keys
// that are structs or arrays of numbers three times as fast, with strings and small
// maps about the same. On the Go heap, that is with a nil arena, it is no faster to
// build than Go's map while it has only a few entries; use Go's map there. Use
// Go's map also for entries that come and go for longer than an arena should
// live, and where several goroutines write, [sync.Map].
//
// An [arena.Append] to a variable is as good as a [Slice]; that one is for passing
// on, as a field, or where elements are inserted and deleted. A [Buffer] is dropped
// for good only when the arena is reset, as it grows its old places stay behind:
// to build one string of many megabytes again and again, reuse one bytes.Buffer.
package collections
