package search

import (
	"reflect"
	"runtime"
	"strings"

	"github.com/harena-go/arena/internal/diagnose/holder/symbols"
)

// This file recognizes the runtime's own objects by their contents. If a toolchain lays them out in another way, they
// are reported as heap objects.
//
// The functions closure, channel and hashMap get the way, beginning with the pointer that leads to the object, and the
// object's known type. If they recognize it they describe it in step. They return the type of the target of the last
// pointer that they used, and the number of objects behind the first one that they included.

// closure recognizes an object that starts with the address of a function. The captured variables follow; their types
// aren't known.
func (d *describer) closure(step *Step, way []link, _ symbols.Typing) (symbols.Typing, int, bool) {
	code := d.Word(d.Object(int32(way[1].from)).Contents, 0)
	f := runtime.FuncForPC(code)
	if f == nil || f.Entry() != code {
		return symbols.Typing{}, 0, false
	}
	step.Kind, step.Name = Closure, symbols.FunctionName(code)
	if len(step.Where) == 0 {
		step.Where = symbols.FramesOf(code)
	}
	return symbols.Typing{}, 0, true
}

// isTimer reports whether an object refers to one of the functions that timers of package time call. Their function
// values are in the program's read-only data.
func (d *describer) isTimer(i int32) (found bool) {
	d.Pointers(d.Object(i), func(_, to uintptr) bool {
		switch d.types.FunctionValue(to) {
		case "time.goFunc", "time.sendTime":
			found = true
		}
		return !found
	})
	return found
}

// channel recognizes the head of a channel, and includes its buffer. A runtime.hchan begins with
//
//	word 0   how many elements there are
//	word 1   how many fit
//	word 2   the buffer
//	word 3   the size of an element, 2 bytes, and other small fields
//	...
//	word 5   the type of an element, word 6 on 32-bit machines
func (d *describer) channel(step *Step, way []link, _ symbols.Typing) (symbols.Typing, int, bool) {
	c := d.Object(int32(way[1].from)).Contents
	w := d.WordSize
	if uintptr(len(c)) < 7*w {
		return symbols.Typing{}, 0, false
	}
	count, length, buffer := d.Word(c, 0), d.Word(c, w), 2*w
	typeWord := 5 * w
	if w == 4 {
		typeWord = 6 * w
	}
	elem := d.types.TypeAt(d.Word(c, typeWord))
	if elem == nil || elem.Size() != uintptr(d.Order.Uint16(c[3*w:])) || count > length {
		return symbols.Typing{}, 0, false
	}
	step.Kind, step.Type = Channel, "chan "+elem.String()
	// A waiting sender or receiver is reported without its element, and so is a target that is the buffer.
	if way[1].offset != buffer || len(way) < 3 {
		return symbols.Typing{}, 0, true
	}
	inner := way[2]
	t := symbols.Typing{Elem: elem}
	before := d.Word(d.Object(int32(inner.from)).Contents, inner.offset-w)
	field, next, _ := d.types.Inside(d.shifted(t, int32(inner.from)), inner.offset, before)
	step.Field, step.Offset = field, inner.offset
	return next, 1, true
}

// shifted returns t for the contents behind the object's header, if it has one. Large buffers and groups have one.
func (d *describer) shifted(t symbols.Typing, i int32) symbols.Typing {
	if d.types.Header(i).Elem != nil {
		t.At = symbols.HeaderSize
	}
	return t
}

// hashMap recognizes the head of a map, and includes what leads to the group of slots with the pointer.
// An internal/runtime/maps.Map begins with
//
//	uint64   the number of entries
//	word     the hash's seed
//	word     the directory of tables, or the only group if the directory's length is 0
//	word     the directory's length
//	byte     the directory's depth: the length is 1 << depth
//	byte     how far to shift a hash to get an index of the directory
//
// So the way to an entry passes either the group, or a directory, a table and its groups.
func (d *describer) hashMap(step *Step, way []link, known symbols.Typing) (symbols.Typing, int, bool) {
	c := d.Object(int32(way[1].from)).Contents
	w := d.WordSize
	directory := 8 + w
	length := d.Word(c, directory+w)
	isMap := known.Elem != nil && known.Elem.Kind() == reflect.Map
	if way[1].offset != directory || !isMap && !d.looksLikeMap(c, way[1].to, length) {
		return symbols.Typing{}, 0, false
	}
	// A target on the way, such as a group that isn't in use any more, ends the description.
	step.Kind = Map
	passed := 1
	if length > 0 {
		passed = 3
	}
	if isMap {
		step.Type = known.Elem.String()
	}
	if len(way) < passed+2 {
		return symbols.Typing{}, passed, true
	}
	// The type of a group comes from the map's type, or else from the group's own header.
	inner := way[passed+1]
	i := int32(inner.from)
	groups := d.types.Header(i)
	if isMap {
		groups = d.shifted(symbols.Typing{Elem: d.types.GroupOf(known.Elem)}, i)
	}
	before := d.Word(d.Object(i).Contents, inner.offset-w)
	field, next, _ := d.types.Inside(groups, inner.offset, before)
	step.Field, step.Offset = slotName(field), inner.offset
	return next, passed, true
}

// looksLikeMap reports whether the numbers in an object of unknown type agree as in a map: length and depth of the
// directory, or the numbers of entries and of full slots in the only group. A group begins with a control byte for each
// of its 8 slots, whose highest bit is clear if the slot is full.
func (d *describer) looksLikeMap(c []byte, directory, length uintptr) bool {
	w := d.WordSize
	if len(c) < 48 && w == 8 || len(c) < 32 {
		return false
	}
	used := d.Word(c, 0)
	depth, shift := c[8+3*w], c[8+3*w+1]
	if length > 0 {
		return length == 1<<depth && (shift == 64-depth || shift == 32-depth) && used > 0
	}
	group := d.Objects.Find(directory)
	if group < 0 || d.Objects.Addr(group)+d.Objects.Size(group)-directory < 8 || used == 0 || used > 8 || depth != 0 {
		return false
	}
	full := uintptr(0)
	for _, control := range d.Object(group).Contents[directory-d.Objects.Addr(group):][:8] {
		if control < 0x80 {
			full++
		}
	}
	return full == used
}

// slotName turns the path in a map's groups into words.
func slotName(field string) string {
	for _, name := range [][2]string{{".key", "key"}, {".elem", "value"}} {
		if _, rest, ok := strings.Cut(field, name[0]); ok {
			return name[1] + rest
		}
	}
	return field
}
