package noscan

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/defuse"
)

// This file checks casts of raw memory to types with pointers, and summarizes results.
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
	if !ok || !hasPointers(t.Elem()) {
		return
	}
	for _, item := range items(s) {
		l.store(into, item.Val, pos)
	}
}

// cast checks a conversion of raw memory to a type with pointers: only a direct conversion of the pointer that Alloc or
// Realloc has returned; arithmetic in between is the responsibility of unsafe code.
func (l *look) cast(v *ssa.Convert) {
	p, ok := v.Type().Underlying().(*types.Pointer)
	if !ok || !hasPointers(p.Elem()) {
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
		if _, ok := v.(*ssa.Const); ok || !hasPointers(v.Type()) {
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
		for _, s := range found {
			if s.what != "" && !keptAny(l.kept, way) {
				r.Heap = s.what
			}
			if s.param >= 0 && s.param < 64 {
				r.Params |= 1 << s.param
			}
		}
	}
}

// keptAny reports whether a value among the sources was passed to KeepAlive.
func keptAny(kept, way map[ssa.Value]bool) bool {
	for v := range way {
		if kept[v] {
			return true
		}
	}
	return false
}
