package holder

import (
	"reflect"
	"runtime"
	"strings"
	"unsafe"
)

// This file recognizes objects that the runtime makes by what is in them. A
// toolchain that lays them out in another way has them reported as heap objects.

// closure recognizes what starts with the address of a function.
func (d *describer) closure(step *Step, way []link, _ typing) (typing, int, bool) {
	code := d.word(d.contents(int32(way[1].from)), 0)
	f := runtime.FuncForPC(code)
	if f == nil || f.Entry() != code {
		return typing{}, 0, false
	}
	step.Kind, step.Name = Closure, functionName(code)
	if len(step.Where) == 0 {
		step.Where = whereIs(code)
	}
	return typing{}, 0, true
}

// isTimer recognizes what refers to the function that timers of package time
// call.
func (d *describer) isTimer(i int32) (found bool) {
	d.pointers(d.contents(i), d.objects.fields[i], func(_, to uintptr) bool {
		if s := d.exe.sectionOf(to); to+d.wordSize <= s.addr+uintptr(len(s.data)) && to%d.wordSize == 0 {
			switch functionName(**(**uintptr)(unsafe.Pointer(&to))) {
			case "time.goFunc", "time.sendTime":
				found = true
			}
		}
		return !found
	})
	return found
}

// channel recognizes the head of a channel, and passes to its buffer. Offsets are those of
// runtime.hchan.
func (d *describer) channel(step *Step, way []link, _ typing) (typing, int, bool) {
	c := d.contents(int32(way[1].from))
	w := d.wordSize
	if uintptr(len(c)) < 7*w {
		return typing{}, 0, false
	}
	count, length, buffer := d.word(c, 0), d.word(c, w), 2*w
	typeWord := 5 * w
	if w == 4 {
		typeWord = 6 * w
	}
	elem := d.exe.typeAt(d.word(c, typeWord))
	if elem == nil || elem.Size() != uintptr(d.order.Uint16(c[3*w:])) || count > length {
		return typing{}, 0, false
	}
	step.Kind, step.Type = Channel, "chan "+elem.String()
	if way[1].offset != buffer || len(way) < 3 {
		return typing{}, 0, true
	}
	inner := way[2]
	t := typing{elem: elem}
	before := d.word(d.contents(int32(inner.from)), inner.offset-w)
	field, next, _ := d.inside(d.shifted(t, int32(inner.from)), inner.offset, before)
	step.Field, step.Offset = field, inner.offset
	return next, 1, true
}

// shifted takes account of the header in front of an object.
func (d *describer) shifted(t typing, i int32) typing {
	if d.header(i).elem != nil {
		t.at = headerSize
	}
	return t
}

// hashMap recognizes the head of a map, and passes on to the group of slots
// that has the pointer. Offsets are those of internal/runtime/maps.Map, which starts
// with the number of entries, the hash's seed, and the directory of tables, or the only group
// if its length is 0.
func (d *describer) hashMap(step *Step, way []link, known typing) (typing, int, bool) {
	c := d.contents(int32(way[1].from))
	w := d.wordSize
	directory := 8 + w
	length := d.word(c, directory+w)
	isMap := known.elem != nil && known.elem.Kind() == reflect.Map
	if way[1].offset != directory || !isMap && !d.looksLikeMap(c, way[1].to, length) {
		return typing{}, 0, false
	}
	step.Kind = Map
	passed := 1
	if length > 0 {
		passed = 3
	}
	if isMap {
		step.Type = known.elem.String()
	}
	if len(way) < passed+2 {
		return typing{}, passed, true
	}
	inner := way[passed+1]
	i := int32(inner.from)
	groups := d.header(i)
	if isMap {
		groups = d.shifted(typing{elem: d.groupOf(known.elem)}, i)
	}
	before := d.word(d.contents(i), inner.offset-w)
	field, next, _ := d.inside(groups, inner.offset, before)
	step.Field, step.Offset = slotName(field), inner.offset
	return next, passed, true
}

// looksLikeMap is for a map of which nothing is known: the numbers in it agree.
func (d *describer) looksLikeMap(c []byte, directory, length uintptr) bool {
	w := d.wordSize
	if len(c) < 48 && w == 8 || len(c) < 32 {
		return false
	}
	used := d.word(c, 0)
	depth, shift := c[8+3*w], c[8+3*w+1]
	if length > 0 {
		return length == 1<<depth && (shift == 64-depth || shift == 32-depth) && used > 0
	}
	group := d.objects.find(directory)
	if group < 0 || d.objects.addrs[group]+d.objects.size(group)-directory < 8 || used == 0 || used > 8 || depth != 0 {
		return false
	}
	full := uintptr(0)
	for _, control := range d.contents(group)[directory-d.objects.addrs[group]:][:8] {
		if control < 0x80 {
			full++
		}
	}
	return full == used
}

// groupOf returns the type of a map's groups of slots, which the map's descriptor has
// after its head, the keys' and the values'.
func (d *describer) groupOf(m reflect.Type) reflect.Type {
	addr := (*[2]uintptr)(unsafe.Pointer(&m))[1] + unsafe.Sizeof(descriptor{}) + 2*wordBytes
	group := d.exe.typeAt(**(**uintptr)(unsafe.Pointer(&addr)))
	if group == nil || group.Kind() != reflect.Struct {
		return nil
	}
	return group
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
