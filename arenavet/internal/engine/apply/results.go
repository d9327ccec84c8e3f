package apply

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/code"
	"github.com/harena-go/arena/arenavet/internal/engine/record"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
)

// This file evaluates the results, stores and arguments in a summary: each flow becomes a value, and memory that the
// callee has made becomes memory of the call.

// Unknown returns an unknown result, like a parameter without a name that callers know. It is the same each time: the
// result of an earlier loop iteration is replaced.
func (f *Applier) Unknown(i ssa.CallInstruction) state.Value {
	if i.Value() == nil {
		return nil
	}
	return slices.Clip(f.Places.Opaque(key("result", i), nil, i.Value().Type(), ""))
}

// flowing returns the value of a Flow. For this function, memory and arenas that the callee has made are made by the
// call instruction, told apart by ID. Values that died in the callee died at the call.
func (f *Applier) flowing(s *state.State, i ssa.CallInstruction, x summary.Flow, all []state.Value) state.Value {
	memory := func(r *state.Root) state.Tag { return state.Tag{Kind: state.Mem, Root: r, Site: i} }
	switch x.Kind {
	case summary.Same:
		return f.Follow(s, i, x.From, all)
	case summary.Memory:
		if r := s.Resolve(f.Follow(s, i, x.From, all), nil); r != nil {
			return state.WithMemory(s.Fresh(i, x.Out+"*"), r)
		}
		return state.To(s.Fresh(i, x.Out+"*"))
	case summary.New, summary.Lent:
		return state.Arena(f.made(i, x))
	case summary.Child:
		r := f.made(i, x)
		r.BelongsTo(s.Resolve(f.Follow(s, i, x.From, all), nil))
		return state.Arena(r)
	case summary.MemoryNew:
		return state.WithMemory(s.Fresh(i, x.Out+"*"), f.made(i, x))
	case summary.Made:
		return state.To(s.Fresh(i, x.Out+"*"))
	case summary.Code:
		if x.ID < len(f.Program.Literals) {
			m := f.Program.Literals[x.ID]
			return state.To(s.Fresh(m, "")).With(state.Tag{Kind: state.Func, Func: m}, nil)
		}
	// Its arena is unknown, and no longer matters.
	case summary.Dead:
		d := f.Program.Deaths.With(f.DeathInDo(i, x.Verb, false), x.Gear)
		return state.Just(memory(s.Root(key("over", i), state.Opaque)), d)
	case summary.DeadArena:
		r := s.Root(key("over", i), state.Opaque)
		return state.Just(state.Tag{Kind: state.Handle, Root: r}, f.DeathInDo(i, x.Verb, false))
	}
	return nil
}

// made returns the arena that a callee has made. It is unsure: a constructor may return a new arena on one path and a
// Pool's on another, and each is a root of its own.
func (f *Applier) made(i ssa.CallInstruction, x summary.Flow) *state.Root {
	kind := state.NewArena
	if x.Kind == summary.Lent || x.Verb == summary.LentVerb {
		kind = state.Lent
	} else if x.Kind == summary.Child {
		kind = state.Child
	}
	r := f.root("made", i, x.ID, kind)
	r.Site, r.Unsure, r.Gear = i, true, x.Gear
	return r
}

// root returns the n-th arena that a call makes or replaces.
func (f *Applier) root(key string, i ssa.CallInstruction, n int, kind state.RootKind) *state.Root {
	return f.Places.Root(fmt.Sprintf("%s %p %d", key, i, n), kind)
}

// key returns the key for a value of a kind that an instruction makes.
func key(kind string, i ssa.Instruction) string { return fmt.Sprintf("%s %p", kind, i) }

// results returns the result of a call. Summaries number results even if there is only one; a single one is the call's
// value itself. A result without a flow in the summary is unknown.
func (f *Applier) results(s *state.State, i ssa.CallInstruction, sum *summary.Summary, all []state.Value) state.Value {
	v := i.Value()
	if v == nil {
		return nil
	}
	list, sig := sum.Results, v.Call.Signature().Results()
	impossible := func(x summary.Flow) bool { return !possible(sig, x.Out) }
	if slices.ContainsFunc(list, impossible) {
		list = slices.DeleteFunc(slices.Clone(list), impossible)
	}
	for _, x := range list {
		if x.Kind == summary.New || x.Kind == summary.Lent || x.Kind == summary.Child {
			s.RenewMade(i, f.made(i, x))
		}
	}
	tuple := v.Call.Signature().Results().Len() > 1
	at := func(path string) string {
		if tuple {
			return path
		}
		return path[len(state.First):]
	}
	out, known := f.resultsThemselves(s, i, list, all, at)
	pointers := f.resultsBehind(s, i, list, "", all)
	if !tuple {
		pointers = pointers.Part(state.First)
	}
	out, _ = out.Join(pointers)
	f.captured(s, i, list, "")
	// A single result with a known part has no other parts.
	if !tuple && len(out) > 0 {
		return out
	}
	out, _ = out.Join(f.Unknown(i).Only(func(t state.Tag) bool {
		return !tuple || len(t.Path) < 2 || !known[t.Path[:2]]
	}))
	return out
}

// possible reports whether a part of a call's results may refer to memory: the summary of a generic function is for
// types of all sorts.
func possible(results *types.Tuple, out string) bool {
	number, path := code.FirstStep(out)
	n, err := strconv.Atoi(number[1:])
	if err != nil || n >= results.Len() {
		return true
	}
	t, _ := code.Along(results.At(n).Type(), path)
	return t == nil || t == types.Typ[types.Invalid] || shape.HasPointers(t)
}

// resultsThemselves returns the parts of a call's results that aren't behind a pointer made by the callee. known has
// the results with such parts, by "#0" ("#1" stands for "#10" as well). at maps a result's path to its place in the
// call's value.
func (f *Applier) resultsThemselves(s *state.State, i ssa.CallInstruction, list []summary.Flow,
	all []state.Value, at func(string) string) (out state.Value, known map[string]bool) {
	known = map[string]bool{}
	for _, x := range list {
		if strings.Contains(x.Out, "*") {
			continue
		}
		known[x.Out[:min(len(state.First), len(x.Out))]] = true
		v := f.flowing(s, i, x, all)
		if strings.HasSuffix(x.Out, state.Decoded) {
			l := s.Make(i, x.Out)
			s.Decodes(i, state.Cell{Loc: l, Path: x.Out}, v)
			sig := i.Common().Signature().Results()
			for n := range sig.Len() {
				way := state.Result(n)
				out, _ = out.Join(s.Load(state.To(l), way, sig.At(n).Type()).As(at(way)))
			}
			continue
		}
		out, _ = out.Join(v.As(at(x.Out)))
	}
	return out, known
}

// holds returns a pointer to the first piece of memory on the path to a holder, and makes the rest of the path.
func (f *Applier) holds(s *state.State, i ssa.CallInstruction, in record.Holder) state.Value {
	name := in.Name
	first := in.From + strings.IndexByte(name[in.From:], '*')
	for n := first; n < len(name)-len(record.Here); {
		end := n + 1 + strings.IndexByte(name[n+1:], '*')
		s.Put(i, state.Cell{Loc: s.Fresh(i, name[:n+1]), Path: name[n+1 : end]},
			state.To(s.Fresh(i, name[:end+1])), nil, false)
		n = end
	}
	return state.To(s.Fresh(i, name[:first+1])).As(name[in.From:first])
}

// resultsBehind puts the parts of a call's results behind pointers made by the callee into memory of the call's own,
// and returns the pointers, at their places in the result. All flows are evaluated before the memory of an earlier loop
// iteration, which they may refer to, is cleared.
func (f *Applier) resultsBehind(s *state.State, i ssa.CallInstruction, flows []summary.Flow, of string,
	all []state.Value) state.Value {
	var list []inner
	for n := range flows {
		x := &flows[n]
		if way, rest := record.Behind(x.Out); way != "" {
			list = append(list, inner{way, rest, nil, f.flowing(s, i, *x, all)})
		}
	}
	for n := range list {
		x := &list[n]
		if n == 0 || list[n-1].holder != x.holder {
			x.loc = s.Make(i, of+x.holder)
		} else {
			x.loc = list[n-1].loc
		}
	}
	var pointers state.Value
	for n := range list {
		x := &list[n]
		if c := (state.Cell{Loc: x.loc, Path: x.rest}); !s.Decodes(i, c, x.brought) {
			s.Put(i, c, x.brought, nil, false)
		}
		// Usually one holder has several.
		if n > 0 && list[n-1].loc == x.loc ||
			slices.ContainsFunc(list[:n], func(y inner) bool { return y.loc == x.loc }) {
			continue
		}
		pointers, _ = pointers.Join(f.holds(s, i, record.Holder{Name: of + x.holder, From: len(of)}))
	}
	return pointers
}

// captured puts the captured variables of function literals that a callee returns, or passes on, where calls of the
// literals look for them.
func (f *Applier) captured(s *state.State, i ssa.CallInstruction, flows []summary.Flow, of string) {
	for _, x := range flows {
		if x.Kind != summary.Code || x.ID >= len(f.Program.Literals) {
			continue
		}
		m := f.Program.Literals[x.ID]
		from, to := s.Fresh(i, of+x.Out+record.Here), s.Fresh(m, "")
		for n := range m.Bindings {
			c := state.Cell{Loc: from, Path: state.Numbered(n)}
			s.Put(i, state.Cell{Loc: to, Path: state.Numbered(n)}, s.In(c), nil, true)
		}
	}
}

// Yielded returns the arguments of a postponed call.
func (f *Applier) Yielded(s *state.State, i ssa.CallInstruction, flows []summary.Flow, of string,
	all []state.Value) []state.Value {
	var v state.Value
	for _, x := range flows {
		if !strings.Contains(x.Out, "*") {
			v, _ = v.Join(f.flowing(s, i, x, all).As(x.Out))
		}
	}
	behind, _ := v.Join(f.resultsBehind(s, i, flows, of, all))
	var args []state.Value
	for _, x := range flows {
		digits := strings.TrimLeft(x.Out[1:], "0123456789")
		n, err := strconv.Atoi(x.Out[1 : len(x.Out)-len(digits)])
		if err == nil && n >= len(args) {
			args = slices.Grow(args, n+1-len(args))[:n+1]
		}
	}
	for n := range args {
		args[n] = behind.Part(state.Result(n))
	}
	return args
}
