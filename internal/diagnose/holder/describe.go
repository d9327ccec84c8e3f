package holder

import (
	"debug/dwarf"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
)

// A describer says in words what a search has found.
type describer struct {
	*search
	exe *executable
}

// longest is how many objects of a way are described. Of a longer one, such as
// one through a list, the middle is left out.
const longest = 12

func (d *describer) path(l link) Path {
	way := d.way(l)
	root, next := d.root(way[0])
	steps := []Step{root}
	if (root.Kind == Stack || root.Kind == StackWord) && next.elem == nil && len(way) > 1 {
		next = d.guess(d.receivers(root.Where), int32(way[1].from))
		next.guessed = next.elem != nil
	}
	for i := 1; i < len(way); i++ {
		if left := len(way) - longest; i == longest/2 && left > 0 {
			steps = append(steps, Step{Kind: Omitted, Name: fmt.Sprint(left)})
			i += left
			next = typing{}
		}
		var step Step
		var used int
		step, next, used = d.holder(way[i-1:], next)
		steps = append(steps, step)
		i += used
	}
	return Path{Steps: append(steps, d.target(l.to))}
}

// root describes the pointer in a root, and what it points to.
func (d *describer) root(l link) (Step, typing) {
	p := d.starts[^l.from]
	switch p.kind {
	case inVariables:
		return d.variable(p)
	case inFrame, perhapsInFrame:
		return d.stack(p)
	case inOther:
		return d.others[p.index].step, typing{}
	default:
		return Step{Kind: Unseen}, typing{}
	}
}

func (d *describer) variable(p start) (Step, typing) {
	segment := &d.variables[p.index]
	addr := segment.addr + p.offset
	before := d.word(segment.contents, p.offset-d.wordSize)
	step := Step{Kind: Global}
	if r := d.firstAt(addr); r != nil {
		step.Name, step.Type, step.Addr, step.Offset = r.Name, r.Type.String(), r.Addr, addr-r.Addr
		var next typing
		step.Field, next, _ = d.inside(typing{elem: r.Type, single: true}, step.Offset, before)
		return step, next
	}
	symbol, ok := d.exe.symbolAt(addr)
	if !ok {
		if next, ok := d.fromSource(&step, addr, before); ok {
			return step, next
		}
		users := d.exe.usersOf(addr)
		if len(users) > 0 {
			step.Offset = addr - users[0].addr
			addr = users[0].addr
		}
		step.Addr = addr
		step.Where = places(users, 3)
		return step, d.dynamic(before)
	}
	step.Name, step.Addr, step.Offset = symbol.name, symbol.addr, addr-symbol.addr
	v := d.exe.variable(symbol.name)
	if v == nil {
		return step, d.dynamic(before)
	}
	t := d.exe.typeOf(v, dwarf.AttrType)
	step.Type = d.exe.typeName(v)
	var next typing
	step.Field, next = d.insideEntry(t, step.Offset, before)
	return step, next
}

func (d *describer) stack(p start) (Step, typing) {
	f := &d.frames[p.index]
	step := Step{Kind: Stack, Name: f.goroutine.String(), Offset: p.offset}
	if p.kind == perhapsInFrame {
		step.Kind = StackWord
	}
	step.Where = d.callers(int(p.index))
	return step, d.dynamic(d.word(f.contents, p.offset-d.wordSize))
}

// callers returns the function that a frame belongs to and its caller. What a
// function gets in registers it keeps in a part of its caller's frame,
// so that this may be about the one or the other. Frames of the runtime are passed
// over: they belong to the function that called into it.
func (d *describer) callers(i int) []runtime.Frame {
	first := i
	if d.frames[i].depth > 0 && i > 0 && !isRuntime(d.frames[i-1].function) {
		first--
	}
	var where []runtime.Frame
	for ; first < len(d.frames) && d.frames[first].goroutine == d.frames[i].goroutine; first++ {
		f := &d.frames[first]
		where = append(where, f.where())
		if first >= i && !isRuntime(f.function) {
			break
		}
	}
	return where
}

// where returns the line that a frame has reached: that of the call that
// is under way, before the address to which it returns.
func (f *frame) where() runtime.Frame {
	pc := f.pc
	if f.depth > 0 && pc > f.entry {
		pc--
	}
	if w := frameOf(pc); w.Function != "" {
		return w
	}
	return runtime.Frame{Function: f.function}
}

func isRuntime(function string) bool { return strings.HasPrefix(function, "runtime.") }

// holder describes the object that the first pointer of a way leads to, and
// what the second, which is in it, points to. If the object has inner parts
// that are of no interest, it does the same with the pointers that lead out of
// these, and returns how many it passed.
func (d *describer) holder(way []link, known typing) (step Step, next typing, passed int) {
	in, out := way[0], way[1]
	i := int32(out.from)
	base := d.objects.addrs[i]
	known.at += in.to - base
	if g := d.goroutines[base]; g != nil {
		return Step{Kind: Object, Name: "the runtime's record of " + g.String(), Addr: base}, typing{}, 0
	}
	step = Step{Kind: Object, Addr: base, Size: d.objects.size(i), Offset: out.offset, Where: d.allocation(i)}
	for _, special := range []func(*Step, []link, typing) (typing, int, bool){d.closure, d.channel, d.hashMap} {
		if next, passed, ok := special(&step, way, known); ok {
			return step, next, min(passed, len(way)-2)
		}
	}
	if d.isTimer(i) {
		step.Kind = Timer
	}
	before := d.word(d.contents(i), out.offset-d.wordSize)
	for _, t := range []typing{known, d.header(i)} {
		field, next, ok := d.inside(t, out.offset, before)
		if ok && t.at+t.elem.Size() <= d.objects.size(i) {
			step.Type, step.Field, step.Offset = t.String(), field, out.offset-t.at
			if t.guessed {
				step.Type = "perhaps " + step.Type
			}
			return step, next, 0
		}
	}
	return step, d.dynamic(before), 0
}

// allocation returns the stack that allocated an object, if the memory profile
// has it.
func (d *describer) allocation(i int32) []runtime.Frame {
	addr, mayHaveHeader := d.objects.addrs[i], d.mayHaveHeader(i)
	var stack []runtime.Frame
	for _, s := range d.samples {
		if s.object == addr || mayHaveHeader && s.object == addr+headerSize {
			stack = d.stackOf(s.bucket)
		}
	}
	if len(stack) == 0 {
		return nil
	}
	user := func(f runtime.Frame) bool { return !isStandard(f) && !isRuntime(f.Function) }
	return stack[max(slices.IndexFunc(stack, user), 0):]
}

// goroot is where the files of the standard library are, "" if paths were
// trimmed from the program.
var goroot = func() string {
	file, _ := runtime.FuncForPC(reflect.ValueOf(fmt.Sprint).Pointer()).FileLine(0)
	return strings.TrimSuffix(file, "fmt/print.go")
}()

// IsStandard tells whether a call is of a function of the standard library.
func IsStandard(f runtime.Frame) bool { return isStandard(f) || isRuntime(f.Function) }

// isStandard tells whether a function is of the standard library.
func isStandard(f runtime.Frame) bool { return goroot != "" && strings.HasPrefix(f.File, goroot) }

func (d *describer) target(addr uintptr) Step {
	step := Step{Kind: Target, Addr: addr}
	for _, r := range d.targets {
		if in([]Range{r}, addr) {
			step.Addr, step.Offset = r.Start, addr-r.Start
		}
	}
	if i := d.objects.find(addr); i >= 0 {
		step.Where = d.allocation(i)
	}
	return step
}

func functionName(pc uintptr) string {
	if f := runtime.FuncForPC(pc); f != nil {
		return f.Name()
	}
	return fmt.Sprintf("a function at %#x", pc)
}

func whereIs(pc uintptr) []runtime.Frame {
	if f := frameOf(pc); f.Function != "" {
		return []runtime.Frame{f}
	}
	return nil
}
