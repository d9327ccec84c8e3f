package transfer

import (
	"go/constant"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/apply"
	"github.com/harena-go/arena/arenavet/internal/engine/code"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
	"github.com/harena-go/arena/arenavet/internal/rules/lifetime"
)

// This file models the functions of package arena that make arenas and memory. Package api lists them and the meanings
// of their arguments; takeBack ends arenas.
//
// An arena is a tag with a root, and a pointer to its fields. Memory is a tag with the root and the allocating call,
// and a pointer to its contents. With two tags, memory can be dead and its contents still be known.

// An arenaCall is a call of a function of package arena, in a state. fn has the numbers of the arguments that matter.
type arenaCall struct {
	s        *state.State
	at       ssa.CallInstruction
	fn       *api.Func
	deferred bool
}

// arg returns the value of the n-th argument, nil if there is none. A receiver counts as an argument.
func (c arenaCall) arg(n int) state.Value {
	v := c.operand(n)
	if v == nil {
		return nil
	}
	return c.s.Of(v)
}

func (c arenaCall) operand(n int) ssa.Value { return api.Arg(c.at.Common(), n) }

// known takes a state past a call of package arena, and returns the result if it may be an arena, memory or a mark.
func (f *interpreter) known(s *state.State, i ssa.CallInstruction, k *api.Func, args []state.Value,
	deferred bool) state.Value {
	c := arenaCall{s, i, k, deferred}
	from := c.arg(k.From)
	switch k.Verb {
	case api.NewArena, api.NewPool, api.NewShared, api.Get, api.Local, api.Child:
		return f.obtain(c, from)
	case api.FromContext:
		return f.FromContext(s, from)
	case api.NewContext:
		return apply.WithArena(s, i, c.arg(k.Alias), from)
	case api.For:
		f.Touch(s, i, from, k.Name)
		f.usedOthers(c)
		return from.Only(func(t state.Tag) bool { return t.Kind == state.Handle })
	case api.Alloc:
		return f.allocates(c, from)
	case api.Slot:
		return f.slot(c, from)
	case api.FreeSlot:
		f.freeSlot(c)
	case api.Fill:
		f.fills(c, from, args)
	case api.KeepAlive:
		f.Touch(s, i, from, k.Name)
	case api.MakeMark:
		f.Touch(s, i, from, k.Name)
		if r := s.Resolve(from, c.operand(0)); r != nil {
			return s.Mark(i, r)
		}
	case api.Reset, api.Rewind, api.Put, api.Free:
		f.takeBack(c, from)
	case api.Do:
		return f.Apply(s, i, summary.Do(k.Func, f.Program.Lends(i.Common(), k)), args, deferred)
	case api.Clone:
		return f.cloned(s, i, from)
	case api.DeepClone:
		f.UsedArgs(s, i, i.Common(), args)
		return left(c)
	case api.Harmless:
		if k.Name == "Arena.Reserve" {
			f.Touch(s, i, from, k.Name)
		}
	}
	return nil
}

// obtain returns a new arena, or Shared. A child, or a local, ends with its parent. Beside the arena the value has a
// pointer to unknown memory: the arena's fields.
func (f *interpreter) obtain(c arenaCall, from state.Value) state.Value {
	s := c.s
	kind := state.NewArena
	switch c.fn.Verb {
	case api.Get:
		kind = state.Lent
	case api.Local, api.Child:
		kind = state.Child
	}
	r := s.Renew(c.at, kind)
	if kind == state.Child {
		f.Touch(s, c.at, from, c.fn.Name)
		r.BelongsTo(s.Resolve(from, c.operand(c.fn.From)))
	}
	r.Shared = c.fn.Verb == api.NewShared || c.fn.Verb == api.NewPool
	r.Scrub, r.Gear = code.Scrubs(c.at.Common()), f.Program.Gear(c.at.Value())
	return state.Arena(r).With(state.Tag{Kind: state.Ptr, Loc: s.Loc(r.Key+"*", nil, true)}, nil)
}

// allocates returns memory of an arena that is also a new Loc: one tag for its lifetime, the other for its contents. If
// the function grows a slice, the old slice may be the result as well.
func (f *interpreter) allocates(c arenaCall, from state.Value) state.Value {
	s := c.s
	f.Touch(s, c.at, from, c.fn.Name)
	f.FillsArena(from)
	if c.fn.Into >= 0 {
		f.Used(s, c.at, c.arg(c.fn.Into), "is used")
	} else {
		f.usedOthers(c)
	}
	f.Used(s, c.at, c.arg(c.fn.Alias), "is appended to")
	v := c.at.Value()
	if v == nil {
		return nil
	}
	r := s.Resolve(from, c.operand(c.fn.From))
	path, t := "", v.Type()
	if tuple, ok := t.(*types.Tuple); ok {
		path, t = state.First, tuple.At(0).Type()
	}
	l := f.filled(c, t)
	x := state.To(l)
	// With an unknown or nil arena the memory belongs to none.
	switch memory := (state.Tag{Kind: state.Mem, Root: r, Site: c.at}); {
	case r == nil || takesNothing(c, t):
	case c.fn.Decodes:
		s.Decode(c.at, state.Cell{Loc: l}, state.Just(memory, nil))
		x = s.Load(x, "", t)
	case c.fn.Yields:
		s.Decode(c.at, state.Cell{Loc: l, Path: state.Keys}, state.Just(memory, nil))
		x = x.With(memory, nil)
	default:
		x = state.WithMemory(l, r)
	}
	if a := c.arg(c.fn.Alias); a != nil {
		x, _ = x.Join(a)
	}
	return x.As(path)
}

// fills takes a state past a call that decodes into the target of an argument.
func (f *interpreter) fills(c arenaCall, from state.Value, args []state.Value) {
	f.Touch(c.s, c.at, from, c.fn.Name)
	r := c.s.Resolve(from, c.operand(c.fn.From))
	if r == nil || c.fn.Into >= len(args) {
		return
	}
	decodeInto(c.s, c.at, args[c.fn.Into], state.Tag{Kind: state.Mem, Root: r, Site: c.at})
}

// decodeInto records that an instruction has decoded into the target of a pointer.
func decodeInto(s *state.State, at ssa.Instruction, v state.Value, memory state.Tag) {
	for t := range v.All() {
		if t.Is(state.Ptr) {
			s.Decode(at, state.Cell{Loc: t.Loc, Path: t.Off}, state.Just(memory, nil))
		}
	}
}

// receives makes an RPC's message memory of its context's arena, if it was decoded there.
func (f *interpreter) receives(s *state.State) {
	if !code.DecodesRequest(f.Fn) {
		return
	}
	at, m := f.Fn.Blocks[0].Instrs[0], f.Fn.Params[len(f.Fn.Params)-1]
	r := s.Resolve(f.FromContext(s, s.Of(f.Fn.Params[len(f.Fn.Params)-2])), nil)
	memory := state.Tag{Kind: state.Mem, Root: r, Site: at}
	decodeInto(s, at, s.Of(m), memory)
	s.Bind(m, s.Of(m).With(memory, nil))
}

// takesNothing reports whether an allocation takes no memory: values without a size, and the empty string. Then there
// is nothing in the arena to be reused.
func takesNothing(c arenaCall, t types.Type) bool {
	if e := shape.Elem(t); e != nil {
		return shape.Sizeless(e)
	}
	x, ok := c.operand(1).(*ssa.Const)
	return ok && c.fn.Name == "Arena.AllocString" && x.Value != nil && constant.StringVal(x.Value) == ""
}

// filled returns new memory with the contents that the call stores: the value of NewOf, the elements of CopySlice and
// Append, the old elements of a grown slice. They are read before the memory is made anew, which may be the same.
func (f *interpreter) filled(c arenaCall, t types.Type) *state.Loc {
	s, e := c.s, shape.Elem(t)
	if e == nil || !shape.HasPointers(e) {
		return s.Make(c.at, "")
	}
	var items state.Value
	if c.fn.Alias >= 0 {
		items = s.Load(c.arg(c.fn.Alias), state.Elements, e)
	}
	if c.fn.Elems {
		items, _ = items.Join(s.Load(c.arg(c.fn.Into), state.Elements, e))
	}
	l := s.Make(c.at, "")
	if items != nil {
		s.Put(c.at, state.Cell{Loc: l, Path: state.Elements}, items, e, false)
	} else if c.fn.Into >= 0 {
		s.Put(c.at, state.Cell{Loc: l}, c.arg(c.fn.Into), e, true)
	}
	return l
}

// cloned is a shallow copy on the heap. Its pointers are as dead, or alive, as before.
func (f *interpreter) cloned(s *state.State, i ssa.CallInstruction, from state.Value) state.Value {
	f.Used(s, i, from, "is cloned")
	if i.Value() == nil {
		return nil
	}
	e := shape.Elem(i.Value().Type())
	if e == nil || !shape.HasPointers(e) {
		return nil
	}
	path := ""
	if _, ok := i.Value().Type().Underlying().(*types.Slice); ok {
		path = state.Elements
	}
	l := s.Make(i, "")
	s.Put(i, state.Cell{Loc: l, Path: path}, s.Load(from, path, e), e, true)
	return state.To(l)
}

// left returns the memory that CloneOut and Keep don't copy: memory certainly of an arena other than the one they are
// given. Values behind it may be in any arena.
func left(c arenaCall) state.Value {
	switch c.fn.Name {
	case "CloneOut":
		return leftOf(c, c.arg(1))
	case "Keep":
		v, _ := leftOf(c, c.arg(1)).As(state.First).Join(leftOf(c, c.arg(2)).As(state.Result(1)))
		return v
	}
	return nil
}

// leftOf is left for one of the values.
func leftOf(c arenaCall, v state.Value) state.Value {
	out := c.s.Resolve(c.arg(0), c.operand(0))
	if out == nil {
		return nil
	}
	for t := range v.All() {
		if t.Kind == state.Mem && !distinct(t.Root, out) {
			return nil // it may be the same arena
		}
	}
	return v.Only(func(t state.Tag) bool { return t.Kind == state.Mem })
}

// distinct reports whether two arenas are certainly different: one is a child of the other, or this function has made
// both.
func distinct(a, b *state.Root) bool {
	return a != b && (a.Within(b) || b.Within(a) || a.Made() && b.Made() && !a.Unsure && !b.Unsure)
}

// usedOthers reports dead memory among the arguments that a function of package arena only
// reads.
func (f *interpreter) usedOthers(c arenaCall) {
	for n := range len(c.at.Common().Args) + 1 {
		a := c.operand(n)
		if n == c.fn.From || n == c.fn.Alias || a == nil {
			continue
		}
		v := c.s.Of(a)
		f.UsedArg(c.s, c.at, v)
		if shape.HoldsMany(a) {
			f.UsedElements(c.s, c.at, v)
		}
	}
}

// This part handles calls of Reset, Rewind, Put and Free: whether they have an effect, and with which mark. End of
// package apply applies it.

// takeBack takes a state past Reset, Rewind, Put and Free. On an ended arena Put and Rewind panic; Reset and Free do
// nothing, also to children, so they end nothing here. All of them are wrong while another goroutine uses the arena.
func (f *interpreter) takeBack(c arenaCall, from state.Value) {
	s, i, k := c.s, c.at, c.fn
	at := c.arg(k.Mark)
	r := s.Resolve(from, c.operand(k.From))
	if r == nil {
		return
	}
	if k.Verb == api.Put || k.Verb == api.Rewind {
		f.Touch(s, i, from, k.Name)
	} else {
		f.Share(s, i, r, k.Name)
		if over(from) {
			return
		}
	}
	switch k.Verb {
	case api.Rewind:
		f.CheckMark(i, r, at)
	case api.Put:
		f.CheckPool(i, r)
	}
	d := f.Death(i, verbOf(k.Name), c.deferred)
	if k.Verb == api.Put && f.Reuses(r) == summary.Unseen {
		d = f.Program.Deaths.With(d, f.Program.PutGear(c.operand(k.Pool)))
	}
	f.End(s, r, d, at)
}

// over reports whether an arena has ended already, so that Reset and Free do nothing. An arena that was put back isn't
// over: it may be lent to somebody else, and a Reset does harm.
func over(v state.Value) bool {
	for t, d := range v.All() {
		if t.Is(state.Handle) && d != nil && d.Verb != summary.Put {
			return true
		}
	}
	return false
}

// verbOf returns the verb in messages for a function: "Reset" for "Arena.Reset".
func verbOf(name string) string {
	if name == summary.Put {
		return name
	}
	return lifetime.Short(name)
}

// This part holds values that come and go one by one: those of a collections.Slots. Each call of New makes an arena of
// one value, a child of that of the Slots. So a loop's older values differ from the newest one, and Free ends a value
// only if that is surely its argument.

// slot returns a new value of a Slots.
func (f *interpreter) slot(c arenaCall, from state.Value) state.Value {
	if c.at.Value() == nil {
		return nil
	}
	r := c.s.Renew(c.at, state.Child)
	r.BelongsTo(c.s.Resolve(from, nil))
	return state.To(f.filled(c, c.at.Value().Type())).With(state.Tag{Kind: state.Mem, Root: r, Site: c.at}, nil)
}

// freeSlot takes a state past Free of a Slots.
func (f *interpreter) freeSlot(c arenaCall) {
	v := c.arg(c.fn.Into)
	if f.Used(c.s, c.at, v, "is freed") {
		return
	}
	var r *state.Root
	for t := range v.All() {
		if t.Kind == state.Mem && (r != nil && r != t.Root || !isSlot(t.Root)) {
			return // it may be another one
		} else if t.Kind == state.Mem {
			r = t.Root
		}
	}
	if r != nil {
		f.End(c.s, r, f.Death(c.at, summary.FreeSlot, c.deferred), nil)
	}
}

// isSlot reports whether an arena is one newest value of a Slots.
func isSlot(r *state.Root) bool {
	call, ok := r.Site.(ssa.CallInstruction)
	if !ok || r.Kind != state.Child || r.Unsure {
		return false
	}
	k := api.Callee(call.Common())
	return k != nil && k.Verb == api.Slot
}
