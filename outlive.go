package arena

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"unsafe"

	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/walk"
)

// This file finds values of an arena with CheckObjects in the error that Do returns, or in the value of a panic, when
// Do is about to reset the arena. Tests often check only that there is an error, and would miss them. It must not
// depend on how an arena ends.

// outlivedBy is the method of that name once arenatest is in use; other programs don't link it.
var outlivedBy atomic.Pointer[func(a *Arena, holder string, v any)]

// outlivedBy reports the arena's values to which v leads.
func (a *Arena) outlivedBy(holder string, v any) {
	for _, e := range a.outliving(holder, v) {
		deliver(e, a.config.onEscape)
	}
}

// outliving returns them. A value that is dead already may lead anywhere: the look ends there.
func (a *Arena) outliving(holder string, v any) (found []Escape) {
	if v == nil {
		return nil
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { _ = recover() }()
	index := a.memory.Index()
	for g := range a.generations {
		if g != a {
			index = index.Add(&g.memory)
		}
	}
	l, by := a.account.lease, new(watch.Stack)
	runtime.Callers(3, by[:])
	var w walk.Walker
	w.Graph(holder, v, func(path string, to unsafe.Pointer) bool {
		c := index.Find(to)
		if c == nil {
			return true
		}
		s := watch.SiteOf(c)
		found = append(found, Escape{
			Arena: a.name(), Key: l.class.key, Type: s.String(), Size: int(s.Size), Holder: path,
			Allocated: s.Stack.Frames(), Reclaimed: by.Frames(), Lent: l.lentAt.Frames(),
		})
		return false
	})
	return found
}
