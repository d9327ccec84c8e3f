// Trie keeps a large radix tree whose entries come and go, once on the Go heap and once in a collections.Slots, and
// prints the collector's work for each.
//
//	go run ./examples/trie [entries]
//
// diff examples/trie/heap examples/trie/slots shows the changes that a program needs.
package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/examples/trie/heap"
	"github.com/harena-go/arena/examples/trie/slots"
)

// A trie is either of the two.
type trie interface {
	Get(key uint64) (value uint64, ok bool)
	Set(key, value uint64)
	Delete(key uint64) bool
}

func main() {
	entries := 1_000_000
	if len(os.Args) > 1 {
		n, err := strconv.Atoi(os.Args[1])
		if err != nil || n < 1 {
			fmt.Fprintln(os.Stderr, "usage: trie [entries]")
			os.Exit(2)
		}
		entries = n
	}
	run(os.Stdout, "heap", heap.New(), entries)
	run(os.Stdout, "slots", slots.New(arena.NewArena(arena.WithName("trie"))), entries)
}

// run fills a trie and replaces as many entries as it has.
func run(w io.Writer, name string, t trie, entries int) {
	keys, random := make([]uint64, entries), rand.New(rand.NewPCG(1, 2))
	set := func(i int) {
		keys[i] = random.Uint64()
		t.Set(keys[i], uint64(i))
	}
	for i := range keys {
		set(i)
	}
	began := time.Now()
	for range entries {
		i := random.IntN(entries)
		t.Delete(keys[i])
		set(i)
	}
	each := time.Since(began) / time.Duration(entries)
	for i, k := range keys {
		if v, ok := t.Get(k); !ok || v != uint64(i) {
			fmt.Fprintf(w, "%s: key %d has %d, %t; want %d\n", name, k, v, ok, i)
		}
	}
	runtime.GC()
	began = time.Now()
	runtime.GC()
	full := time.Since(began)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Fprintf(w, "%-5s %d entries: %v to replace one, a full GC takes %v, %d MB of heap\n", name, entries, each, full,
		m.HeapAlloc>>20)
	runtime.KeepAlive(t)
}
