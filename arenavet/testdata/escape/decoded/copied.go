package decoded

import (
	"maps"
	"slices"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/collections"
)

type samples struct {
	Weights []float64
	Counts  map[int]int
	Words   []string
}

func copied[T any](s []T) []T { return append([]T(nil), s...) }

// Copies of elements without pointers have nothing of the arena, whatever function copies them.
func OKCopied(data []byte) (w []float64, all [][]float64, keys []int) {
	a := pool.Get()
	defer pool.Put(a)
	r, err := arenajson.New[samples](a, data)
	if err != nil {
		return nil, nil, nil
	}
	all = append(all, slices.Clone(r.Weights), slices.Concat(r.Weights, r.Weights), slices.Sorted(slices.Values(r.Weights)))
	return copied(r.Weights), all, slices.Sorted(maps.Keys(maps.Clone(r.Counts)))
}

func copiedWords(data []byte) []string {
	a := pool.Get()
	defer pool.Put(a)
	r, err := arenajson.New[samples](a, data)
	if err != nil {
		return nil
	}
	return copied(r.Words) // want `arena memory is returned, but .*Pool.Put`
}

type visitor struct {
	pages []string
	last  *visitor
}

// A Map's value isn't its key: nobody stores into the bytes of a string.
func OKGetOrCreate(keys []string) (n int) {
	a := pool.Get()
	defer pool.Put(a)
	m := collections.NewMap[string, *visitor](a, 0)
	for _, k := range keys {
		v, ok := m.Get(k)
		if !ok {
			v = arena.New[visitor](a)
			m.Set(k, v)
		}
		v.pages = arena.Append(a, v.pages, "/")
	}
	return m.Len()
}

// A value of the arena is completed where the arena is put back.
func OKCompleted(log func(string)) {
	a := pool.Get()
	v := arena.New[visitor](a)
	defer func() {
		v.last = arena.New[visitor](a)
		log("done")
		pool.Put(a)
	}()
	v.pages = arena.Append(a, v.pages, "/")
}

func completed(log func(string)) *visitor {
	a := pool.Get()
	v := new(visitor)
	defer func() {
		v.last = arena.New[visitor](a) // want `v.last keeps arena memory`
		log("done")
		pool.Put(a)
	}()
	return v
}

func (v *visitor) OKRestored(work func() error) error {
	a := pool.Get()
	defer pool.Put(a)
	before := v.last
	v.last = arena.New[visitor](a)
	defer func() { v.last = before }()
	return work()
}

func (v *visitor) restoredOther(work func() error, w *visitor) error {
	a := pool.Get()
	defer pool.Put(a)
	before := v.last
	v.last = arena.New[visitor](a) // want `v.last keeps arena memory`
	defer func() { w.last = before }()
	return work()
}
