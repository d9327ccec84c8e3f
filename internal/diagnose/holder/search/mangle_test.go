package search

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/harena-go/arena/internal/diagnose/holder/dump"
	"github.com/harena-go/arena/internal/diagnose/holder/dump/dumptest"
	"github.com/harena-go/arena/internal/diagnose/holder/symbols"
)

// FuzzParse checks that no broken dump makes the parser or the search panic.
func FuzzParse(f *testing.F) {
	f.Add(dumptest.Small, uint64(0x3000))
	f.Add(dumptest.Small[:len(dumptest.Small)-1], uint64(0x4000))
	data, err := dump.Write()
	if err != nil {
		f.Fatal(err)
	}
	for _, n := range []int{1 << 10, 4 << 10, 16 << 10} {
		f.Add(data[:min(n, len(data))], uint64(0))
		// the end, with goroutines, roots and profile
		f.Add(dumptest.Unfinished(data[max(0, len(data)-n):]), uint64(0))
	}
	f.Fuzz(func(t *testing.T, data []byte, target uint64) {
		d, err := dump.Parse(data)
		if err != nil {
			return
		}
		s := newSearch(d, []dump.Range{{Start: uintptr(target), End: uintptr(target) + 8}}, nil)
		for _, l := range s.run() {
			if way := s.way(l); way[0].from >= 0 || way[len(way)-1] != l {
				t.Errorf("the way to %v is %v", l, way)
			}
		}
	})
}

// mangledSink is the target in the mangled dumps.
var mangledSink *[64]byte

// TestMangled: a dump of this process with wrong bytes in it is an error or
// leads to other paths, but not to a panic, neither in the search nor in the
// description, which follows addresses into the program.
func TestMangled(t *testing.T) {
	mangledSink = new([64]byte)
	start := uintptr(unsafe.Pointer(mangledSink))
	target := []dump.Range{{Start: start, End: start + 64}}
	whole, err := dump.Write()
	if err != nil {
		t.Fatal(err)
	}
	exe, err := symbols.Open()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	errors, paths := 0, 0
	data := make([]byte, len(whole))
	for range 40 {
		copy(data, whole)
		for range 1 << rng.IntN(12) {
			data[len(dumptest.Header)+rng.IntN(len(data)-len(dumptest.Header))] = byte(rng.Uint32() >> rng.IntN(8))
		}
		d, err := dump.Parse(data)
		if err != nil {
			errors++
			continue
		}
		s := newSearch(d, target, nil)
		for _, p := range newDescriber(s, symbols.NewTypes(d, exe)).paths(s.run()) {
			if p.String() != "" && p.Line() != "" {
				paths++
			}
		}
	}
	t.Logf("%d errors, %d paths", errors, paths)
	if errors == 0 || paths == 0 {
		t.Errorf("%d errors and %d paths: the mangling does too little or too much", errors, paths)
	}
	runtime.KeepAlive(mangledSink)
}
