package decode

import (
	"encoding/json"
	"maps"
	"reflect"
	"sync"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/number"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/text"
	"github.com/harena-go/arena/internal/engine/smallmap"
)

// This file decodes into an any.
//
//	string     string in the arena, the interface points to it
//	number     float64, or json.Number by an option, likewise
//	array      []any in the arena, of the right length
//	object     map[string]any, in the arena if it has at most eight members, or by an
//	           option a slice of its members in the arena
//
// Elements and members are collected on stacks of the decoder, and copied when their number is
// known. The next text uses the stacks again; their used part is cleared.
//
// Interfaces are assembled from a type's word and the value's address, since the compiler would
// copy the value to the Go heap. Where interfaces have another layout (mem.Trusted), the compiler
// makes them.

// The allocators for values in an any, and the words of their types.
var (
	stringKey = arena.KeyOf(reflect.TypeFor[string]())
	numberKey = arena.KeyOf(reflect.TypeFor[json.Number]())
	floatKey  = arena.KeyOf(reflect.TypeFor[float64]())
	anyKey    = arena.KeyOf(reflect.TypeFor[any]())
	slicesKey = arena.KeyOf(reflect.TypeFor[[]any]())

	stringWord = mem.WordOf("")
	numberWord = mem.WordOf(json.Number(""))
	floatWord  = mem.WordOf(0.0)
	slicesWord = mem.WordOf([]any{})
)

// anyMapPlan returns the plan of the maps for objects.
var anyMapPlan = sync.OnceValue(func() *plan.Node { return plan.Of(reflect.TypeFor[map[string]any]()) })

// anyTo decodes a value into the any at p. It may write to the value that the any holds already.
func (d *decoder) anyTo(n *plan.Node, p unsafe.Pointer, i int) int {
	v := mem.At[any](p)
	if *v != nil {
		return d.iface(n, p, i)
	}
	const flags = option.AllowDuplicateNames | option.Legacy | option.OrderedObjects
	if d.Flags&flags == option.AllowDuplicateNames && d.Peek(i) == '{' {
		return d.mergedTo(v, i)
	}
	x, end := d.any(i)
	if x != nil { // on an error, the part decoded so far
		*v = x
	}
	return end
}

// mergedTo decodes an object into an any and merges duplicate names: a later value is decoded into
// the earlier one.
func (d *decoder) mergedTo(v *any, i int) int {
	var m map[string]any
	end := d.mapping(anyMapPlan(), unsafe.Pointer(&m), i)
	*v = m
	return end
}

// hold keeps alive a value outside the arena to which the arena refers.
func (d *decoder) hold(v any) {
	if d.a.SelfContained() {
		d.a.KeepAlive(v)
	}
}

// any decodes a value, and returns its end. On an error it may return the part decoded so far,
// which version 2 stores in the any.
func (d *decoder) any(i int) (any, int) {
	switch c := d.Peek(i); c {
	case '"':
		b, end := d.Text(i)
		if end < 0 {
			return nil, -1
		}
		return d.boxString(d.keep(b, i+1)), end
	case '{':
		if d.Flags&option.OrderedObjects != 0 {
			return d.anyOrdered(i)
		}
		return d.anyMap(i)
	case '[':
		return d.anySlice(i)
	case 't':
		return true, d.Word(i, "true")
	case 'f':
		return false, d.Word(i, "false")
	case 'n':
		return nil, d.Word(i, "null")
	}
	return d.anyNumber(i)
}

// boxString returns s as an any. The interface points to a copy of its header in the arena.
func (d *decoder) boxString(s string) any {
	if !mem.Trusted {
		d.hold(s)
		return s
	}
	p := stringKey.New(d.a)
	mem.Set(p, s)
	return mem.Any(stringWord, p)
}

// anyNumber decodes a number into an any: a float64, or a json.Number by an option. A number out of
// range is an error; the result is 0 or nil, depending on the version.
func (d *decoder) anyNumber(i int) (any, int) {
	if d.Flags&option.UseNumber != 0 {
		end := number.Skip(d.Data, i)
		if end < 0 {
			return nil, -1
		}
		p := numberKey.New(d.a)
		mem.Set(p, d.keep(d.Data[i:end:end], i))
		if !mem.Trusted {
			return mem.Get[json.Number](p), end
		}
		return mem.Any(numberWord, p), end
	}
	x, end := number.Read(d.Data, i)
	if end < 0 {
		return nil, -1
	}
	// The steps are those of decoder.float64, without the quickest.
	f, ok := x.Float64()
	if !ok {
		f, ok = x.ManyDigits(d.Data, i, end)
	}
	if !ok {
		var err error
		if f, err = number.ParseFloat(d.Data[i:end], 64); err != nil {
			if i = d.outOfRange(i, err); option.Classic && d.Flags&option.Legacy != 0 {
				return nil, i
			}
			return d.boxFloat(0), i
		}
	}
	return d.boxFloat(f), end
}

// boxFloat returns f as an any, as boxString does.
func (d *decoder) boxFloat(f float64) any {
	if !mem.Trusted {
		d.hold(f)
		return f
	}
	if d.a == nil {
		return mem.Any(floatWord, d.floatOnHeap(f))
	}
	p := floatKey.New(d.a)
	mem.Set(p, f)
	return mem.Any(floatWord, p)
}

// floatOnHeap returns the address of a copy of f on the Go heap. As with strings, the numbers of a
// text share pieces of memory, each four times as large as the one before, up to largestPiece.
func (d *decoder) floatOnHeap(f float64) unsafe.Pointer {
	if len(d.floats) == 0 {
		d.floats = make([]float64, max(1, d.nextFloats))
		d.nextFloats = min(4*len(d.floats), largestPiece/8)
	}
	p := &d.floats[0]
	*p, d.floats = f, d.floats[1:]
	return unsafe.Pointer(p)
}

// anySlice decodes an array into an any. A nested array uses the same stack.
func (d *decoder) anySlice(i int) (any, int) {
	if !d.Enter() {
		return nil, -1
	}
	base := len(d.values.all)
	i = text.SkipSpace(d.Data, i+1)
	for more := d.Peek(i) != ']'; more; {
		// A nested array uses the stack above these values, and then restores it.
		v, end := d.any(i)
		d.values.push(v)
		if end < 0 {
			return d.boxSlice(base), -1
		}
		switch i = text.SkipSpace(d.Data, end); d.Peek(i) {
		case ',':
			i = text.SkipSpace(d.Data, i+1)
		case ']':
			more = false
		// As in version 2, a syntax error behind an element adds another element, nil.
		default:
			d.values.push(nil)
			return d.boxSlice(base), -1
		}
	}
	d.Depth++
	return d.boxSlice(base), i + 1
}

// boxSlice returns the values from base on as an any.
func (d *decoder) boxSlice(base int) any {
	s := d.takeValues(base)
	if !mem.Trusted {
		d.hold(s)
		return s
	}
	p := slicesKey.New(d.a)
	mem.Set(p, s)
	return mem.Any(slicesWord, p)
}

// takeValues moves the values from base on from the stack to the arena.
func (d *decoder) takeValues(base int) []any {
	all := d.values.all[base:]
	if len(all) == 0 {
		return []any{}
	}
	s := unsafe.Slice(mem.At[any](anyKey.MakeSlice(d.a, len(all))), len(all))
	// The copy has the right length; the next array uses the stack again.
	copy(s, all)
	d.values.popTo(base)
	return s
}

// anyMembers decodes the members of an object and leaves them on the stack, so that the map or
// slice can be made at once with the right size.
func (d *decoder) anyMembers(i int) int {
	if !d.Enter() {
		return -1
	}
	if i = text.SkipSpace(d.Data, i+1); d.Peek(i) == '}' {
		d.Depth++
		return i + 1
	}
	return d.moreMembers(i)
}

// strangers is moreMembers for members whose names aren't in the tree of keys. The first keys of
// the objects in their values are recorded apart from those of the current key.
func (d *decoder) strangers(i int) int {
	from := d.at
	d.at = &d.keys.other
	i = d.moreMembers(i)
	d.at = from
	return i
}

// moreMembers is anyMembers from the member at i on.
func (d *decoder) moreMembers(i int) int {
	for more := true; more; {
		name, end := d.Text(i)
		if end < 0 {
			return -1
		}
		s := d.keep(name, i+1)
		v, ok := d.Colon(end)
		if !ok {
			return -1
		}
		x, end := d.any(v)
		d.members.push(plan.Pair{Name: s, Value: x})
		if end < 0 {
			return -1
		}
		switch i = text.SkipSpace(d.Data, end); d.Peek(i) {
		case ',':
			i = text.SkipSpace(d.Data, i+1)
		case '}':
			more = false
		default:
			return -1
		}
	}
	d.Depth++
	return i + 1
}

// anyMap decodes an object into an any as a Go map. Version 2 merges it member by member if names
// need not be unique.
func (d *decoder) anyMap(i int) (any, int) {
	if d.merges() {
		var v any
		end := d.mergedTo(&v, i)
		return v, end
	}
	m, end := d.anyObject(i)
	if m == nil {
		return nil, end
	}
	return m, end
}

// merges reports whether the second value of a name is merged into the first.
func (d *decoder) merges() bool {
	return d.Flags&(option.AllowDuplicateNames|option.Legacy) == option.AllowDuplicateNames
}

// anyObject decodes an object into a new map, which is nil if it is nested too deeply.
func (d *decoder) anyObject(i int) (map[string]any, int) {
	n, base := anyMapPlan(), len(d.members.all)
	s := d.small(n)
	if s == nil {
		return d.anyGathered(nil, base, d.anyMembers(i))
	}
	if !d.Enter() {
		return nil, -1
	}
	if i = text.SkipSpace(d.Data, i+1); d.Peek(i) != '}' {
		if d.at.begins(d.Data, i) > 0 {
			return d.anyWide(s, i)
		}
	}
	start, p, done := i, d.newSmall(s), true
	m := *mem.At[map[string]any](unsafe.Pointer(&p)) // a map is a pointer
	if d.Peek(i) == '}' {
		i++
	} else if _, i, done = d.keyMembers(s, n.Elem, p, i, true); i >= 0 && !done {
		// There is a ninth member, or an unknown name.
		x, i := d.anyGathered(m, base, d.strangers(i))
		d.at.ends(d.Data, start, len(x))
		return x, i
	}
	if done {
		d.Depth++
	}
	d.hold(m)
	return m, i
}

// anyWide is anyObject, from the first member on, for an object that is likely to have more than
// eight. The members are collected. If there is a form for their keys, each value has its place.
func (d *decoder) anyWide(s *plan.Small, i int) (map[string]any, int) {
	base, from, start := len(d.members.all), d.at, i
	k, i, done := d.keyMembers(s, nil, nil, i, true)
	var f *smallmap.Form
	if !done && i >= 0 {
		i = d.strangers(i)
	} else if done {
		if d.Depth++; k.depth > smallmap.Most && s.Tables() {
			f = d.keys.formOf(s, k)
		}
	}
	if f == nil {
		m, i := d.anyGathered(nil, base, i)
		from.ends(d.Data, start, len(m))
		return m, i
	}
	from.first.wide = k.depth
	a := d.mapArena()
	p, groups := s.Head.New(a), s.Group.MakeSlice(a, f.Groups())
	s.BeginForm(p, groups, f)
	all := d.members.all[base:]
	for k := range all {
		mem.Set(s.Elem(groups, f, k), all[k].Value)
	}
	d.members.popTo(base)
	m := *mem.At[map[string]any](unsafe.Pointer(&p))
	d.hold(m)
	return m, i
}

// anyGathered makes a map of the members from base on and of those in first, with room for all. It
// returns end, or -1 if a name isn't new.
func (d *decoder) anyGathered(first map[string]any, base, end int) (map[string]any, int) {
	all := d.members.all[base:]
	m := first
	if n := len(first) + len(all); n > smallmap.Most || m == nil {
		m = d.newAnyMap(n)
		maps.Copy(m, first)
	}
	// A new name makes the map longer.
	for k := range all {
		before, had := len(m), any(nil)
		if len(m) <= smallmap.Most {
			had = m[all[k].Name]
		}
		m[all[k].Name] = all[k].Value
		if len(m) == before && d.Flags&option.AllowDuplicateNames == 0 {
			end = -1 // Diagnose finds which
			m[all[k].Name] = had
			maps.Copy(m, first)
			d.undoDuplicate(m, all[:k])
			break
		}
	}
	d.members.popTo(base)
	d.hold(m)
	return m, end
}

// newAnyMap returns a new map with room for count entries, in the arena if possible.
func (d *decoder) newAnyMap(count int) map[string]any {
	if p := d.newMap(anyMapPlan().Small(), count); p != nil {
		return *mem.At[map[string]any](unsafe.Pointer(&p)) // a map is a pointer
	}
	return make(map[string]any, count)
}

// undoDuplicate restores the values that a map had before the second member of a name.
func (d *decoder) undoDuplicate(m map[string]any, all []plan.Pair) {
	for k := range all {
		m[all[k].Name] = all[k].Value
	}
}

// anyOrdered decodes an object into an any as an object that keeps its order.
func (d *decoder) anyOrdered(i int) (any, int) {
	o, end := d.ordered(i)
	if end < 0 {
		return nil, -1
	}
	if !mem.Trusted {
		v := boxOrdered(o)
		d.hold(v)
		return v, end
	}
	p := plan.Ordered.Key.New(d.a)
	mem.Set(p, o)
	return mem.Any(plan.Ordered.Word, p), end
}

// boxOrdered returns an object as an any, on the Go heap, by reflect.
//
//go:noinline
func boxOrdered(o []plan.Pair) any {
	return mem.Value(plan.Ordered.Type, unsafe.Pointer(&o)).Interface()
}

// ordered decodes an object into pairs in the arena. A second member of a name is an error, by
// default, which Diagnose will find.
func (d *decoder) ordered(i int) ([]plan.Pair, int) {
	base := len(d.members.all)
	end := d.anyMembers(i)
	if end < 0 {
		return nil, -1
	}
	// Without a map, the names must be compared.
	all := d.members.all[base:]
	if d.Flags&option.AllowDuplicateNames == 0 && !plan.UniqueNames(all) {
		return nil, -1 // Diagnose finds it
	}
	if len(all) == 0 {
		return []plan.Pair{}, end
	}
	o := unsafe.Slice(mem.At[plan.Pair](plan.Ordered.Member.MakeSlice(d.a, len(all))), len(all))
	copy(o, all)
	d.members.popTo(base)
	return o, end
}

// objectTo decodes an object into the Object of package arenajson at p.
func (d *decoder) objectTo(n *plan.Node, p unsafe.Pointer, i int) int {
	if end := d.Word(i, "null"); end >= 0 {
		mem.Set[[]plan.Pair](p, nil)
		return end
	}
	if d.Peek(i) != '{' {
		return d.mismatchToken(n.Type, i, nil)
	}
	o, end := d.ordered(i)
	if end >= 0 {
		mem.Set(p, o)
	}
	return end
}
