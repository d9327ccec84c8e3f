package holder

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"unicode/utf8"
	"unsafe"
)

// This file finds out of which types objects are, to name their fields. A dump
// doesn't say, but in some places there is the address of a type's descriptor: in
// interfaces, in channels, and in front of objects with pointers of medium
// size. From a value whose type is known, pointers lead to others. The type of
// a global variable comes from the debugging information where there is any.

// A typing is what is known of a piece of memory: it consists of values of type
// elem, from an offset on; of one only if single is set.
type typing struct {
	elem   reflect.Type // nil if nothing is known
	at     uintptr
	single bool

	guessed bool // it may be of another type
}

// A descriptor is the head of a type's descriptor, as in internal/abi. A
// toolchain that changes it makes the checks in typeAt fail.
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

// typeAt returns the type whose descriptor is at an address, nil if there is
// none. To ask reflect about anything else may crash the program, and an
// object's contents may look like an address by chance: so a descriptor has to
// be where those of this program are, and to look like one in all respects. It
// is looked at in the file, as between descriptors there may be memory that the
// address sanitizer watches.
func (e *executable) typeAt(addr uintptr) reflect.Type {
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

// descriptorIn copies a descriptor, of which there is enough.
func descriptorIn(data []byte) (d descriptor) {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&d)), unsafe.Sizeof(d)), data)
	return d
}

// typesStart returns the address from which the offsets of types' names are
// counted. That of []byte is known: its text is a part of what String returns,
// which makes no copy.
func (e *executable) typesStart() uintptr {
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

// extraStar is the flag of types whose names have a star in front that String
// leaves out.
const extraStar = 1 << 1

// isName tells whether the name of a type can be at an offset: it consists of a byte with flags,
// the length, and the text.
func (e *executable) isName(offset int32) bool {
	s := e.sectionOf(e.types)
	at := e.types - s.addr + uintptr(offset)
	if offset <= 0 || at >= uintptr(len(s.data)) || s.data[at] >= 1<<4 {
		return false
	}
	length, n := binary.Uvarint(s.data[at+1:])
	text := s.data[at+1+uintptr(max(n, 0)):]
	return n > 0 && length > 0 && length < uint64(len(text)) && utf8.Valid(text[:length])
}

// inside follows a type down to the pointer at an offset in the memory: it returns
// the path of fields that leads there, and what is known of the memory that it
// points to; or false if there can't be a pointer, so that the memory must be of another
// type. before is the word in front of the pointer.
func (d *describer) inside(t typing, offset, before uintptr) (path string, next typing, ok bool) {
	if t.elem == nil || offset < t.at || t.elem.Size() == 0 {
		return "", typing{}, false
	}
	offset -= t.at
	i := offset / t.elem.Size()
	if t.single && i > 0 {
		return "", typing{}, false
	}
	if !t.single {
		path = fmt.Sprintf("[%d]", i)
	}
	inner, next, ok := d.field(t.elem, offset%t.elem.Size(), before)
	return path + inner, next, ok
}

func (d *describer) field(t reflect.Type, offset, before uintptr) (path string, next typing, ok bool) {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); offset-f.Offset < f.Type.Size() {
				path, next, ok = d.field(f.Type, offset-f.Offset, before)
				return "." + f.Name + path, next, ok
			}
		}
		return "", typing{}, false
	case reflect.Array:
		path, next, ok = d.field(t.Elem(), offset%t.Elem().Size(), before)
		return fmt.Sprintf("[%d]", offset/t.Elem().Size()) + path, next, ok
	case reflect.Interface:
		return "", d.dynamic(before), offset == d.wordSize
	case reflect.Pointer:
		next = typing{elem: t.Elem(), single: true}
	case reflect.Slice:
		next = typing{elem: t.Elem()}
	case reflect.String:
		next = typing{elem: reflect.TypeFor[byte]()}
	case reflect.Map, reflect.Chan, reflect.Func:
		next = typing{elem: t, single: true}
	case reflect.UnsafePointer:
	default:
		return "", typing{}, false
	}
	return "", next, offset == 0
}

// dynamic returns what the second word of an interface points to, if the first one
// is that of one.
func (d *describer) dynamic(word uintptr) typing {
	if t, ok := d.itabs[word]; ok {
		word = t
	}
	t := d.exe.typeAt(word)
	if t == nil {
		return typing{}
	}
	for {
		switch {
		case t.Kind() == reflect.Struct && t.NumField() == 1 && t.Size() == d.wordSize:
			t = t.Field(0).Type
		case t.Kind() == reflect.Array && t.Len() == 1 && t.Size() == d.wordSize:
			t = t.Elem()
		default:
			if k := t.Kind(); k == reflect.Pointer || k == reflect.Map || k == reflect.Chan || k == reflect.Func {
				_, next, _ := d.field(t, 0, 0)
				return next
			}
			return typing{elem: t, single: true}
		}
	}
}

// String describes the memory as what points to it: *T, or []T if it is an array.
func (t typing) String() string {
	if t.elem == nil {
		return ""
	}
	if t.single {
		return "*" + t.elem.String()
	}
	return "[]" + t.elem.String()
}

// A header with the address of the type is in front of objects that have
// pointers and are in a size class between these, in bytes.
const (
	headerMin  = wordBytes * wordBytes * 8
	headerMax  = 32 << 10
	headerSize = 8
	wordBytes  = unsafe.Sizeof(uintptr(0))
)

// mayHaveHeader tells whether an object is in a size class with headers. It has one if
// it has pointers.
func (d *describer) mayHaveHeader(i int32) bool {
	size := d.objects.size(i)
	return headerMin < size && size <= headerMax
}

// header returns what an object's own header says.
func (d *describer) header(i int32) typing {
	if !d.mayHaveHeader(i) {
		return typing{}
	}
	t := d.exe.typeAt(d.word(d.contents(i), 0))
	return typing{elem: t, at: headerSize, single: t != nil && 2*t.Size() > d.objects.size(i)}
}
