package promises_test

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/engine/layout"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file tests that the GC sees all it must: values that only an arena points to.

// torture makes the GC run as often as it can until the test ends.
func torture(t testing.TB) {
	old := debug.SetGCPercent(1)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	t.Cleanup(func() {
		close(stop)
		wg.Wait()
		debug.SetGCPercent(old)
	})
}

type recursive struct {
	next *recursive
	kids []recursive
	n    int
}

type mixed struct {
	n      int
	s      string
	b      []byte
	m      map[string]int
	e      error
	c      chan int
	f      func() int
	a      [2]any
	nested struct{ p **int }
	r      *recursive
	u      unsafe.Pointer
}

func number(n int) *int { return &n }

func text(n int) string { return "text " + strconv.Itoa(n) }

func newMixed(i int) mixed {
	p := number(i)
	c := make(chan int, 1)
	c <- i
	m := mixed{n: i, s: text(i), b: []byte(text(i)), m: map[string]int{text(i): i}, e: errors.New(text(i)), c: c,
		f: func() int { return *p }, a: [2]any{text(i), number(i)}, r: &recursive{next: &recursive{n: i}}, u: unsafe.Pointer(number(i))}
	m.nested.p = &p
	return m
}

func sameMixed(m mixed, i int) bool {
	got := <-m.c
	m.c <- got
	return m.n == i && m.s == text(i) && string(m.b) == text(i) && m.m[text(i)] == i && m.e.Error() == text(i) && got == i &&
		m.f() == i && m.a[0] == text(i) && *m.a[1].(*int) == i && **m.nested.p == i && m.r.next.n == i && *(*int)(m.u) == i
}

// keeps fills arenas with values of one type in all the ways there are, and
// checks them after the GC has been busy.
func keeps[T any](t *testing.T, opts []arena.Option, value func(int) T, same func(T, int) bool) {
	t.Helper()
	n := 60
	a := arena.NewArena(opts...)
	for range 3 { // the last time in memory that is reused
		values := make([]*T, n)
		typed := arena.For[T](a)
		grown, room := []T(nil), arena.MakeSlice[T](a, 0, n)
		for i := range values {
			arena.New[uint64](a) // so that there is plain memory to be had, too
			switch i % 3 {
			case 0:
				values[i] = arena.NewOf(a, value(i))
			case 1:
				values[i] = arena.New[T](a)
				*values[i] = value(i)
			default:
				values[i] = typed.New()
				*values[i] = value(i)
			}
			grown = arena.Append(a, grown, value(i))
			room = append(room, value(i))
		}
		copied := arena.CopySlice(a, grown)
		grown = arena.Grow(a, grown[n/2:], 10*n)
		testkit.Churn()
		for i := range values {
			if !same(*values[i], i) || !same(room[i], i) || !same(copied[i], i) || i >= n/2 && !same(grown[i-n/2], i) {
				t.Fatalf("%v: value %d is lost", reflect.TypeFor[T](), i)
			}
		}
		a.Reset()
	}
}

func TestGCSeesEveryKind(t *testing.T) {
	sets := map[string][]arena.Option{
		"default": nil,
		"tiny":    {arena.WithChunkSize(256), arena.WithMaxChunkSize(512)},
		"scrub":   {arena.WithScrub(), arena.WithMaxRetained(0)},
		"unknown": nil,
	}
	for name, opts := range sets {
		t.Run(name, func(t *testing.T) {
			if name == "unknown" { // reflect decides on the layout of types
				layout.Trusted = false
				defer func() { layout.Trusted = true }()
			}
			torture(t)
			keeps(t, opts, number, func(p *int, i int) bool { return *p == i })
			keeps(t, opts, text, func(s string, i int) bool { return s == text(i) })
			keeps(t, opts, func(i int) []string { return []string{text(i)} }, func(s []string, i int) bool { return s[0] == text(i) })
			keeps(t, opts, func(i int) map[int]string { return map[int]string{i: text(i)} },
				func(m map[int]string, i int) bool { return m[i] == text(i) })
			keeps(t, opts, func(i int) any { return text(i) }, func(v any, i int) bool { return v == text(i) })
			keeps(t, opts, func(i int) error { return errors.New(text(i)) }, func(e error, i int) bool { return e.Error() == text(i) })
			keeps(t, opts, func(i int) fmt.Stringer { return reflect.ValueOf(number(i)) },
				func(s fmt.Stringer, i int) bool { return s.(reflect.Value).Elem().Int() == int64(i) })
			keeps(t, opts, func(i int) func() *int { p := number(i); return func() *int { return p } },
				func(f func() *int, i int) bool { return *f() == i })
			keeps(t, opts, func(i int) chan string { c := make(chan string, 2); c <- text(i); return c },
				func(c chan string, i int) bool { s := <-c; c <- s; return s == text(i) })
			keeps(t, opts, func(i int) [3]string { return [3]string{2: text(i)} }, func(a [3]string, i int) bool { return a[2] == text(i) })
			keeps(t, opts, func(i int) unsafe.Pointer { return unsafe.Pointer(number(i)) },
				func(p unsafe.Pointer, i int) bool { return *(*int)(p) == i })
			keeps(t, opts, func(i int) recursive { return recursive{next: &recursive{n: i}, kids: []recursive{{n: i}}} },
				func(r recursive, i int) bool { return r.next.n == i && r.kids[0].n == i })
			keeps(t, opts, newMixed, sameMixed)
		})
	}
}

// TestGCKeepsGraph builds lists and trees within arenas and holds one pointer
// to them, after the arena itself was dropped or freed.
func TestGCKeepsGraph(t *testing.T) {
	type item struct {
		name        string
		next        *item
		kids        []*item
		outer       *string
		left, right *item
	}
	build := func(a *arena.Arena, n int) *item {
		var head *item
		for i := range n {
			it := arena.New[item](a)
			it.name = a.AllocString(text(i))
			it.next = head
			it.outer = new(text(i))
			a.KeepAlive(it.outer)
			if head != nil {
				it.kids = arena.Append(a, it.kids, head, it)
				head.left = it
			}
			head = it
		}
		return head
	}
	check := func(head *item, n int) string {
		for i := n - 1; i >= 0; i-- {
			if head.name != text(i) || *head.outer != text(i) || i > 0 && (head.kids[0] != head.next || head.next.left != head) {
				return fmt.Sprintf("item %d of %d is %q, %q", i, n, head.name, *head.outer)
			}
			head = head.next
		}
		return ""
	}
	torture(t)
	for _, opts := range [][]arena.Option{nil, {arena.WithNoScan()}, {arena.WithNoScan(), arena.WithChunkSize(256)}} {
		for _, end := range []string{"dropped", "freed", "child freed", "parent freed", "reset before", "borrowing child freed"} {
			a := arena.NewArena(opts...)
			parent := a
			switch end {
			case "child freed", "parent freed":
				a = a.Child()
			case "reset before":
				build(a, 500)
				a.Reset()
			case "borrowing child freed":
				build(a, 500)
				a.Reset()
				a = a.Child() // gets the parent's chunks
			}
			const n = 300
			head := build(a, n)
			switch end {
			case "freed", "child freed", "borrowing child freed":
				a.Free()
			case "parent freed":
				parent.Free()
			}
			a, parent = nil, nil
			testkit.Churn()
			if msg := check(head, n); msg != "" {
				t.Errorf("%s, %d options: %s", end, len(opts), msg)
			}
		}
	}
}

// TestGCFindsAbandonedArenas drops arenas without Free: they are cycles, which
// the GC collects as long as nothing in them has a finalizer.
func TestGCFindsAbandonedArenas(t *testing.T) {
	n := 100000
	if testing.Short() || testkit.Sanitized {
		n = 5000
	}
	for name, opts := range map[string][]arena.Option{"default": nil, "self-contained": {arena.WithNoScan()}} {
		opts = append(opts, arena.WithChunkSize(512))
		before := testkit.HeapInUse()
		for range n {
			a := arena.NewArena(opts...)
			x := arena.New[recursive](a)
			x.next = arena.NewOf(a, recursive{next: x}) // a cycle
			x.kids = arena.MakeSlice[recursive](a, 2, 2)
			arena.New[uint64](a)
			c := a.Child()
			arena.New[**Arena](c)
			*arena.New[any](c) = a
			a.KeepAlive(c)
			a.Mark()
		}
		if more := testkit.HeapInUse() - before; more > 1<<20 {
			t.Errorf("%s: %d abandoned arenas left %d bytes behind", name, n, more)
		}
	}
}

type Arena = arena.Arena
