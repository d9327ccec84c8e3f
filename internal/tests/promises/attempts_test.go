package promises_test

import (
	"reflect"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file tests attempts, which Rewind undoes, in lives with many types.

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
