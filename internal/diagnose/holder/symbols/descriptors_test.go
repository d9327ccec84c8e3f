package symbols

import (
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/harena-go/arena/internal/diagnose/holder/dump"
)

// TestTypeAt finds descriptors of types, and nothing at other addresses.
func TestTypeAt(t *testing.T) {
	e, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[*dump.Dump](), reflect.TypeFor[Types](),
		reflect.TypeFor[map[string][]byte](), reflect.TypeFor[chan int](), reflect.TypeFor[time.Time]()} {
		if got := e.TypeAt(reflect.ValueOf(typ).Pointer()); got != typ {
			t.Errorf("the descriptor of %v is taken for that of %v", typ, got)
		}
	}
	heap := new(int)
	n, types := 0, reflect.ValueOf(reflect.TypeFor[int]()).Pointer()
	home := e.sectionOf(types)
	for addr := home.addr; addr < home.addr+uintptr(len(home.data)); addr++ {
		if typ := e.TypeAt(addr); typ != nil && typ.String() != "" {
			n++
		}
	}
	if n < 100 || n > 20000 {
		t.Errorf("%d descriptors in %d bytes", n, len(home.data))
	}
	if typ := e.TypeAt(reflect.ValueOf(heap).Pointer()); typ != nil {
		t.Errorf("the address of an int is taken for the descriptor of %v", typ)
	}
}

// TestBrokenDescriptors: a descriptor with one wrong part is no type.
func TestBrokenDescriptors(t *testing.T) {
	e, err := open(nil) // whose sections may be changed
	if err != nil {
		t.Fatal(err)
	}
	addr := reflect.ValueOf(reflect.TypeFor[tree]()).Pointer()
	if got := e.TypeAt(addr); got != reflect.TypeFor[tree]() {
		t.Fatalf("%v", got)
	}
	s := e.sectionOf(addr)
	d := (*descriptor)(unsafe.Pointer(&s.data[addr-s.addr]))
	saved := *d
	for name, broken := range map[string]func(){
		"size":           func() { d.size++ },
		"pointers":       func() { d.ptrBytes = d.size + wordBytes },
		"half a pointer": func() { d.ptrBytes-- },
		"hash":           func() { d.hash = 0 },
		"alignment":      func() { d.align = 3 },
		"field":          func() { d.fieldAlign = 0 },
		"no kind":        func() { d.kind = 0 },
		"kind":           func() { d.kind = uint8(reflect.UnsafePointer) + 1 },
		"no name":        func() { d.name = 0 },
		"far name":       func() { d.name = 1<<31 - 1 },
	} {
		broken()
		if got := e.TypeAt(addr); got != nil {
			t.Errorf("%s: still %v", name, got)
		}
		*d = saved
	}
	for _, at := range []uintptr{0, addr + 1, s.addr + uintptr(len(s.data)) - 8, s.addr + uintptr(len(s.data))} {
		if got := e.TypeAt(at); got != nil {
			t.Errorf("%v at %#x", got, at)
		}
	}
}

type tree struct{ left, right *tree }
