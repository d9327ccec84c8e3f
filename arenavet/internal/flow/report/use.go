// Package report decides what is a mistake.
package report

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/finding"
	"github.com/harena-go/arena/arenavet/internal/flow/record"
	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds uses: of memory, which must not be dead, and of arenas, which
// must not have ended. It looks at states and doesn't change what they know of
// values; the summary is told of what callers know.
//
// To use memory is to read it, to write to it, or to pass it on. To copy a pointer
// isn't, or each variable that is left over after a Reset would be a finding; it is
// one when something is done with it. Two branches by one condition are asked for
// before each report; see Paths of package code.

// A Reporter reports what is wrong in the states of a function.
type Reporter struct{ *record.Function }

// Used reports the use of dead memory, and reports whether it was. Parts of a struct
// aren't used with it: see usedArg.
func (f Reporter) Used(s *state.State, i ssa.Instruction, v state.Value, how string) bool {
	dead := false
	for t, d := range v.All() {
		if t.Path != "" {
			continue
		}
		f.noteUse(s, i, t)
		if f.dead(i, t, d, how) {
			dead = true
		}
	}
	return dead
}

// noteUse tells callers what a function uses that it has captured, or that is in a field of
// what it is given, and what it uses after it has waited.
func (f Reporter) noteUse(s *state.State, i ssa.Instruction, t state.Tag) {
	f.noteOld(i, t)
	if t.Kind != state.Ptr || t.Loc.Sym == nil {
		return
	}
	x := *t.Loc.Sym
	// A goroutine that does so isn't done with it when it has waited: see early.
	if s.Waited && x.Param >= 0 {
		summary.Add(&f.Summary.Late, x.Param)
	}
	if x.Param >= len(f.Fn.Params) {
		summary.Add(&f.Summary.Uses, x)
	} else if f.Judging && x.Param >= 0 {
		f.noteUseBehind(s, i, t.Loc)
	}
}

// maxUseDepth is how many pointers lead to what callers are told of that it is used.
const maxUseDepth = 2

// noteUseBehind tells callers of the use of what is in a field or an element of what they pass, on all ways, unless
// the function may have put something else there.
func (f Reporter) noteUseBehind(s *state.State, i ssa.Instruction, l *state.Loc) {
	x := *l.Sym
	x.Path = strings.TrimSuffix(x.Path, "*")
	if !strings.ContainsAny(x.Path, ".[") || strings.ContainsAny(x.Path, "@(&<") ||
		strings.Contains(x.Path, state.Inside) ||
		strings.Count(x.Path, "*") > maxUseDepth || slices.Contains(f.Summary.Uses, x) {
		return
	}
	if l.From != nil && l.From.Sym != nil {
		at := state.Cell{Loc: l.From, Path: strings.TrimPrefix(x.Path, l.From.Sym.Path)}
		isOther := func(t state.Tag) bool { return t.Kind == state.Mem || t.Kind == state.Ptr && t.Loc != l }
		if v, known := s.Known(at); known && (len(v) == 0 || len(v.Only(isOther)) > 0) {
			return
		}
	}
	if code.Always(i, f.Spend) {
		summary.Add(&f.Summary.Uses, x)
	}
}

// noteOld tells callers of memory that is used behind the call of a function that they know, which
// may have ended it: on all ways from there, if it wasn't allocated behind the call.
func (f Reporter) noteOld(i ssa.Instruction, t state.Tag) {
	if !f.Judging || t.Kind != state.Mem || t.Root.Sym == nil || t.Site == nil {
		return
	}
	var leads, avoided func(from ssa.Instruction) bool
	for call, callees := range f.Called {
		told := true
		for c := range callees {
			told = told && f.Given.Has(old(c, t))
		}
		if call == i || told {
			continue
		}
		if leads == nil {
			leads, avoided = code.To(i, t.Site, f.Spend), code.ToReturn(i, f.Spend)
		}
		if avoided(call) || !leads(call) || !code.Leads(t.Site, call, nil, f.Spend) {
			continue
		}
		for c := range callees {
			f.Given.Add(old(c, t))
		}
	}
}

// old tells that memory is used behind the call of a function.
func old(c summary.Callee, t state.Tag) summary.Call {
	return summary.Call{Callee: c, Flow: summary.Flow{Kind: summary.Old, From: *t.Root.Sym}}
}

// dead reports the use of one thing, if it is dead memory, and reports whether it is.
// What is kept beyond Do is said to have escaped, since it is the keeping that is
// wrong.
func (f Reporter) dead(i ssa.Instruction, t state.Tag, d *state.Death, how string) bool {
	if d == nil || t.Kind != state.Mem || f.Paths.Contradict(d.At, i) {
		return false
	}
	if d.Do {
		f.Report(finding.Escape, i, d, t, fmt.Sprintf("arena memory %s after %s, kept beyond it", how, f.Ending(d)))
	} else {
		f.Report(finding.UseAfter, i, d, t, fmt.Sprintf("arena memory %s after %s", how, f.Ending(d)))
	}
	return true
}

// UsedString is the use of an operand if it is a string: numbers are never dead.
func (f Reporter) UsedString(s *state.State, i ssa.Instruction, v ssa.Value) {
	if shape.IsString(v.Type()) {
		f.Used(s, i, s.Of(v), "is used")
	}
}

// UsedArgs reports dead memory among the arguments of a call. KeepAlive may be
// given what is dead: it does nothing with it.
func (f Reporter) UsedArgs(s *state.State, i ssa.Instruction, c *ssa.CallCommon, args []state.Value) {
	if f.Program.CalleeName(c) == "runtime.KeepAlive" {
		return
	}
	for n, v := range args {
		f.UsedArg(s, i, v)
		// A receiver of an interface type isn't among Args.
		if n -= code.Shift(c); n >= 0 && shape.HoldsMany(c.Args[n]) {
			f.UsedElements(s, i, v)
		}
	}
}

// UsedArg looks at a value and, if it is a struct, its fields.
func (f Reporter) UsedArg(s *state.State, i ssa.Instruction, v state.Value) {
	f.Used(s, i, v, "is passed on")
	for t, d := range v.All() {
		if t.Path != "" {
			f.dead(i, t, d, "is passed on")
		}
	}
}

// UsedElements looks at the elements of a slice or map, since a function that gets it is
// likely to read them. One step is enough: what elements lead to is found dead where it is
// used.
func (f Reporter) UsedElements(s *state.State, i ssa.Instruction, v state.Value) {
	for t := range v.All() {
		if !t.Is(state.Ptr) {
			continue
		}
		for _, path := range t.Loc.Paths {
			if !strings.HasPrefix(path, t.Off+"[") {
				continue
			}
			for t, d := range s.In(state.Cell{Loc: t.Loc, Path: path}).All() {
				f.noteUse(s, i, t)
				f.dead(i, t, d, "is passed on")
			}
		}
	}
}

// Touch is the use of an arena itself, to allocate or reclaim. The arena must not
// have ended, and no other goroutine may be using it. Callers are told that it must
// not have ended when they pass it.
//
// of are the values from which the arena was got, if they aren't the arenas that the call is given.
func (f Reporter) Touch(s *state.State, i ssa.CallInstruction, from state.Value, name string, of ...ssa.Value) {
	if len(of) == 0 {
		of = code.ArenasOf(i.Common())
	}
	for t, d := range from.All() {
		if !t.Is(state.Handle) {
			continue
		}
		if t.Root.Sym != nil {
			summary.Add(&f.Summary.Needs, *t.Root.Sym)
		}
		if d != nil && !f.Paths.Contradict(d.At, i) && !f.another(d, i, of) {
			f.Report(finding.UseAfter, i, d, t, f.usedArena(i, d, name))
		}
	}
	if r := s.Resolve(from, nil); r != nil {
		f.Share(s, i, r, name)
	}
}

// usedArena says that an arena is used that has ended.
func (f Reporter) usedArena(i ssa.CallInstruction, d *state.Death, name string) string {
	name = Short(name)
	if fn := code.Origin(i.Common().StaticCallee()); name == "call" && fn != nil {
		name = fn.Name()
		puts := func(k summary.Kill) bool { return k.Verb == summary.Put }
		if sum := f.Program.Summary(fn); d.Verb == summary.Put && sum != nil && slices.ContainsFunc(sum.Kills, puts) {
			return fmt.Sprintf("%s puts the arena back a second time; the first time is %s", name, f.Where(d.At))
		}
	}
	return fmt.Sprintf("%s: the arena is used after %s", name, f.Ending(d))
}
