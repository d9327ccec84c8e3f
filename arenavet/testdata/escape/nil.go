package escape

import "github.com/harena-go/arena"

// A nil arena is the heap, and its Reset does nothing.

func OKDeferredMayBeNil(useArena bool) *node {
	var a *arena.Arena
	if useArena {
		a = arena.NewArena()
	}
	defer a.Reset()
	n := arena.New[node](a)
	n.n = 1
	if a == nil {
		return n
	}
	return nil
}

func OKDeferredNil() *node {
	var a *arena.Arena
	defer a.Reset()
	return arena.New[node](a)
}

func OKParameterMayBeNil(a *arena.Arena) *node {
	if a == nil {
		defer a.Reset()
		return arena.New[node](a)
	}
	return nil
}

func OKReplacedNil() *node {
	var a *arena.Arena
	defer a.Reset()
	n := arena.New[node](a)
	a = arena.NewArena()
	defer a.Reset()
	arena.New[node](a)
	return n
}

type request struct{ a *arena.Arena }

func OKFieldNil() *node {
	r := request{}
	defer r.a.Reset()
	return arena.New[node](r.a)
}

func OKCleanUp(a *arena.Arena) *node {
	defer func() {
		if a != nil {
			a.Reset()
		}
	}()
	if a != nil {
		return nil
	}
	return arena.New[node](a)
}

func OKOwnIfNil(a *arena.Arena) *node {
	var own *arena.Arena
	if a == nil {
		own = arena.NewArena()
		a = own
	}
	defer own.Reset()
	n := arena.New[node](a)
	n.n = 1
	if own != nil {
		return nil
	}
	return n
}

func OKOwnIfNilPool(a *arena.Arena) int {
	var own *arena.Arena
	if a == nil {
		own = pool.Get()
		a = own
	}
	n := arena.New[node](a)
	own.Reset()
	if own == nil {
		return n.n
	}
	return 0
}

func deferredMayBeNil(useArena bool) *node {
	var a *arena.Arena
	if useArena {
		a = arena.NewArena()
	}
	defer a.Reset()
	return arena.New[node](a) // want `arena memory is returned, but the deferred Reset`
}

func notNilAfterAll(a *arena.Arena) *node {
	defer a.Reset()
	n := arena.New[node](a)
	if a != nil {
		return n // want `arena memory is returned, but the deferred Reset`
	}
	return nil
}

func OKOwnUnlessGiven(a *arena.Arena) *node {
	if a == nil {
		own := arena.NewArena()
		defer own.Reset()
		return arena.DeepClone(arena.New[node](own))
	}
	return arena.New[node](a)
}

// OKComparedTwice compares with nil twice, to the same effect.
func OKComparedTwice(given *arena.Arena) *node {
	a := given
	if given == nil {
		a = arena.NewArena()
		defer a.Reset()
	}
	n := arena.New[node](a)
	if given != nil {
		return n
	}
	return arena.DeepClone(n)
}

func OKResetUnlessNil(given *arena.Arena) *node {
	a := given
	if a != nil {
		defer a.Reset()
	}
	n := arena.New[node](given)
	if given == nil {
		return n
	}
	return nil
}

func comparedWrongly(given *arena.Arena) *node {
	if given != nil {
		defer given.Reset()
	}
	n := arena.New[node](given)
	if given != nil {
		return n // want `arena memory is returned, but the deferred Reset`
	}
	return nil
}

func makeIf(on bool) *arena.Arena {
	if !on {
		return nil
	}
	return arena.NewArena()
}

func OKMadeIf(on bool) *node {
	a := makeIf(on)
	defer a.Reset()
	n := arena.New[node](a)
	if a != nil {
		n = arena.DeepClone(n)
	}
	return n
}

func madeIf(on bool) *node {
	a := makeIf(on)
	defer a.Reset()
	n := arena.New[node](a)
	if a == nil {
		n = arena.DeepClone(n)
	}
	return n // want `arena memory is returned, but the deferred Reset`
}
