package decode

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/number"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
)

// This file decodes into interfaces that hold a value already, or have methods.

// iface decodes a value into an interface that holds one, or whose type has methods. In version 2
// it decodes into a copy of the held value; with the options of v1 only into the target of a held
// pointer.
//
//go:noinline
func (d *decoder) iface(n *plan.Node, p unsafe.Pointer, i int) int {
	v := mem.Value(n.Type, p)
	null := d.Word(i, "null")
	if null < 0 && d.Peek(i) == 'n' {
		return -1
	}
	// The interface holds a value that can be decoded into.
	holds := !v.IsNil() && !leadsBack(v)
	// Version 1 decodes into the target of a pointer, and replaces anything else.
	if d.Flags&option.Legacy != 0 && holds {
		if e := v.Elem(); e.Kind() == reflect.Pointer && !e.IsNil() {
			if null >= 0 && e.Elem().Kind() == reflect.Pointer {
				e.Elem().SetZero()
				return null
			}
		} else if holds = false; !option.Classic { // the original keeps the present value on an error
			v.SetZero()
		}
	}
	switch {
	case null >= 0:
		v.SetZero()
		return null
	case holds:
		return d.ifaceValue(v, i)
	case n.Type.NumMethod() > 0:
		return d.misfitNil(n, i)
	}
	x, end := d.any(i)
	if end >= 0 && x != nil {
		v.Set(reflect.ValueOf(x))
	}
	return end
}

// leadsBack reports whether an interface holds a pointer that leads back to it through pointers to
// interfaces alone, or into such a cycle. Decoding into the held value would never end.
func leadsBack(v reflect.Value) bool {
	e := v
	// The limit ends cycles that don't contain v.
	for range 1000 {
		if e = e.Elem(); e.Kind() != reflect.Pointer || e.IsNil() {
			return false
		}
		if e = e.Elem(); e.Kind() != reflect.Interface || e.IsNil() {
			return false
		}
		if e.Addr().Pointer() == v.Addr().Pointer() {
			return true
		}
	}
	return true
}

// ifaceValue decodes a value into a copy of the held one, and stores the copy in the interface, on
// an error as well. The copy is on the Go heap.
func (d *decoder) ifaceValue(v reflect.Value, i int) int {
	old := v.Elem()
	// The held value itself can't be changed, as other interfaces may share it.
	held := reflect.New(old.Type())
	held.Elem().Set(old)
	end := d.value(plan.Of(old.Type()), held.UnsafePointer(), i)
	v.Set(held.Elem())
	d.hold(v.Interface())
	return end
}

// misfitNil reports a value for a nil interface with methods, whose type is unknown.
func (d *decoder) misfitNil(n *plan.Node, i int) int {
	// Version 1 skips the value, and goes on.
	if d.Flags&option.Legacy != 0 {
		end := d.Skip(i)
		if end < 0 {
			return -1
		}
		if c := kindOfByte(d.Data[i]); option.Classic && c == '0' {
			if _, err := number.ParseFloat(d.Data[i:end], 64); err != nil {
				return d.outOfRange(i, err)
			}
		}
		return d.misfit(n.Type, end, i, kindOfByte(d.Data[i]), errNilInterface)
	}
	for c := d.Peek(i); c == ',' || c == ':' || c == ' ' || c-'\t' <= 1 || c == '\r'; c = d.Peek(i) {
		i++ // as version 2 does to find the value
	}
	return d.misfit(n.Type, i, i, 0, errNilInterface)
}
