package arenajson_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/collections"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file generates values that are read piece by piece: each piece to any place of the value, from any arena, as a
// batch or not. So there are containers of all arenas within containers of others. It must not depend on their code.

// A knot has each kind of place.
type knot struct {
	T string                           `json:",omitempty"`
	P *knot                            `json:",omitempty"`
	L []knot                           `json:",omitempty"`
	N map[string]*knot                 `json:",omitempty"`
	A any                              `json:",omitempty"`
	S collections.Slice[knot]          `json:",omitempty"`
	M collections.Map[string, knot]    `json:",omitempty"`
	Q *collections.Slice[*knot]        `json:",omitempty"`
	K *collections.Map[string, method] `json:",omitempty"`
}

// A method has a copy of its text, in the arena that it is given.
type method struct{ text *string }

func (m *method) UnmarshalJSONArena(a *arena.Arena, data []byte) error {
	m.text = arena.NewOf(a, a.AllocString(string(data)))
	return nil
}

func (m method) MarshalJSON() ([]byte, error) { return []byte(*m.text), nil }

// places generates values. The self-contained arenas are first.
type places struct {
	*rand.Rand
	arenas    []*arena.Arena
	contained int
}

func (r *places) word() string {
	return strings.Repeat(fmt.Sprintf("word%d ", r.IntN(100)), 1+r.IntN(9))
}

// text returns a knot in JSON.
func (r *places) text(depth int) string {
	in := func() string { return r.text(depth - 1) }
	list := func() string { return "[" + in() + "," + in() + "]" }
	object := func() string { return fmt.Sprintf(`{"one":%s,"k%d":%s}`, in(), r.IntN(3), in()) }
	members := []string{fmt.Sprintf(`"T":%q`, r.word())}
	for i, f := range []func() string{in, list, object, list, object, list,
		func() string { return fmt.Sprintf(`[%q,{"any":%d}]`, r.word(), r.Int()) },
		func() string { return fmt.Sprintf(`{"k%d":%q}`, r.IntN(3), r.word()) },
	} {
		if (depth > 0 || i > 5) && r.IntN(3) == 0 {
			members = append(members, fmt.Sprintf(`"%c":%s`, "PLNSMQAK"[i], f()))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// below returns a place below v, or v if it has none of that kind.
func (v *knot) below(kind int) *knot {
	switch {
	case kind == 0 && v.P != nil:
		return v.P
	case kind == 1 && len(v.L) > 0:
		return &v.L[0]
	case kind == 2 && v.N["one"] != nil:
		return v.N["one"]
	case kind == 3 && v.S.Len() > 0:
		return &v.S.Slice()[1]
	case kind == 4 && v.M.Has("one"):
		return v.M.Ref("one")
	}
	return v
}

// owner returns the self-contained arena that a value lies in, or nil.
func (r *places) owner(p unsafe.Pointer) *arena.Arena {
	for _, a := range r.arenas[:r.contained] {
		if p != nil && a.Owns(p) {
			return a
		}
	}
	return nil
}

// look reports whether something points out of a self-contained arena that v lies in, or below; in is that arena, or nil.
// foreign reports whether reading to v from an arena would do so: because something that isn't in a container, which
// has its own arena, is in another self-contained one.
func (r *places) look(v *knot, in, with *arena.Arena) (stray, foreign bool) {
	at := func(p unsafe.Pointer, replaced bool) *arena.Arena {
		own := r.owner(p)
		stray = stray || p != nil && in != nil && own != in
		foreign = foreign || !replaced && own != nil && own != with
		return own
	}
	below := func(with *arena.Arena, all ...*knot) {
		for _, e := range all {
			if e != nil {
				s, f := r.look(e, r.owner(unsafe.Pointer(e)), with)
				stray, foreign = stray || s, foreign || f
			}
		}
	}
	text := func(s string) { at(unsafe.Pointer(unsafe.StringData(s)), true) }
	text(v.T)
	at(unsafe.Pointer(v.P), false)
	below(with, v.P)
	at(unsafe.Pointer(unsafe.SliceData(v.L)), false)
	for i := range v.L {
		below(with, &v.L[i])
	}
	for _, e := range v.N {
		at(unsafe.Pointer(e), false)
		below(with, e)
	}
	if s, ok := v.A.([]any); ok { // which is written to, as a slice is
		at(unsafe.Pointer(unsafe.SliceData(s)), false)
	}
	items := v.S.Slice()
	own := at(unsafe.Pointer(unsafe.SliceData(items)), true)
	for i := range items {
		below(own, &items[i])
	}
	for k := range v.M.Keys() {
		text(k)
		e := v.M.Ref(k)
		below(at(unsafe.Pointer(e), true), e)
	}
	if at(unsafe.Pointer(v.Q), false); v.Q != nil {
		below(at(unsafe.Pointer(unsafe.SliceData(v.Q.Slice())), true), v.Q.Slice()...)
	}
	if at(unsafe.Pointer(v.K), false); v.K != nil {
		for _, m := range v.K.All() {
			at(unsafe.Pointer(m.text), true)
			text(*m.text)
		}
	}
	return stray, foreign
}

// TestBatchPlaces: whatever arena each container has, the values equal those decoded to the heap alone. Nothing in a
// self-contained arena points elsewhere, where the GC wouldn't see it, and no value changes later.
func TestBatchPlaces(t *testing.T) {
	pool, reused := arena.NewPool(), arena.NewPool(arena.WithReuse())
	steps := 0
	for seed := range uint64(testkit.Cases(250)) {
		r := &places{Rand: rand.New(rand.NewPCG(seed, 0)), contained: 2}
		lent := []*arena.Arena{pool.Get(), pool.Get(), reused.Get()}
		r.arenas = append([]*arena.Arena{arena.NewArena(arena.WithNoScan()), arena.NewArena(arena.WithNoScan()), arena.NewArena(), nil, nil, nil}, lent...)
		root, rootTwin := new(knot), new(knot)
		for range 8 {
			v, twin := root, rootTwin
			for range r.IntN(4) {
				kind := r.IntN(5)
				v, twin = v.below(kind), twin.below(kind)
			}
			a := r.arenas[r.IntN(len(r.arenas))]
			in := r.owner(unsafe.Pointer(v))
			if _, foreign := r.look(v, in, a); foreign || in != nil && in != a {
				continue // a program mustn't
			}
			var opts []arenajson.Options
			if r.IntN(3) > 0 {
				opts = append(opts, arenajson.Batch())
			}
			text := []byte(r.text(3))
			if err := errors.Join(arenajson.Unmarshal(a, text, v, opts...), arenajson.Unmarshal(nil, text, twin)); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			clear(text)
			steps++
			if stray, _ := r.look(root, nil, nil); stray {
				t.Fatalf("seed %d: a self-contained arena has a pointer to elsewhere", seed)
			}
		}
		want := written(t, rootTwin)
		for i := range 3 {
			if got := written(t, root); got != want {
				t.Fatalf("seed %d: after %d times of collecting garbage it is\n%s\nwant\n%s", seed, i, got, want)
			}
			if seed%16 == 0 {
				testkit.Churn()
			}
		}
		runtime.KeepAlive(r)
		pool.Put(lent[0])
		pool.Put(lent[1])
		if got := written(t, root); got != want { // without reuse values stay valid
			t.Fatalf("seed %d: after Put it is\n%s\nwant\n%s", seed, got, want)
		}
		reused.Put(lent[2])
	}
	if steps < testkit.Cases(250)*3 {
		t.Errorf("only %d steps are right", steps)
	}
}

func written(t *testing.T, v *knot) string {
	t.Helper()
	b, err := arenajson.Append(nil, v, arenajson.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
