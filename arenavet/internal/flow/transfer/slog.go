package transfer

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// This file models package slog's loggers, which pass their arguments to a handler. A record has all its values in its
// list for overflow, back, behind a pointer.
//
//	log.Info("hello", "name", x)      log.handler.Handle(ctx, {Message: "hello", back: {"name", x}})
//	log.With("name", x)               {handler: log.handler.WithAttrs({"name", x})}

// logging returns the index of the message argument of a logger's method, by its name.
var logging = map[string]int{
	"Debug": 1, "Info": 1, "Warn": 1, "Error": 1, "DebugContext": 2, "InfoContext": 2, "WarnContext": 2,
	"ErrorContext": 2,
	"Log":          3, "LogAttrs": 3,
}

// logs takes a state past a call of a logger, or of a function for the default logger, and reports whether the result
// is known.
func (f *interpreter) logs(s *state.State, i ssa.CallInstruction, name string, args []state.Value) (state.Value, bool) {
	method, ok := strings.CutPrefix(name, "(*log/slog.Logger).")
	logger, list := state.Value(nil), i.Common().Args
	if !ok {
		if method, ok = strings.CutPrefix(name, "log/slog."); !ok || f.Program.All {
			return nil, false
		}
		logger = s.Content(state.To(s.Global(code.DefaultLogger)), "")
	} else if f.Program.All || len(args) == 0 {
		return nil, false
	} else {
		logger, args, list = args[0], args[1:], list[1:]
	}
	handler := s.Content(logger, ".handler")
	message, logs := logging[method]
	switch {
	case logs && message < len(list)+1 && len(list) > 0:
		f.UsedArgs(s, i, i.Common(), f.args(s, i.Common()))
		n := message - 1
		record := args[n].As(".Message")
		if n+1 < len(args) {
			record, _ = record.Join(f.attrs(s, i, list[n+1]).As(".back"))
		}
		ts := f.Program.Methods(nil, handler, "Handle")
		f.CallsKnown(s, i, handler, "Handle", ts, []state.Value{nil, record}, true)
		return nil, true
	case method == "Default":
		return logger, true
	}
	return nil, false
}

// attrs returns the slice that a logger makes of its last argument: alternating keys and values, and Attrs.
func (f *interpreter) attrs(s *state.State, i ssa.CallInstruction, list ssa.Value) state.Value {
	var key, value state.Value
	keep := func(into *state.Value, v state.Value) {
		for t, d := range v.All() {
			t.Path = ""
			*into, _ = into.Join(state.Just(t, d))
		}
	}
	given, ok := list.(*ssa.Slice)
	if !ok || shape.Elem(list.Type()) != nil && shape.IsNamed(shape.Elem(list.Type()), "log/slog", "Attr") {
		return s.Of(list)
	}
	isKey := true
	for _, item := range code.Stores(given.X) {
		if item == nil {
			continue
		}
		x := code.Unboxed(item)
		switch v := s.Of(x); {
		case shape.IsNamed(x.Type(), "log/slog", "Attr"):
			keep(&key, v.Part(".Key"))
			keep(&value, v.Part(".Value.any"))
			isKey = true
			continue
		case isKey && shape.IsString(x.Type()):
			keep(&key, v)
		default:
			keep(&value, v)
		}
		isKey = !isKey
	}
	l := s.Make(i, "attrs")
	s.Put(i, state.Cell{Loc: l, Path: state.Elements + ".Key"}, key, nil, false)
	s.Put(i, state.Cell{Loc: l, Path: state.Elements + ".Value.any"}, value, nil, false)
	return state.To(l)
}
