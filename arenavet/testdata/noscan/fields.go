package noscan

import "github.com/harena-go/arena"

// A twig is only made in a thicket's arena, which isn't scanned. Its leaves have room for two.
type twig struct {
	name   string
	leaves []*twig
	ids    []int
}

type thicket struct {
	arena *arena.Arena
	root  *twig
}

func newThicket() *thicket {
	a := arena.NewArena(arena.WithNoScan())
	return &thicket{arena: a, root: arena.New[twig](a)}
}

func (f *thicket) twig(name string) *twig {
	b := arena.New[twig](f.arena)
	b.name = f.arena.AllocString(name)
	b.leaves = arena.MakeSlice[*twig](f.arena, 0, 2)
	b.ids = numbers(f.arena, 2)
	return b
}

func numbers(a *arena.Arena, n int) []int { return arena.MakeSlice[int](a, 0, n) }

func (f *thicket) grow(parent *twig, name string) {
	parent.leaves = append(parent.leaves, f.twig(name)) // want `a slice that the builtin append has grown`
}

func graft(parent, leaf *twig) {
	parent.leaves = append(parent.leaves, leaf) // want `a slice that the builtin append has grown`
}

// Within capacity, and with room.
func (f *thicket) right(parent *twig, leaf *twig) {
	if len(parent.leaves) < cap(parent.leaves) {
		parent.leaves = append(parent.leaves, leaf)
	} else {
		parent.leaves = arena.Append(f.arena, parent.leaves, leaf)
	}
}

// A shrub is also made on the heap.
type shrub struct{ leaves []*shrub }

func (f *thicket) shrub() *shrub {
	s := arena.New[shrub](f.arena)
	s.leaves = arena.MakeSlice[*shrub](f.arena, 0, 2)
	return s
}

func hedge(s *shrub) { plant(s, &shrub{}) }

func plant(s, leaf *shrub) { s.leaves = append(s.leaves, leaf) }

// Into the arena it comes as a copy.
func (f *thicket) copied(name string) *twig {
	var local twig
	local.ids = append(local.ids, len(name))
	b := f.twig(name)
	b.ids = arena.CopySlice(f.arena, local.ids)
	return b
}

// A bush is a part of others on the heap.
type bush struct{ ids []int }

type hedgerow struct{ first bush }

func (f *thicket) bush() *bush {
	b := arena.New[bush](f.arena)
	b.ids = numbers(f.arena, 2)
	return b
}

func newHedgerow() *hedgerow { return &hedgerow{} }

func (h *hedgerow) add(id int) { h.first.ids = append(h.first.ids, id) }
