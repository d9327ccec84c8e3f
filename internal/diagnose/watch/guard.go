package watch

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/engine/guard"
)

// This file has the tracker guard dead blocks from their submission until FindAll or Peek looks, and surviving blocks
// after Peek. It must not depend on how memory is guarded.
//
// A guard keeps its block alive, so other holders couldn't be found meanwhile: a batch with guarded blocks keeps them
// and waits. While FindAll or Peek is at work nothing is guarded.

// guard guards the blocks of the batch that have pages of their own and are touchable. mu or looking is held.
//
//go:norace
func (b *Batch) guard(touchable func(*doomedBlock) bool) {
	var pages []guard.Pages
	var blocks []*doomedBlock
	for i := range b.doomed {
		s := &b.doomed[i]
		if s.pages == 0 || !touchable(s) {
			continue
		}
		if p := unsafe.Pointer(s.block.Value()); p != nil {
			pages = append(pages, guard.Pages{Start: p, Size: s.pages})
			blocks = append(blocks, s)
		}
	}
	if len(pages) == 0 || !guard.Guard(pages) {
		return
	}
	b.keeps = true
	for i, s := range blocks {
		s.keep, s.guarded = pages[i].Start, true
	}
	if f := inspect.OnGuarded.Load(); f != nil {
		(*f)(b.Name, b.guarded(nil))
	}
}

// guarded appends the batch's guarded blocks to list. Most are of a few kinds, and each kind is described once.
//
//go:norace
func (b *Batch) guarded(list []inspect.GuardedBlock) []inspect.GuardedBlock {
	taken := When(b.Stack.Frames(), b.Key)
	type kind struct {
		Stack
		Elem reflect.Type
		What Shape
	}
	known := map[kind]inspect.GuardedBlock{}
	for i := range b.doomed {
		s := &b.doomed[i]
		if !s.guarded {
			continue
		}
		k := kind{s.Site.Stack, s.Site.Elem, s.Site.What}
		g, ok := known[k]
		if !ok {
			g = inspect.GuardedBlock{Type: s.Site.String(), Allocated: CallSite(s.Site.Stack.Frames()), Taken: taken}
			known[k] = g
		}
		g.Block = inspect.Block{Addr: uintptr(s.keep), Size: s.pages}
		list = append(list, g)
	}
	return list
}

// Guarded returns the guarded blocks of arenas with a name, oldest first.
func (t *Tracker) Guarded(arena string) (list []inspect.GuardedBlock) {
	t.looking.Lock()
	defer t.looking.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, b := range t.batches {
		if b.Name == arena {
			list = b.guarded(list)
		}
	}
	return list
}

// DeadAt returns the guarded value at an address, or else the values that died with a pointer that leads there; nil if
// neither is known. The next Peek reports the guarded value if it has a holder, even if it was reported before.
func (t *Tracker) DeadAt(addr uintptr) *inspect.Dead {
	t.looking.Lock()
	defer t.looking.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, b := range t.batches {
		for i := range b.doomed {
			if s := &b.doomed[i]; s.guarded && addr-uintptr(s.keep) < s.pages {
				s.peeked = false
				return &inspect.Dead{Arena: b.Name, Key: b.Key, Type: s.Site.String(), Size: int(s.Size),
					Allocated: s.Site.Stack.Frames(), Taken: b.Stack.Frames()}
			}
		}
	}
	return endings.deadAt(addr)
}
