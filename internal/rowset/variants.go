package rowset

import (
	"reflect"
	"sync"
	"sync/atomic"
)

// Plans are the plans P by which rows were read, for each type of Go.
type Plans[P any] struct{ types sync.Map } // reflect.Type to *Variants[P]

// Of returns the plans of a type.
func (s *Plans[P]) Of(t reflect.Type) *Variants[P] {
	v, ok := s.types.Load(t)
	if !ok {
		v, _ = s.types.LoadOrStore(t, new(Variants[P]))
	}
	return v.(*Variants[P])
}

// Variants are the plans of one type for different columns and connections, the newest first. Their number is bounded,
// since names of columns may come from anywhere.
type Variants[P any] struct {
	list atomic.Pointer[[]*P]
	mu   sync.Mutex
}

// MaxVariants is how many plans a type has.
const MaxVariants = 64

// All returns the plans.
func (v *Variants[P]) All() []*P {
	if list := v.list.Load(); list != nil {
		return *list
	}
	return nil
}

// Add puts a plan in front. The oldest goes if there are too many.
func (v *Variants[P]) Add(p *P) {
	v.mu.Lock()
	defer v.mu.Unlock()
	old := v.All()
	list := append([]*P{p}, old[:min(len(old), MaxVariants-1)]...)
	v.list.Store(&list)
}
