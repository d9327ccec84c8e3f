package symbols

import (
	"reflect"
	"testing"

	"github.com/harena-go/arena/internal/diagnose/holder/dump"
	"github.com/harena-go/arena/internal/diagnose/holder/dump/dumptest"
)

// TestFieldsOfTypes: a path through a type ends at a pointer or nowhere.
func TestFieldsOfTypes(t *testing.T) {
	type inner struct {
		_ uint32
		_ uint64
		p *int
	}
	type outer struct {
		n    int
		list [3]inner
		raw  uint64
	}
	y := NewTypes(&dump.Dump{WordSize: wordBytes}, &Executable{})
	size, at := reflect.TypeFor[inner]().Size(), reflect.TypeFor[inner]().Field(2).Offset
	for _, c := range []struct {
		t      Typing
		offset uintptr
		want   string
		ok     bool
	}{
		{Typing{Elem: reflect.TypeFor[outer](), Single: true}, wordBytes + size + at, ".list[1].p", true},
		{Typing{Elem: reflect.TypeFor[outer](), Single: true}, 0, ".n", false},
		{Typing{Elem: reflect.TypeFor[outer](), Single: true}, wordBytes + 3*size, ".raw", false},
		{Typing{Elem: reflect.TypeFor[outer](), Single: true}, reflect.TypeFor[outer]().Size() + wordBytes + at, "", false},
		{Typing{Elem: reflect.TypeFor[outer](), Single: true}, wordBytes + at + 1, "", false},
		{Typing{Elem: reflect.TypeFor[inner](), Single: true}, 4, "", false}, // between fields, on 64-bit machines
		{Typing{Elem: reflect.TypeFor[inner]()}, 2*size + at, "[2].p", true},
		{Typing{Elem: reflect.TypeFor[inner](), At: 8}, 0, "", false},
		{Typing{Elem: reflect.TypeFor[struct{}]()}, 0, "", false},
		{Typing{}, 0, "", false},
	} {
		path, next, ok := y.Inside(c.t, c.offset, 0)
		if ok != c.ok || ok && (path != c.want || next.Elem != reflect.TypeFor[int]()) {
			t.Errorf("%v at %d: %q, %v, %t", c.t.Elem, c.offset, path, next.Elem, ok)
		}
	}
	if text := (Typing{}).String(); text != "" {
		t.Errorf("nothing is a %q", text)
	}
}

// TestDynamicTypes: the second word of an interface is the value itself if that is a
// single pointer, however wrapped.
func TestDynamicTypes(t *testing.T) {
	e, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	y := NewTypes(&dump.Dump{WordSize: wordBytes}, e)
	type one struct{ p *tree }
	type two struct{ p [1]one }
	for _, c := range []struct {
		value any
		want  Typing
	}{
		{&tree{}, Typing{Elem: reflect.TypeFor[tree](), Single: true}},
		{two{}, Typing{Elem: reflect.TypeFor[tree](), Single: true}},
		{[1]*tree{}, Typing{Elem: reflect.TypeFor[tree](), Single: true}},
		{tree{}, Typing{Elem: reflect.TypeFor[tree](), Single: true}},
		{map[int]int{}, Typing{Elem: reflect.TypeFor[map[int]int](), Single: true}},
	} {
		if got := y.Dynamic(reflect.ValueOf(reflect.TypeOf(c.value)).Pointer()); got != c.want {
			t.Errorf("%T: %v", c.value, got)
		}
	}
}

// TestVariableWithoutType: a program may have a symbol table and no debugging information.
func TestVariableWithoutType(t *testing.T) {
	d, err := dump.Parse(dumptest.Of())
	if err != nil {
		t.Fatal(err)
	}
	y := NewTypes(d, &Executable{symbols: []symbol{{0x500, 8, "main.held"}}})
	v, next, ok := y.Variable(0x504, 0)
	if want := (Variable{Name: "main.held", Addr: 0x500, Offset: 4}); !ok || v != want || next.Elem != nil {
		t.Errorf("%+v, %v, %t", v, next, ok)
	}
	if v, _, ok := y.Variable(0x508, 0); ok {
		t.Errorf("%+v is behind the variable", v)
	}
}
