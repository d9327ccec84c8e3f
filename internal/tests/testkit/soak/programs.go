package soak

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/harena-go/arena"
)

// This file holds the correct programs of the soak. Each uses its arena, and holds no
// references when it reclaims the memory.

// A worker runs programs, one after the other.
type worker struct {
	*soak
	*rand.Rand
	pool, sampled *arena.Pool

	blocked []chan bool // goroutines that are done with their values
	names   map[string]*order
	left    []*order // by freed children and locals
	slots   sync.Pool
	handler func(*order) int
}

var soakPrograms = []func(w *worker){
	(*worker).chains, (*worker).maps, (*worker).closures, (*worker).channels, (*worker).waits,
	(*worker).blocks, (*worker).deepStack, (*worker).children, (*worker).marks, (*worker).pooled,
	(*worker).keyed, (*worker).samples, (*worker).shares, (*worker).grows, (*worker).interfaces,
	(*worker).panics, (*worker).timers, (*worker).pulls, (*worker).selects, (*worker).syncPool,
	(*worker).large, (*worker).typed, (*worker).fields, (*worker).texts, (*worker).frees,
	(*worker).leaves,
}

// reset resets an arena and counts that.
func (w *worker) reset(a *arena.Arena) {
	a.Reset()
	w.taken.Add(1)
}

func (w *worker) named() *arena.Arena { return w.arena(arena.WithName("correct")) }

// An order has pointers, a price hasn't.
type order struct {
	id    int
	name  string
	items []price
	next  *order
}

type price struct{ euros, cents int }

// orderChain makes a list.
func orderChain(a *arena.Arena, n int) (last *order) {
	for i := range n {
		last = arena.NewOf(a, order{id: i, next: last})
		last.name = a.AllocString("an order's name")
		last.items = arena.Append(a, last.items, price{i, i})
	}
	return last
}

func (o *order) length() (n int) {
	for ; o != nil; o = o.next {
		n++
	}
	return n
}

func (w *worker) chains() {
	a := w.named()
	for range 3 {
		if n := 1 + w.IntN(10); orderChain(a, n).length() != n {
			panic("wrong length")
		}
		w.reset(a)
	}
}

func (w *worker) maps() {
	a := w.named()
	if w.names == nil {
		w.names = map[string]*order{}
	}
	for i := range w.IntN(20) {
		w.names[a.AllocString(fmt.Sprint(i))] = orderChain(a, 1)
	}
	clear(w.names)
	w.reset(a)
}

func (w *worker) closures() {
	a := w.named()
	o := orderChain(a, 3)
	w.handler = func(x *order) int { return o.length() + x.length() }
	w.handler(o)
	by := func(x, y int) int { return (x - y) * o.items[0].euros }
	slices.SortFunc([]int{3, 1, 2}, by)
	w.handler = nil
	w.reset(a)
}

func (w *worker) channels() {
	a := w.named()
	c := make(chan *order, 10)
	for range 10 {
		c <- orderChain(a, 1)
	}
	for range 10 {
		<-c
	}
	w.reset(a)
}

func (w *worker) waits() {
	a := w.named()
	var wait sync.WaitGroup
	work := make(chan *order)
	for range 3 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for o := range work {
				o.id = o.length()
			}
		}()
	}
	for range 10 {
		work <- orderChain(a, 2)
	}
	close(work)
	wait.Wait()
	w.reset(a)
}

// blocks leaves a goroutine that waits for long, with a dead variable.
func (w *worker) blocks() {
	a := w.named()
	ready, signal := make(chan bool), make(chan bool)
	go lastUse(orderChain(a, 2), ready, signal)
	<-ready
	w.reset(a)
	if w.blocked = append(w.blocked, signal); len(w.blocked) > 20 {
		close(w.blocked[0])
		w.blocked = w.blocked[1:]
	}
}

//go:noinline
func lastUse(o *order, ready, signal chan bool) {
	o.id = deepFrames(20) + o.length()
	ready <- true
	<-signal
}

func (w *worker) release() {
	for _, c := range w.blocked {
		close(c)
	}
}

func (w *worker) deepStack() {
	a := w.named()
	descend(a, 20+w.IntN(200))
	w.reset(a)
}

//go:noinline
func descend(a *arena.Arena, n int) *order {
	o := arena.NewOf(a, order{id: n})
	if n > 0 {
		o.next = descend(a, n-1)
	}
	return o
}

func (w *worker) children() {
	a := w.named()
	o := orderChain(a, 2)
	c := a.Child()
	for range 2 {
		orderChain(c, 2).next = o
		w.reset(c)
	}
	orderChain(a.Child(), 1)
	w.reset(a)
}

func (w *worker) marks() {
	a := w.named()
	o := orderChain(a, 2)
	m := a.Mark()
	for range 3 {
		o.next = orderChain(a, 2)
		o.next = nil
		a.Rewind(m)
		w.taken.Add(1)
	}
	if o.length() != 1 {
		panic("wrong length")
	}
	w.reset(a)
}

func (w *worker) pooled() {
	a := w.pool.Get()
	defer w.taken.Add(1)
	defer w.pool.Put(a)
	o := orderChain(a, 3)
	defer func() { o.id++ }()
	o.length()
}

func (w *worker) keyed() {
	for _, key := range []string{"a", "b"} {
		w.pool.DoKeyed(key, func(a *arena.Arena) error {
			orderChain(a, 2).length()
			return nil
		})
		w.taken.Add(1)
	}
}

// samples has checked arenas among others, and only the checked ones count.
func (w *worker) samples() {
	for range 4 {
		w.sampled.Do(func(a *arena.Arena) error {
			orderChain(a, 2).length()
			return nil
		})
	}
	w.taken.Add(1) // in the mean it is 2
}

func (w *worker) shares() {
	s := arena.NewShared(append(slices.Clip(w.options), arena.WithName("correct"))...)
	var wait sync.WaitGroup
	var orders [2]*order
	for i := range orders {
		wait.Add(1)
		go func() {
			defer wait.Done()
			orders[i] = orderChain(s.Local(), 2)
		}()
	}
	wait.Wait()
	orders[0].next, orders[1].next = orders[1], orders[0]
	orders = [2]*order{}
	s.Reset()
	w.taken.Add(1)
}

func (w *worker) grows() {
	a := w.named()
	var orders []*order
	var prices []price
	for i := range 30 {
		orders = arena.Append(a, orders, orderChain(a, 1))
		prices = arena.Append(a, prices, price{i, i})
	}
	prices = arena.Grow(a, prices, 100)
	sum := 0
	for _, o := range orders {
		sum += o.id + len(prices)
	}
	w.reset(a)
}

func (w *worker) interfaces() {
	a := w.named()
	all := []any{orderChain(a, 1), arena.New[price](a), a.AllocString("text"), arena.MakeSlice[int](a, 5, 5)}
	for _, x := range all {
		switch x := x.(type) {
		case *order:
			x.id++
		case fmt.Stringer:
			panic(x.String())
		}
	}
	w.reset(a)
}

func (w *worker) panics() {
	a := w.named()
	func() {
		defer func() { recover() }()
		panic(orderChain(a, 2))
	}()
	w.reset(a)
}

// timers drops the references of a timer's function first. Stop isn't enough: the runtime
// keeps stopped timers with their functions until it comes across them.
func (w *worker) timers() {
	a := w.named()
	o := orderChain(a, 1)
	timer := time.AfterFunc(time.Hour, func() { o.id++ })
	if timer.Stop() {
		o = nil
	}
	w.reset(a)
}

func (w *worker) pulls() {
	a := w.named()
	next, stop := iter.Pull(func(yield func(*order) bool) {
		for range 5 {
			if !yield(orderChain(a, 1)) {
				return
			}
		}
	})
	next()
	next()
	stop()
	w.reset(a)
}

func (w *worker) selects() {
	a := w.named()
	c, cancel := make(chan *order), make(chan bool)
	ended := make(chan bool)
	go func(o *order) {
		select {
		case c <- o:
		case <-cancel:
		}
		close(ended)
	}(orderChain(a, 1))
	if w.IntN(2) == 0 {
		close(cancel)
	} else {
		(<-c).id++
	}
	<-ended
	w.reset(a)
}

func (w *worker) syncPool() {
	a := w.named()
	p, _ := w.slots.Get().(*[4]*order)
	if p == nil {
		p = new([4]*order)
	}
	p[2] = orderChain(a, 1)
	*p = [4]*order{}
	w.slots.Put(p)
	w.reset(a)
}

func (w *worker) large() {
	a := w.named()
	b := a.AllocBytes(1 + w.IntN(50_000))
	b[len(b)-1] = 1
	c := arena.CopySlice(a, b[:1+len(b)/2])
	c[0] = 1
	w.reset(a)
}

func (w *worker) typed() {
	a := w.named()
	orders := arena.For[order](a)
	for range 2 {
		for range 5 {
			orders.New().next = orders.New()
		}
		w.reset(a)
	}
}

// fields has values on the heap whose references are dropped first.
func (w *worker) fields() {
	a := w.named()
	s := struct {
		order *order
		array [3]struct{ name string }
	}{order: orderChain(a, 2)}
	s.array[1].name = a.Sprintf("%d", w.IntN(100))
	heap := &s
	kept := arena.DeepClone(heap.order)
	kept.name = strings.Clone(heap.array[1].name)
	heap.order, heap.array[1].name = nil, ""
	w.reset(a)
	if kept.length() != 2 {
		panic("wrong length")
	}
}

func (w *worker) texts() {
	a := w.named()
	words := strings.Fields(a.AllocString("a text of some words"))
	counts := map[string]int{}
	for _, word := range words {
		counts[strings.Clone(word)]++
	}
	w.reset(a)
	if len(counts) != 5 {
		panic("wrong count")
	}
}

// frees reclaims nothing: freed values may live.
func (w *worker) frees() {
	a := w.named()
	o := orderChain(a, 3)
	a.Child().Free()
	a.Free()
	if o.length() != 3 {
		panic("wrong length")
	}
}

// leaves keeps values that Free of a child and of a local leaves.
func (w *worker) leaves() {
	a := w.named()
	orderChain(a, 1)
	c := a.Child()
	w.left = append(w.left, orderChain(c, 2), orderChain(c.Child(), 2))
	c.Free()
	w.reset(a)
	s := arena.NewShared(append(slices.Clip(w.options), arena.WithName("correct"))...)
	orderChain(s.Local(), 1)
	local := s.Local()
	w.left = append(w.left, orderChain(local, 2))
	local.Free()
	s.Reset()
	w.taken.Add(1)
	w.left = w.left[max(0, len(w.left)-30):]
}
