package decode

import (
	"bytes"
	"errors"
	"reflect"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/number"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file skips members without a field whose names are learned (see plan/learned.go). It checks
// their values as Skip does, but saves the hash of each name and its place in a set: a predicted
// name with a number takes a comparison and a bit.
//
// Objects within such values have plans without fields, so that object decodes them, too. If a
// struct has a field for such members, they go to its map (toRest).

// passMember skips the value at i of a learned name without a field. The caller has looked for
// duplicates among the learned names.
func (d *decoder) passMember(m *memberState, f *plan.Member, i int) int {
	if (d.Flags&option.RejectUnknown != 0 || m.names >= 0) && !d.mayPass(m, f, i) {
		return -1
	}
	// Most values are single tokens, or empty.
	switch c := d.Peek(i); c {
	case '"':
		return d.SkipText(i)
	case '{', '[':
		if d.Peek(i+1) == c+2 && d.Depth > 0 { // empty: the closing bracket is two behind the opening one
			return i + 2
		}
		// A plan for the objects inside, if they have names to learn.
		n := f.Inside.Load()
		if n == nil && d.hasNames(c, i) {
			n = m.s.Others.Memory.NewInside(f)
		}
		if n == nil {
			return d.Skip(i)
		}
		return d.pass(n, i)
	case 't', 'f', 'n':
		return d.Skip(i)
	}
	return number.Skip(d.Data, i)
}

// pass is Skip with the names that n has learned for the objects in such a value. All objects of an
// array share one plan, as they are mostly alike.
func (d *decoder) pass(n *plan.Node, i int) int {
	switch d.Peek(i) {
	case '{':
		return d.object(n, nil, i)
	case '[':
		return d.passArray(n, i)
	}
	return d.Skip(i)
}

// passArray is pass for an array.
func (d *decoder) passArray(n *plan.Node, i int) int {
	if !d.Enter() {
		return -1
	}
	data := d.Data
	i = text.SkipSpace(data, i+1)
	if uint(i) < uint(len(data)) && data[i] == ']' {
		d.Depth++
		return i + 1
	}
	for {
		if i = d.pass(n, i); i < 0 {
			return -1
		}
		i = text.SkipSpace(data, i)
		switch {
		case uint(i) >= uint(len(data)):
			return -1
		case data[i] == ',':
			i = text.SkipSpace(data, i+1)
		case data[i] == ']':
			d.Depth++
			return i + 1
		default:
			return -1
		}
	}
}

// hasNames reports whether the object or array at i, which begins with c, may have
// names to learn.
func (d *decoder) hasNames(c byte, i int) bool {
	next := d.Peek(text.SkipSpace(d.Data, i+1))
	return c == '{' && next == '"' || c == '[' && (next == '{' || next == '[')
}

// mayPass checks the rare conditions of passMember: names may be refused, and this name may have
// come earlier in the object, before it was learned.
//
//go:noinline
func (d *decoder) mayPass(m *memberState, f *plan.Member, i int) bool {
	if d.Flags&option.RejectUnknown != 0 && m.n.Kind != plan.KindSkipped {
		start, end := d.NameBefore(i)
		if d.misfit(m.n.Type, end, start, '"', ErrUnknownName) < 0 {
			return false
		}
	}
	// Names that came before they were learned are in the set of names without a number.
	if m.names >= 0 && d.Has(&d.sets[m.names], []byte(f.Literal[1:len(f.Literal)-2])) {
		d.duplicate(i)
		return false
	}
	return true
}

// toRest decodes the value at v into the map for members without a field, or adds it to the raw
// object for them. It makes a nil map, and targets of nil pointers to it, on the Go heap, as
// reflect needs their types. quoted is the name as in the input.
func (d *decoder) toRest(m *memberState, f *plan.Field, name string, quoted []byte, v int) int {
	p := m.p
	for _, s := range f.Path {
		at := mem.Add(p, s.Off)
		if p = mem.Get[unsafe.Pointer](at); p == nil {
			if s.Closed {
				return d.misfitValue(m.n.Type, v, errNilField)
			}
			fresh := mem.Value(reflect.PointerTo(s.Key.Type()), at)
			fresh.Set(reflect.New(s.Key.Type()))
			p = fresh.UnsafePointer()
			d.hold(fresh.Interface())
		}
	}
	r := mem.Value(f.Type, mem.Add(p, f.Off))
	if r.Kind() == reflect.Pointer {
		if r.IsNil() {
			r.Set(reflect.New(r.Type().Elem()))
			d.hold(r.Interface())
		}
		r = r.Elem()
	}
	if r.Kind() != reflect.Map {
		return d.toRaw(m, mem.At[[]byte](r.Addr().UnsafePointer()), quoted, v)
	}
	if r.IsNil() {
		r.Set(reflect.MakeMap(r.Type()))
		d.hold(r.Interface())
	}
	// Merge into the map's present value for the name.
	key := reflect.ValueOf(name).Convert(r.Type().Key())
	val := reflect.New(r.Type().Elem()).Elem()
	if old := r.MapIndex(key); old.IsValid() {
		val.Set(old)
	}
	end := d.value(plan.Of(val.Type()), val.Addr().UnsafePointer(), v)
	r.SetMapIndex(key, val)
	return end
}

// toRaw adds the member with the value at v to a raw JSON object. quoted is its name.
func (d *decoder) toRaw(m *memberState, object *[]byte, quoted []byte, v int) int {
	var head []byte
	if len(*object) == 0 {
		head = arena.Append(d.a, *object, '{')
	} else {
		inner, ok := bytes.CutSuffix(bytes.TrimRight(*object, space), []byte("}"))
		if !ok {
			return d.misfitValue(m.s.Rest.Type, v, errNotObject)
		}
		head = bytes.TrimRight(inner, space)
		if !bytes.HasSuffix(head, []byte(",")) && !bytes.HasSuffix(head, []byte("{")) {
			head = arena.Append(d.a, head, ',')
		}
	}
	end := d.Skip(v)
	if end < 0 {
		return -1
	}
	head = arena.Append(d.a, arena.Append(d.a, head, quoted...), ':')
	*object = arena.Append(d.a, arena.Append(d.a, head, d.Data[v:end]...), '}')
	return end
}

// space is JSON's white space.
const space = " \n\r\t"

var errNotObject = errors.New("embedded raw value must be a JSON object")
