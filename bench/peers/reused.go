package peers

import "sync"

// reused is a sync.Pool with the objects taken out until the next reset.
type reused[T any] struct {
	pool sync.Pool
	out  []*T
}

// get returns an object with the content of its last use.
func (r *reused[T]) get() *T {
	p, ok := r.pool.Get().(*T)
	if !ok {
		p = new(T)
	}
	r.out = append(r.out, p)
	return p
}

// zero returns a zero object, like an allocator.
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

// sized returns n zero elements, in the memory of *s if it is large enough.
func sized[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	*s = (*s)[:n]
	clear(*s)
	return *s
}
