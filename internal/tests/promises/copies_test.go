package promises

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file tests what copies into an arena in one go, and what copies out of it.

// boxed are values of types that an interface holds in all possible ways.
func boxed(a *arena.Arena) map[string][2]any {
	type (
		point   struct{ x, y int32 }
		pointer struct{ p *int }
		large   struct {
			a [20]string
			b any
		}
	)
	n := 7
	p, m, c, f := &n, map[int]int{1: 2}, make(chan int), strings.ToUpper
	e, ints := io.EOF, []int{1, 2} // what both lead to is one, which KeepAlive can keep
	return map[string][2]any{
		"bool":             {arena.Box(a, true), true},
		"byte":             {arena.Box(a, byte(200)), byte(200)},
		"int":              {arena.Box(a, 1<<30), 1 << 30},
		"zero":             {arena.Box(a, 0), 0},
		"float":            {arena.Box(a, 2.5), 2.5},
		"string":           {arena.Box(a, "text"), "text"},
		"no string":        {arena.Box(a, ""), ""},
		"slice":            {arena.Box(a, ints), ints},
		"array":            {arena.Box(a, [3]string{"a"}), [3]string{"a"}},
		"array of one":     {arena.Box(a, [1]*int{p}), [1]*int{p}},
		"word":             {arena.Box(a, [1]uintptr{9}), [1]uintptr{9}},
		"struct":           {arena.Box(a, point{1, 2}), point{1, 2}},
		"pointer inside":   {arena.Box(a, pointer{p}), pointer{p}},
		"nothing":          {arena.Box(a, struct{}{}), struct{}{}},
		"large":            {arena.Box(a, large{b: 1}), large{b: 1}},
		"pointer":          {arena.Box(a, p), p},
		"nil pointer":      {arena.Box(a, (*int)(nil)), (*int)(nil)},
		"map":              {arena.Box(a, m), m},
		"channel":          {arena.Box(a, c), c},
		"address":          {arena.Box(a, unsafe.Pointer(p)), unsafe.Pointer(p)},
		"function":         {reflect.ValueOf(arena.Box(a, f)).Pointer(), reflect.ValueOf(f).Pointer()},
		"interface":        {arena.Box(a, e), e},
		"any of an any":    {arena.Box(a, any(3)), 3},
		"nil interface":    {arena.Box[error](a, nil), nil},
		"duration by name": {arena.Box(a, reflect.Slice), reflect.Slice},
	}
}

// TestBox: Box returns the same as a conversion, for any type, in any arena, and after a GC.
func TestBox(t *testing.T) {
	for name, a := range map[string]*arena.Arena{"nil": nil, "arena": arena.NewArena(), "self-contained": arena.NewArena(arena.WithNoScan()),
		"checked": arena.NewArena(arena.WithChecks(arena.CheckObjects))} {
		values := boxed(a)
		if name == "self-contained" {
			for _, v := range values {
				a.KeepAlive(v[1]) // what these point to is on the heap
			}
		}
		runtime.GC()
		for kind, v := range values {
			if !reflect.DeepEqual(v[0], v[1]) {
				t.Errorf("%s, %s: %T %v, want %T %v", name, kind, v[0], v[0], v[1], v[1])
			}
		}
		if s, ok := values["string"][0].(string); !ok || s != "text" {
			t.Errorf("%s: %q", name, s)
		}
		a.Free()
	}
	if !testkit.Countable() {
		return
	}
	a, s, f := arena.NewArena(), strings.Repeat("s", 3), 2.5
	if n := testing.AllocsPerRun(100, func() {
		a.Reset()
		list := arena.Append[any](a, nil, arena.Box(a, s), arena.Box(a, f))
		f = list[1].(float64) + 1
	}); n > 0 {
		t.Errorf("%v heap allocations", n)
	}
}

func TestNewFunc(t *testing.T) {
	type large struct{ a [1000]int }
	for _, a := range []*arena.Arena{nil, arena.NewArena()} {
		v := arena.NewFunc(a, func(l *large) { l.a[999] = 7 })
		if v.a != [1000]int{999: 7} || a.Owns(unsafe.Pointer(v)) != (a != nil) {
			t.Errorf("%v", v.a)
		}
	}
}

// A node is in an arena; its targets may be elsewhere.
type node struct {
	name   string
	schema *schema
	err    error
	next   *node
	kids   []*node
	data   []byte
	byName map[string]*node
	any    any
	list   []string
}

type schema struct {
	name string
	root *schema
}

var errOwn = errors.New("own")

// tree makes a tree in a. Parts of it are on the heap.
func tree(a *arena.Arena, s *schema, bytes []byte) *node {
	leaf := arena.NewOf(a, node{name: a.AllocString("leaf"), schema: s, err: io.EOF})
	n := arena.NewOf(a, node{
		name: a.AllocString("root"), schema: s, err: errOwn, next: leaf,
		kids:   []*node{leaf, leaf}, // the slice is on the heap
		data:   bytes,
		byName: map[string]*node{a.AllocString("k"): leaf},
		any:    []any{leaf, a.AllocString("in an interface")},
		list:   arena.Append(a, nil, a.AllocString("x"), "static"),
	})
	leaf.next = n
	return n
}

// TestCloneOut: a clone leads nowhere into the arena, keeps its sharing, and shares memory outside of the arena with
// the original.
func TestCloneOut(t *testing.T) {
	for name, options := range map[string][]arena.Option{"plain": nil, "checked": {arena.WithChecks(arena.CheckObjects)}} {
		a := arena.NewArena(options...)
		s, bytes := &schema{name: "schema"}, []byte("bytes")
		s.root = s
		n := tree(a, s, bytes)
		c := arena.CloneOut(a, n)
		deep := arena.DeepClone(n)
		if c == n || c.next == n.next || c.next.next != c || c.kids[0] != c.next || c.kids[1] != c.next || c.byName["k"] != c.next || c.any.([]any)[0] != c.next {
			t.Errorf("%s: the clone has another shape", name)
		}
		if c.schema != s || c.next.schema != s || c.err != errOwn || c.next.err != io.EOF || unsafe.SliceData(c.data) != unsafe.SliceData(bytes) {
			t.Errorf("%s: what is outside of the arena was copied", name)
		}
		if deep.schema == s || unsafe.SliceData(deep.data) == unsafe.SliceData(bytes) {
			t.Errorf("%s: DeepClone shares what is outside", name)
		}
		if holds := held(a, c); holds != "" {
			t.Errorf("%s: the clone leads into the arena: %s", name, holds)
		}
		a.Reset()
		for range 100 {
			arena.NewOf(a, node{name: a.AllocString("other text")})
		}
		runtime.GC()
		if got := fmt.Sprint(c.name, c.next.name, c.any.([]any)[1], c.list, len(c.byName)); got != "rootleafin an interface[x static] 1" {
			t.Errorf("%s: after Reset the clone is %s", name, got)
		}
		a.Free()
	}
}

// held returns where a node leads into the arena.
func held(a *arena.Arena, n *node) string {
	for what, p := range map[string]unsafe.Pointer{"node": unsafe.Pointer(n), "next": unsafe.Pointer(n.next), "name": unsafe.Pointer(unsafe.StringData(n.name)),
		"kids": unsafe.Pointer(unsafe.SliceData(n.kids)), "list": unsafe.Pointer(unsafe.SliceData(n.list)), "x": unsafe.Pointer(unsafe.StringData(n.list[0])),
		"text": unsafe.Pointer(unsafe.StringData(n.any.([]any)[1].(string)))} {
		if a.Owns(p) {
			return what
		}
	}
	for k := range n.byName {
		if a.Owns(unsafe.Pointer(unsafe.StringData(k))) {
			return "key"
		}
	}
	return ""
}

// TestCloneOutOfNothing: what isn't in the arena is returned as it is.
func TestCloneOutOfNothing(t *testing.T) {
	a, s := arena.NewArena(), &schema{name: "schema"}
	freed := arena.NewArena()
	in := arena.NewOf(freed, schema{name: "in"})
	freed.Free()
	if arena.CloneOut(a, s) != s || arena.CloneOut(nil, s) != s || arena.CloneOut(freed, in) != in || arena.CloneOut(new(arena.Arena), s) != s {
		t.Error("a clone of what is outside of the arena")
	}
	child := a.Child()
	if c := arena.NewOf(child, schema{}); arena.CloneOut(a, c) != c || arena.CloneOut(child, c) == c {
		t.Error("a child's memory is the child's alone")
	}
	if arena.CloneOut(a, 7) != 7 || arena.CloneOut[error](a, io.EOF) != io.EOF || arena.CloneOut[any](a, nil) != nil {
		t.Error("values without pointers, sentinels or nil")
	}
}

// TestKeep: both results lead nowhere into the arena, and share the same memory as the key and the value did.
func TestKeep(t *testing.T) {
	a := arena.NewArena()
	key := a.AllocString("a key of some length")
	n := arena.NewOf(a, node{name: key[2:5], list: arena.Append(a, nil, key)})
	shared := &schema{name: "schema"}
	n.schema = shared
	var m sync.Map
	m.Store(arena.Keep(a, key, n))
	k, v := arena.Keep(a, 7, n)
	a.Reset()
	a.AllocString(strings.Repeat("?", 1000))
	got, _ := m.Load("a key of some length")
	if n := got.(*node); n.name != "key" || n.list[0] != "a key of some length" || n.schema != shared || k != 7 || v.name != "key" {
		t.Errorf("%q %q %d %q", n.name, n.list, k, v.name)
	}
	for k := range m.Range {
		if n := got.(*node); unsafe.StringData(n.list[0]) != unsafe.StringData(k.(string)) {
			t.Error("the key and the value have a copy each")
		}
	}
	if _, v := arena.Keep(nil, "", n); v != n {
		t.Error("a copy of what is in no arena")
	}
}
