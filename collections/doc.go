// Package collections has containers whose memory comes from an arena.
//
//   - [Map] and [Set] are hash tables with the semantics of Go's map.
//   - [Slice] is a slice that grows in an arena, [Buffer] is one of bytes, to be written and read.
//   - [Deque] is a queue with two ends, [List] a linked list, and [Segmented] a list whose
//     elements never move.
//   - [Interner] keeps one copy of each string.
//   - [Slots] has values that come and go one by one, such as the nodes of a graph.
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
// All work in any arena, with elements of any type. In a self-contained arena, pointers in elements
// must lead to the same arena, too (see package arena). A nil arena is the Go heap, and so is that
// of a zero value. In a warm arena nothing is allocated on the heap, except by printing and by JSON
// methods. Package arenajson decodes a [Map] and a [Slice] without heap memory.
//
// [arena.DeepClone] copies a container and all that it refers to out of its arena; methods Clone
// copy only the container.
//
// A container ends with its memory: it must not be used after the arena's Reset, nor after a Rewind
// to a mark from before it was made or last grew. A Slots panics then. After Free, and after Put in a
// Pool without reuse, others may be used until they need memory. No container returns memory before
// that, but room in a Map, Set, Deque, Slice or Slots is reused after deletions.
//
// # When to use which
//
// Figures are ratios from one run of go run ./bench -suites collections on two otherwise
// idle cores. Gains are larger if the collector has more to do, or no core to itself.
//
// A [Map] of 10 or 1,000 entries is built and dropped 1.8 to 2.8 times as fast as Go's map; one of
// a million 3 times, but only 1.1 to 1.6 times if keys and values are integers. Entries are found
// 0.9 to 1.5 times as fast, and more than twice as fast if keys are structs of numbers. On the Go
// heap, that is with a nil arena, building a Map takes up to two and a half times as long as Go's
// while it has only a few entries; use Go's map there. Use Go's map also for entries that come and
// go for longer than an arena should live, and [sync.Map] where several goroutines write. A
// [Slots] is for nodes that come and go one by one, in an arena that stays.
//
// A [Slice] is built and dropped 2 to 3 times as fast as with append, and 6 to 8 times with a
// thousand elements. A [Buffer] of 10 lines takes a half to a third of the time of a bytes.Buffer,
// with a thousand a fifth, and with a million, 20 MB, it is 1.2 times as fast. A [Set] and a
// [Deque] take a half of the time, but with a million elements a slice is the faster queue by a
// quarter. A [List] is 3 to 8 times as fast as container/list.
//
// An [arena.Append] to a variable is as good as a [Slice]. Use a Slice to pass it on, as a field,
// or to insert and delete elements. As a [Slice] or a [Buffer] grows it leaves old copies behind,
// together as large as itself, until the arena is reset. If its final size is known, make it that
// large.
package collections
