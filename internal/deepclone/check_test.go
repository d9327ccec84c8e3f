package deepclone_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"unsafe"
)

// checkClone walks source and clone in lock step. Every address that a pointer or slice
// leads to must have exactly one counterpart, byte by byte within an object, and no
// memory may belong to both.
func checkClone(t *testing.T, source, clone any) {
	t.Helper()
	w := &lockStep{forth: map[uintptr]uintptr{}, back: map[uintptr]uintptr{}, seen: map[visit]bool{}}
	s, c := reflect.ValueOf(&source).Elem(), reflect.ValueOf(&clone).Elem()
	w.values(s.Elem(), c.Elem(), "v")
	if w.problem == "" {
		w.disjoint()
	}
	if w.problem != "" {
		t.Fatal(w.problem)
	}
}

type visit struct {
	address uintptr
	typ     reflect.Type
	len     int
}

type lockStep struct {
	forth, back    map[uintptr]uintptr // addresses of plain values and of words with pointers
	seen           map[visit]bool
	sources, clone [][2]uintptr // memory by start and end
	problem        string
}

func (w *lockStep) fail(path, format string, args ...any) {
	if w.problem == "" {
		w.problem = path + ": " + fmt.Sprintf(format, args...)
	}
}

// objects compares n values of type typ at a and b, once.
func (w *lockStep) objects(typ reflect.Type, a, b unsafe.Pointer, n int, path string) {
	if n == 0 || typ.Size() == 0 || w.problem != "" {
		return
	}
	v := visit{uintptr(a), typ, n}
	if w.seen[v] {
		if w.forth[uintptr(a)] != uintptr(b) {
			w.fail(path, "an object became two")
		}
		return
	}
	w.seen[v] = true
	size := uintptr(n) * typ.Size()
	w.sources = append(w.sources, [2]uintptr{uintptr(a), uintptr(a) + size})
	w.clone = append(w.clone, [2]uintptr{uintptr(b), uintptr(b) + size})
	for i := range size {
		w.pair(uintptr(a)+i, uintptr(b)+i, path)
	}
	for i := range n {
		off := uintptr(i) * typ.Size()
		w.values(reflect.NewAt(typ, unsafe.Add(a, off)).Elem(), reflect.NewAt(typ, unsafe.Add(b, off)).Elem(), path)
	}
}

func (w *lockStep) pair(a, b uintptr, path string) {
	if old, ok := w.forth[a]; ok && old != b {
		w.fail(path, "memory of the source has two clones")
	}
	if old, ok := w.back[b]; ok && old != a {
		w.fail(path, "memory of the clone has two sources")
	}
	w.forth[a], w.back[b] = b, a
}

func (w *lockStep) values(a, b reflect.Value, path string) {
	if a.IsValid() != b.IsValid() || a.IsValid() && a.Type() != b.Type() {
		w.fail(path, "%v and %v", a, b)
	}
	if w.problem != "" || !a.IsValid() {
		return
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		if a.IsNil() != b.IsNil() {
			w.fail(path, "one is nil")
		}
		if w.problem != "" || a.IsNil() {
			return
		}
	}
	switch a.Kind() {
	case reflect.Pointer:
		if elem := a.Type().Elem(); elem.PkgPath() == "errors" && a.Pointer() == b.Pointer() {
			return // a kept sentinel
		}
		w.objects(a.Type().Elem(), a.UnsafePointer(), b.UnsafePointer(), 1, path+".*")
	case reflect.Slice:
		if a.Len() != b.Len() || b.Cap() > a.Cap() {
			w.fail(path, "len %d and %d, cap %d and %d", a.Len(), b.Len(), a.Cap(), b.Cap())
			return
		}
		w.objects(a.Type().Elem(), a.UnsafePointer(), b.UnsafePointer(), a.Len(), path+"[]")
	case reflect.Interface:
		w.values(a.Elem(), b.Elem(), path+".()")
	case reflect.Struct:
		for i := range a.NumField() {
			w.values(a.Field(i), b.Field(i), path+"."+a.Type().Field(i).Name)
		}
	case reflect.Array:
		for i := range a.Len() {
			w.values(a.Index(i), b.Index(i), path+"[]")
		}
	case reflect.Map:
		w.maps(a, b, path)
	case reflect.String:
		if a.String() != b.String() {
			w.fail(path, "%q and %q", a, b)
		}
		if len := a.Len(); len > 0 {
			s, c := dataOf(a.String()), dataOf(b.String())
			w.sources = append(w.sources, [2]uintptr{s, s + uintptr(len)})
			w.clone = append(w.clone, [2]uintptr{c, c + uintptr(len)})
		}
	case reflect.Int:
		if a.Int() != b.Int() {
			w.fail(path, "%d and %d", a.Int(), b.Int())
		}
	}
}

// maps pairs the entries. A key that is a pointer has its counterpart by now or is found by the number in its target.
func (w *lockStep) maps(a, b reflect.Value, path string) {
	v := visit{a.Pointer(), a.Type(), -1}
	if w.pair(a.Pointer(), b.Pointer(), path); w.seen[v] || w.problem != "" {
		return
	}
	w.seen[v] = true
	if a.Len() != b.Len() {
		w.fail(path, "%d and %d entries", a.Len(), b.Len())
	}
	byName := map[string]reflect.Value{}
	for _, k := range b.MapKeys() {
		byName[keyName(k)] = k
	}
	for _, k := range a.MapKeys() {
		other, ok := byName[keyName(k)]
		if !ok {
			w.fail(path, "no key %s", keyName(k))
			return
		}
		w.values(k, other, path+".key")
		w.values(a.MapIndex(k), b.MapIndex(other), path+"[key]")
	}
}

func keyName(k reflect.Value) string {
	for k.Kind() == reflect.Interface || k.Kind() == reflect.Pointer {
		k = k.Elem()
	}
	if k.Type() == reflect.TypeFor[vertex]() {
		return fmt.Sprint("vertex ", k.Field(0).Int())
	}
	return fmt.Sprint(k.Type(), k)
}

func (w *lockStep) disjoint() {
	byStart := func(a, b [2]uintptr) int { return int(a[0]) - int(b[0]) }
	slices.SortFunc(w.sources, byStart)
	slices.SortFunc(w.clone, byStart)
	var end uintptr
	sources := w.sources
	for _, c := range w.clone {
		for len(sources) > 0 && sources[0][0] < c[1] {
			end = max(end, sources[0][1])
			sources = sources[1:]
		}
		if end > c[0] {
			w.fail("memory", "%x-%x of the clone is in the source, too", c[0], c[1])
		}
	}
}
