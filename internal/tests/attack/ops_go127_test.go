//go:build go1.27

package attack

import (
	"unsafe"

	"github.com/harena-go/arena"
)

// This file has the generic methods, which do the same as the functions of their names.

func init() { parts = append(parts, methodOps) }

var methodOps = []operation{
	{name: "a.New", weight: 6, calls: "arena.Arena.New", do: with(func(w *world, ac *actor, r *rng) {
		var p *[5]uint64
		var q *string
		if w.call(ac, "New", 40, 47, func() { p = ac.a.New[[5]uint64]() }) {
			w.addValue(ac, kindOf[[5]uint64]{}, unsafe.Pointer(p), false)
		}
		if w.call(ac, "New", 0, 32, func() { q = ac.a.New[string]() }) && *q != "" {
			w.failf("a.New[string]() is %q", *q)
		}
	})},
	{name: "a.NewOf", weight: 4, calls: "arena.Arena.NewOf", do: with(func(w *world, ac *actor, r *rng) {
		var p *uint64
		if w.call(ac, "NewOf", 8, 15, func() { p = ac.a.NewOf(uint64(42)) }) {
			if *p != 42 {
				w.failf("a.NewOf(42) is %d", *p)
			}
			w.addValue(ac, kindOf[uint64]{}, unsafe.Pointer(p), true)
		}
	})},
	{name: "a.NewFunc", weight: 2, calls: "arena.Arena.NewFunc arena.Arena.Box", do: with(func(w *world, ac *actor, r *rng) {
		var p *uint64
		if w.call(ac, "NewFunc", 8, 15, func() { p = ac.a.NewFunc(func(p *uint64) { *p = 42 }) }) {
			if *p != 42 {
				w.failf("a.NewFunc is %d", *p)
			}
			w.addValue(ac, kindOf[uint64]{}, unsafe.Pointer(p), true)
		}
		var v any
		if w.call(ac, "Box", 0, 15, func() { v = ac.a.Box(uint64(43)) }) && v != uint64(43) {
			w.failf("a.Box(43) is %v", v)
		}
	})},
	{name: "a.For", weight: 2, calls: "arena.Arena.For", do: with(func(w *world, ac *actor, r *rng) {
		var t *arena.Typed[uint64]
		w.call(ac, "For", 0, 0, func() { t = ac.a.For[uint64]() })
		typedOf[uint64]{t, kindOf[uint64]{}}.value(w, ac)
	})},
	{name: "a.slices", weight: 8, do: methodSlices, calls: "arena.Arena.MakeSlice arena.Arena.MakeSliceUninit arena.Arena.Append " +
		"arena.Arena.AppendSeq arena.Arena.Collect arena.Arena.Grow arena.Arena.CopySlice"},
}

func methodSlices(w *world, r *rng) *actor {
	ac := w.pick(r)
	k := kindOf[uint32]{}
	n := r.n(40)
	var s []uint32
	var ok, dirty bool
	switch r.n(4) {
	case 0:
		ok = w.call(ac, "MakeSlice", 4*n, 4*n+7, func() { s = ac.a.MakeSlice[uint32](n, n) })
	case 1:
		dirty = true
		ok = w.call(ac, "MakeSliceUninit", 4*n, 4*n+7, func() { s = ac.a.MakeSliceUninit[uint32](n, n) })
	case 2:
		ok = w.callNeeding(ac, "Collect", -1, func() { s = ac.a.Collect(k.zeros(n)) })
	case 3:
		dirty = true
		ok = w.call(ac, "CopySlice", 4*n, 4*n+7, func() { s = ac.a.CopySlice(make([]uint32, n)) })
	}
	if !ok || n == 0 {
		return ac
	}
	i := len(ac.pieces)
	if w.add(ac, k.piece(s), k.align(), dirty) == nil {
		return ac
	}
	s = s[:len(s):cap(s)]
	var t []uint32
	need := (len(s)+n)*4 + 7
	name := "Append"
	switch r.n(4) {
	case 0:
		ok = w.callNeeding(ac, name, need, func() { t = ac.a.Append(s, make([]uint32, n)...) })
	case 1:
		n = 1
		ok = w.callNeeding(ac, name, need, func() { t = ac.a.Append(s, 0) })
	case 2:
		ok = w.callNeeding(ac, name, -1, func() { t = ac.a.AppendSeq(s, k.zeros(n)) })
	case 3:
		name = "Grow"
		ok = w.callNeeding(ac, name, need, func() { t = ac.a.Grow(s, n) })
	}
	if ok {
		w.grown(ac, i, k.piece(t), name)
	}
	return ac
}
