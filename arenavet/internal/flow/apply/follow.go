package apply

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/record"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds names in summaries: what they mean, given the arguments of a call.

// Follow returns what a name in a summary means, given the arguments: see state.Follow.
// It knows two more things, the arena of a context and what a callback returns.
func (f *Applier) Follow(s *state.State, i ssa.CallInstruction, x summary.Sym, all []state.Value) state.Value {
	if path, ok := strings.CutSuffix(x.Path, state.InContext); ok {
		x.Path = path
		if ctx := s.Follow(x, all); len(ctx) > 0 {
			return f.FromContext(s, ctx)
		}
		return nil
	}
	if path, rest, ok := strings.Cut(x.Path, state.CalledBack); ok {
		x.Path = path
		return f.calledBack(s, i, s.Follow(x, all), rest)
	}
	return s.Follow(x, all)
}

// calledBack returns what is at a path from the results of functions that a caller's
// function was given, or of a method.
func (f *Applier) calledBack(s *state.State, i ssa.CallInstruction, fn state.Value, path string) state.Value {
	var v state.Value
	method, path, ok := strings.Cut(path, "#")
	if !ok || path == "" || strings.Contains(path, state.CalledBack) || f.nested >= maxYields {
		return nil
	}
	f.nested++
	defer func() { f.nested-- }()
	for _, t := range f.CalledOf(fn, method) {
		sum := f.Program.Summary(t.Fn)
		if sum == nil {
			continue
		}
		all := t.All(s, nil)
		if method != "" && len(all) > 0 {
			all[0] = fn
		}
		results := f.Yielded(s, i, sum.Results, "called back ", all)
		if n := int(path[0] - '0'); n < len(results) {
			x, _ := v.Join(s.Follow(summary.Sym{Param: 0, Path: path[1:]}, results[n:]))
			v = x
		}
	}
	return v
}

// CalledOf returns the functions that a value may be, or its methods of a name, also those
// that it is only assumed to have.
func (f *Applier) CalledOf(fn state.Value, method string) []record.Target {
	if method == "" {
		return record.TargetsOf(fn)
	}
	ts := f.Program.Methods(fn, method)
	for t := range fn.All() {
		if f.IsInterfaceContent(t) {
			ts = append(ts, f.MethodsBehind(*t.Loc.Sym, method)...)
		}
	}
	return ts
}
