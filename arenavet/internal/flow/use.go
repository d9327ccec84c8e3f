package flow

import (
	"fmt"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// This file holds uses: of memory, which must not be dead, and of arenas, which
// must not have ended. It looks at states and doesn't change what they know of
// values; the summary is told of what callers know.
//
// To use memory is to read it, to write to it, or to pass it on. To copy a pointer
// isn't, or each variable that is left over after a Reset would be a finding; it is
// one when something is done with it. Two branches by one condition are asked for
// before each report; see paths.go.

// used reports the use of dead memory, and says whether it was. Parts of a struct
// aren't used with it: see usedArg.
func (f *function) used(s *state.State, i ssa.Instruction, v state.Value, how string) bool {
	dead := false
	for t, d := range v.All() {
		if t.Path != "" {
			continue
		}
		f.noteUse(s, t)
		if f.dead(i, t, d, how) {
			dead = true
		}
	}
	return dead
}

// noteUse tells callers what a function uses that it has captured, and what it uses
// after it has waited.
func (f *function) noteUse(s *state.State, t state.Tag) {
	if t.Kind != state.Ptr || t.Loc.Sym == nil {
		return
	}
	x := *t.Loc.Sym
	// A goroutine that does so isn't done with it when it has waited: see early.
	if s.Waited && x.Param >= 0 {
		add(&f.summary.Late, x.Param)
	}
	if x.Param >= len(f.fn.Params) {
		add(&f.summary.Uses, x)
	}
}

// dead reports the use of one thing, if it is dead memory, and says whether it is.
// What is kept beyond Do is said to have escaped, since it is the keeping that is
// wrong.
func (f *function) dead(i ssa.Instruction, t state.Tag, d *state.Death, how string) bool {
	if d == nil || t.Kind != state.Mem || f.paths.contradict(d.At, i) {
		return false
	}
	if d.Do {
		f.report(Escape, i, d, t, fmt.Sprintf("arena memory %s after %s, kept beyond it", how, f.ending(d)))
	} else {
		f.report(UseAfter, i, d, t, fmt.Sprintf("arena memory %s after %s", how, f.ending(d)))
	}
	return true
}

// usedString is the use of an operand if it is a string: numbers are never dead.
func (f *function) usedString(s *state.State, i ssa.Instruction, v ssa.Value) {
	if shape.IsString(v.Type()) {
		f.used(s, i, s.Of(v), "is used")
	}
}

// usedArgs reports dead memory among the arguments of a call. KeepAlive may be
// given what is dead: it does nothing with it.
func (f *function) usedArgs(s *state.State, i ssa.Instruction, c *ssa.CallCommon, args []state.Value) {
	if f.pkg.calleeName(c) == "runtime.KeepAlive" {
		return
	}
	for n, v := range args {
		f.usedArg(s, i, v)
		// A receiver of an interface type isn't among Args.
		if n -= shift(c); n >= 0 && shape.HoldsMany(c.Args[n]) {
			f.usedElements(s, i, v)
		}
	}
}

// usedOthers is usedArgs for what a function of package arena only reads.
func (f *function) usedOthers(c arenaCall) {
	for n := range len(c.at.Common().Args) + 1 {
		a := c.operand(n)
		if n == c.fn.From || n == c.fn.Alias || a == nil {
			continue
		}
		v := c.s.Of(a)
		f.usedArg(c.s, c.at, v)
		if shape.HoldsMany(a) {
			f.usedElements(c.s, c.at, v)
		}
	}
}

// usedArg looks at a value and, if it is a struct, its fields.
func (f *function) usedArg(s *state.State, i ssa.Instruction, v state.Value) {
	f.used(s, i, v, "is passed on")
	for t, d := range v.All() {
		if t.Path != "" {
			f.dead(i, t, d, "is passed on")
		}
	}
}

// usedElements looks at the elements of a slice or map, which who gets it is likely
// to look at. One step is enough: what elements lead to is found dead where it is
// used.
func (f *function) usedElements(s *state.State, i ssa.Instruction, v state.Value) {
	for t := range v.All() {
		if !t.Is(state.Ptr) {
			continue
		}
		for _, path := range t.Loc.Paths {
			if !strings.HasPrefix(path, t.Off+"[") {
				continue
			}
			for t, d := range s.Cells[state.Cell{Loc: t.Loc, Path: path}].All() {
				f.dead(i, t, d, "is passed on")
			}
		}
	}
}

// touch is the use of an arena itself, to allocate or take back. The arena must not
// have ended, and no other goroutine may be using it. Callers are told that it must
// not have: the same is asked of what they pass.
//
// of are the values from which the arena was got, if they aren't the arenas that the call is given.
func (f *function) touch(s *state.State, i ssa.CallInstruction, from state.Value, name string, of ...ssa.Value) {
	if len(of) == 0 {
		of = arenasOf(i.Common())
	}
	for t, d := range from.All() {
		if !t.Is(state.Handle) {
			continue
		}
		if t.Root.Sym != nil {
			add(&f.summary.Needs, *t.Root.Sym)
		}
		if d != nil && !f.paths.contradict(d.At, i) && !f.another(d, i, of) {
			f.report(UseAfter, i, d, t, fmt.Sprintf("%s: the arena is used after %s", short(name), f.ending(d)))
		}
	}
	if r := s.Resolve(from, nil); r != nil {
		f.share(s, i, r, name)
	}
}

// fillsArena tells callers in which of their arenas the function allocates.
func (f *function) fillsArena(from state.Value) {
	for t := range from.All() {
		if t.Is(state.Handle) && t.Root.Sym != nil {
			add(&f.summary.Fills, *t.Root.Sym)
		}
	}
}
