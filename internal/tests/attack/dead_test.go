package attack

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// This file uses things of lives that are over, in Pools without reuse: everything that has an exported method, in the
// midst of later lives. A use panics, or needs no memory; nothing of another life changes.

// A relic is a call on a thing of a life that is over.
type relic struct {
	action
	a      *arena.Arena
	panics bool // it needs memory
}

// use makes the call, and returns an error if it ends in the wrong way.
func (r *relic) use() error {
	n := 1
	if r.panics {
		n = 600 // collections have room for some entries
	}
	v := caught(func() { times(n, r.do) })
	text, bad := fmt.Sprint(v), v != nil
	switch v.(type) {
	case string:
		bad = !strings.HasPrefix(text, "arena: ") && !strings.HasPrefix(text, "collections: ")
	case error: // an element that another call has removed
		bad = r.panics || !strings.Contains(text, "out of range")
	}
	if bad || v == nil && r.panics {
		return fmt.Errorf("%s after the end: panic %v", r.name, v)
	}
	if n := r.a.UsedBytes(); n != 0 {
		return fmt.Errorf("%s: an ended arena has %d bytes", r.name, n)
	}
	return nil
}

// relics returns the calls on a thing in an arena that is about to end.
func relics(p *arena.Pool, name string, a *arena.Arena) (all []relic) {
	v := receivers[name](a)
	for _, f := range fillingsOf(v, a) {
		times(3, f.in(a))
		all = append(all, relic{action{name + ": " + f.name, false, f.in(a)}, a, f.name != "types"})
	}
	for _, d := range actionsOf(name, v, a) {
		all = append(all, relic{d, a, false})
	}
	k := arena.KeyOf(arena.KeyOf(types()[len(all)%len(types())]).Type())
	t, s := k.For(a), arena.For[watched](a)
	q, n := t.Grow(nil, 0, 0, 3)
	s.New()
	add := func(name string, panics bool, f func(int)) {
		all = append(all, relic{action{"relic " + name, false, f}, a, panics})
	}
	add("Typed.New", true, func(int) { s.New() })
	add("TypeAllocator.New", true, func(int) { t.New() })
	add("TypeAllocator.NewN", true, func(i int) { t.NewN(i + 1) })
	add("TypeAllocator.Grow", true, func(int) { t.Grow(q, 2, n, n+1) })
	add("TypeAllocator.Trim", false, func(int) { t.Trim(q, 1, n) })
	add("Realloc", true, func(int) { a.Realloc(a.Alloc(8, 8), 8, 16, 8) })
	add("Put", true, func(int) { p.Put(a) })
	add("Owns", false, func(int) {
		if a.Owns(q) || !a.Freed() && a.Stats().Used > 0 {
			panic("an ended arena owns a value")
		}
	})
	return all
}

// A watched is a value of a life, which leads to all values from before.
type watched struct {
	older  *watched
	n      [3]int
	text   string
	others []*int
	bytes  []byte
}

func newWatched(a *arena.Arena, older *watched, n int) (*watched, error) {
	p := arena.New[watched](a)
	b := arena.MakeSlice[byte](a, n%40, n%40+9)
	if p.older != nil || p.n != [3]int{} || p.text != "" || p.others != nil || p.bytes != nil ||
		slices.ContainsFunc(b[:cap(b)], func(x byte) bool { return x != 0 }) {
		return nil, fmt.Errorf("not zero: %+v, %x", *p, b[:cap(b)])
	}
	for i := range b {
		b[i] = byte(n)
	}
	p.older, p.n, p.text, p.bytes = older, [3]int{n, n, n}, a.Sprintf("value %d", n), b
	for i := range n % 5 {
		p.others = arena.Append(a, p.others, arena.NewOf(a, n+i))
	}
	return p, nil
}

// wrong returns the changes in a life's values, the newest of which is p.
func (p *watched) wrong() error {
	for ; p != nil; p = p.older {
		n := p.n[0]
		ok := p.n == [3]int{n, n, n} && p.text == fmt.Sprintf("value %d", n) && len(p.others) == n%5 && len(p.bytes) == n%40
		for i, q := range p.others {
			ok = ok && *q == n+i
		}
		for _, b := range p.bytes {
			ok = ok && b == byte(n)
		}
		if !ok {
			return fmt.Errorf("a value has changed: %+v", *p)
		}
	}
	return nil
}

// lastingPools are Pools without reuse.
var lastingPools = map[string][]arena.PoolOption{
	"default":         nil,
	"limit":           {arena.WithLimit(1 << 20)},
	"pool limit":      {arena.WithPoolLimit(1 << 24)},
	"small chunks":    {arena.WithChunkSize(256), arena.WithMaxChunkSize(512)},
	"chunks":          {arena.WithChunkSize(5000)},
	"nothing is kept": {arena.WithMaxRetained(0), arena.WithChunkSize(1024)},
	"observed":        {arena.WithObserveRate(2)},
	"checked":         {arena.WithCheckRate(3)},
}

// TestRelics: each thing of an ended life panics when it needs memory, at any later time, and does nothing to the
// values of any life.
func TestRelics(t *testing.T) {
	for name, opts := range lastingPools {
		t.Run(name, func(t *testing.T) {
			r := rng(len(name))
			p, other := arena.NewPool(opts...), arena.NewPool()
			if err := manyLives(p, other, &r, 400); err != nil {
				t.Fatal(err)
			}
			if err := arenakit.CheckPoolBooks(p); err != nil {
				t.Error(err)
			}
		})
	}
}

// manyLives lives a number of lives with relics of those before.
func manyLives(p, other *arena.Pool, r *rng, lives int) error {
	names := slices.Sorted(maps.Keys(receivers))
	names = slices.DeleteFunc(names, func(s string) bool { return s == "arena.Pool" || s == "arena.Shared" })
	var old []relic
	var kept []*watched
	for life := range lives {
		a, b := get2(p, r), other.Get()
		var last, others *watched
		for i := range 3 + r.n(30) {
			var err error
			if last, err = newWatched(a, last, life*100+i); err != nil {
				return err
			}
			others, _ = newWatched(b, others, life*100+i)
			if len(old) > 0 && r.one(2) {
				used, used2 := a.UsedBytes(), b.UsedBytes()
				x := &old[r.n(len(old))]
				if err := x.use(); err != nil {
					return err
				}
				if a.UsedBytes() != used || b.UsedBytes() != used2 {
					return fmt.Errorf("%s has changed the use of another life", x.name)
				}
			}
			if !a.Owns(unsafe.Pointer(last)) || len(kept) > 0 && a.Owns(unsafe.Pointer(kept[r.n(len(kept))])) {
				return fmt.Errorf("life %d: the arena owns the value of another, or not its own", life)
			}
		}
		if err := last.wrong(); err != nil {
			return err
		}
		kept = append(kept, last, others)
		in := a
		if r.one(4) {
			in = a.Child()
		}
		now := relics(p, names[r.n(len(names))], in)
		old = append(old[max(0, len(old)-400):], now...)
		if r.one(3) {
			a.Reset()
			a.AllocString("x")
		}
		other.Put(b)
		if r.one(3) {
			a.Free()
		} else {
			p.Put(a)
		}
		for i := range now {
			if in != a && now[i].name == "relic Put" {
				continue
			}
			if err := now[i].use(); err != nil {
				return err
			}
		}
	}
	for _, last := range kept {
		if err := last.wrong(); err != nil {
			return err
		}
	}
	return nil
}

func get2(p *arena.Pool, r *rng) *arena.Arena {
	if r.one(2) {
		return p.Get()
	}
	return p.GetKeyed(keyNames[r.n(3)])
}

// TestRelicsInBubbles: the same in bubbles, and with things from outside.
func TestRelicsInBubbles(t *testing.T) {
	r, p, other := rng(1), arena.NewPool(), arena.NewPool()
	part := func(t *testing.T) {
		if err := manyLives(p, other, &r, 40); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		part(t)
		synctest.Test(t, part)
	}
}
