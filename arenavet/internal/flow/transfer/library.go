package transfer

import (
	"go/constant"
	"go/types"
	"strings"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/std"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file models functions of the standard library by summaries, from a table generated from its source. Package std
// lists them.

// library returns the summary of a function of the standard library, nil if there is none. While the table itself is
// generated there is none.
func (f *interpreter) library(name string) *summary.Summary {
	if f.Program.All && !std.IsContainer(name) {
		return nil
	}
	if s, ok := libraries.Load(name); ok {
		return s.(*summary.Summary)
	}
	var s *summary.Summary
	if text := std.Flows(name); text != "" {
		s = summary.Parse(text)
	}
	libraries.Store(name, s)
	return s
}

// libraries caches the parsed summaries for all packages.
var libraries sync.Map

// wrapped is fmt.Errorf: its result leads to the arguments of %w that are errors; the others are copied. Arguments
// passed as one slice aren't looked into.
func (f *interpreter) wrapped(s *state.State, i ssa.CallInstruction) state.Value {
	c := i.Common()
	format, ok := c.Args[0].(*ssa.Const)
	if !ok || i.Value() == nil || format.Value == nil || !strings.Contains(constant.StringVal(format.Value), "w") {
		return nil
	}
	l := s.Make(i, "")
	list, ok := c.Args[1].(*ssa.Slice)
	if !ok {
		return state.To(l)
	}
	wraps := wrapping(constant.StringVal(format.Value))
	for n, item := range code.Stores(list.X) {
		if x := code.Unboxed(item); x != nil && wraps(n) &&
			(types.Implements(x.Type(), errorType) || shape.IsError(x.Type())) {
			s.Put(i, state.Cell{Loc: l, Path: state.Elements}, s.Of(x), nil, false)
		}
	}
	return state.To(l)
}

var errorType = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

// wrapping returns a function that reports whether an argument of a format belongs to a %w. With explicit indexes or
// widths in the format it reports true for all.
func wrapping(format string) func(arg int) bool {
	wraps, arg := map[int]bool{}, 0
	for {
		_, verb, found := strings.Cut(format, "%")
		if !found {
			return func(arg int) bool { return wraps[arg] }
		}
		verb = strings.TrimLeft(verb, "+-# 0123456789.")
		if verb == "" || verb[0] == '*' || verb[0] == '[' {
			return func(int) bool { return true }
		}
		if verb[0] != '%' {
			wraps[arg] = verb[0] == 'w'
			arg++
		}
		format = verb[1:]
	}
}
