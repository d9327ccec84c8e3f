package symbols

import (
	"encoding/binary"
	"reflect"
	"unicode/utf8"
	"unsafe"
)

// This file finds types by their descriptors. The program has a descriptor of each type that it needs at run time: to
// put values into interfaces, or to allocate them.

// wordBytes is the size of this program's words. Only this program's descriptors are read; a dump may be another's.
const wordBytes = unsafe.Sizeof(uintptr(0))

// A descriptor is the head of a type's descriptor, as in internal/abi. If a toolchain changes it, the
// checks in TypeAt fail and no types are found.
type descriptor struct {
	size, ptrBytes    uintptr
	hash              uint32
	flags             uint8
	align, fieldAlign uint8
	kind              uint8
	_, _              uintptr
	name              int32 // from the first descriptor on
	_                 int32
}

// TypeAt returns the type whose descriptor is at an address, nil if there is none. Using reflect on anything else may
// crash the program, and an object's contents may look like an address by chance. A descriptor therefore has to be in
// the section of this program's descriptors, and to look like one in all respects. It is read from the file, since
// between descriptors there may be memory that the address sanitizer watches.
func (e *Executable) TypeAt(addr uintptr) reflect.Type {
	// The first word of an interface is its type's address: with another address, reflect gives that type.
	var v any = 0
	word := (*uintptr)(unsafe.Pointer(&v))
	home := e.sectionOf(*word)
	size, at := unsafe.Sizeof(descriptor{}), addr-home.addr
	if at > uintptr(len(home.data)) || uintptr(len(home.data))-at < size || addr%wordBytes != 0 {
		return nil
	}
	d := descriptorIn(home.data[at:])
	powerOf2 := func(n uint8) bool { return n > 0 && n <= 64 && n&(n-1) == 0 }
	switch {
	case !powerOf2(d.align), !powerOf2(d.fieldAlign), d.size%uintptr(d.align) != 0,
		d.kind == 0, reflect.Kind(d.kind) > reflect.UnsafePointer,
		d.hash == 0, d.ptrBytes > d.size, d.ptrBytes%wordBytes != 0,
		!e.isName(d.name):
		return nil
	}
	*word = addr
	return reflect.TypeOf(v)
}

// descriptorIn copies the descriptor at the start of data, which is long enough.
func descriptorIn(data []byte) (d descriptor) {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&d)), unsafe.Sizeof(d)), data)
	return d
}

// typesStart returns the base of the offsets of types' names, 0 if unknown. It follows from the name of []byte: String
// returns no copy of it.
func (e *Executable) typesStart() uintptr {
	t := reflect.TypeFor[[]byte]()
	addr, text := reflect.ValueOf(t).Pointer(), t.String()
	s := e.sectionOf(addr)
	if addr-s.addr+unsafe.Sizeof(descriptor{}) > uintptr(len(s.data)) {
		return 0
	}
	d := descriptorIn(s.data[addr-s.addr:])
	name := uintptr(unsafe.Pointer(unsafe.StringData(text))) - 2 // flags, length
	if d.flags&extraStar != 0 {
		name--
	}
	return name - uintptr(d.name)
}

// extraStar is the flag of types whose names begin with a star that String leaves out.
const extraStar = 1 << 1

// isName reports whether a type's name can be at an offset: a byte of flags, the length, and the text.
func (e *Executable) isName(offset int32) bool {
	s := e.sectionOf(e.types)
	at := e.types - s.addr + uintptr(offset)
	if offset <= 0 || at >= uintptr(len(s.data)) || s.data[at] >= 1<<4 {
		return false
	}
	length, n := binary.Uvarint(s.data[at+1:])
	text := s.data[at+1+uintptr(max(n, 0)):]
	return n > 0 && length > 0 && length < uint64(len(text)) && utf8.Valid(text[:length])
}

// findType returns the first type of this program that meets a condition, or nil. It tries each word of the section
// with descriptors.
func (e *Executable) findType(is func(reflect.Type) bool) reflect.Type {
	var v any = 0
	home := e.sectionOf(*(*uintptr)(unsafe.Pointer(&v)))
	for at := uintptr(0); at < uintptr(len(home.data)); at += wordBytes {
		if t := e.TypeAt(home.addr + at); t != nil && is(t) {
			return t
		}
	}
	return nil
}

// StructNamed returns a struct type of a package, nil if there is none or nothing needs its descriptor. Allocating a
// value by itself needs it.
func (e *Executable) StructNamed(path, name string) reflect.Type {
	key := path + "." + name
	if t, ok := e.structs[key]; ok {
		return t
	}
	if e.structs == nil {
		e.structs = map[string]reflect.Type{}
	}
	e.structs[key] = e.findType(func(t reflect.Type) bool {
		return t.Kind() == reflect.Struct && t.Name() == name && t.PkgPath() == path
	})
	return e.structs[key]
}

// GroupOf returns the type of a map's groups of slots, nil if it isn't found. In the map's descriptor it follows the
// head and the types of keys and values.
func (e *Executable) GroupOf(m reflect.Type) reflect.Type {
	addr := (*[2]uintptr)(unsafe.Pointer(&m))[1] + unsafe.Sizeof(descriptor{}) + 2*wordBytes
	group := e.TypeAt(**(**uintptr)(unsafe.Pointer(&addr)))
	if group == nil || group.Kind() != reflect.Struct {
		return nil
	}
	return group
}

// FunctionValue returns the name of the function whose value is at an address in the program's sections: a word with
// the address of its code. It returns "" for other addresses.
func (e *Executable) FunctionValue(addr uintptr) string {
	s := e.sectionOf(addr)
	if addr+wordBytes > s.addr+uintptr(len(s.data)) || addr%wordBytes != 0 {
		return ""
	}
	return FunctionName(**(**uintptr)(unsafe.Pointer(&addr)))
}
