package promises_test

import (
	"reflect"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file tests attempts, which Rewind undoes, in lives with many types.

// attempts makes n attempts, each with a value of a type of its own, and returns the bytes of the arena's lists. If
// keeps is set, something is kept between each two of them, so that each has a mark of its own.
func attempts(n int, keeps bool, opts ...arena.Option) (a *arena.Arena, lists int) {
	a = arena.NewArena(opts...)
	for _, k := range manyTypes(n) {
		m := a.Mark()
		k.New(a)
		a.Rewind(m)
		if keeps {
			a.AllocBytes(8)
		}
	}
	return a, a.Stats().Lists
}

// TestAttemptsOfManyTypes: what marks take doesn't grow with the types that attempts have seen.
func TestAttemptsOfManyTypes(t *testing.T) {
	for name, opts := range map[string][]arena.Option{"plain": nil, "limited": {arena.WithLimit(64 << 20)},
		"checked": {arena.WithChecks(arena.CheckResets)}} {
		if _, lists := attempts(1500, false, opts...); lists > 0 {
			t.Errorf("%s: lists take %d bytes after 1,500 attempts from one mark", name, lists)
		}
		_, few := attempts(200, true, opts...)
		if _, many := attempts(1600, true, opts...); many > 9*few {
			t.Errorf("%s: lists take %d bytes after 1,600 attempts, %d after 200", name, many, few)
		}
	}
}

// TestPoolLearnsFromAttempts: the first chunk of a slab is large enough for what attempts take, though most of them
// have other types.
func TestPoolLearnsFromAttempts(t *testing.T) {
	testkit.NeedsReuse(t)
	testkit.NoGC(t)
	keys := manyTypes(41)
	one := arena.KeyOf(reflect.TypeFor[*int]())
	p := arena.NewPool(arena.WithReuse())
	life := func() (reserved int) {
		a := p.Get()
		m := a.Mark()
		one.MakeSlice(a, 4000)
		a.Rewind(m)
		for _, k := range keys {
			m := a.Mark()
			k.New(a)
			a.Rewind(m)
		}
		reserved = a.Stats().Reserved
		p.Put(a)
		return reserved
	}
	for range 100 {
		life()
	}
	fresh := p.Get()
	for fresh.Stats().Reserved > 0 {
		fresh = p.Get()
	}
	one.New(fresh)
	if s := fresh.Stats(); s.Reserved < 4000*testkit.SizeOfType((*int)(nil)) {
		t.Errorf("the first chunk isn't large enough for what an attempt takes: %v", s)
	}
}
