package model_test

import (
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// This file runs the programs of the model test on the locals of a Shared. Several are in use at a
// time. In the model they are children of an arena that doesn't exist, as in pool_model_test.go.

// TestSharedModel runs random programs. A failure prints the program, which
// FuzzSharedModel's seeds can take over.
func TestSharedModel(t *testing.T) {
	runRandom(t, fewPrograms(), runShared)
}

// FuzzSharedModel runs programs of the model test on a Shared.
func FuzzSharedModel(f *testing.F) {
	for i := range optionSets {
		f.Add(byte(i), []byte("\xf4\x00\x00\x05\x00\x03\x04\x00\x07\xf5\x01\x10\x00\x19\x00\xf4\x33\x0f\x00\xf8\x00\x1b\x00\xff"))
	}
	f.Fuzz(func(t *testing.T, set byte, program []byte) {
		runShared(t, optionSets[int(set)%len(optionSets)], program[:min(len(program), 4000)])
	})
}

// A sharedWorld is a world with a Shared.
type sharedWorld struct {
	*world
	s *arena.Shared
}

// runShared executes one program. The limit is one on chunks here.
func runShared(t testing.TB, set optionSet, program []byte) {
	t.Helper()
	if set.untrusted {
		defer setTrusted(false)()
	}
	set.limit = 0
	limit := poolLimits[len(program)%len(poolLimits)]
	opts := append(append([]arena.Option(nil), set.opts...), arena.WithLimit(limit))
	w := &sharedWorld{&world{t: t, set: set, program: program, seed: uint64(len(program)), most: limit}, arena.NewShared(opts...)}
	w.root = &actor{}
	w.books = func() error { return arenakit.CheckSharedBooks(w.s) }
	for w.pos < len(program) {
		w.turn()
		w.verifyBooks()
	}
	w.verify()
	w.s.Free()
	for _, ac := range w.root.children {
		w.release(ac)
	}
	w.verifyFree()
}

// turn does something with the Shared, or with one of its locals.
func (w *sharedWorld) turn() {
	w.step++
	locals := w.root.children
	switch op := w.next(); {
	case op >= 0xFE:
		w.reset()
	case (op >= 0xF4 || len(locals) == 0) && len(locals) < lentMost:
		w.trace = append(w.trace, "Local")
		w.root.children = append(locals, &actor{a: w.s.Local(), parent: w.root, born: w.step})
	case len(locals) > 0:
		w.use(locals[op%len(locals)])
	}
	if w.step%16 == 0 {
		w.verify()
		w.verifyFree()
	}
}

// use does one operation with a local, or one of its children.
func (w *sharedWorld) use(ac *actor) {
	for n := w.next(); n >= 128 && len(ac.children) > 0; n = n * 7 % 256 {
		ac = ac.children[n%len(ac.children)]
	}
	op := w.next()
	if op%32 != 13 {
		w.perform(ac, op)
		return
	}
	if s := pickOf(w.world, ac.slices); s != nil { // perform might copy into the arena that doesn't exist
		w.attempt("CopySlice", func() { s.copyTo(w.world, w.root.children[w.next()%len(w.root.children)]) })
	}
}

// reset ends the lives of all locals. Values freed before stay valid, but in a self-contained Shared only if something
// points to them, as the model does.
func (w *sharedWorld) reset() {
	w.trace = append(w.trace, "Shared.Reset")
	w.verify()
	locals := w.root.children
	dead := w.root.reclaim()
	w.s.Reset()
	w.root.children = nil
	for _, ac := range locals {
		w.check(testkit.Caught(func() { ac.a.AllocBytes(1) }) != nil, "a local is usable after Reset")
	}
	w.taken(w.root, dead)
	w.verify()
	w.verifyFree()
}
