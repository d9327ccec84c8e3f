package micro

import "github.com/harena-go/arena"

var (
	sinkInts  []int
	sinkBytes []byte
)

// append1000 counts a whole slice of 1,000 ints as one operation: a slice that
// starts as nil, in an arena that is reset after a few of them.
func append1000() []variant {
	const length, slices = 1000, 16
	a := arena.NewArena()
	return []variant{
		{"heap", slices, func() {
			for range slices {
				var s []int
				for i := range length {
					s = append(s, i)
				}
				sinkInts = s
			}
		}},
		{"default", slices, func() {
			for range slices {
				var s []int
				for i := range length {
					s = arena.Append(a, s, i)
				}
				sinkInts = s
			}
			a.Reset()
		}},
	}
}

func slice1k() []variant {
	const slices = 1 << 10
	a := arena.NewArena()
	return []variant{
		{"heap", slices, func() {
			for i := range slices {
				s := make([]byte, 1024)
				s[i] = 1
				sinkBytes = s
			}
		}},
		{"default", slices, func() {
			for i := range slices {
				s := arena.MakeSlice[byte](a, 1024, 1024)
				s[i] = 1
				sinkBytes = s
			}
			a.Reset()
		}},
	}
}

// uninit shows that the time doesn't depend on the length. Each length has an
// arena of its own that keeps a chunk of that size: a shared one lets go of the
// big chunk while it is asked for small slices only.
func uninit() []variant {
	const kilo, mega, times = 1 << 10, 1 << 20, 64
	onHeap := func(n int) func() {
		return func() {
			s := make([]int, n)
			s[0], s[n-1] = 1, 1
			sinkInts = s
		}
	}
	inArena := func(n int) func() {
		a := arena.NewArena(arena.WithMaxChunkSize(64<<20), arena.WithMaxRetained(128<<20))
		return func() {
			for range times {
				s := arena.MakeSliceUninit[int](a, n, n)
				s[0], s[n-1] = 1, 1
				sinkInts = s
				a.Reset()
			}
		}
	}
	return []variant{
		{"heap, 1K", 1, onHeap(kilo)},
		{"heap, 1M", 1, onHeap(mega)},
		{"default, 1K", times, inArena(kilo)},
		{"default, 1M", times, inArena(mega)},
	}
}
