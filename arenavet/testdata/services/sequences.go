package services

import (
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/harena-go/arena"
)

// Sequences whose elements end before the loop over them does, and functions that are
// kept beyond the end of the arena in which they allocate.

// rows takes each row back when the body of the loop is done with it.
func rows(a *arena.Arena, n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range n {
			if !yield(a.Sprintf("row %d", i)) {
				return
			}
			a.Reset()
		}
	}
}

// fresh takes each row back before the next one.
func fresh(a *arena.Arena, n int) iter.Seq[*item] {
	return func(yield func(*item) bool) {
		for range n {
			a.Reset()
			if !yield(arena.New[item](a)) {
				return
			}
		}
	}
}
func BadFreshKept(a *arena.Arena) int {
	var list []*item
	for x := range fresh(a, 3) {
		if len(list) == 0 || x.n > list[len(list)-1].n {
			list = append(list, x)
		}
	}
	return len(list)
}
func BadFreshAfter(a *arena.Arena) (n int) {
	byName := map[string]*item{}
	for x := range fresh(a, 3) {
		byName["x"] = x
	}
	for _, x := range byName {
		n += x.n
	}
	return n
}

// freshLines does so in the body of a loop over another sequence.
func freshLines(a *arena.Arena, text string) iter.Seq[*item] {
	return func(yield func(*item) bool) {
		for l := range strings.Lines(text) {
			a.Reset()
			if !yield(arena.NewOf(a, item{sku: a.AllocString(l)})) {
				return
			}
		}
	}
}
func BadFreshLines(a *arena.Arena, text string) int {
	var list []*item
	for x := range freshLines(a, text) {
		if len(list) == 0 || x.n > list[len(list)-1].n {
			list = append(list, x)
		}
	}
	return len(list)
}
func OKFreshLines(a *arena.Arena, text string) (n int) {
	for x := range freshLines(a, text) {
		n += len(x.sku)
	}
	return n
}
func BadFreshCollected(a *arena.Arena) (n int) {
	for _, x := range slices.Collect(fresh(a, 3)) {
		n += x.n
	}
	return n
}
func OKFreshLast(a *arena.Arena) int {
	var last *item
	n := 0
	for x := range fresh(a, 3) {
		n += x.n
		last = x
	}
	return n + last.n
}
func OKFreshFirst(a *arena.Arena) int {
	var list []*item
	for x := range fresh(a, 3) {
		if x.n > 1 {
			list = append(list, x)
			break
		}
	}
	return list[0].n
}
func OKFreshCopied(a *arena.Arena) (list []*item) {
	for x := range fresh(a, 3) {
		if x.n > 0 {
			list = append(list, &item{n: x.n, sku: strings.Clone(x.sku)})
		}
		if len(list) > 1 {
			println(list[0].n)
		}
	}
	return list
}

// pooled has a new arena for each item.
func pooled(pool *arena.Pool, n int) iter.Seq[*item] {
	return func(yield func(*item) bool) {
		for range n {
			a := pool.Get()
			more := yield(arena.New[item](a))
			pool.Put(a)
			if !more {
				return
			}
		}
	}
}

// numbered has one for all.
func numbered(pool *arena.Pool, n int) iter.Seq2[int, *item] {
	return func(yield func(int, *item) bool) {
		pool.Do(func(a *arena.Arena) error {
			for i := range n {
				if !yield(i, arena.New[item](a)) {
					break
				}
			}
			return nil
		})
	}
}

// scanned rewinds.
func scanned(a *arena.Arena, n int) iter.Seq[*item] {
	return func(yield func(*item) bool) {
		for range n {
			m := a.Mark()
			more := yield(arena.New[item](a))
			a.Rewind(m)
			if !more {
				return
			}
		}
	}
}

// of leaves its items to who owns the arena.
func of(a *arena.Arena, n int) iter.Seq[*item] {
	return func(yield func(*item) bool) {
		for range n {
			if !yield(arena.New[item](a)) {
				return
			}
		}
	}
}

func only[T any](s iter.Seq[T], f func(T) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v := range s {
			if f(v) && !yield(v) {
				return
			}
		}
	}
}

// withItem is a loop of old.
func withItem(pool *arena.Pool, f func(*item)) {
	a := pool.Get()
	defer pool.Put(a)
	f(arena.New[item](a))
}

func BadRows(a *arena.Arena) bool {
	var all []string
	for row := range rows(a, 3) {
		all = append(all, row)
	}
	return all[0] < all[1]
}
func BadPooledLast(pool *arena.Pool) int {
	var last *item
	for x := range pooled(pool, 3) {
		last = x
	}
	return last.n
}
func BadPooledFirst(pool *arena.Pool) *item {
	for x := range pooled(pool, 3) {
		if x.n > 0 {
			return x
		}
	}
	return nil
}
func (d *desk) BadNumbered(m map[int]*item) {
	for i, x := range numbered(d.pool, 3) {
		m[i] = x
	}
}
func BadNumberedKept(pool *arena.Pool) int {
	m := map[int]*item{}
	for i, x := range numbered(pool, 3) {
		m[i] = x
	}
	return m[0].n
}
func BadScanned(a *arena.Arena) int {
	var previous *item
	n := 0
	for x := range scanned(a, 3) {
		previous = x
	}
	return previous.n + n
}
func BadCollected(pool *arena.Pool) int {
	return slices.Collect(pooled(pool, 3))[0].n
}
func BadOnly(a *arena.Arena) int {
	var all []*item
	for x := range only(of(a, 3), func(x *item) bool { return x.n > 0 }) {
		all = append(all, x)
	}
	a.Reset()
	return all[0].n
}
func BadOnlyPooled(pool *arena.Pool) int {
	var last *item
	for x := range only(pooled(pool, 3), func(x *item) bool { return x.n > 0 }) {
		last = x
	}
	return last.n
}
func BadEach(pool *arena.Pool) int {
	var last *item
	withItem(pool, func(x *item) { last = x })
	return last.n
}
func OKRows(a *arena.Arena) (all []string, n int) {
	for row := range rows(a, 3) {
		all = append(all, strings.Clone(row))
		n += len(row)
	}
	return all, n
}
func OKPooled(pool *arena.Pool) (n int) {
	var biggest item
	for x := range pooled(pool, 3) {
		if x.n > biggest.n {
			biggest.n = x.n
		}
	}
	for _, x := range numbered(pool, 3) {
		n += x.n
	}
	withItem(pool, func(x *item) { n += x.n })
	return n + biggest.n
}
func OKScanned(a *arena.Arena) (n int) {
	var x *item
	for x = range scanned(a, 3) {
		n += x.n
	}
	return n
}
func OKOf(a *arena.Arena) (n int) {
	all := slices.Collect(of(a, 3))
	for x := range only(of(a, 3), func(x *item) bool { return x.n > 0 }) {
		all = append(all, x)
	}
	n = all[0].n
	a.Reset()
	return n
}
func OKFind(pool *arena.Pool) string {
	for x := range pooled(pool, 3) {
		if x.n > 0 {
			return strings.Clone(x.sku)
		}
	}
	return ""
}

func OKPull(pool *arena.Pool) (n int) {
	a := pool.Get()
	defer pool.Put(a)
	next, stop := iter.Pull(of(a, 3))
	defer stop()
	for x, ok := next(); ok; x, ok = next() {
		n += x.n
	}
	return n
}
func OKPullReset(a *arena.Arena) (n int) {
	next, stop := iter.Pull(of(a, 3))
	defer stop()
	for {
		x, ok := next()
		if !ok {
			return n
		}
		n += x.n
		a.Reset() // it allocates the next one after that
	}
}

// A lazy server makes things when they are asked for.
type lazy struct {
	pool  *arena.Pool
	owner func() *item
	alloc func() *item
	hooks []func()
	rows  iter.Seq[*item]
	next  func() (*item, bool)
	last  *item
}

func (l *lazy) BadOnceOfDo() {
	l.pool.Do(func(a *arena.Arena) error {
		if l.owner == nil {
			l.owner = sync.OnceValue(func() *item { return arena.New[item](a) })
		}
		return nil
	})
}
func BadOnceReset(a *arena.Arena) int {
	owner := sync.OnceValue(func() *item { return arena.New[item](a) })
	owner()
	a.Reset()
	return owner().n
}
func BadOncePut(pool *arena.Pool) *item {
	a := pool.Get()
	owner := sync.OnceValues(func() (*item, error) { return arena.New[item](a), nil })
	x, _ := owner()
	pool.Put(a)
	return x
}
func (l *lazy) BadHook() {
	a := l.pool.Get()
	defer l.pool.Put(a)
	l.hooks = append(l.hooks, func() { l.last = arena.New[item](a) })
}
func (l *lazy) BadRowsOfDo() error {
	return l.pool.Do(func(a *arena.Arena) error {
		l.rows = of(a, 3)
		return nil
	})
}
func (l *lazy) BadShelfMethod() error {
	return l.pool.Do(func(a *arena.Arena) error {
		l.alloc = newShelf(a).try
		return nil
	})
}
func BadLazyReturned(pool *arena.Pool) iter.Seq[*item] {
	a := pool.Get()
	defer pool.Put(a)
	return of(a, 3)
}
func OKLazyReturned(pool *arena.Pool) iter.Seq[*item] {
	return func(yield func(*item) bool) {
		a := pool.Get()
		defer pool.Put(a)
		for x := range of(a, 3) {
			if !yield(x) {
				return
			}
		}
	}
}
func OKAllocator(a *arena.Arena) func() *item {
	return func() *item { return arena.New[item](a) }
}
func OKOnce(pool *arena.Pool) int {
	a := pool.Get()
	release := sync.OnceFunc(func() { pool.Put(a) })
	defer release()
	owner := sync.OnceValue(func() *item { return arena.New[item](a) })
	n := owner().n + owner().n
	if n > 3 {
		release()
		return n
	}
	return n
}
func (l *lazy) OKOnceCloned() error {
	return l.pool.Do(func(a *arena.Arena) error {
		owner := sync.OnceValue(func() *item { return arena.New[item](a) })
		l.last = &item{n: owner().n}
		l.alloc = func() *item { return owner() }
		defer func() { l.alloc = nil }()
		return nil
	})
}
func (l *lazy) OKHookEnds() {
	a := l.pool.Get()
	l.hooks = append(l.hooks, func() { l.pool.Put(a) })
	l.alloc = func() *item { return arena.New[item](a) }
}
func (l *lazy) OKHookRuns() {
	a := l.pool.Get()
	hooks := []func(){func() { arena.New[item](a) }}
	for _, h := range hooks {
		h()
	}
	l.pool.Put(a)
}

// A method value has its receiver.
func BadMethodValues(pool *arena.Pool) {
	var hooks []func()
	for range 3 {
		a := pool.Get()
		hooks = append(hooks, arena.New[item](a).touch)
		pool.Put(a)
	}
	for _, h := range hooks {
		h()
	}
}
func OKMethodValues(pool *arena.Pool) {
	for range 3 {
		var hooks []func()
		a := pool.Get()
		hooks = append(hooks, arena.New[item](a).touch)
		for _, h := range hooks {
			h()
		}
		pool.Put(a)
	}
}
func (x *item) touch() { x.n++ }
