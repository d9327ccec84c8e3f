package flow

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds Reset, Rewind, Put and Free: whether they are allowed, and whom
// to tell. What they do to a state is for package state to know.
//
// An end is told to three: to the state, in which memory dies; to the program, if
// the arena is in a field or a global, whose memory then comes back; and to
// callers, if they know the arena. Package arena itself panics at some of what is
// reported here, but only when it is executed.

// takeBack takes a state past Reset, Rewind, Put and Free. Put and Rewind of an
// arena that has ended panic; Reset and Free of one do nothing, also to children,
// and so end nothing here. All of them are wrong while another goroutine uses the
// arena.
func (f *function) takeBack(c arenaCall, from state.Value) {
	s, i, k := c.s, c.at, c.fn
	at := c.arg(k.Mark)
	r := s.Resolve(from, c.operand(k.From))
	if r == nil {
		return
	}
	if k.Verb == api.Put || k.Verb == api.Rewind {
		f.touch(s, i, from, k.Name)
	} else {
		f.share(s, i, r, k.Name)
		if over(from) {
			return
		}
	}
	switch k.Verb {
	case api.Rewind:
		f.checkMark(i, r, at)
	case api.Put:
		f.checkPool(i, r, s.Resolve(s.Of(c.operand(k.Pool)), nil))
	}
	f.end(s, r, f.death(i, verbOf(k.Name), c.deferred), at)
}

// over says whether an arena has ended already, so that Reset and Free do nothing.
// One that was put back isn't over: somebody else has it, and to reset it is worse
// than useless.
func over(v state.Value) bool {
	for t, d := range v.All() {
		if t.Is(state.Handle) && d != nil && d.Verb != summary.Put {
			return true
		}
	}
	return false
}

// verbOf is what messages say of a function: "Reset" of "Arena.Reset".
func verbOf(name string) string {
	if name == summary.Put {
		return name
	}
	return short(name)
}

func short(name string) string { return name[strings.IndexByte(name, '.')+1:] }

// death returns the death that an instruction brings.
func (f *function) death(at ssa.Instruction, verb string, deferred bool) *state.Death {
	return f.pkg.deaths.Of(at, verb, deferred)
}

// deathInDo is a death that is the end of Do, or that a callee speaks of which is
// done with the arena.
func (f *function) deathInDo(at ssa.Instruction, verb string, deferred bool) *state.Death {
	d := f.death(at, verb, deferred)
	d.Do = true
	return d
}

// end ends the life of what r has handed out, since a mark if there is one, and of
// r itself if d is more than a Reset: callers are told, memory that goroutines have
// is reported, the state changes. A Rewind to a mark of which nothing is known does
// nothing here.
func (f *function) end(s *state.State, r *state.Root, d *state.Death, at state.Value) {
	var since func(state.Tag) bool
	if d.Verb == summary.Rewind {
		var known bool
		if since, known = s.Since(r, at); !known {
			return
		}
	}
	f.record(s, r, d, at)
	f.pendingAt(s, r, d)
	s.End(r, d, since)
	// A function that was passed, and called with the arena, may have kept memory of
	// it: who has passed it looks there.
	if d.Verb != summary.Free {
		for _, x := range f.calls[r] {
			add(&f.summary.Calls, x)
		}
	}
}

// record notes for callers what has ended. That of an arena within Do they don't
// know; that of a mark that this function has made concerns nothing of theirs,
// which is older. The maps are copied: this is a change of one state, and others
// may have them.
func (f *function) record(s *state.State, r *state.Root, d *state.Death, at state.Value) {
	if r.Object != nil && d.Verb != summary.Free && d.Verb != summary.Rewind {
		f.pkg.resettable[r.Object] = true
	}
	if r.Sym == nil || d.Do {
		return
	}
	k := summary.Kill{Root: *r.Sym, Verb: d.Verb, Mark: -1}
	if d.Verb == summary.Rewind {
		if k.Mark = markParam(at); k.Mark < 0 {
			return
		}
	}
	s.May, s.Must = maps.Clone(s.May), maps.Clone(s.Must)
	if s.May == nil {
		s.May = map[summary.Kill]bool{}
	}
	if s.Must == nil {
		s.Must = map[summary.Kill]bool{}
	}
	s.May[k], s.Must[k] = true, true
}

// markParam returns which parameter a mark is, -1 if it is none: a Mark has a field
// that points to its arena, by which it is told from other parameters.
func markParam(at state.Value) int {
	n := -1
	for t := range at.All() {
		if t.Kind == state.Ptr && t.Loc.Sym != nil && t.Loc.Sym.Param >= 0 && t.Loc.Sym.Path == ".arena*" {
			n = t.Loc.Sym.Param
		}
	}
	return n
}

// checkMark reports a mark that Rewind refuses.
func (f *function) checkMark(i ssa.CallInstruction, r *state.Root, at state.Value) {
	for t, d := range at.All() {
		switch {
		case t.Kind != state.Mark:
		// Reset, or an earlier Rewind, has ended the mark.
		case d != nil && !f.paths.contradict(d.At, i):
			f.report(UseAfter, i, d, state.Tag{Kind: state.Handle}, fmt.Sprintf("Rewind: the mark is stale after %s", f.ending(d)))
		// Made here, and so not the arena that is rewound, if that was made here or
		// passed.
		case t.Root != r && t.Root.Made() && (r.Made() || r.Sym != nil):
			f.report(UseAfter, i, nil, state.Tag{}, "Rewind: the mark is of another arena")
		}
	}
}

// checkPool reports an arena that Put refuses.
func (f *function) checkPool(i ssa.CallInstruction, r, pool *state.Root) {
	switch {
	case (r.Kind == state.Child || r.Kind == state.NewArena) && r.Made() && !r.Unsure:
		f.report(UseAfter, i, nil, state.Tag{}, "Put: the arena isn't from a pool")
	case pool != nil && slices.ContainsFunc(r.Pools, func(p *state.Root) bool { return f.twoPools(p, pool) }):
		f.report(UseAfter, i, nil, state.Tag{}, "Put: the arena is from another pool")
	}
}

// twoPools says whether two pools are different: this function has made both, or they are in
// two fields of one object, into which the package never puts the same.
func (f *function) twoPools(p, q *state.Root) bool {
	if p == q || p.Kind == state.AnyOf || q.Kind == state.AnyOf {
		return false
	}
	if p.Made() && q.Made() {
		return true
	}
	if p.Sym == nil || q.Sym == nil || p.Sym.Param != q.Sym.Param || p.Sym.Global != q.Sym.Global {
		return false
	}
	object, field := lastField(p.Sym.Path)
	other, otherField := lastField(q.Sym.Path)
	if object != other || field == otherField || field == "" || otherField == "" || state.Several(p.Sym.Path) {
		return false
	}
	a, b := f.fieldOf(*p.Sym), f.fieldOf(*q.Sym)
	return a != nil && b != nil && !f.pkg.shareValue(a, b)
}

// lastField splits the name of a pool into that of the object and the field in which it is.
func lastField(path string) (object, field string) {
	path = strings.TrimSuffix(path, "*&")
	n := strings.LastIndexByte(path, '.')
	if n < 0 || strings.ContainsAny(path[n:], "*[&(@") {
		return "", ""
	}
	return path[:n], path[n:]
}

// fieldOf returns the last field on the way that a name leads.
func (f *function) fieldOf(x summary.Sym) (field *types.Var) {
	x.Path = strings.TrimSuffix(x.Path, "*&") // by value, or by the address of what it points to
	t, path := f.typeOf(x)
	for path != "" && t != nil {
		var step string
		var next *types.Var
		step, path = firstStep(path)
		if t, next = stepped(t, step); next != nil {
			field = next
		}
	}
	return field
}

// shareValue says whether the package puts one value into both of two fields.
func (p *program) shareValue(a, b *types.Var) bool {
	values := map[ssa.Value]*types.Var{}
	for _, circle := range p.circles {
		for _, fn := range circle {
			for _, block := range fn.Blocks {
				for _, i := range block.Instrs {
					st, ok := i.(*ssa.Store)
					if !ok {
						continue
					}
					field, _ := shape.Holder(st.Addr).(*types.Var)
					if field == nil || field != a && field != b {
						continue
					}
					if old := values[st.Val]; old != nil && old != field {
						return true
					}
					values[st.Val] = field
				}
			}
		}
	}
	return false
}
