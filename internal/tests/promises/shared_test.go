package promises_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"weak"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file tests that the locals of a Shared don't disturb each other, and
// that their values live and die together.

// sharedKinds are Shareds of all kinds.
var sharedKinds = map[string]func() *arena.Shared{
	"nil":                  func() *arena.Shared { return nil },
	"zero":                 func() *arena.Shared { return new(arena.Shared) },
	"default":              func() *arena.Shared { return arena.NewShared() },
	"self-contained":       func() *arena.Shared { return arena.NewShared(arena.WithNoScan()) },
	"tiny":                 func() *arena.Shared { return arena.NewShared(arena.WithChunkSize(256), arena.WithMaxChunkSize(1024)) },
	"tiny, self-contained": func() *arena.Shared { return arena.NewShared(arena.WithChunkSize(256), arena.WithNoScan()) },
	"scrub":                func() *arena.Shared { return arena.NewShared(arena.WithScrub()) },
	"limited":              func() *arena.Shared { return arena.NewShared(arena.WithLimit(1 << 26)) },
}

// TestSharedIsForManyGoroutines: 64 of them allocate at a time, then link their values to those of others.
func TestSharedIsForManyGoroutines(t *testing.T) {
	const goroutines, each = 64, 20
	for kind, make := range sharedKinds {
		t.Run(kind, func(t *testing.T) {
			torture(t)
			s := make()
			for life := range 3 {
				var all [goroutines][]*entry
				var links [goroutines]*entry
				var ready, done sync.WaitGroup
				ready.Add(goroutines)
				for g := range goroutines {
					done.Go(func() {
						id := uint64(life)<<40 | uint64(g)<<20
						a := s.Local()
						entries, err := newEntries(a, id, each/2)
						if err != nil {
							t.Error(err)
						}
						fill(a)
						c := a.Child()
						fill(c)
						c.Free()
						more, err := newEntries(a, id+each/2, each/2)
						if err != nil {
							t.Error(err)
						}
						all[g] = append(entries, more...)
						ready.Done()
						ready.Wait()
						links[g] = arena.NewOf(a, entry{id: id})
						for i := range goroutines {
							links[g].all = arena.Append(a, links[g].all, all[i][len(all[i])-1])
						}
					})
				}
				done.Wait()
				for g := range goroutines {
					for i, e := range all[g] {
						if err := e.check(uint64(life)<<40 | uint64(g)<<20 + uint64(i)); err != nil {
							t.Errorf("life %d, goroutine %d: %v", life, g, err)
						}
					}
					for i, e := range links[g].all {
						if e != all[i][each-1] {
							t.Errorf("life %d: the link from %d to %d is lost", life, g, i)
						}
					}
				}
				if s := s.Stats(); kind != "nil" && (s.Used < goroutines*each*testkit.SizeOfType(entry{}) || s.Reserved < s.Used || s.Chunks == 0) {
					t.Errorf("life %d: %v", life, s)
				}
				s.Reset()
				if s := s.Stats(); s.Used != 0 || s.Reserved != s.Retained {
					t.Errorf("after Reset: %v", s)
				}
			}
		})
	}
}

// chain builds a list that goes through all locals again and again, and returns its head.
func chain(locals []*arena.Arena, n int) (head *entry) {
	for i := range n {
		a := locals[i%len(locals)]
		e := arena.New[entry](a)
		e.id, e.next = uint64(i), head
		e.name = a.AllocString(text(i))
		if i%50 == 0 {
			a.AllocBytes(3000)
		}
		head = e
	}
	return head
}

func checkChain(head *entry, n int) error {
	for i := n - 1; i >= 0; i-- {
		if head == nil || head.id != uint64(i) || head.name != text(i) {
			return fmt.Errorf("entry %d of %d is %+v", i, n, head)
		}
		head = head.next
	}
	return nil
}

// TestSharedOnePointerKeepsAll: in a self-contained Shared, one pointer to a value of one local keeps those of all
// others, at any end of the rest.
func TestSharedOnePointerKeepsAll(t *testing.T) {
	const n = 400
	type ends map[string]func(s *arena.Shared, locals []*arena.Arena)
	torture(t)
	for name, end := range (ends{
		"dropped":             func(*arena.Shared, []*arena.Arena) {},
		"freed":               func(s *arena.Shared, _ []*arena.Arena) { s.Free() },
		"freed twice":         func(s *arena.Shared, _ []*arena.Arena) { s.Free(); s.Free() },
		"reset after Free":    func(s *arena.Shared, _ []*arena.Arena) { s.Free(); s.Reset() },
		"locals freed":        func(_ *arena.Shared, locals []*arena.Arena) { freeAll(locals) },
		"some freed":          func(_ *arena.Shared, locals []*arena.Arena) { freeAll(locals[1:4]) },
		"locals, then Shared": func(s *arena.Shared, locals []*arena.Arena) { freeAll(locals[2:]); s.Free() },
		"Shared, then locals": func(s *arena.Shared, locals []*arena.Arena) { s.Free(); freeAll(locals) },
		"others reused": func(s *arena.Shared, locals []*arena.Arena) {
			freeAll(locals)
			fill(s.Local())
			s.Free()
		},
	}) {
		for _, opts := range [][]arena.Option{{arena.WithNoScan()}, {arena.WithNoScan(), arena.WithChunkSize(256)}, {}} {
			s := arena.NewShared(opts...)
			for range 2 { // the second time with chunks that have been in use
				s.Reset()
				locals := make([]*arena.Arena, 6)
				for i := range locals {
					locals[i] = s.Local()
				}
				head := chain(locals, n)
				end(s, locals)
				if s.Stats().Reserved == 0 || name == "dropped" {
					s, locals = arena.NewShared(opts...), nil
				}
				clear(locals)
				testkit.Churn()
				if err := checkChain(head, n); err != nil {
					t.Fatalf("%s, %d options: %v", name, len(opts), err)
				}
			}
		}
	}
}

func freeAll(arenas []*arena.Arena) {
	for _, a := range arenas {
		a.Free()
	}
}

// TestSharedKeepAlive: a local's KeepAlive values live as long as any value, and go with the last one.
func TestSharedKeepAlive(t *testing.T) {
	keep := func(s *arena.Shared, early bool) (*int, weak.Pointer[testkit.Sentinel]) {
		a, b := s.Local(), s.Local()
		v, w := testkit.NewSentinel()
		a.KeepAlive(v)
		if early {
			a.Free()
		}
		p := arena.New[int](b)
		s.Free()
		return p, w
	}
	for _, early := range []bool{false, true} {
		s := arena.NewShared(arena.WithNoScan())
		p, w := keep(s, early)
		s = nil
		if testkit.Dead(w) {
			t.Errorf("local freed before: %v: lost while another local's value is in use", early)
		}
		runtime.KeepAlive(p)
		if !testkit.Dead(w) {
			t.Errorf("local freed before: %v: still held", early)
		}
	}
}

// TestSharedReleases: after Free and after Reset nothing keeps what values pointed
// to, and Free leaves no memory behind.
func TestSharedReleases(t *testing.T) {
	for name, store := range stores {
		s := arena.NewShared()
		for range 3 {
			a := s.Local()
			w := store(a)
			if testkit.Dead(w) {
				t.Errorf("%s: lost while it was in use", name)
			}
			s.Reset()
			if !testkit.Dead(w) {
				t.Errorf("%s: still held after Reset", name)
			}
			runtime.KeepAlive(a)
		}
		w := store(s.Local())
		s.Free()
		if !testkit.Dead(w) {
			t.Errorf("%s: still held after Free", name)
		}
		runtime.KeepAlive(s)
	}
	for _, opts := range [][]arena.Option{nil, {arena.WithNoScan()}} {
		before := testkit.HeapInUse()
		s := arena.NewShared(opts...)
		var locals []*arena.Arena
		for range 20 {
			a := s.Local()
			a.AllocBytes(1 << 20)
			fill(a)
			locals = append(locals, a)
		}
		s.Free()
		clear(locals) // which may still be at work, and keep their values
		if more := testkit.HeapInUse() - before; more > 1<<20 {
			t.Errorf("%d options: %d bytes are left after Free", len(opts), more)
		}
		runtime.KeepAlive(s)
		runtime.KeepAlive(locals)
	}
}
