package noscan

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/code"
	"github.com/harena-go/arena/arenavet/internal/engine/defuse"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
)

// This file checks stores: by instructions, by functions of package arena that copy their arguments (NewOf, CopySlice,
// Append), and by functions with a summary.
//
// A store is checked in this order:
//
//	(1) The destination. A local variable and a global are seen by the GC. Otherwise owner finds
//	    the arena of the address.
//	(2) The value. Each of its sources is checked; one mistake is enough.
//	(3) Other references. Values that were passed to KeepAlive, or that a map, a list, a global
//	    or a field of something else holds, may be stored anywhere.
//	(4) If the arena or the source is a parameter, the summary gets the store. Otherwise it is reported.
//
// KeepAlive counts wherever it is called in a function, or in literals within it: before the store or after it, on this
// path or another one.

// A look checks one function, reports its mistakes, and writes its summary.
type look struct {
	*checker
	fn   *ssa.Function
	kept map[ssa.Value]bool // arguments of KeepAlive, and the values they were made from
	sum  summary
}

// look checks a function. The arguments of KeepAlive in it, or in the functions around it, are recorded before the
// first store is checked.
func (c *checker) look(fn *ssa.Function) summary {
	l := &look{checker: c, fn: fn, kept: map[ssa.Value]bool{}}
	outermost := fn
	for outermost.Parent() != nil {
		outermost = outermost.Parent()
	}
	l.keep(outermost)
	for instr := range api.Instrs(fn) {
		switch instr := instr.(type) {
		case *ssa.Store:
			if shape.SurelyHasPointers(instr.Val.Type()) {
				l.store(instr.Addr, instr.Val, instr.Pos())
			}
		case *ssa.Convert:
			l.cast(instr)
		case *ssa.Return:
			l.results(instr)
		case ssa.CallInstruction:
			l.call(instr.Common(), instr.Pos())
		}
	}
	return l.sum
}

// keep records the values that a function, and the literals in it, pass to KeepAlive. Their order of execution is
// ignored: a value that is kept alive at all is assumed to be kept long enough.
func (l *look) keep(fn *ssa.Function) {
	for call := range api.Calls(fn) {
		for _, arg := range l.keptBy(call.Common()) {
			l.noteKept(arg)
		}
	}
	for _, literal := range fn.AnonFuncs {
		l.keep(literal)
	}
}

// noteKept records that v is kept alive, with the items that were appended to it and the values that lead to v:
// programs keep a list alive, and store an element of it.
func (l *look) noteKept(v ssa.Value) {
	if boxed, ok := v.(*ssa.MakeInterface); ok {
		v = boxed.X
	}
	_, way := l.sources(v)
	for v := range way {
		if l.kept[v] {
			continue
		}
		l.kept[v] = true
		switch v := v.(type) {
		case *ssa.Parameter:
			if i := slices.Index(l.fn.Params, v); i >= 0 && i < 64 {
				l.sum.Keeps |= 1 << i
			}
		case *ssa.Call:
			if len(v.Call.Args) == 2 {
				for _, item := range defuse.Items(v.Call.Args[1]) {
					l.noteKept(item.Val)
				}
			}
		}
	}
}

// keptBy returns the arguments that a call keeps alive: the values themselves; the caller adds the values they were
// made from.
func (l *look) keptBy(call *ssa.CallCommon) (kept []ssa.Value) {
	if f := api.Callee(call); f != nil {
		if f.Verb == api.KeepAlive {
			kept = append(kept, api.Arg(call, f.Into))
		}
		return kept
	}
	if code.CalleeName(call) == "runtime.KeepAlive" {
		return call.Args
	}
	if s := l.Callee(call); s != nil {
		for i, arg := range call.Args {
			if i < 64 && s.Keeps>>i&1 != 0 {
				kept = append(kept, arg)
			}
		}
	}
	return kept
}

// store checks a value that is stored in the memory of into.
func (l *look) store(into, v ssa.Value, pos token.Pos) { l.storeThere(into, v, pos, "") }

// storeThere is store by a callee, if at names one.
func (l *look) storeThere(into, v ssa.Value, pos token.Pos, at string) {
	if _, local := into.(*ssa.Alloc); local {
		return
	}
	if _, global := into.(*ssa.Global); global {
		return
	}
	o := l.owner(into)
	if o.kind != selfContained && l.regrows(into, v) {
		o = owner{kind: selfContained, id: into}
	}
	l.storeIn(o, into, v, pos, at)
}

// regrows reports whether a value is what append has made of a field whose slices, in the whole package, are in
// self-contained arenas, in structs that aren't made on the heap. The struct's own arena needs not be known.
//
//	n.kids = arena.MakeSlice[*node](t.arena, 0, 2)       where t.arena is self-contained
//	parent.kids = append(parent.kids, n)                 a third child is the first on the heap
func (l *look) regrows(into, v ssa.Value) (all bool) {
	at, _ := into.(*ssa.FieldAddr)
	field := regrown(v)
	if at == nil || field == nil || field != shape.Holder(at) {
		return false
	}
	switch code.Source(at.X).(type) {
	case *ssa.Alloc, *ssa.Global:
		return false
	}
	if st, _ := shape.Struct(shape.Elem(at.X.Type())); l.onHeap[st] {
		return false
	}
	for _, s := range l.stored[field] {
		if regrown(s) == field {
			continue
		}
		o := l.owner(s)
		if o.kind == parameter {
			o = l.ofCallers(s.Parent(), o.param, map[ssa.Value]bool{})
		}
		if all = o.kind == selfContained; !all {
			return false
		}
	}
	return all
}

// regrown returns the field whose slice the builtin append has grown, nil if there is none.
func regrown(v ssa.Value) *types.Var {
	if call, ok := v.(*ssa.Call); ok && api.IsBuiltin(call, "append") {
		if load, ok := call.Call.Args[0].(*ssa.UnOp); ok && load.Op == token.MUL {
			return shape.Holder(load.X)
		}
	}
	return nil
}

// storeIn is store in the arena o, by a callee if at names one, as in "add at tree.go:7"; into is nil if unknown. If a
// value has several sources, as after a branch, only the first mistake is reported: one change usually mends them all.
func (l *look) storeIn(o owner, into, v ssa.Value, pos token.Pos, at string) {
	if o.kind != selfContained && o.kind != parameter {
		return
	}
	found, way := l.sources(v)
	if at, ok := into.(*ssa.FieldAddr); ok { // loads from there give the same value
		for f, use := range defuse.FieldUses(at.X) {
			if load, ok := use.(*ssa.UnOp); ok && f.Field == at.Field {
				way[load] = true
			}
		}
	}
	for v := range way {
		if l.kept[v] || l.held(v) {
			return
		}
	}
	for _, s := range found {
		if o.kind == parameter && (s.param >= 0 || s.what != "") {
			l.addStore(store{o.param, s.param, s.what, at}, pos)
		} else if o.kind != parameter && l.storedUnscanned(o, s, pos, at) {
			return
		}
	}
}

// held reports whether a value is also stored where the GC sees it: a program that builds a self-contained tree has
// tables of names beside it.
//
//	t.names = append(t.names, name)    a field that isn't in the arena
//	n.name = name                      in the arena: right, as long as t lives
func (l *look) held(v ssa.Value) bool {
	return slices.ContainsFunc(api.Uses(v), func(use ssa.Instruction) bool {
		switch use := use.(type) {
		case *ssa.MapUpdate:
			return use.Map != v
		case *ssa.Store:
			switch addr := use.Addr.(type) {
			case *ssa.Global:
				return use.Val == v
			case *ssa.FieldAddr:
				_, local := addr.X.(*ssa.Alloc)
				return use.Val == v && !local && l.owner(addr).kind == unknown
			case *ssa.IndexAddr:
				items := defuse.Arguments(addr)
				return items != nil && slices.ContainsFunc(api.Uses(items), func(use ssa.Instruction) bool {
					call, ok := use.(*ssa.Call)
					return ok && api.IsBuiltin(call, "append")
				})
			}
		}
		return false
	})
}

// storedUnscanned reports a store in a self-contained arena, if it is a mistake, and returns whether it is. A
// parameter's store goes into the summary.
//
//	tree.root.left = arena.New[node](child)     dies with the child
//	tree.root.left = arena.New[node](other)     the GC doesn't see that other is in use
//
// Two arenas are known to differ if both were made by calls. Parameters may be the same one.
func (l *look) storedUnscanned(o owner, s source, pos token.Pos, at string) bool {
	where := after("; stored in ", at)
	switch {
	case s.param >= 0:
		l.addStore(store{known, s.param, "", at}, pos)
		return false
	case s.what != "":
		l.report(pos, "%s on the heap is stored in a self-contained arena, into which the GC doesn't look: "+
			"allocate it from the arena, or pass it to KeepAlive%s", s.what, where)
	case l.child(s.arena, o):
		l.report(pos, "memory of a child is stored in a self-contained arena that outlives it: allocate "+
			"it from the same arena%s", where)
	case l.fresh(s.arena.id) && l.fresh(o.id) && s.arena.id != o.id:
		l.report(pos, "memory of another arena is stored in a self-contained arena, into which the GC doesn't look: "+
			"allocate it from the same arena%s", where)
	default:
		return false
	}
	return true
}

// after returns a text with a place, "" without one.
func after(text, at string) string {
	if at == "" {
		return ""
	}
	return text + at
}

// place returns the place of a store for messages of callers: at, if it is in a callee, or here. It is text, such as
// "add at tree.go:7", since positions don't outlive a package.
func (l *look) place(at string, pos token.Pos) string {
	if at != "" || !pos.IsValid() {
		return at
	}
	p := l.Pass.Fset.Position(pos)
	return fmt.Sprintf("%s at %s:%d", l.fn.Name(), filepath.Base(p.Filename), p.Line)
}

// addStore adds a store to the summary, once for each pair of destination and source. Messages name the first place.
func (l *look) addStore(s store, pos token.Pos) {
	if s.Into == s.From {
		return // a value that points to another in the same memory
	}
	for _, other := range l.sum.Stores {
		if other.Into == s.Into && other.From == s.From {
			return
		}
	}
	s.At = l.place(s.At, pos)
	l.sum.Stores = append(l.sum.Stores, s)
}

// call checks the stores of a call: of a function of package arena, one with a summary, or copy. A callee's store is
// reported at the call if the arena is known here, since the same function may be right for other callers; the message
// names the place of the store itself.
func (l *look) call(call *ssa.CallCommon, pos token.Pos) {
	if api.Builtin(call) == "copy" {
		l.elements(call.Args[0], call.Args[1], pos)
	}
	if f := api.Callee(call); f != nil {
		if f.Verb == api.Alloc && f.Into >= 0 {
			arena, v := api.Arg(call, f.From), api.Arg(call, f.Into)
			if f.Elems {
				l.elements(arena, v, pos)
			} else if shape.SurelyHasPointers(v.Type()) {
				l.store(arena, v, pos)
			}
		}
		return
	}
	s := l.Callee(call)
	if s == nil {
		return
	}
	for _, st := range s.Stores {
		switch {
		case st.Into >= len(call.Args) || st.From >= len(call.Args):
		case st.Into == known:
			l.storeIn(owner{kind: selfContained}, nil, call.Args[st.From], pos, st.At)
		case st.From >= 0:
			l.storeThere(call.Args[st.Into], call.Args[st.From], pos, st.At)
		default:
			l.heapIn(call.Args[st.Into], st.What, call.StaticCallee().Name(), pos, st.At)
		}
	}
	for _, k := range s.Casts {
		if k.Param < len(call.Args) {
			l.castIn(l.owner(call.Args[k.Param]), k, pos)
		}
	}
}

// heapIn checks a call of a function that stores a value of its own from the heap, which the caller can't pass to
// KeepAlive. If the function does so, or allocates the value from the arena, its summary doesn't have the store.
func (l *look) heapIn(into ssa.Value, what, function string, pos token.Pos, at string) {
	switch o := l.owner(into); o.kind {
	case selfContained:
		l.report(pos, "%s stores %s on the heap in this self-contained arena, into which the GC doesn't look: "+
			"let it be allocated from the arena, or be passed to KeepAlive%s", function, what,
			after("; stored in ", at))
	case parameter:
		l.addStore(store{o.param, -1, what, at}, pos)
	}
}

// This part checks casts of raw memory to types with pointers, and summarizes results.
//
//	p := a.Alloc(unsafe.Sizeof(node{}), unsafe.Alignof(node{}))
//	n := (*node)(p)         node has pointers: the GC doesn't see them
//
// Raw memory is allocated as bytes, so the GC doesn't scan it after any cast. New and MakeSlice allocate memory
// that has the type's pointers. In a self-contained arena neither is scanned, and a cast is as good as New there.

// elements checks the elements of a slice that are stored in the memory of into, as by copy, Append and CopySlice.
// Slices that aren't filled here are checked as values, not by their elements.
func (l *look) elements(into, s ssa.Value, pos token.Pos) {
	t, ok := s.Type().Underlying().(*types.Slice)
	if !ok || !shape.SurelyHasPointers(t.Elem()) {
		return
	}
	for _, item := range defuse.Items(s) {
		l.store(into, item.Val, pos)
	}
}

// cast checks a conversion of raw memory to a type with pointers: only a direct conversion of the pointer that Alloc or
// Realloc has returned; arithmetic in between is the responsibility of unsafe code.
func (l *look) cast(v *ssa.Convert) {
	p, ok := v.Type().Underlying().(*types.Pointer)
	if !ok || !shape.SurelyHasPointers(p.Elem()) {
		return
	}
	defuse.Of(v.X, func(x ssa.Value) bool {
		call, ok := x.(*ssa.Call)
		if !ok {
			return true
		}
		if f := api.Callee(&call.Call); f != nil && f.Raw {
			k := cast{Type: types.TypeString(p.Elem(), types.RelativeTo(l.Pass.Pkg)), pos: v.Pos()}
			l.castIn(l.owner(api.Arg(&call.Call, f.From)), k, v.Pos())
		}
		return false
	})
}

// castIn checks a cast, which k.At places in a callee. It is reported at its own position, if that is in this package.
func (l *look) castIn(o owner, k cast, pos token.Pos) {
	switch o.kind {
	case ordinary:
		where := ""
		if k.pos.IsValid() {
			pos = k.pos
		} else {
			where = "; taken in " + k.At
		}
		l.report(pos, "raw memory of an arena is taken for %s, which has pointers that the GC won't "+
			"see: use arena.New or arena.MakeSlice%s", k.Type, where)
	case parameter:
		k.Param, k.At = o.param, l.place(k.At, pos)
		if !slices.ContainsFunc(l.sum.Casts, func(x cast) bool { return x.Param == k.Param && x.Type == k.Type }) {
			l.sum.Casts = append(l.sum.Casts, k)
		}
	}
}

// results summarizes where the results of a return are. Several returns are joined: a result is on the heap if one of
// them says so, and of the last one's arena. Constants and values without pointers don't count.
func (l *look) results(ret *ssa.Return) {
	if l.sum.Results == nil && len(ret.Results) > 0 {
		l.sum.Results = make([]result, len(ret.Results))
		for i := range l.sum.Results {
			l.sum.Results[i].Owner = -1
		}
	}
	for i, v := range ret.Results {
		if _, ok := v.(*ssa.Const); ok || !shape.SurelyHasPointers(v.Type()) {
			continue
		}
		r := &l.sum.Results[i]
		if o := l.owner(v); o.kind != unknown {
			r.Kind, r.Owner = o.kind, -1
			if o.kind == parameter || o.kind == optional {
				r.Owner = o.param
			}
			r.Fresh = l.fresh(o.id)
		}
		found, way := l.sources(v)
		isKept := slices.ContainsFunc(slices.Collect(maps.Keys(way)), func(v ssa.Value) bool { return l.kept[v] })
		for _, s := range found {
			if s.what != "" && !isKept {
				r.Heap = s.what
			}
			if s.param >= 0 && s.param < 64 {
				r.Params |= 1 << s.param
			}
		}
	}
}
