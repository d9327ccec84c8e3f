package memory

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/harena-go/arena/internal/tuning"
)

// This file tests from within how chunks are found.

// TestChunkHolds: below lo and from hi on, to the last byte, and not where nobody got anything.
func TestChunkHolds(t *testing.T) {
	var mem [100]byte
	c := Chunk{Mem: unsafe.Pointer(&mem[10]), Size: 80, lo: 30, hi: 50}
	for from := range len(mem) {
		for n := range len(mem) - from {
			off, end := from-10, from-10+n
			want := off >= 0 && off < 30 && end <= 30 || off >= 50 && end <= 80
			if got := c.holds(unsafe.Pointer(&mem[from]), uintptr(n)); got != want {
				t.Fatalf("%d bytes at %d: %t", n, off, got)
			}
		}
	}
}

// randomList returns a list of few sizes, so that many of them are just as asked for.
func randomList() (l list) {
	l.chunks = make([]Chunk, rand.IntN(4*tuning.SearchMax))
	for i := range l.chunks {
		c := &l.chunks[i]
		c.Size = uintptr(1+rand.IntN(8)) << 8
		c.Total = c.Size + 64
	}
	l.used = rand.IntN(1 + len(l.chunks))
	return l
}

// TestFindChunk compares the search for kept chunks with its description.
func TestFindChunk(t *testing.T) {
	for range 100_000 {
		l := randomList()
		least := uintptr(1+rand.IntN(40)) << 6
		most := least * uintptr(1+rand.IntN(4))
		fits := func(c Chunk) bool { return least <= c.Size && c.Size <= most }
		first, largest := -1, -1
		for i := l.used; i < len(l.chunks); i++ {
			if near := i - l.used; fits(l.chunks[i]) {
				if near < tuning.SearchMax && first < 0 {
					first = i
				}
				if near < tuning.SearchMax+int(least>>10) && (largest < 0 || l.chunks[i].Size > l.chunks[largest].Size) {
					largest = i
				}
			}
		}
		if i := l.find(least, least, most); i != first {
			t.Fatalf("find(%d, %d) in %+v: %d; want %d", least, most, l, i, first)
		}
		if i := l.findLargest(least, most); i != largest {
			t.Fatalf("findLargest(%d, %d) in %+v: %d; want %d", least, most, l, i, largest)
		}
	}
}

// TestTornLists: what two goroutines make of the lists of one arena is said in words.
func TestTornLists(t *testing.T) {
	for name, torn := range map[string]func(){
		"use":          func() { (&list{chunks: make([]Chunk, 1), used: 1}).use(0) },
		"bringForward": func() { (&list{chunks: make([]Chunk, 1)}).bringForward(1) },
		"unsetCurrent": func() { (&Region{mem: unsafe.Pointer(new(int))}).unsetCurrent() },
		"dropIf":       func() { new(Region).dropIf(&list{used: 1}, func(*Chunk) bool { return false }) },
		"remove":       func() { (&bin{chunks: make([]Chunk, 1)}).remove(1, 2) },
	} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "arena: two goroutines use an arena") {
					t.Errorf("%s: %s", name, text)
				}
			}()
			torn()
		}()
	}
}
