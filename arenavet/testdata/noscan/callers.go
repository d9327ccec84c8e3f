package noscan

import (
	"bufio"
	"fmt"
	"strings"
	"time"
	"unsafe"

	"github.com/harena-go/arena"
)

// Arenas whose kind only callers know: all that are passed here are self-contained.
type forest struct {
	a     *arena.Arena
	trees []*node
	times []time.Time
}

func forestIn(a *arena.Arena) *forest { return &forest{a: a} }

func someForest() *forest {
	return forestIn(arena.NewArena(arena.WithNoScan()))
}

func anotherForest(f *forest) { f.a = arena.NewArena(arena.WithNoScan()) }

func (f *forest) add(attrs int) {
	n := arena.New[node](f.a)
	n.attrs = make(map[string]string) // want `a map on the heap is stored in a self-contained arena`
	f.trees = arena.Append(f.a, f.trees, n)
}

func (f *forest) named(name string) *node {
	n := arena.New[node](f.a)
	n.name = name
	return n
}

func (f *forest) read(sc *bufio.Scanner) {
	for sc.Scan() {
		for _, name := range strings.Split(sc.Text(), "/") {
			f.named(name) // want `the result of \(\*bufio.Scanner\).Text on the heap is stored .* KeepAlive; stored in named at callers.go:36`
		}
	}
}

func (f *forest) readRight(sc *bufio.Scanner) {
	for sc.Scan() {
		text := sc.Text()
		f.a.KeepAlive(text)
		f.named(text)
		f.named(f.a.AllocString(sc.Text()))
		f.named("static")
	}
}

// A field that holds arenas of both kinds, one that nobody fills, and one that others may.
type mixed struct {
	a, b, c *arena.Arena
	p       *node
}

func mixedIn(a, c *arena.Arena) *mixed { return &mixed{a: a, c: c} }

func someMixed(c *arena.Arena) {
	mixedIn(arena.NewArena(arena.WithNoScan()), c).fill("x")
	mixedIn(arena.NewArena(), c).fill("y")
}

func (m *mixed) fill(s string) {
	arena.New[node](m.a).name = fmt.Sprint(s)
	arena.New[node](m.b).name = fmt.Sprint(s)
	arena.New[node](m.c).name = fmt.Sprint(s)
}

// Raw memory is taken for a type where it is, no matter who passes the arena.
func rawTable(a *arena.Arena, n int) []node {
	return unsafe.Slice((*node)(a.Alloc(uintptr(n)*unsafe.Sizeof(node{}), 8)), n) // want `raw memory of an arena is taken for node`
}

func rawTables() {
	rawTable(arena.NewArena(), 1)
	rawTable(arena.NewArena(), 2)
}

// Of a function that nobody calls with a default arena nothing is said.
func rawNumbers(a *arena.Arena, n int) []node {
	return unsafe.Slice((*node)(a.Alloc(uintptr(n)*unsafe.Sizeof(node{}), 8)), n)
}
