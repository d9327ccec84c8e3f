package transfer

import (
	"go/constant"
	"go/types"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/code"
	"github.com/harena-go/arena/arenavet/internal/engine/defuse"
	"github.com/harena-go/arena/arenavet/internal/engine/record"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
	"github.com/harena-go/arena/arenavet/internal/knowledge/std"
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
	for n, item := range code.Stores(list) {
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
	list := ""
	for _, m := range verbs.FindAllStringSubmatch(format, -1) {
		list += strings.TrimPrefix(m[1], "%")
	}
	return func(arg int) bool {
		return strings.ContainsAny(list, "*[") || arg < len(list) && list[arg] == 'w'
	}
}

var verbs = regexp.MustCompile(`%[-+# 0-9.]*([a-zA-Z%*[])`)

// This part models the built-in functions.

// builtin takes a state past a call of a built-in function, those of package unsafe included. len and cap read only the
// slice header, which is never dead.
func (f *interpreter) builtin(s *state.State, i ssa.CallInstruction, name string, c *ssa.CallCommon) state.Value {
	args := f.args(s, c)
	switch name {
	case "append":
		return f.appended(s, i, c, args)
	case "copy":
		f.Used(s, i, args[0], "is written to")
		f.Used(s, i, args[1], "is used")
		if e := shape.Elem(c.Args[1].Type()); e != nil && shape.HasPointers(e) {
			s.Store(i, args[0].Moved(state.Elements), s.Load(args[1], state.Elements, e), e)
		}
	case "delete", "clear":
		f.emptied(s, i, c, args)
	case "print", "println":
		f.UsedArgs(s, i, c, args)
	case "String": // of package unsafe, like the others below
		return f.shown(i, args[0], s.Resolve(memoryOf(args[0]), nil))
	case "StringData", "Slice", "SliceData", "Add":
		return args[0]
	}
	return nil
}

// appended is append. The result is the old memory, or new memory with the old and the new elements.
func (f *interpreter) appended(s *state.State, i ssa.CallInstruction, c *ssa.CallCommon,
	args []state.Value) state.Value {
	f.refilled(s, i, args[0])
	f.Used(s, i, args[0], "is appended to")
	result := args[0].Clone()
	e := shape.Elem(c.Args[0].Type())
	// append(b[:0:0], b...) has no capacity, and copies.
	if x, ok := c.Args[0].(*ssa.Slice); ok && defuse.IsZero(x.Max) && len(args) > 1 {
		result = state.To(s.Fresh(i, "copied"))
		args[0] = nil
	}
	if len(args) == 1 {
		return result
	}
	f.Used(s, i, args[1], "is used")
	if e != nil && shape.HasPointers(e) {
		// Loaded before the memory is made anew: it may be that of an earlier loop iteration.
		items, _ := s.Load(args[0], state.Elements, e).Join(s.Load(args[1], state.Elements, e))
		l := s.Make(i, "")
		s.Put(i, state.Cell{Loc: l, Path: state.Elements}, items, e, false)
		return result.With(state.Tag{Kind: state.Ptr, Loc: l}, nil)
	}
	return result
}

// emptied is delete and clear. delete counts as clear, though entries may remain: programs empty maps by deleting one
// key after the other.
func (f *interpreter) emptied(s *state.State, i ssa.CallInstruction, c *ssa.CallCommon, args []state.Value) {
	if last := len(args) - 1; last > 0 {
		f.UsedString(s, i, c.Args[last])
	}
	all := []string{state.Elements}
	if _, isSlice := c.Args[0].Type().Underlying().(*types.Slice); !isSlice {
		all = append(all, state.Keys)
	}
	for t := range args[0].All() {
		if t.Kind != state.Ptr {
			continue
		}
		for _, path := range all {
			cell := state.Cell{Loc: t.Loc, Path: t.Off + path}
			s.Set(cell, state.Value{})
			if len(args) == 1 || code.IsGiven(c.Args[1]) { // clear, or keys from the caller
				f.Cleared[cell] = true
			}
		}
	}
}

// This part models views of memory that is used again: the result of a buffer's Bytes, a string that package unsafe
// makes of a slice. A view is like memory of an arena that ends when the buffer, or the slice, is refilled; for callers
// the buffer's name stands for that arena.
//
//	line := scanner.Bytes()
//	scanner.Scan()               line is dead
//	key := unsafe.String(&buf[0], len(buf))
//	buf = append(buf[:0], next...)      key is dead

// changed ends the views of a buffer, if the method changes it. A view may be written to its own buffer, like the
// unread part.
func (f *interpreter) changed(s *state.State, i ssa.CallInstruction, name string, args []state.Value,
	deferred bool) {
	verb, writes := std.Changes(name)
	if verb == "" || f.Program.All {
		return
	}
	r := s.Resolve(args[0], nil)
	if writes && len(args) > 1 {
		args[1] = args[1].Only(func(t state.Tag) bool { return t.Kind != state.Mem || t.Root != r })
	} else if r != nil {
		f.End(s, r, f.Death(i, verb, deferred), nil)
	}
}

// shown returns the result of a call as a view of r.
func (f *interpreter) shown(i ssa.CallInstruction, v state.Value, r *state.Root) state.Value {
	if r == nil || i.Value() == nil || f.Program.All {
		return v
	}
	t := state.Tag{Kind: state.Mem, Root: r, Site: i}
	if _, ok := i.Value().Type().(*types.Tuple); ok {
		t.Path = state.First
	}
	return v.Clone().With(t, nil)
}

// memoryOf returns the address of the memory that a slice, or a pointer into an array, leads to, if any.
func memoryOf(v state.Value) (at state.Value) {
	for t := range v.All() {
		if t.Is(state.Ptr) {
			at, _ = at.Join(state.To(t.Loc))
		}
	}
	return at
}

// refilled ends the string views of a slice if append overwrites it from its beginning.
func (f *interpreter) refilled(s *state.State, i ssa.CallInstruction, to state.Value) {
	x, ok := i.Common().Args[0].(*ssa.Slice)
	if !ok || !defuse.IsZero(x.High) || x.Max != nil || f.Program.All {
		return
	}
	r := s.Resolve(memoryOf(to), nil)
	if r == nil {
		return
	}
	f.Overwritten(s, i, r)
	f.End(s, r, f.Death(i, "append", false), nil)
}

// This part models package slog's loggers, which pass their arguments to a handler. A record has all its values in its
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
	if !ok || shape.Elem(list.Type()) != nil && api.IsNamed(shape.Elem(list.Type()), "log/slog", "Attr") {
		return s.Of(list)
	}
	isKey := true
	for _, item := range code.Stores(given) {
		if item == nil {
			continue
		}
		x := code.Unboxed(item)
		switch v := s.Of(x); {
		case api.IsNamed(x.Type(), "log/slog", "Attr"):
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

// This part models functions that the standard library makes of others, such as the results of sync.OnceValue. They are
// recognized by a pointer to memory that the making call has allocated, with the other function in it.
//
//	get := sync.OnceValue(func() *item { return arena.New[item](a) })
//	get()          calls the function, and keeps its result
//	a.Reset()
//	get().n        is the kept result, and dead

// wrapper takes a state past the call of such a function, and reports whether it is one.
func (f *interpreter) wrapper(s *state.State, i ssa.CallInstruction, fn state.Value,
	deferred bool) (v state.Value, ok bool) {
	for t := range fn.All() {
		if !t.Is(state.Ptr) || t.Off != "" {
			continue
		}
		if s.In(state.Cell{Loc: t.Loc, Path: state.OnceFunc}) != nil {
			v, _ = v.Join(f.once(s, i, t.Loc, deferred))
			ok = true
		}
	}
	return v, ok
}

// once is the call of a function that calls another the first time. If it may have been called before, it was.
func (f *interpreter) once(s *state.State, i ssa.CallInstruction, l *state.Loc, deferred bool) state.Value {
	c := state.Cell{Loc: l, Path: state.OnceResult}
	if v, called := s.Known(c); called {
		return v
	}
	v, known := f.ApplyTargets(s, i, record.TargetsOf(s.In(state.Cell{Loc: l, Path: state.OnceFunc})), nil, deferred)
	if !known {
		v = f.Unknown(i)
	}
	s.Put(i, c, v, nil, true)
	return v
}
