package peers

import "sync"

// reused is a sync.Pool and what is out of it until the next reset.
type reused[T any] struct {
	pool sync.Pool
	out  []*T
}

// get returns an object as the last user left it.
func (r *reused[T]) get() *T {
	p, ok := r.pool.Get().(*T)
	if !ok {
		p = new(T)
	}
	r.out = append(r.out, p)
	return p
}

// zero returns an object that is zero, as an allocator's would be.
func (r *reused[T]) zero() *T {
	p := r.get()
	var none T
	*p = none
	return p
}

func (r *reused[T]) putAll() {
	for _, p := range r.out {
		r.pool.Put(p)
	}
	r.out = r.out[:0]
}

// sized returns n elements that are zero, in the memory of *s if it is enough.
func sized[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	*s = (*s)[:n]
	clear(*s)
	return *s
}
