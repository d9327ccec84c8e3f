package walk_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/walk"
)

type inner struct {
	n    int
	text string
	_    [0]string
}

type outer struct {
	flag   bool
	ptr    *int
	list   [2][3]inner
	slice  []inner
	empty  []struct{}
	any    any
	named  fmt.Stringer
	m      map[string]int
	c      chan int
	f      func()
	raw    unsafe.Pointer
	number uintptr
	none   *struct{}
}

type one struct{ p *int }

func (one) String() string { return "" }

type word string

func (word) String() string { return "" }

// found returns the paths of the pointers in v, and their targets.
func found[T any](v *T) (paths, targets []string, to []uintptr) {
	var w walk.Walker
	t := reflect.TypeFor[T]()
	w.Values(t, unsafe.Pointer(v), 1, func(offset, addr uintptr) {
		paths = append(paths, walk.Path(t, offset))
		targets = append(targets, walk.Target(t, unsafe.Pointer(v), offset, 0))
		to = append(to, addr)
	})
	return paths, targets, to
}

func TestValues(t *testing.T) {
	n := 7
	text := strings.Clone("some text")
	v := &outer{ptr: &n, slice: make([]inner, 2, 5), any: &n, named: one{&n},
		m: map[string]int{}, c: make(chan int), raw: unsafe.Pointer(&n), number: uintptr(unsafe.Pointer(&n)),
		empty: make([]struct{}, 3), none: new(struct{})}
	v.f = func() { n++ }
	v.list[1][2].text = text
	paths, targets, to := found(v)
	want := []string{".ptr", ".list[1][2].text", ".slice", ".any", ".named", ".m", ".c", ".f", ".raw"}
	if !slices.Equal(paths, want) {
		t.Errorf("got %q, want %q", paths, want)
	}
	want = []string{"the int of a *int", "a string of 9 bytes", "the array of a []walk_test.inner of length 2",
		"the int of a *int in an interface", "the walk_test.one in an interface", "a map[string]int", "a chan int",
		"a closure of type func()", "what an unsafe.Pointer leads to"}
	if !slices.Equal(targets, want) {
		t.Errorf("got %q, want %q", targets, want)
	}
	p := uintptr(unsafe.Pointer(&n))
	addrs := []uintptr{p, uintptr(unsafe.Pointer(unsafe.StringData(text))), uintptr(unsafe.Pointer(&v.slice[0])), p, p,
		reflect.ValueOf(v.m).Pointer(), reflect.ValueOf(v.c).Pointer(), to[7], p}
	if !slices.Equal(to, addrs) {
		t.Errorf("got %#x, want %#x", to, addrs)
	}
}

// TestNothing: there is nothing to look at behind these.
func TestNothing(t *testing.T) {
	text := strings.Clone("some text")
	for _, v := range []outer{
		{},
		{slice: make([]inner, 3)[:0:0]},
		{list: [2][3]inner{{{text: text[:0]}}}},
		{any: struct{}{}, named: nil},
		{any: (*int)(nil), named: one{}},
		{any: new(struct{})},
	} {
		if paths, _, _ := found(&v); paths != nil {
			t.Errorf("%+v: got %q", v, paths)
		}
	}
}

// TestMany: offsets of several values count from the first one.
func TestMany(t *testing.T) {
	values := make([]inner, 5)
	values[0].text, values[3].text = "x", "y"
	var w walk.Walker
	var got []uintptr
	typ := reflect.TypeFor[inner]()
	w.Values(typ, unsafe.Pointer(&values[0]), len(values), func(offset, _ uintptr) { got = append(got, offset) })
	at := unsafe.Offsetof(values[0].text)
	if want := []uintptr{at, 3*typ.Size() + at}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestClosure: the first word of a closure tells its function.
func TestClosure(t *testing.T) {
	f := TestNothing
	v := f
	target := walk.Target(reflect.TypeOf(f), unsafe.Pointer(&v), 0, reflect.ValueOf(f).Pointer())
	if want := "the closure github.com/harena-go/arena/internal/engine/walk_test.TestNothing"; target != want {
		t.Errorf("got %q", target)
	}
}

// TestInterfaces: a value in an interface is described by its type.
func TestInterfaces(t *testing.T) {
	var s fmt.Stringer = word(strings.Clone("some text"))
	if _, targets, _ := found(&s); !slices.Equal(targets, []string{"the walk_test.word in an interface"}) {
		t.Errorf("got %q", targets)
	}
}

// TestGraph: pointers are followed as far as f wants, nearest first, with the expressions for them.
func TestGraph(t *testing.T) {
	type list struct {
		next  *list
		names []string
		any   any
		index map[string]*list
		self  fmt.Stringer
	}
	text := func() string { return strings.Clone("some text") }
	l := &list{names: []string{text(), "", text()}, any: list{names: []string{text()}}, index: map[string]*list{"x": {}}}
	l.next = &list{next: l, any: &one{new(int)}, self: word(text())}
	var w walk.Walker
	var paths []string
	w.Graph("v", l, func(path string, to unsafe.Pointer) bool {
		paths = append(paths, path)
		return to != unsafe.Pointer(l.next.any.(*one))
	})
	want := []string{"v.(*walk_test.list)", "v.(*walk_test.list).next", "v.(*walk_test.list).names", "v.(*walk_test.list).any.(walk_test.list)",
		"v.(*walk_test.list).index", "v.(*walk_test.list).next.next", "v.(*walk_test.list).next.any.(*walk_test.one)",
		"v.(*walk_test.list).next.self.(walk_test.word)", "v.(*walk_test.list).names[0]", "v.(*walk_test.list).names[2]",
		"v.(*walk_test.list).any.(walk_test.list).names", "v.(*walk_test.list).next.self.(walk_test.word)",
		"v.(*walk_test.list).any.(walk_test.list).names"}
	if !slices.Equal(paths, want) {
		t.Errorf("got %q", paths)
	}
	paths = nil
	long := &list{}
	for range 10_000 {
		long = &list{next: long}
	}
	w.Graph("v", long, func(path string, _ unsafe.Pointer) bool { paths = append(paths, path); return true })
	if len(paths) < 100 || len(paths) > 1000 {
		t.Errorf("%d pointers of a long list", len(paths))
	}
}
