package symbols

import (
	"debug/dwarf"
	"go/types"
	"reflect"
	"runtime"
)

// This file describes variables by the best source that the program has.

// A Variable is what is known of a variable of a package, and of a word in it.
type Variable struct {
	Name   string // or several possible ones
	Type   string // "" if unknown
	Field  string // which part has the word, "" if unknown or the whole
	Addr   uintptr
	Offset uintptr // of the word, in bytes from the start of the variable, or of what Field leads to
}

// Variable returns the variable with the word at an address, and what the pointer in that word leads
// to. before is the word in front of it. The symbol table knows best. Without an entry there the
// source does.
func (y *Types) Variable(addr, before uintptr) (v Variable, next Typing, ok bool) {
	// go build and go test -c leave a symbol table; go test doesn't.
	symbol, ok := y.symbolAt(addr)
	if !ok {
		return y.sourceVariable(addr, before)
	}
	v = Variable{Name: symbol.name, Addr: symbol.addr, Offset: addr - symbol.addr}
	entry := y.variable(symbol.name)
	if entry == nil {
		return v, y.Dynamic(before), true
	}
	v.Type = y.typeName(entry)
	v.Field, next = y.insideEntry(y.typeOf(entry, dwarf.AttrType), v.Offset, before)
	return v, next, true
}

// sourceVariable is Variable by the source.
func (y *Types) sourceVariable(addr, before uintptr) (v Variable, next Typing, ok bool) {
	if y.text.data == nil {
		return Variable{}, Typing{}, false
	}
	// What is allocated here would stay in the memory profile, and in each further dump.
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 0
	// Reading the code takes long, and is done once for a dump.
	if y.names == nil {
		y.names = &sourceNames{readUses(y.dump, y.text)}
	}
	v, t, ok := y.names.describe(addr, maxBehind)
	if t != nil {
		return v, y.pointedTo(t, before), ok
	}
	return v, y.Dynamic(before), ok
}

// pointedTo returns what is known of the memory that the pointer in a value of a type leads to.
func (y *Types) pointedTo(t types.Type, before uintptr) Typing {
	// The program has a type of package reflect for that of package go/types only if it needs it at run time.
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return y.Dynamic(before)
	case *types.Pointer:
		return Typing{Elem: y.typeNamed(u.Elem()), Single: true}
	case *types.Slice:
		return Typing{Elem: y.typeNamed(u.Elem())}
	case *types.Map, *types.Chan, *types.Signature:
		return Typing{Elem: y.typeNamed(t), Single: true}
	case *types.Basic:
		if u.Kind() == types.String {
			return Typing{Elem: reflect.TypeFor[byte]()}
		}
	}
	return Typing{}
}
