package decoded

import (
	"maps"
	"slices"

	"github.com/harena-go/arena/arenajson"
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
