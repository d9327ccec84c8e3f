package noscan

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"time"
	"unsafe"

	"github.com/harena-go/arena"

	"test/noscan/lib"
)

func OKDefaultArena(i int) *node {
	a := arena.NewArena()
	n := arena.New[node](a)
	n.name = fmt.Sprint(i)
	n.attrs = map[string]string{"x": "y"}
	n.kids = append(n.kids, &node{})
	return n
}

func OKUnknownArena(a *arena.Arena, i int) *node {
	n := arena.New[node](a)
	n.name = fmt.Sprint(i)
	return n
}

func OKStatic() {
	a := arena.NewArena(arena.WithNoScan())
	n := arena.New[node](a)
	n.name = "static"
	n.value = 5
	n.visit = OKStaticFunc
	n.left = &globalNode
	n.err = errGlobal
}

var (
	globalNode node
	errGlobal  error
)

func OKStaticFunc() {}

func OKSameArena(s string, b []byte) {
	a := arena.NewArena(arena.WithNoScan())
	n := arena.New[node](a)
	n.name = a.AllocString(s + "x")
	n.name = a.Sprintf("%d", 5)
	n.name = a.AllocBytesToString(b)
	n.left = arena.New[node](a)
	n.left.left = n
	n.kids = arena.MakeSlice[*node](a, 0, 4)
	n.kids = arena.Append(a, n.kids, n.left, n)
	n.value = n
	n.inner.text = n.name[1:]
	n.at[0] = &arena.MakeSlice[int](a, 3, 3)[1]
}

func OKKeepAlive(s string) {
	a := arena.NewArena(arena.WithNoScan())
	n := arena.New[node](a)
	name := s + "x"
	a.KeepAlive(name)
	n.name = name
}

func OKKeepAliveAfterwards(s string) {
	a := arena.NewArena(arena.WithNoScan())
	n := arena.New[node](a)
	n.attrs = make(map[string]string)
	a.KeepAlive(n.attrs)
}

func OKKeepAliveWhole(data []byte) {
	a := arena.NewArena(arena.WithNoScan())
	text := string(data)
	a.KeepAlive(text)
	for _, line := range strings.Split(text, "\n") {
		arena.New[node](a).name = strings.TrimSpace(line)
	}
}

func OKKeepAliveList(names []string) {
	a := arena.NewArena(arena.WithNoScan())
	var keep []string
	for _, name := range names {
		name = name + "x"
		keep = append(keep, name)
		arena.New[node](a).name = name
	}
	a.KeepAlive(keep)
}

func OKKeepAliveElsewhere(s string) {
	a := arena.NewArena(arena.WithNoScan())
	arena.New[node](a).name = lib.Keep(a, s+"x")
}

func OKRuntimeKeepAlive(s string) {
	a := arena.NewArena(arena.WithNoScan())
	name := s + "x"
	arena.New[node](a).name = name
	runtime.KeepAlive(name)
}

var names []string

var current string

func OKGlobalKeepsIt(s string) {
	a := arena.NewArena(arena.WithNoScan())
	name := s + "x"
	current = name
	arena.New[node](a).name = name
}

func OKParameter(s string, t *node) {
	a := arena.NewArena(arena.WithNoScan())
	n := arena.New[node](a)
	n.name = s // who calls knows where it is
	n.left = t
}

func OKGlobalValues() {
	n := arena.New[node](global)
	n.name = names[0]
	n.left = &globalNode
	n.value = time.UTC
}

func OKPlain(b []byte) {
	a := arena.NewArena(arena.WithNoScan())
	n := arena.New[struct {
		n    int
		hash [4]byte
	}](a)
	n.n = len(string(b)) + len(fmt.Sprint("x"))
	copy(n.hash[:], []byte("hash"))
}

func OKHeapPointsToArena(s string) *node {
	a := arena.NewArena(arena.WithNoScan())
	n := &node{name: s + "x"}
	n.left = arena.New[node](a)
	return n
}

func OKMapOfArena(s string) map[string]*node {
	a := arena.NewArena(arena.WithNoScan())
	m := map[string]*node{}
	m[s+"x"] = arena.New[node](a)
	return m
}

func OKDefaultPool(s string) error {
	var p arena.Pool
	return p.Do(func(a *arena.Arena) error {
		arena.New[node](a).name = "x" + s
		return nil
	})
}

func OKFromElsewhere(i int, s string) {
	a := arena.NewArena()
	n := lib.Number(a, i)
	n.Rename("x" + s)
	b := lib.SelfContained()
	lib.Copied(b, "x"+s)
	lib.Named(b, "static")
	lib.Named(b, b.AllocString(s))
}

func OKTwoKinds(selfContained bool, s string) {
	a := arena.NewArena()
	if selfContained {
		a = arena.NewArena(arena.WithNoScan())
	}
	arena.New[node](a).name = "x" + s
}

func OKUnknownOptions(s string, opts ...arena.Option) {
	a := arena.NewArena(opts...)
	arena.New[node](a).name = "x" + s
}

func OKChildOfSame(s string) {
	a := arena.NewArena(arena.WithNoScan())
	c := a.Child()
	n := arena.New[node](c)
	n.name = c.AllocString(s)
}

func OKLocals(s string) {
	sh := arena.NewShared(arena.WithNoScan())
	defer sh.Free()
	a, b := sh.Local(), sh.Local()
	n := arena.New[node](a)
	n.left = arena.New[node](b)
}

func OKBox(b bool) {
	a := arena.NewArena(arena.WithNoScan())
	n := arena.New[node](a)
	n.value = b
	n.value = struct{}{}
	n.value = "constant"
}

func OKRoom(k *node) {
	a := arena.NewArena(arena.WithNoScan())
	n := arena.New[node](a)
	n.kids = arena.Grow(a, n.kids, 1)
	n.kids = append(n.kids, k)
	if len(n.kids) < cap(n.kids) {
		n.kids = append(n.kids, k)
	}
}

func OKLocalStruct(s string) int {
	n := node{name: s + "x"}
	p := &n
	p.name += "y"
	return len(p.name)
}

func OKRawPlain() *[4]int {
	a := arena.NewArena()
	return (*[4]int)(a.Alloc(32, 8))
}

func OKRawSelfContained() *node {
	a := arena.NewArena(arena.WithNoScan())
	n := (*node)(a.Alloc(unsafe.Sizeof(node{}), 8))
	n.left = n
	return n
}

func OKRawUnknown(a *arena.Arena) *node { return (*node)(a.Alloc(unsafe.Sizeof(node{}), 8)) }

func OKOtherUnsafe(b []byte) *node { return (*node)(unsafe.Pointer(&b[0])) }

func OKNilArena(s string) {
	n := arena.New[node](nil)
	n.name = "x" + s
}

func OKIgnored(s string) {
	//arenavet:ignore the caller keeps all names in a list
	arena.New[node](global).name = "x" + s
}

func OKBuffer(s string) {
	var b bytes.Buffer
	b.WriteString(s)
	a := arena.NewArena(arena.WithNoScan())
	arena.New[node](a).name = a.AllocString(b.String())
}

func OKByOptions(s string) {
	a := options(arena.WithName("ordinary"))
	arena.New[node](a).name = "x" + s
}

func OKChildPointsToParent() {
	a := index()
	n := arena.New[node](a.Child())
	n.left = arena.New[node](a)
}

type namedTree struct {
	a     *arena.Arena
	names []string
	index map[string]*node
}

func (t *namedTree) OKTreeKeepsNames(s string) {
	t.a = arena.NewArena(arena.WithNoScan())
	n := arena.New[node](t.a)
	name := s + "x"
	t.names = append(t.names, name)
	n.name = name
}

func (t *namedTree) OKMapKeepsNames(s string) {
	t.a = arena.NewArena(arena.WithNoScan())
	n := arena.New[node](t.a)
	n.name = s + "x"
	t.index[n.name] = n
}

func OKBoxedConstants() {
	a := arena.NewArena(arena.WithNoScan())
	n := arena.New[node](a)
	n.value = struct{ x, y int }{1, 2}
	n.value = struct{ x, y int }{}
	n.visit = runtime.GC
	*n = node{name: "static", left: n}
}

func (t *namedTree) OKIntern(s string) {
	t.a = arena.NewArena(arena.WithNoScan())
	v := t.a.AllocString(s)
	t.index[v] = arena.NewOf(t.a, node{name: v})
	t.index[v].name = v
}
