package arenaext

import (
	"reflect"
	"sync"
	"sync/atomic"
)

// RowPlans has the plans P for reading rows into values of Go types. It keeps the newest 64 of each type, since the
// number of column names isn't limited. The zero RowPlans is empty; any number of goroutines may use one.
type RowPlans[P any] struct{ types sync.Map } // reflect.Type to *variants[P]

// Of returns the plans of a type, the newest first.
func (s *RowPlans[P]) Of(t reflect.Type) []*P {
	if v, ok := s.types.Load(t); ok {
		return *v.(*variants[P]).list.Load()
	}
	return nil
}

// Add adds a plan of a type, and drops the oldest one if there are too many.
func (s *RowPlans[P]) Add(t reflect.Type, p *P) {
	fresh := new(variants[P])
	fresh.list.Store(new([]*P))
	v, _ := s.types.LoadOrStore(t, fresh)
	v.(*variants[P]).add(p)
}

// variants are the plans of one type for different columns and connections.
type variants[P any] struct {
	list atomic.Pointer[[]*P]
	mu   sync.Mutex
}

const maxVariants = 64

func (v *variants[P]) add(p *P) {
	v.mu.Lock()
	defer v.mu.Unlock()
	old := *v.list.Load()
	list := append([]*P{p}, old[:min(len(old), maxVariants-1)]...)
	v.list.Store(&list)
}
