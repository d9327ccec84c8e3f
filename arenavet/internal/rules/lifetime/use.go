package lifetime

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/code"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
	"github.com/harena-go/arena/arenavet/internal/knowledge/std"
	"github.com/harena-go/arena/arenavet/internal/rules/finding"
)

// This file checks uses: of memory, which must not be dead, and of arenas, which must not have ended. It doesn't change
// the values in states; it adds uses of values from callers to the summary.
//
// A use of memory is a read, a write, or passing it on. Copying a pointer isn't, or each variable left over after a
// Reset would be a finding; a later operation on the copy is. Before each report, Paths of package code excludes two
// branches that contradict each other.

// Used reports a use of dead memory, and returns whether there was one. A use of a struct isn't one of its parts: see
// UsedArg.
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

// noteUse adds to the summary uses of captured variables and of fields of parameters, and uses after waiting.
func (f Reporter) noteUse(s *state.State, i ssa.Instruction, t state.Tag) {
	f.noteOld(i, t)
	if t.Kind != state.Ptr || t.Loc.Sym == nil {
		return
	}
	x := *t.Loc.Sym
	// A goroutine that uses it after waiting isn't done with it then: see early.
	if s.Waited && x.Param >= 0 {
		summary.Add(&f.Summary.Late, x.Param)
	}
	if x.Param >= len(f.Fn.Params) {
		summary.Add(&f.Summary.Uses, x)
	} else if f.Judging && x.Param >= 0 {
		f.noteUseBehind(s, i, t.Loc)
	}
}

// maxUseDepth bounds the pointers to used memory in the summary.
const maxUseDepth = 2

// noteUseBehind adds to the summary a use, on all paths, of a field or an element reached from a parameter, unless the
// function may have set it to something else.
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

// noteOld adds to the summary memory that is used after the call of a function that callers know, and which may have
// ended it: on all paths from the call, if the memory was allocated before it.
func (f Reporter) noteOld(i ssa.Instruction, t state.Tag) {
	if !f.Judging || t.Kind != state.Mem || t.Root.Sym == nil || t.Site == nil {
		return
	}
	var leads, avoided func(from ssa.Instruction) bool
	for call, callees := range f.Called {
		told := true
		for c := range callees {
			told = told && f.Given[old(c, t)]
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
			f.Given[old(c, t)] = true
		}
	}
}

// old returns the entry for a use of memory after the call of a function.
func old(c summary.Callee, t state.Tag) summary.Call {
	return summary.Call{Callee: c, Flow: summary.Flow{Kind: summary.Old, From: *t.Root.Sym}}
}

// dead reports the use of a tag, if it is dead memory, and returns whether it is. Memory that is kept beyond Do is
// reported as escaped, since keeping it is the mistake.
func (f Reporter) dead(i ssa.Instruction, t state.Tag, d *state.Death, how string) bool {
	if d == nil || t.Kind != state.Mem || f.Paths.Contradict(d.At, i) {
		return false
	}
	if d.Do {
		f.report(finding.Escape, i, d, t, fmt.Sprintf("arena memory %s after %s, kept beyond it", how, f.ending(d)))
	} else {
		f.report(finding.UseAfter, i, d, t, fmt.Sprintf("arena memory %s after %s", how, f.ending(d)))
	}
	return true
}

// UsedString is Used for an operand that is a string: numbers are never dead.
func (f Reporter) UsedString(s *state.State, i ssa.Instruction, v ssa.Value) {
	if shape.IsString(v.Type()) {
		f.Used(s, i, s.Of(v), "is used")
	}
}

// UsedArgs reports dead memory among the arguments of a call. KeepAlive may get dead values: it does nothing with them.
func (f Reporter) UsedArgs(s *state.State, i ssa.Instruction, c *ssa.CallCommon, args []state.Value) {
	if code.CalleeName(c) == "runtime.KeepAlive" {
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

// UsedArg checks a value and, if it is a struct, its fields.
func (f Reporter) UsedArg(s *state.State, i ssa.Instruction, v state.Value) {
	f.Used(s, i, v, "is passed on")
	for t, d := range v.All() {
		if t.Path != "" {
			f.dead(i, t, d, "is passed on")
		}
	}
}

// UsedElements checks the elements of a slice or map, since a function that gets it is likely to read them. One step is
// enough: later uses find the dead targets of elements.
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

// Touch checks the use of an arena itself, to allocate or reclaim. The arena must not have ended, and no other
// goroutine may be using it. The summary requires that callers pass one that hasn't ended.
//
// of has the values from which the arena was got, if they aren't the call's arena arguments.
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
			f.report(finding.UseAfter, i, d, t, f.usedArena(i, d, name))
		}
	}
	if r := s.Resolve(from, nil); r != nil {
		f.Share(s, i, r, name)
	}
}

// usedArena returns the message for a use of an ended arena.
func (f Reporter) usedArena(i ssa.CallInstruction, d *state.Death, name string) string {
	name = Short(name)
	if fn := api.StaticCallee(i.Common()); name == "call" && fn != nil {
		name = fn.Name()
	}
	return fmt.Sprintf("%s: the arena is used after %s", name, f.ending(d))
}

// This part reports values and arenas that escape into a goroutine: another goroutine has them, and this one uses the
// arena, or reclaims the memory, without waiting. Package transfer records what goroutines are given.

// GiveArena records that a goroutine uses an arena from now on. If another goroutine does already, or if this statement
// has started one in an earlier loop iteration (again), two use it at once. from is the value that led to the arena, or
// nil.
func (f Reporter) GiveArena(s *state.State, i ssa.CallInstruction, r *state.Root, from ssa.Value,
	what state.PendingKind, again bool) {
	if what == state.ByHandler {
		f.report(finding.Goroutine, i, nil, state.Tag{Root: r},
			"the handler uses one arena for all requests, which many goroutines serve at once")
		return
	}
	for p := range s.Pending {
		if p.Root == r && p.Site == nil && (p.At != i || again && !f.givenAnew(i, from)) {
			m := fmt.Sprintf("the goroutine uses the arena of another that was started %s", f.where(p.At))
			if p.At == i {
				m = "the goroutines that are started in this loop use one arena"
			}
			f.report(finding.Goroutine, i, nil, state.Tag{Root: r}, m)
		}
	}
	s.Pending[state.Pending{At: i, Root: r, What: what}] = true
	if r.Sym != nil {
		summary.Add(&f.Summary.Touches, *r.Sym)
	}
}

// Share is the part of Touch for other goroutines: it reports an arena that one of them is using. Each goroutine is
// reported once.
func (f Reporter) Share(s *state.State, i ssa.Instruction, r *state.Root, name string) {
	if r.Sym != nil && !r.Shared { // callers need not know that it is one
		summary.Add(&f.Summary.Touches, *r.Sym)
	}
	for p := range s.Pending {
		if p.Root == r && p.Site == nil && p.At != i {
			how := "was started"
			if p.What == state.BySend {
				how = "it was sent to"
			}
			f.report(finding.Goroutine, i, nil, state.Tag{Root: r},
				fmt.Sprintf("%s: the arena is in use by the goroutine that %s %s", Short(name), how, f.where(p.At)))
			f.Hide(s, p.At)
		}
	}
}

// PendingAt reports memory that is reclaimed while another goroutine has it, at the place where the goroutine got it.
// Free leaves memory valid, unless it erases it.
func (f Reporter) PendingAt(s *state.State, r *state.Root, d *state.Death) {
	for p := range s.Pending {
		if p.Site == nil || !p.Root.Within(r) || d.Verb == summary.Free && !p.Root.Scrub {
			continue
		}
		delete(s.Pending, p)
		how := "is given to a goroutine"
		if p.What == state.BySend {
			how = "is sent to another goroutine"
		}
		f.report(finding.Escape, p.At, d, state.Tag{Kind: state.Mem, Root: p.Root, Site: p.Site},
			fmt.Sprintf("arena memory %s, and %s %s reclaims it without waiting", how, d.Verb, f.where(d.At)))
	}
}

// Hide drops the pending values of a statement, because they were reported, or because it didn't run.
func (f Reporter) Hide(s *state.State, at ssa.Instruction) {
	for p := range s.Pending {
		if p.At == at {
			delete(s.Pending, p)
		}
	}
}

// This part recognizes arenas that a loop gets anew in each iteration under one name: no two goroutines use one, and
// none is used after its end.

// another reports whether a call gets another arena than the one that d has ended, though both have one name: it comes
// from an element of something, and each path from the end to the call gets another element first.
//
//	for w := range work {
//		w.arena.AllocString("done")
//		pool.Put(w.arena)
//	}
func (f Reporter) another(d *state.Death, i ssa.Instruction, from []ssa.Value) bool {
	if d.At.Parent() != f.Fn || i.Parent() != f.Fn || len(from) == 0 || !code.Leads(d.At, i, nil, f.Spend) {
		return false
	}
	for _, x := range from {
		got, ok := code.Source(x).(ssa.Instruction)
		if !ok || code.Leads(d.At, i, got, f.Spend) {
			return false
		}
	}
	return true
}

// givenAnew reports whether a call in a loop gets another arena in each iteration, though all have one name: the value
// that led to it is an element of something, which the loop gets anew.
//
//	for _, w := range workers {
//		go w.run() // in w.arena
//	}
func (f Reporter) givenAnew(i ssa.CallInstruction, from ssa.Value) bool {
	if from == nil || i.Parent() != f.Fn || !code.Leads(i, i, nil, f.Spend) {
		return false
	}
	for _, v := range code.Written(from) {
		got, ok := code.Source(v).(ssa.Instruction)
		if !ok || code.Leads(i, i, got, f.Spend) {
			return false
		}
	}
	return true
}

// This part reports marks that Rewind refuses, and arenas that Put refuses.

// Short returns the name of a method without its type.
func Short(name string) string { return name[strings.IndexByte(name, '.')+1:] }

// CheckMark reports a mark that Rewind refuses.
func (f Reporter) CheckMark(i ssa.CallInstruction, r *state.Root, at state.Value) {
	for t, d := range at.All() {
		switch {
		case t.Kind != state.Mark:
		// Reset, or an earlier Rewind, has ended the mark.
		case d != nil && !f.Paths.Contradict(d.At, i):
			f.report(finding.UseAfter, i, d, state.Tag{Kind: state.Handle},
				fmt.Sprintf("Rewind: the mark is stale after %s", f.ending(d)))
		// Made here, so not the mark of the rewound arena, if that was made here or passed in.
		case t.Root != r && t.Root.Made() && (r.Made() || r.Sym != nil):
			f.report(finding.UseAfter, i, nil, state.Tag{}, "Rewind: the mark is of another arena")
		}
	}
}

// CheckPool reports an arena that Put refuses.
func (f Reporter) CheckPool(i ssa.CallInstruction, r *state.Root) {
	if (r.Kind == state.Child || r.Kind == state.NewArena) && r.Made() && !r.Unsure {
		f.report(finding.UseAfter, i, nil, state.Tag{}, "Put: the arena isn't from a pool")
	}
}

// PutInDo reports that a function has put back the arena of the Do that calls it.
func (f Reporter) PutInDo(d *state.Death, t state.Tag) {
	f.report(finding.UseAfter, d.At, d, t, "Put: the arena is Do's, which puts it back itself")
}

// Watched reports an arena's value that is passed to runtime.AddCleanup and the like: the garbage collector knows
// chunks, not the values in them, and would watch the chunk.
func (f Reporter) Watched(i ssa.CallInstruction, name string, args []state.Value) {
	why, ok := std.Watchers[name]
	if !ok || len(args) == 0 || i.Value() != nil && code.OnlyStored(i.Value()) {
		return
	}
	for t := range args[0].All() {
		if t.Is(state.Mem) {
			f.report(finding.Misuse, i, nil, t,
				fmt.Sprintf("%s of a value in an arena: %s", name[strings.LastIndexByte(name, '/')+1:], why))
		}
	}
}
