package transfer

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// This file holds what decoders leave in a value: all that it leads to is memory of an arena,
// and not only what it points to itself. It must not depend on which functions decode: the
// table of package api says so.
//
// After arenajson.Unmarshal(a, data, &r) with
//
//	type request struct { Name string; Items []item }
//	type item struct { SKU string }
//
// r.Name, r.Items and r.Items[0].SKU are memory of a, each a place of its own. r itself isn't.

// decodedDepth is how many pointers and slices deep is looked, and decodedParts at how
// many places in all.
const decodedDepth, decodedParts = 3, 64

// A decoded value is what a call has filled with memory of an arena.
type decoded struct {
	*interpreter
	s    *state.State
	at   ssa.CallInstruction
	root *state.Root
	left int // of decodedParts
}

func newDecoded(f *interpreter, c arenaCall, r *state.Root) *decoded {
	return &decoded{f, c.s, c.at, r, decodedParts}
}

// fills takes a state past a call that decodes into what an argument points to.
func (f *interpreter) fills(c arenaCall, from state.Value, args []state.Value) {
	f.Touch(c.s, c.at, from, c.fn.Name)
	r, v := c.s.Resolve(from, c.operand(c.fn.From)), c.operand(c.fn.Into)
	if r == nil || v == nil || c.fn.Into >= len(args) {
		return
	}
	if x, ok := v.(*ssa.MakeInterface); ok {
		v = x.X
	}
	p, ok := v.Type().Underlying().(*types.Pointer)
	if !ok {
		return
	}
	for t := range args[c.fn.Into].All() {
		if t.Is(state.Ptr) {
			newDecoded(f, c, r).place(state.Cell{Loc: t.Loc, Path: t.Off}, p.Elem(), decodedDepth)
		}
	}
}

// place fills a place of type t. Decoders don't touch fields that have no exported name;
// what they leave in such a struct by its methods isn't known.
func (d *decoded) place(c state.Cell, t types.Type, depth int) {
	if d.left == 0 || !shape.HasPointers(t) {
		return
	}
	d.left--
	if st, ok := shape.Struct(t); ok {
		for i := range st.NumFields() {
			if v := st.Field(i); v.Exported() || v.Embedded() {
				d.place(state.Cell{Loc: c.Loc, Path: c.Path + "." + shape.Field(t, i)}, v.Type(), depth)
			}
		}
		return
	}
	l := d.s.Fresh(d.at, c.Loc.Key+c.Path)
	x := state.To(l).With(state.Tag{Kind: state.Mem, Root: d.root, Site: d.at}, nil)
	d.s.Put(d.at, c, x, t, false)
	if depth > 0 {
		d.behind(l, t, depth-1)
	}
}

// behind fills what a value of type t leads to.
func (d *decoded) behind(l *state.Loc, t types.Type, depth int) {
	e := shape.Elem(t)
	if e == nil {
		return
	}
	path := state.Elements
	if _, ok := t.Underlying().(*types.Pointer); ok {
		path = ""
	}
	d.place(state.Cell{Loc: l, Path: path}, e, depth)
}
