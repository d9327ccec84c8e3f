package fix

import (
	"go/types"
	"slices"
	"strings"
)

// This file deals with what a unit's states, its receiver and its parameters, keep for its next call. Who does is found
// in the tests: see keeps.txt.

// A stack whose old slots the next call sees is cleared at the unit's end. All else that is used once more
// stays on the heap.

// states returns what a function has by named pointers: its receiver, and parameters.
func (f *function) states() (all []*types.Var) {
	sig := f.obj.Signature()
	vars := slices.Collect(sig.Params().Variables())
	if r := sig.Recv(); r != nil {
		vars = slices.Insert(vars, 0, r)
	}
	for _, v := range vars {
		if _, pointer := types.Unalias(v.Type()).(*types.Pointer); pointer && v.Name() != "" && v.Name() != "_" {
			all = append(all, v)
		}
	}
	return all
}

// stack returns the statement that clears the slice or array to which a path leads, from a state on, "" if there is
// none: with exported fields callers may do something, and pointers may be nil.
func (f *function) stack(kept string) string {
	for _, v := range f.states() {
		t := types.Unalias(v.Type()).(*types.Pointer).Elem()
		prefix := types.TypeString(t, (*types.Package).Name) + "."
		path, ok := strings.CutPrefix(strings.TrimPrefix(kept, "kept for the next unit, by "), prefix)
		fields, _, elements := strings.Cut(path, "[...]")
		if !ok || !elements {
			continue
		}
		place := v.Name()
		for name := range strings.SplitSeq(fields, ".") {
			field, _, _ := types.LookupFieldOrMethod(t, false, v.Pkg(), name)
			if _, pointer := t.Underlying().(*types.Pointer); field == nil || pointer || field.Exported() {
				return ""
			}
			t, place = field.Type(), place+"."+name
		}
		switch t.Underlying().(type) {
		case *types.Slice:
			return "clear(" + place + ")"
		case *types.Array:
			return "clear(" + place + "[:])"
		}
	}
	return ""
}
