package noscan

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"

	"test/noscan/lib"
)

type node struct {
	name  string
	kids  []*node
	left  *node
	attrs map[string]string
	value any
	visit func()
	err   error
	at    [2]*int
	inner struct{ text string }
}

var global = arena.NewArena(arena.WithNoScan())

var pool = arena.NewPool(arena.WithNoScan(), arena.WithPoolLimit(1<<20))

func formatted(i int) {
	a := arena.NewArena(arena.WithNoScan())
	n := arena.New[node](a)
	n.name = fmt.Sprint("node ", i) // want `the result of fmt.Sprint on the heap is stored in a self-contained arena, into which the GC doesn't look: allocate it from the arena, or pass it to KeepAlive`
}

func concatenated(s string) *node {
	n := arena.New[node](global)
	n.name = s + "!" // want `a concatenated string on the heap is stored in a self-contained arena`
	return n
}

func converted(b []byte) *node {
	n := arena.New[node](global)
	n.name = string(b) // want `a converted string or slice on the heap`
	return n
}

func made(n int) {
	a := arena.NewArena(arena.WithNoScan())
	p := arena.New[node](a)
	p.kids = make([]*node, n)             // want `a slice from make on the heap`
	p.attrs = make(map[string]string)     // want `a map on the heap`
	p.left = new(node)                    // want `a variable on the heap`
	p.kids = []*node{p}                   // want `a variable on the heap`
	p.visit = func() { p.name = "x" }     // want `a closure on the heap`
	p.value = n                           // want `an interface's copy of a value on the heap`
	p.err = errors.New("x")               // want `the result of errors.New on the heap`
	p.at[1] = &n                          // want `a variable on the heap`
	p.inner.text = strings.Repeat("x", n) // want `the result of strings.Repeat on the heap`
}

func appended(k *node) {
	a := arena.NewArena(arena.WithNoScan())
	n := arena.New[node](a)
	n.kids = append(n.kids, k) // want `a slice that the builtin append has grown on the heap`
}

func appendedToNil(k *node) {
	a := arena.NewArena(arena.WithNoScan())
	n := arena.New[node](a)
	n.kids = append([]*node(nil), k) // want `a slice from the builtin append on the heap`
}

func ofValue(s string) {
	a := arena.NewArena(arena.WithNoScan())
	arena.NewOf(a, node{name: s + "x"})      // want `a concatenated string on the heap`
	arena.NewOf(a, &node{})                  // want `a variable on the heap`
	arena.Append(a, nil, "static", "x"+s)    // want `a concatenated string on the heap`
	arena.CopySlice(a, []string{"y" + s, s}) // want `a concatenated string on the heap`
}

func element(names []string) {
	a := arena.NewArena(arena.WithNoScan())
	list := arena.MakeSlice[string](a, len(names), len(names))
	for i, name := range names {
		list[i] = strings.Clone(name) // want `the result of strings.Clone on the heap`
	}
}

func parts(data []byte) {
	a := arena.NewArena(arena.WithNoScan())
	for _, line := range strings.Split(string(data), "\n") {
		n := arena.New[node](a)
		n.name = strings.TrimSpace(line) // want `a converted string or slice on the heap`
	}
}

func scanned(s *bufio.Scanner) {
	for s.Scan() {
		arena.New[node](global).name = s.Text() // want `the result of \(\*bufio.Scanner\).Text on the heap`
	}
}

func copied(dst []string) {
	a := arena.NewArena(arena.WithNoScan())
	n := arena.New[node](a)
	n.name = arena.Clone(a.AllocString("x")) // want `a clone on the heap`
}

func branch(long bool, s string) {
	a := arena.NewArena(arena.WithNoScan())
	name := "short"
	if long {
		name = s + s
	}
	arena.New[node](a).name = name // want `a concatenated string on the heap`
}

func pooled(s string) error {
	return pool.Do(func(a *arena.Arena) error {
		n := arena.New[node](a)
		n.name = "x" + s // want `a concatenated string on the heap`
		return nil
	})
}

func lent(s string) {
	a := pool.Get()
	defer pool.Put(a)
	arena.New[node](a).name = "x" + s // want `a concatenated string on the heap`
}

func shared(s string) {
	sh := arena.NewShared(arena.WithNoScan())
	defer sh.Free()
	arena.New[node](sh.Local()).name = "x" + s // want `a concatenated string on the heap`
}

func child(s string) {
	c := global.Child()
	arena.New[node](c).name = "x" + s // want `a concatenated string on the heap`
}

func typed(s string) {
	nodes := arena.For[node](global)
	nodes.New().name = "x" + s // want `a concatenated string on the heap`
}

func twoArenas() {
	a := arena.NewArena(arena.WithNoScan())
	b := arena.NewArena()
	n := arena.New[node](a)
	n.name = b.AllocString("x") // want `memory of another arena is stored in a self-contained arena`
}

type tree struct {
	a    *arena.Arena
	root *node
}

func newTree() *tree { return &tree{a: arena.NewArena(arena.WithNoScan())} }

func (t *tree) add(s string) {
	t.root = arena.New[node](t.a)
	t.root.name = "x" + s // want `a concatenated string on the heap`
}

func captured(s string) func() {
	a := arena.NewArena(arena.WithNoScan())
	return func() {
		arena.New[node](a).name = "x" + s // want `a concatenated string on the heap`
	}
}

func elsewhere(i int, s string) {
	a := lib.SelfContained()
	n := lib.Number(a, i) // want `Number stores the result of strconv.Itoa on the heap in this self-contained arena, into which the GC doesn't look.*; stored in Number at lib.go:17`
	n.Rename(s + "x")     // want `a concatenated string on the heap`
	lib.Named(a, "x"+s)   // want `a concatenated string on the heap .*; stored in Named at lib.go:21`
	n.Name = lib.Hello(s) // want `a concatenated string on the heap`
}

func here(s string) {
	a := arena.NewArena(arena.WithNoScan())
	fill(a, 3, "x"+s) // want `a concatenated string on the heap`
}

func fill(a *arena.Arena, depth int, name string) *node {
	n := arena.New[node](a)
	if depth > 0 {
		n.left = fill(a, depth-1, name)
	}
	n.name = name
	return n
}

func env() {
	data, _ := os.ReadFile("x")
	a := arena.NewArena(arena.WithNoScan())
	n := arena.New[struct{ data []byte }](a)
	n.data = data // want `the result of os.ReadFile on the heap`
}

func raw() *node {
	a := arena.NewArena()
	p := a.Alloc(unsafe.Sizeof(node{}), 8)
	return (*node)(p) // want `raw memory of an arena is taken for node, which has pointers that the GC won't see: use arena.New or arena.MakeSlice`
}

func rawSlice(n int) []string {
	var a arena.Arena
	p := a.Alloc(uintptr(n)*16, 8)
	return unsafe.Slice((*string)(p), n) // want `raw memory of an arena is taken for string`
}

func rawRealloc(p unsafe.Pointer) **int {
	a := arena.NewArena(arena.WithLimit(1 << 20))
	return (**int)(a.Realloc(p, 8, 16, 8)) // want `raw memory of an arena is taken for \*int`
}

func rawElsewhere() *lib.Node {
	a := arena.NewArena()
	return lib.Raw(a) // want `raw memory of an arena is taken for Node.*; taken in Raw at lib.go:38`
}

func options(opts ...arena.Option) *arena.Arena {
	if len(opts) == 0 {
		return arenatest.New(nil, opts...)
	}
	opts = append(opts, arena.WithName("x"), arena.WithLimit(1<<20))
	return arena.NewArena(opts...)
}

func index() *arena.Arena { return options(arena.WithNoScan(), arena.WithName("index")) }

func byOptions(s string) {
	arena.New[node](index()).name = "x" + s // want `a concatenated string on the heap`
}

func twoFromHere() {
	n := arena.New[node](index())
	n.left = arena.New[node](index()) // want `memory of another arena`
}

func pointsToChild() {
	a := index()
	n := arena.New[node](a)
	n.left = arena.New[node](a.Child()) // want `memory of a child is stored in a self-contained arena that outlives it`
}

func mapOfValues() {
	n := arena.New[node](index())
	n.attrs = map[string]string{"a": "b"} // want `a map on the heap`
}
