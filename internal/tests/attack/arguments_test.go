package attack

import (
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

// This file calls methods, with arguments made up by their types.

// method returns what calls a method, with arguments made up by their types. An iterator
// that it returns is run.
func method(r reflect.Value, number int, a *arena.Arena) func(i int) {
	m := r.Method(number)
	t := m.Type()
	var document []byte // of JSON, which is made only once
	if r.Type().Method(number).Name == "UnmarshalJSON" {
		document, _ = r.Interface().(json.Marshaler).MarshalJSON()
	}
	return func(i int) {
		var in []reflect.Value
		for j := range t.NumIn() {
			p := t.In(j)
			if t.IsVariadic() && j == t.NumIn()-1 {
				p = p.Elem()
			}
			if document != nil {
				in = append(in, reflect.ValueOf(document))
			} else {
				in = append(in, argument(p, i, r, a))
			}
		}
		for _, out := range m.Call(in) {
			if k := out.Kind(); k == reflect.Func && out.Type().CanSeq() || k == reflect.Func && out.Type().CanSeq2() {
				out.Call([]reflect.Value{yes(out.Type().In(0), i, r, a)})
			}
		}
	}
}

// yes returns a function that uses an arena that it gets, calls a function that it gets, and
// returns true, or zero if it returns no bool.
func yes(t reflect.Type, i int, r reflect.Value, a *arena.Arena) reflect.Value {
	return reflect.MakeFunc(t, func(in []reflect.Value) (out []reflect.Value) {
		for _, v := range in {
			if lent, ok := v.Interface().(*arena.Arena); ok {
				lent.AllocBytes(24)
			}
			if v.Kind() == reflect.Func {
				v.Call([]reflect.Value{argument(v.Type().In(0), i, r, a), argument(v.Type().In(v.Type().NumIn()-1), i, r, a)}[:v.Type().NumIn()])
			}
		}
		for j := range t.NumOut() {
			v := reflect.New(t.Out(j)).Elem()
			if v.Kind() == reflect.Bool {
				v.SetBool(true)
			}
			out = append(out, v)
		}
		return out
	})
}

// argument returns the i-th value of a type for a method of r.
func argument(t reflect.Type, i int, r reflect.Value, a *arena.Arena) reflect.Value {
	v := reflect.New(t).Elem()
	switch v.Addr().Interface().(type) {
	case **arena.Arena:
		return reflect.ValueOf(a)
	case **collections.Node[float64]:
		return reflect.ValueOf(r.Interface().(*collections.List[float64]).Front())
	case *collections.Ref[float64], *collections.Handle[float64]:
		return v
	case **float64:
		if s, ok := r.Interface().(*collections.Slots[float64]); ok {
			return reflect.ValueOf(s.New())
		}
	case *unsafe.Pointer:
		return reflect.ValueOf(a.Alloc(16, 16))
	case *[]byte:
		return reflect.ValueOf([]byte("text"))
	case *any:
		return reflect.ValueOf(new([1 << 10]byte))
	case *io.Reader:
		return reflect.ValueOf(strings.NewReader("text"))
	case *io.Writer:
		return reflect.ValueOf(io.Discard)
	}
	switch {
	case t == r.Type():
		return r
	case t.Kind() == reflect.Func:
		return yes(t, i, r, a)
	case t.Kind() == reflect.String:
		v.SetString(keyNames[i%len(keyNames)])
	case t.Kind() == reflect.Float64:
		v.SetFloat(float64(i))
	case v.CanInt():
		v.SetInt(0)
	case v.CanUint():
		v.SetUint(16)
	}
	return v
}
