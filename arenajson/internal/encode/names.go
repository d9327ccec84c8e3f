package encode

import (
	"fmt"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/number"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/syntax"
)

// This file writes keys of maps as names, and finds duplicates.

// checkKey fails if the keys of a map can't be names. The original encoding/json reports that even
// for an empty map, the others only at the first key.
func (e *Encoder) checkKey(n *plan.Node) {
	if e.flags&option.Legacy == 0 || !option.Classic {
		return
	}
	if k := n.MapKey.Type; !plan.IsNameKind(k.Kind()) && !k.Implements(plan.TextMarshalerType) {
		e.fail(n.Type, nil)
	}
}

// keyName returns the name for a key of a map with the plan n. Names of integers are in e.keys,
// which only grows while a value is written: when it moves, earlier names stay in the old memory.
func (e *Encoder) keyName(n *plan.Node, k reflect.Value) string {
	begin := len(e.keys)
	switch n.MapKey.Write {
	case plan.KindInt64, plan.KindInt:
		e.keys = number.AppendInt(mem.Room(e.keys, number.Room), k.Int())
		return mem.String(e.keys[begin:])
	case plan.KindUint:
		e.keys = number.AppendUint(mem.Room(e.keys, number.Room), k.Uint())
		return mem.String(e.keys[begin:])
	}
	// Strings are names unchanged, unless methods of their type write them.
	if k.Kind() == reflect.String && (n.MapKey.Writer == plan.ByKind || e.flags&option.Legacy != 0) {
		return k.String()
	}
	// In an interface methods of nil pointers are called, too.
	nils := k.Kind() == reflect.Interface
	if nils && !k.IsNil() {
		k = k.Elem()
	}
	isNil := k.Kind() == reflect.Pointer && k.IsNil()
	// Methods may need the key's address.
	copied := reflect.New(k.Type())
	copied.Elem().Set(k)
	key := plan.Of(k.Type())
	switch legacy := e.flags&option.Legacy != 0; {
	case legacy && isNil && !nils && hasTextMethod(k.Interface()):
		return ""
	case legacy && option.Classic:
		return e.classicKey(key, copied, n.Type)
	case n.MapKey.Type == plan.AnyType && k.Type() == float64Type && e.flags&option.StringifyNumbers == 0:
		e.fail(k.Type(), syntax.ErrName) // as in the standard library, which writes other numbers
	}
	// An encoder of its own writes any other key as a value, which must be a string.
	var b []byte
	inner := Encoder{flags: e.flags | option.StringifyNumbers, naming: true}
	if e.flags&option.Legacy == 0 {
		b = inner.value(nil, key, copied.UnsafePointer(), true)
	} else if isNil && n.MapKey.Type.Implements(plan.TextMarshalerType) {
		b = inner.textMethod(nil, key, k.Interface())
	} else {
		b = inner.value(nil, key, copied.UnsafePointer(), false)
	}
	d := syntax.Reader{Data: b, Flags: e.flags}
	// The text of the string is the name.
	name, end := d.Text(0)
	if end != len(b) {
		e.fail(k.Type(), syntax.ErrName)
	}
	return string(name)
}

// float64Type is for keys in interfaces.
var float64Type = reflect.TypeFor[float64]()

// classicKey is keyName of the original encoding/json: by MarshalText, or a number.
func (e *Encoder) classicKey(key *plan.Node, p reflect.Value, t reflect.Type) string {
	if m, ok := p.Elem().Interface().(interface{ MarshalText() ([]byte, error) }); ok {
		b, err := m.MarshalText()
		if err != nil {
			panic(encodeError{err: fmt.Errorf("json: encoding error for type %q: %q", t.String(), err.Error())})
		}
		return string(b)
	}
	// Methods other than MarshalText don't count for keys.
	if key.Plain != nil {
		key = key.Plain
	}
	switch key.Kind {
	case plan.KindInt64, plan.KindInt, plan.KindUint, plan.KindFloat64, plan.KindFloat32, plan.KindDuration:
		return string(e.number(nil, key, p.UnsafePointer(), false))
	}
	e.fail(t, nil)
	return ""
}

// mayRepeat reports whether different keys with the plan k may have the same name, and that is an
// error: because methods write them, an interface holds them, or invalid UTF-8 is replaced. Such
// names are recorded in e.names, and compared at the end.
func (e *Encoder) mayRepeat(k *plan.Node) bool {
	if e.flags&option.AllowDuplicateNames != 0 {
		return false
	}
	switch k.Write {
	case plan.KindInt64, plan.KindInt, plan.KindUint:
		return false
	case plan.KindString:
		return e.flags&option.AllowInvalidUTF8 != 0
	}
	return true
}

// noteName returns a name, and records it for uniqueNames if it may repeat.
func (e *Encoder) noteName(name string, repeats bool) string {
	if repeats {
		e.names = append(e.names, name)
	}
	return name
}

// uniqueNames fails if two of the names recorded from begin on are equal. It drops them.
func (e *Encoder) uniqueNames(begin int) {
	names := e.names[begin:]
	if len(names) == 0 {
		return
	}
	if e.flags&option.AllowInvalidUTF8 != 0 {
		for i, name := range names {
			if !utf8.ValidString(name) {
				names[i] = string([]rune(name)) // its written form
			}
		}
	}
	slices.Sort(names)
	for i := 1; i < len(names); i++ {
		if names[i] == names[i-1] {
			e.fail(nil, syntax.ErrDuplicateName)
		}
	}
	e.dropNames(begin)
}

// uniqueKeys is uniqueNames for the keys of a map, which are strings.
func (e *Encoder) uniqueKeys(m reflect.Value) {
	begin := len(e.names)
	for k := range m.Seq() {
		e.noteName(k.String(), true)
	}
	e.uniqueNames(begin)
}
