package symbols

import (
	"debug/dwarf"
	"go/ast"
	"go/token"
	"os"
	"reflect"
	"runtime"
)

// This file describes variables by the best source that the program has.

// A Variable is a package's variable and a word in it, as far as known.
type Variable struct {
	Name   string // or several possible ones
	Type   string // "" if unknown
	Field  string // the part with the word, "" if unknown or the whole
	Addr   uintptr
	Offset uintptr // of the word, in bytes from the start of the variable, or of Field's part
}

// Variable returns the variable with the word at an address, and the type of the word's target. before is the word in
// front of it. The symbol table comes first, then the source.
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
	// Allocations here would stay in the memory profile, and in each further dump.
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 0
	if y.source == nil {
		y.source = &sourceReader{Types: y, files: token.NewFileSet(), packages: map[string]*pkg{}}
		if info, err := os.Stat(y.path); err == nil {
			y.source.built = info.ModTime()
		}
	}
	p, name := y.source.nameAt(addr)
	if p == nil {
		return Variable{}, y.Dynamic(before), false
	}
	v, next = Variable{Name: p.path + "." + name, Addr: addr}, y.Dynamic(before)
	file, t := p.typeOf(name)
	if t == nil {
		return v, next, true
	}
	// The program has a type's descriptor only if it needs it at run time.
	typed := func(t ast.Expr, single bool) Typing {
		text := p.text(file, t)
		return Typing{Elem: y.findType(func(t reflect.Type) bool { return fullName(t) == text }), Single: single}
	}
	v.Type = p.text(file, t)
	switch t := t.(type) {
	case *ast.StarExpr:
		next = typed(t.X, true)
	case *ast.ArrayType:
		if t.Len == nil {
			next = typed(t.Elt, false)
		}
	case *ast.MapType, *ast.ChanType:
		next = typed(t, true)
	}
	return v, next, true
}
