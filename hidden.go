package arena

import (
	"unsafe"

	"github.com/harena-go/arena/internal/inspect"
	"github.com/harena-go/arena/internal/memory"
	"github.com/harena-go/arena/internal/stray"
)

// This file holds when self-contained arenas with CheckObjects are looked through for
// hidden pointers, which package stray finds, and what it needs to know of them.

// surveyed is an arena as package stray sees it.
type surveyed Arena

func (s *surveyed) Name() string                  { return s.config.name }
func (s *surveyed) Plain() *memory.Region         { return &s.plain }
func (s *surveyed) Kept() []any                   { return s.kept }
func (s *surveyed) Born() uint64                  { return s.family.born }
func (s *surveyed) IsLocal() bool                 { return (*Arena)(s).isLocal() }
func (s *surveyed) Notes() *stray.Notes           { return &s.quarantine.hidden }
func (s *surveyed) Fresh() int                    { return s.quarantine.watch.Fresh() }
func (s *surveyed) Handler() *func(inspect.Stray) { return s.config.onStray }
func (s *surveyed) Header() stray.Span            { return headerOf((*Arena)(s)) }

func (s *surveyed) Left() (objects []memory.Chunk, kept []any) {
	if o := s.owner; o != nil {
		return o.chunks, o.kept
	}
	return nil, nil
}

func (s *surveyed) Parent() stray.Arena {
	if p := s.family.parent; p != nil {
		return (*surveyed)(p)
	}
	return nil
}

func (s *surveyed) Children(yield func(stray.Arena) bool) {
	for c := range s.family.children {
		if !yield((*surveyed)(c)) {
			return
		}
	}
}

// headerOf returns the memory of the arena itself, which its values may point to.
func headerOf(a *Arena) stray.Span {
	start := uintptr(unsafe.Pointer(a))
	return stray.Span{Start: start, End: start + unsafe.Sizeof(*a)}
}

// wantsHidden says whether somebody wants to know of hidden pointers in the arena.
func (a *Arena) wantsHidden() bool {
	return a.watch().Single() && a.owner != nil && inspect.Places != nil &&
		(a.config.onStray != nil || inspect.All.Load() != nil)
}

// lookForHidden is called before big chunks from the given one on die, and
// children that were born after a serial number. Locals of a Shared are looked
// at when that is reset: until then others use what they may point to.
func (a *Arena) lookForHidden(first int, born uint64) {
	if a.shared == nil && a.wantsHidden() {
		stray.Look((*surveyed)(a), first, born)
	}
}

func init() {
	inspect.Strays = func(arena any, last bool) (err error) {
		a := arena.(*Arena)
		if !a.idle() && a.wantsHidden() {
			err = stray.LookAtAll((*surveyed)(a))
			a.watch().Fresh()
			a.quarantine.hidden.SetLooked(last)
		}
		return err
	}
	inspect.OnStray = func(f func(inspect.Stray)) any {
		return optionFunc(func(c *config) { c.onStray = &f })
	}
}
