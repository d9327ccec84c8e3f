package search

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/harena-go/arena/internal/diagnose/holder/dump"
	"github.com/harena-go/arena/internal/diagnose/holder/symbols"
)

// Paths returns paths from the roots to each list of targets, the shortest first, none for dead targets. Of many paths
// it returns a few different ones. Pointers in the targets or in the ignored ranges don't count. The search begins with
// the first roots: if one of these leads to a target, it looks for no other way to that target.
func Paths(d *dump.Dump, lists [][]dump.Range, ignored []dump.Range, first []Root) [][]Path {
	paths := make([][]Path, len(lists))
	var types *symbols.Types // read only if something is alive
	for i, targets := range lists {
		s := newSearch(d, targets, ignored)
		s.first = first
		links := s.run()
		if len(links) == 0 {
			continue
		}
		if types == nil {
			exe, err := symbols.Open()
			if err != nil {
				exe = &symbols.Executable{} // then fewer things have a name
			}
			types = symbols.NewTypes(d, exe)
		}
		paths[i] = newDescriber(s, types).paths(links)
	}
	return paths
}

// maxPaths is the number of paths that are returned at most.
const maxPaths = 4

// A describer turns the links found by a search into paths.
type describer struct {
	*search
	types *symbols.Types
}

// newDescriber returns a describer for the results of s. Searches of a dump may share types, which read the program
// once.
func newDescriber(s *search, types *symbols.Types) *describer { return &describer{s, types} }

// paths describes links until there are maxPaths different ones. Many objects of one kind that hold the target in the
// same way are one path.
func (d *describer) paths(links []link) []Path {
	var paths []Path
	seen := map[string]bool{}
	for _, l := range links {
		p := d.path(l)
		if key := p.key(); !seen[key] && len(paths) < maxPaths {
			seen[key] = true
			paths = append(paths, p)
		}
	}
	return paths
}

// longest is the number of objects of a way that are described at most. The middle of a longer way, such as one through
// a list, is left out.
const longest = 12

// path describes the way to a link. The type of each object tells the type of the next.
func (d *describer) path(l link) Path {
	// way[0] is a pointer in a root, and the others are pointers in objects, the last one to the target.
	way := d.way(l)
	root, next := d.root(way[0])
	steps := []Step{root}
	// An object to which a stack leads may be the receiver of the method there.
	if (root.Kind == Stack || root.Kind == StackWord) && next.Elem == nil && len(way) > 1 {
		next = d.guess(d.receivers(root.Where), int32(way[1].from))
		next.Guessed = next.Elem != nil
	}
	for i := 1; i < len(way); i++ {
		// The type of the first object behind the gap is unknown.
		if left := len(way) - longest; i == longest/2 && left > 0 {
			steps = append(steps, Step{Kind: Omitted, Name: fmt.Sprint(left)})
			i += left
			next = symbols.Typing{}
		}
		var step Step
		var used int
		step, next, used = d.holder(way[i-1:], next)
		steps = append(steps, step)
		i += used
	}
	return Path{Steps: append(steps, d.target(l.to))}
}

// root describes the pointer in a root, and the type of its target.
func (d *describer) root(l link) (Step, symbols.Typing) {
	p := d.starts[^l.from]
	switch p.kind {
	case inVariables:
		return d.variable(p)
	case inFrame, perhapsInFrame:
		return d.frame(p)
	case inOther:
		return named(d.Roots[p.index]), symbols.Typing{}
	default:
		return Step{Kind: Unseen}, symbols.Typing{}
	}
}

// variable describes a pointer in a variable of a package.
func (d *describer) variable(p start) (Step, symbols.Typing) {
	// If word and pointer are an interface, the word before the pointer has the type.
	segment := &d.Variables[p.index]
	addr := segment.Addr + p.offset
	before := d.Word(segment.Contents, p.offset-d.WordSize)
	if r := d.firstAt(addr); r != nil {
		step := Step{Kind: Global, Name: r.Name, Type: r.Type.String(), Addr: r.Addr, Offset: addr - r.Addr}
		var next symbols.Typing
		step.Field, next, _ = d.types.Inside(symbols.Typing{Elem: r.Type, Single: true}, step.Offset, before)
		return step, next
	}
	if v, next, ok := d.types.Variable(addr, before); ok {
		return Step{Kind: Global, Name: v.Name, Type: v.Type, Field: v.Field, Addr: v.Addr, Offset: v.Offset}, next
	}
	// Without a name, the code that uses the variable says most.
	start, lines := d.types.UsersOf(addr, maxUsers)
	return Step{Kind: Global, Addr: start, Offset: addr - start, Where: lines}, d.types.Dynamic(before)
}

// maxUsers is the number of reported lines that use a variable without a name.
const maxUsers = 3

// named describes a root that is neither in a variable nor in a frame.
func named(r dump.Root) Step {
	switch r.Kind {
	case dump.Closure:
		return Step{Kind: Stack, Name: r.Name + ", the closure that it runs"}
	case dump.Deferred:
		return Step{Kind: Defer, Name: r.Name, Where: symbols.FramesOf(r.Code)}
	case dump.PanicValue:
		return Step{Kind: Panic, Name: "of " + r.Name}
	case dump.Finalizer:
		return Step{Kind: Finalizer, Where: symbols.FramesOf(r.Code)}
	default:
		return Step{Kind: OtherRoot, Name: r.Name}
	}
}

// frame describes a pointer in a frame.
func (d *describer) frame(p start) (Step, symbols.Typing) {
	f := &d.Frames[p.index]
	step := Step{Kind: Stack, Name: f.Goroutine.String(), Offset: p.offset}
	if p.kind == perhapsInFrame {
		step.Kind = StackWord
	}
	step.Where = d.callers(int(p.index))
	return step, d.types.Dynamic(d.Word(f.Contents, p.offset-d.WordSize))
}

// callers returns the function of a frame and the function that it has called, since a function spills register
// arguments to a part of its caller's frame. Frames of the runtime are passed over: they belong to the function that
// called into it.
func (d *describer) callers(i int) []runtime.Frame {
	// Frames are in order: the called function's frame is before this one, the caller's behind it.
	first := i
	if d.Frames[i].Depth > 0 && i > 0 && !symbols.IsRuntime(d.Frames[i-1].Function) {
		first--
	}
	var where []runtime.Frame
	for ; first < len(d.Frames) && d.Frames[first].Goroutine == d.Frames[i].Goroutine; first++ {
		f := &d.Frames[first]
		where = append(where, lineOf(f))
		if first >= i && !symbols.IsRuntime(f.Function) {
			break
		}
	}
	return where
}

// lineOf returns the line that a frame has reached. Except in the innermost frame, that is the line of the call under
// way, whose instruction is before the return address.
func lineOf(f *dump.Frame) runtime.Frame {
	pc := f.PC
	if f.Depth > 0 && pc > f.Entry {
		pc--
	}
	if w := symbols.FrameOf(pc); w.Function != "" {
		return w
	}
	return runtime.Frame{Function: f.Function}
}

// holder describes the target object of the first pointer of a way, and returns the type of the target of the second
// pointer, which is in that object. known is the known type of the object. An object such as a map has parts that are
// objects of their own: then the pointer that leads out of them is described, and passed is the number of parts on the
// way.
func (d *describer) holder(way []link, known symbols.Typing) (step Step, next symbols.Typing, passed int) {
	// in may lead to a part of the object: known is the type of that part.
	in, out := way[0], way[1]
	i := int32(out.from)
	base := d.Objects.Addr(i)
	known.At += in.to - base
	if g := d.Goroutines[base]; g != nil {
		return Step{Kind: Object, Name: "the runtime's record of " + g.String(), Addr: base}, symbols.Typing{}, 0
	}
	// The runtime's own objects are recognized first, as their types say little to a user.
	step = Step{Kind: Object, Addr: base, Size: d.Objects.Size(i), Offset: out.offset, Where: d.allocation(i)}
	type recognize = func(*Step, []link, symbols.Typing) (symbols.Typing, int, bool)
	for _, special := range []recognize{d.closure, d.channel, d.hashMap} {
		if next, passed, ok := special(&step, way, known); ok {
			return step, next, min(passed, len(way)-2)
		}
	}
	if d.isTimer(i) {
		step.Kind = Timer
	}
	// The type from the way says more than the object's header. A type must fit: it must have a pointer at this place,
	// and the object must be large enough.
	before := d.Word(d.Object(i).Contents, out.offset-d.WordSize)
	for _, t := range []symbols.Typing{known, d.types.Header(i)} {
		field, next, ok := d.types.Inside(t, out.offset, before)
		if ok && t.At+t.Elem.Size() <= d.Objects.Size(i) {
			step.Type, step.Field, step.Offset = t.String(), field, out.offset-t.At
			if t.Guessed {
				step.Type = "perhaps " + step.Type
			}
			return step, next, 0
		}
	}
	return step, d.types.Dynamic(before), 0
}

// allocation returns the stack that allocated an object, if the memory profile has it, without the innermost calls in
// the standard library.
func (d *describer) allocation(i int32) []runtime.Frame {
	// The profile has the address behind the header. If memory was reused, the last sample counts.
	addr, mayHaveHeader := d.Objects.Addr(i), d.types.MayHaveHeader(i)
	var stack []runtime.Frame
	for _, s := range d.Samples {
		if s.Object == addr || mayHaveHeader && s.Object == addr+symbols.HeaderSize {
			stack = d.Stack(s.Stack)
		}
	}
	if len(stack) == 0 {
		return nil
	}
	// A stack with only the standard library's functions is left whole.
	user := func(f runtime.Frame) bool { return !symbols.IsStandard(f) }
	return stack[max(slices.IndexFunc(stack, user), 0):]
}

// target describes the target range with the address.
func (d *describer) target(addr uintptr) Step {
	// The whole target is named, with the offset of the address.
	step := Step{Kind: Target, Addr: addr}
	for _, r := range d.targets {
		if r.Has(addr) {
			step.Addr, step.Offset = r.Start, addr-r.Start
		}
	}
	if i := d.Objects.Find(addr); i >= 0 {
		step.Where = d.allocation(i)
	}
	return step
}
