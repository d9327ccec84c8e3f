package symbols

import (
	"debug/dwarf"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"reflect"
	"strings"
)

// This file reads the types of variables from the debugging information. Programs have it if they were built by go
// build, by go test -c, or for go test with a flag for a profile.

// Go's additions to DWARF for a type: its kind, a slice's element type, and the offset of its descriptor from the first
// one.
const (
	attrGoKind        = dwarf.Attr(0x2900)
	attrGoElem        = dwarf.Attr(0x2902)
	attrGoRuntimeType = dwarf.Attr(0x2904)
)

// openDebugInfo reads the debugging information of a program, nil if there is none. Unpacking it takes longer than
// reading the rest of an executable, and only variables with names need it.
func openDebugInfo(path string) (d *dwarf.Data) {
	if f, err := elf.Open(path); err == nil {
		defer f.Close()
		d, _ = f.DWARF()
	} else if f, err := macho.Open(path); err == nil {
		defer f.Close()
		d, _ = f.DWARF()
	} else if f, err := pe.Open(path); err == nil {
		defer f.Close()
		d, _ = f.DWARF()
	}
	return d
}

// variable returns the entry of a package's variable, nil if there is none. A package is a compile unit, an
// entry at the top whose children are the package's functions, types and variables. Others are skipped.
func (e *Executable) variable(name string) *dwarf.Entry {
	if e.dwarf == nil {
		e.dwarf = openDebugInfo(e.path)
	}
	if e.dwarf == nil {
		return nil
	}
	pkg := packageOf(name)
	r := e.dwarf.Reader()
	for {
		entry, err := r.Next()
		switch {
		case err != nil || entry == nil:
			return nil
		case entry.Tag == dwarf.TagCompileUnit && entry.Val(dwarf.AttrName) == pkg:
			continue // with its children
		case entry.Tag == dwarf.TagVariable && entry.Val(dwarf.AttrName) == name:
			return entry
		}
		r.SkipChildren()
	}
}

// typeOf returns the entry for the type of a variable, a field or a pointer. It follows typedefs without a descriptor.
func (e *Executable) typeOf(entry *dwarf.Entry, attr dwarf.Attr) *dwarf.Entry {
	// DWARF entries refer to others by offset. Maps and channels are typedefs of pointers.
	for {
		offset, ok := entry.Val(attr).(dwarf.Offset)
		if !ok {
			return nil
		}
		r := e.dwarf.Reader()
		r.Seek(offset)
		next, err := r.Next()
		if err != nil || next == nil || next.Tag != dwarf.TagTypedef || e.described(next) != nil {
			return next
		}
		entry, attr = next, dwarf.AttrType
	}
}

// typeName returns the name of a variable's type, "" if it has none: the name in the first entry, before typedefs are
// followed.
func (e *Executable) typeName(variable *dwarf.Entry) string {
	offset, ok := variable.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		return ""
	}
	r := e.dwarf.Reader()
	r.Seek(offset)
	entry, err := r.Next()
	if err != nil || entry == nil {
		return ""
	}
	name, _ := entry.Val(dwarf.AttrName).(string)
	return name
}

// isInterface reports whether an entry is one of the structs that represent interfaces.
func isInterface(entry *dwarf.Entry) bool {
	name := entry.Val(dwarf.AttrName)
	return name == "runtime.eface" || name == "runtime.iface"
}

// described returns the type of an entry if its descriptor is part of the program, which it is only if something needs
// it.
func (e *Executable) described(entry *dwarf.Entry) reflect.Type {
	if entry == nil {
		return nil
	}
	// The offset counts from the first descriptor, as the offsets of names do.
	if offset, _ := entry.Val(attrGoRuntimeType).(uint64); offset > 0 {
		return e.TypeAt(e.types + uintptr(offset))
	}
	return nil
}

// insideEntry is Inside for a type that may have no descriptor. Then it handles only structs, arrays, slices and
// pointers.
func (y *Types) insideEntry(entry *dwarf.Entry, offset, before uintptr) (path string, next Typing) {
	if entry == nil {
		return "", Typing{}
	}
	if t := y.described(entry); t != nil {
		path, next, _ = y.Inside(Typing{Elem: t, Single: true}, offset, before)
		return path, next
	}
	// The target type of a pointer, or the elements of a slice, may have a descriptor though the type itself has none.
	kind, _ := entry.Val(attrGoKind).(int64)
	switch reflect.Kind(kind) {
	case reflect.Pointer:
		return "", Typing{Elem: y.described(y.typeOf(entry, dwarf.AttrType)), Single: true}
	case reflect.Slice:
		return "", Typing{Elem: y.described(y.typeOf(entry, attrGoElem))}
	case reflect.Array:
		if elem := y.described(y.typeOf(entry, dwarf.AttrType)); elem != nil {
			path, next, _ = y.Inside(Typing{Elem: elem}, offset, before)
			return path, next
		}
	case reflect.Struct:
		// An interface is a struct to DWARF. Its first word shows the type of its value.
		if isInterface(entry) {
			break
		}
		field, at := y.member(entry, offset)
		if field != nil {
			path, next = y.insideEntry(y.typeOf(field, dwarf.AttrType), offset-at, before)
			name, _ := field.Val(dwarf.AttrName).(string)
			return "." + name + path, next
		}
	}
	return "", y.Dynamic(before)
}

// member returns the last field of a struct that doesn't start behind an offset, and the field's offset.
func (e *Executable) member(structure *dwarf.Entry, offset uintptr) (field *dwarf.Entry, at uintptr) {
	// The children behind the struct's own entry are its fields, in ascending order, up to an entry without a tag.
	r := e.dwarf.Reader()
	r.Seek(structure.Offset)
	r.Next()
	for {
		entry, err := r.Next()
		if err != nil || entry == nil || entry.Tag == 0 {
			return field, at
		}
		start, _ := entry.Val(dwarf.AttrDataMemberLoc).(int64)
		if entry.Tag == dwarf.TagMember && uintptr(start) <= offset {
			field, at = entry, uintptr(start)
		}
		r.SkipChildren()
	}
}

// packageOf returns the import path of a symbol's package.
func packageOf(symbol string) string {
	// Dots before the last slash belong to a host.
	slash := strings.LastIndexByte(symbol, '/') + 1
	if dot := strings.IndexByte(symbol[slash:], '.'); dot >= 0 {
		return symbol[:slash+dot]
	}
	return symbol
}
