package main

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	"github.com/harena-go/arena/examples/trie/heap"
	"github.com/harena-go/arena/examples/trie/slots"
)

// TestMain runs the tests with all arenas checked.
func TestMain(m *testing.M) { os.Exit(arenatest.Main(m)) }

// TestAgainstMap: random programs give both tries what a map has, and leave no node behind.
func TestAgainstMap(t *testing.T) {
	inSlots := slots.New(arena.NewArena())
	for name, tr := range map[string]trie{"heap": heap.New(), "slots": inSlots} {
		random, want := rand.New(rand.NewPCG(1, 2)), map[uint64]uint64{}
		for step := range uint64(5000) {
			k := random.Uint64() >> (random.Uint64() % 64)
			if _, ok := want[k]; random.IntN(3) == 0 {
				if tr.Delete(k) != ok {
					t.Fatalf("%s: Delete(%d) isn't %t", name, k, ok)
				}
				delete(want, k)
				continue
			}
			tr.Set(k, step)
			want[k] = step
		}
		for k, v := range want {
			if got, ok := tr.Get(k); got != v || !ok || !tr.Delete(k) || tr.Delete(k) {
				t.Fatalf("%s: key %d has %d, %t; want %d", name, k, got, ok, v)
			}
		}
		if _, ok := tr.Get(1); ok {
			t.Errorf("%s: an empty trie has a key", name)
		}
	}
	if n := inSlots.Len(); n != 0 {
		t.Errorf("%d nodes are left", n)
	}
}

func TestRun(t *testing.T) {
	var out strings.Builder
	run(&out, "slots", slots.New(arena.NewArena()), 100)
	if !strings.Contains(out.String(), "100 entries") || strings.Contains(out.String(), "want") {
		t.Error(out.String())
	}
}
