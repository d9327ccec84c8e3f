package holder

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

// FuzzParse says that no dump, however broken, makes the parser or the search panic.
func FuzzParse(f *testing.F) {
	f.Add(small, uint64(0x3000))
	f.Add(small[:len(small)-1], uint64(0x4000))
	data, err := write()
	if err != nil {
		f.Fatal(err)
	}
	for _, n := range []int{1 << 10, 4 << 10, 16 << 10} {
		f.Add(data[:min(n, len(data))], uint64(0))
		// the end, with goroutines, roots and profile
		f.Add(dumpOf(params, data[max(0, len(data)-n):]), uint64(0))
	}
	f.Fuzz(func(t *testing.T, data []byte, target uint64) {
		d, err := parse(data)
		if err != nil {
			return
		}
		s := newSearch(d, []Range{{uintptr(target), uintptr(target) + 8}}, nil)
		for _, l := range s.run() {
			if way := s.way(l); way[0].from >= 0 || way[len(way)-1] != l {
				t.Errorf("the way to %v is %v", l, way)
			}
		}
	})
}

// TestParsePrefixes: a dump that was cut off anywhere is an error.
func TestParsePrefixes(t *testing.T) {
	data, err := write()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parse(data); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(data); n += 1 + len(data)/50 {
		if _, err := parse(data[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are taken for a dump", n, len(data))
		}
	}
}

// mangledSink is what the mangled dumps lead to.
var mangledSink *[64]byte

// TestMangled: a dump of this process with wrong bytes in it is an error or
// leads to other paths, but not to a panic, neither in the search nor in the
// description, which follows addresses into the program.
func TestMangled(t *testing.T) {
	mangledSink = new([64]byte)
	start := uintptr(unsafe.Pointer(mangledSink))
	target := []Range{{start, start + 64}}
	whole, err := write()
	if err != nil {
		t.Fatal(err)
	}
	exe, err := openExecutable()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	errors, paths := 0, 0
	data := make([]byte, len(whole))
	for range 40 {
		copy(data, whole)
		for range 1 << rng.IntN(12) {
			data[len(header)+rng.IntN(len(data)-len(header))] = byte(rng.Uint32() >> rng.IntN(8))
		}
		d, err := parse(data)
		if err != nil {
			errors++
			continue
		}
		s := newSearch(d, target, nil)
		for _, p := range s.paths(&describer{s, exe}, s.run()) {
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

// TestLargeHeap: above the limit there is no dump.
func TestLargeHeap(t *testing.T) {
	defer func(limit uint64) { maxHeap = limit }(maxHeap)
	maxHeap = 1
	if _, err := Find([]Range{{8, 16}}, nil); err == nil || !strings.Contains(err.Error(), "more than 1,") {
		t.Errorf("got error %v", err)
	}
	maxHeap = 100 << 20
	if _, err := Find([]Range{{8, 16}}, nil); err != nil {
		t.Error(err)
	}
}
