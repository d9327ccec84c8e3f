package arena

import (
	"fmt"
	"runtime"
	"testing"
)

type node struct {
	next *node
	name string
	n    int
}

func TestGearBasic(t *testing.T) {
	p := NewPool()
	var kept []*node
	var handles []*Arena
	for i := range 10_000 {
		a := p.Get()
		var last *node
		for j := range 20 {
			n := New[node](a)
			if *n != (node{}) {
				t.Fatal("not zero")
			}
			n.next, n.name, n.n = last, a.AllocString(fmt.Sprint("life ", i, " ", j)), i*100+j
			last = n
			s := MakeSlice[int](a, 3, 10)
			for k := range s[:10] {
				if s[:10][k] != 0 {
					t.Fatal("not zero")
				}
				s[:10][k] = i
			}
		}
		kept = append(kept, last)
		p.Put(a)
		handles = append(handles, a)
		if i%1000 == 0 {
			runtime.GC()
		}
	}
	for i, n := range kept {
		for j := 19; j >= 0; j-- {
			if n.n != i*100+j || n.name != fmt.Sprint("life ", i, " ", j) {
				t.Fatal(i, j, n)
			}
			n = n.next
		}
	}
	for _, a := range handles {
		func() {
			defer func() {
				if recover() == nil {
					t.Fatal("no panic")
				}
			}()
			New[node](a)
		}()
	}
	t.Log(p.Stats())
}

func request(a *Arena) (n int) {
	var last *node
	for range 50 {
		x := New[node](a)
		x.next = last
		last = x
		y := New[[4]int](a)
		y[0] = 1
		z := New[[2]*int](a)
		z[0] = &y[0]
		b := MakeSlice[byte](a, 24, 24)
		b[0] = 1
	}
	return last.n
}

func BenchmarkGear(b *testing.B) {
	live := make([]*[64]byte, 1000)
	for i := range live {
		live[i] = new([64]byte)
	}
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var m, n runtime.MemStats
			runtime.ReadMemStats(&m)
			for b.Loop() {
				f()
			}
			runtime.ReadMemStats(&n)
			b.ReportMetric(float64(n.NumGC-m.NumGC), "GCs")
			b.ReportMetric(float64(n.HeapAlloc>>10), "KiB")
		})
	}
	reuse, safe := NewPool(WithReuse()), NewPool()
	run("heap", func() { request(nil) })
	run("safe", func() { a := safe.Get(); request(a); safe.Put(a) })
	run("reuse", func() { a := reuse.Get(); request(a); reuse.Put(a) })
	run("safe-free", func() { a := safe.Get(); request(a); a.Free() })
	run("safe-empty", func() { a := safe.Get(); safe.Put(a) })
	run("reuse-empty", func() { a := reuse.Get(); reuse.Put(a) })
	run("safe-one", func() { a := safe.Get(); New[int](a); safe.Put(a) })
	run("safe-ten", func() {
		a := safe.Get()
		for range 10 {
			New[node](a)
		}
		safe.Put(a)
	})
	run("heap-ten", func() {
		var last *node
		for range 10 {
			last = &node{next: last}
		}
		sink = last
	})
	runtime.KeepAlive(live)
}

var sink *node

func TestCacheOfKept(t *testing.T) {
	p := NewPool()
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	before := m.HeapAlloc
	cache := make([]*node, 10_000)
	for i := range 200_000 {
		a := p.Get()
		var last *node
		for range 20 {
			n := New[node](a)
			n.next, n.name = nil, a.AllocString("a name of some length, such as an URL")
			n.n = i
			MakeSlice[int](a, 20, 20)
			last = n
		}
		if i%100 == 0 {
			cache[i/100] = last
		}
		p.Put(a)
		if i%20000 == 19999 {
			runtime.GC()
			runtime.ReadMemStats(&m)
			t.Log(i, (m.HeapAlloc-before)>>10, "KiB", m.NumGC, p.main.kept, p.main.all, p.main.apart.Load())
		}
	}
	runtime.KeepAlive(cache)
}
