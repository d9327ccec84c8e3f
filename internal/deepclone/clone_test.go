package deepclone_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
)

type (
	namedString string
	namedBytes  []byte
	namedInts   []int
	namedPoint  *point
	point       struct{ X, Y int }
	words       struct {
		Text string
		Next *words
	}
)

// dataOf returns where a pointer, slice or string refers to.
func dataOf(v any) uintptr {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.String:
		return uintptr(unsafe.Pointer(unsafe.StringData(r.String())))
	default:
		return r.Pointer()
	}
}

// cloneCase keeps the static type of v for Clone.
func cloneCase[T any](name string, v T) cloneTestCase {
	return cloneTestCase{name, v, func() any { return arena.Clone(v) }}
}

type cloneTestCase struct {
	name  string
	v     any
	clone func() any
}

func TestCloneCopiesPointersSlicesAndStrings(t *testing.T) {
	spare := make([]int, 3, 10)
	for _, c := range []cloneTestCase{
		cloneCase("string", strings.Repeat("s", 5)),
		cloneCase("named string", namedString("named")),
		cloneCase("bytes", []byte("bytes")),
		cloneCase("named bytes", namedBytes("bytes")),
		cloneCase("bytes with spare capacity", make([]byte, 3, 100)),
		cloneCase("ints", []int{1, 2, 3}),
		cloneCase("named ints", namedInts{1, 2, 3}),
		cloneCase("spare capacity", spare),
		cloneCase("odd bytes", [][3]byte{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}),
		cloneCase("pointers", []*int{new(int), nil}),
		cloneCase("arrays with pointers", [][2]*int{{new(int), nil}, {nil, new(int)}}),
		cloneCase("plain struct", &point{1, 2}),
		cloneCase("named pointer", namedPoint(&point{1, 2})),
		cloneCase("struct", &words{"text", &words{}}),
		cloneCase("array", &[3]string{"a", "b", "c"}),
		cloneCase("map behind pointer", &map[int]int{1: 2}),
		cloneCase("any of pointer", any(&words{"text", nil})),
		cloneCase("any of string", any("text")),
		cloneCase("any of slice", any([]string{"a"})),
		cloneCase("interface", fmt.Stringer(bytes.NewBufferString("text"))),
	} {
		t.Run(c.name, func(t *testing.T) {
			clone := c.clone()
			if !reflect.DeepEqual(clone, c.v) || reflect.TypeOf(clone) != reflect.TypeOf(c.v) {
				t.Errorf("got %T %v, want %T %v", clone, clone, c.v, c.v)
			}
			if dataOf(clone) == dataOf(c.v) {
				t.Error("clone shares memory with the original")
			}
			if r := reflect.ValueOf(clone); r.Kind() == reflect.Slice && r.Cap() != r.Len() {
				t.Errorf("cap %d, want len %d", r.Cap(), r.Len())
			}
		})
	}
}

func TestCloneIsShallow(t *testing.T) {
	w := &words{"text", &words{}}
	if c := arena.Clone(w); c.Next != w.Next {
		t.Error("Clone followed a pointer")
	}
	s := []*point{{1, 2}}
	if c := arena.Clone(s); c[0] != s[0] {
		t.Error("Clone followed a pointer of a slice")
	}
}

func TestCloneKeepsNilAndEmpty(t *testing.T) {
	if arena.Clone[*int](nil) != nil || arena.Clone[[]byte](nil) != nil || arena.Clone[[]*int](nil) != nil ||
		arena.Clone[any](nil) != nil || arena.Clone[error](nil) != nil || arena.Clone(namedInts(nil)) != nil {
		t.Error("clone of nil is not nil")
	}
	if p, ok := arena.Clone[any]((*int)(nil)).(*int); !ok || p != nil {
		t.Error("clone of a typed nil in an interface is not one")
	}
	if s := arena.Clone([]byte{}); s == nil || len(s)+cap(s) != 0 {
		t.Error("clone of an empty []byte is nil or not empty")
	}
	if s := arena.Clone(make([]*int, 0, 5)); s == nil || len(s)+cap(s) != 0 {
		t.Error("clone of an empty []*int is nil or not empty")
	}
	if s := arena.Clone(make([]struct{}, 5)); len(s) != 5 {
		t.Error("clone of []struct{} has another length")
	}
	if arena.Clone(&struct{}{}) == nil || arena.Clone("") != "" {
		t.Error("clone of nothing")
	}
}

func TestCloneOfOtherKindsPanics(t *testing.T) {
	for want, clone := range map[string]func(){
		"got int of kind int":                     func() { arena.Clone(1) },
		"got deepclone_test.point of kind struct": func() { arena.Clone(point{}) },
		"got map[int]int of kind map":             func() { arena.Clone(map[int]int{}) },
		"got map[string]int of kind map":          func() { arena.Clone[any](map[string]int{}) },
		"got chan int of kind chan":               func() { arena.Clone(make(chan int)) },
		"got func() of kind func":                 func() { arena.Clone(func() {}) },
		"got [1]*int of kind array":               func() { arena.Clone([1]*int{}) },
		"got unsafe.Pointer of kind unsafe.Poin":  func() { arena.Clone(unsafe.Pointer(nil)) },
	} {
		message := panicOf(clone)
		if !strings.HasPrefix(message, "arena: Clone: "+want) || !strings.Contains(message, "want a pointer") {
			t.Errorf("panic %q, want %q", message, want)
		}
	}
}

func panicOf(f func()) (message string) {
	defer func() { message = fmt.Sprint(recover()) }()
	f()
	return
}
