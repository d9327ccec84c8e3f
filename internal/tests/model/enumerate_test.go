package model_test

import (
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// Random programs of the model test are long, and seldom meet an edge. The
// enumeration runs all short ones, with operations whose sizes are the edges:
// each byte of such a program is a letter of the alphabet.

// A letter is an operation with one of the interesting sizes.
type letter struct {
	name string
	size int // index in sizes
	do   func(w *world, ac *actor, n int)
}

const edgeCount = 9

// edges returns the interesting sizes for chunks of chunk bytes. The last one is more than any of the next chunks.
func edges(chunk int) [edgeCount]int {
	return [edgeCount]int{0, 1, 7, 8, 9, chunk - 1, chunk, chunk + 1, 4*chunk + 1}
}

// alphabet holds all letters; those of core, which come first, suffice to reach each kind
// of memory with each size, and to reclaim it in each way.
var alphabet, core = func() (all, core []letter) {
	once := func(name string, do func(w *world, ac *actor, n int)) {
		all = append(all, letter{name, 0, do})
	}
	sized := func(name string, do func(w *world, ac *actor, n int)) {
		for i := range edgeCount {
			all = append(all, letter{name, i, do})
		}
	}
	sized("Append", func(w *world, ac *actor, n int) { newest[byte](w, ac).grow(w, ac, 0, n) })
	sized("AllocString", func(w *world, ac *actor, n int) { w.newString(ac, n, false) })
	once("New", func(w *world, ac *actor, _ int) { shapes[5].newValue(w, ac, 0) })
	once("New *int", func(w *world, ac *actor, _ int) { shapes[12].newValue(w, ac, 0) })
	once("Append *int", func(w *world, ac *actor, _ int) { newest[*int](w, ac).grow(w, ac, 0, 1) })
	once("Mark", func(w *world, ac *actor, _ int) { w.mark(ac) })
	once("Rewind", func(w *world, ac *actor, _ int) { w.rewindOne(ac, len(ac.marks)-1) })
	once("Reset", func(w *world, ac *actor, _ int) { w.end(ac, 0) })
	once("Child", func(w *world, ac *actor, _ int) {
		ac.children = append(ac.children, &actor{a: ac.a.Child(), parent: ac, born: w.step})
	})
	once("Free", func(w *world, ac *actor, _ int) { w.end(ac, 101) })
	core = all[:len(all):len(all)]

	sized("Append *int", func(w *world, ac *actor, n int) {
		newest[*int](w, ac).grow(w, ac, 0, n/int(unsafe.Sizeof(&testkit.Decoy)))
	})
	sized("Realloc", func(w *world, ac *actor, n int) {
		if len(ac.raws) == 0 {
			w.alloc(ac, n, 8)
			return
		}
		w.realloc(ac, ac.raws[len(ac.raws)-1], n, 8)
	})
	once("Alloc aligned", func(w *world, ac *actor, _ int) { w.alloc(ac, 9, 64) })
	once("New [9]byte", func(w *world, ac *actor, _ int) { shapes[6].newValue(w, ac, 2) })
	once("New node", func(w *world, ac *actor, _ int) { shapes[15].newValue(w, ac, 1) })
	once("New [5000]byte", func(w *world, ac *actor, _ int) { shapes[11].newValue(w, ac, 0) })
	once("Sprintf", func(w *world, ac *actor, _ int) { w.sprintf(ac, 9) })
	once("Text", func(w *world, ac *actor, _ int) { w.text(ac, 200) })
	once("Uninit", func(w *world, ac *actor, _ int) { w.allocBytes(ac, w.chunk-8, true) })
	once("Reserve", func(w *world, ac *actor, _ int) {
		w.asked(w.chunk+1, 8)
		ac.a.Reserve(w.chunk + 1)
	})
	once("of the root: AllocString", func(w *world, _ *actor, _ int) { w.newString(w.root, 9, true) })
	once("of the root: Append", func(w *world, _ *actor, _ int) { newest[byte](w, w.root).grow(w, w.root, 0, 9) })
	once("of the root: first mark", func(w *world, _ *actor, _ int) { w.rewindOne(w.root, 0) })
	once("of the root: Reset", func(w *world, _ *actor, _ int) { w.end(w.root, 0) })
	return all, core
}()

// newest returns the newest slice of T, or nil as one.
func newest[T any](w *world, ac *actor) *sliceOf[T] {
	for i := len(ac.slices) - 1; i >= 0; i-- {
		if s, ok := ac.slices[i].(*sliceOf[T]); ok {
			return s
		}
	}
	s := &sliceOf[T]{at: w.step}
	for _, sh := range shapes {
		if sh, ok := sh.(shapeOf[T]); ok {
			s.shape = sh
		}
	}
	ac.slices = append(ac.slices, s)
	return s
}

// rewindOne rewinds to a mark, if there is one.
func (w *world) rewindOne(ac *actor, i int) {
	if i >= 0 && len(ac.marks) > 0 {
		w.rewind(ac, i)
	}
}

// innermost is the actor that letters are for: the newest child's newest child.
func (w *world) innermost() *actor {
	ac := w.root
	for len(ac.children) > 0 {
		ac = ac.children[len(ac.children)-1]
	}
	return ac
}

// spell runs a program of letters. It verifies everything at the end only: earlier errors are found by the shorter
// program that ends there.
func (w *world) spell(letters []letter) {
	w.root = w.newRoot()
	sizes := edges(w.chunk)
	for _, l := range w.program {
		w.step++
		ac := w.innermost()
		letter := &letters[l]
		w.attempt(letter.name, func() { letter.do(w, ac, sizes[letter.size]) })
	}
	w.verify()
	w.root.a.Free()
	w.release(w.root)
	w.verifyFree()
}

// offered returns how many bytes the first chunk of an arena offers.
func offered(set optionSet) int {
	w := &world{set: set}
	reserved := func(n int) arena.Stats {
		a := w.newRoot().a
		a.AllocBytes(8)
		a.AllocBytes(n - 8)
		return a.Stats()
	}
	n := reserved(16).Reserved
	for reserved(n).Chunks > 1 {
		n--
	}
	return n
}

// programs calls f with all programs of n letters.
func programs(n, letters int, f func(number int, program []byte)) {
	program := make([]byte, n)
	for number := 0; ; number++ {
		f(number, program)
		i := n - 1
		for ; i >= 0 && int(program[i]) == letters-1; i-- {
			program[i] = 0
		}
		if i < 0 {
			return
		}
		program[i]++
	}
}

// enumerate runs all programs of length letters, or only every stride-th of them, and returns the number of these.
func enumerate(t testing.TB, set optionSet, letters []letter, length, first, stride int) (count int) {
	chunk := offered(set)
	programs(length, len(letters), func(number int, program []byte) {
		if number%stride == first {
			count++
			w := &world{t: t, set: set, program: program, seed: uint64(number), chunk: chunk}
			w.spell(letters)
		}
	})
	return count
}

// TestAllShortPrograms runs all programs of one and two letters with each set of
// options, and those of three with one of the sets each. In the long mode it runs
// all of up to four letters, and all of five letters of core, with each.
func TestAllShortPrograms(t *testing.T) {
	for i, set := range optionSets {
		t.Run(set.name, func(t *testing.T) {
			if set.untrusted {
				defer setTrusted(false)()
			} else if testkit.Long {
				t.Parallel() // not with the others, which set a global variable
			}
			count := enumerate(t, set, alphabet, 1, 0, 1) + enumerate(t, set, alphabet, 2, 0, 1)
			switch {
			case testkit.Long:
				count += enumerate(t, set, alphabet, 3, 0, 1) + enumerate(t, set, alphabet, 4, 0, 1) +
					enumerate(t, set, core, 5, 0, 1)
			case !testing.Short() && !testkit.Sanitized:
				count += enumerate(t, set, alphabet, 3, i, len(optionSets))
			}
			t.Log(count, "programs")
		})
	}
}
