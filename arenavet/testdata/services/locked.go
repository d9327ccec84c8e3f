package services

import (
	"slices"
	"strings"
	"sync"

	"github.com/harena-go/arena"
)

// What goroutines store under a lock is there when they are done.
type loader struct {
	shared *arena.Shared
	pool   *arena.Pool
	mu     sync.Mutex
	texts  []string
	memo   map[string]*item
}
type loaded struct {
	mu    sync.Mutex
	items []*item
	names []string
}

func (l *loaded) add(x *item) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items = append(l.items, x)
}

func (l *loader) BadLockedReturned(names []string) []*item {
	defer l.shared.Reset()
	var wg sync.WaitGroup
	res := new(loaded)
	for _, name := range names {
		wg.Go(func() {
			a := l.shared.Local()
			res.add(arena.NewOf(a, item{sku: name}))
		})
	}
	wg.Wait()
	return res.items
}
func (l *loader) BadLockedMap(names []string) {
	defer l.shared.Reset()
	var wg sync.WaitGroup
	for _, name := range names {
		wg.Go(func() {
			x := arena.NewOf(l.shared.Local(), item{sku: name})
			l.mu.Lock()
			l.memo[name] = x
			l.mu.Unlock()
		})
	}
	wg.Wait()
}
func (l *loader) BadLockedLocal(names []string) []string {
	defer l.shared.Reset()
	var wg sync.WaitGroup
	var mu sync.Mutex
	var list []string
	for _, name := range names {
		wg.Go(func() {
			text := l.shared.Local().AllocString(name)
			mu.Lock()
			defer mu.Unlock()
			list = append(list, text)
		})
	}
	wg.Wait()
	return list
}
func (l *loader) OKLockedCloned(names []string) []string {
	defer l.shared.Reset()
	var wg sync.WaitGroup
	var mu sync.Mutex
	var list []string
	for _, name := range names {
		wg.Go(func() {
			text := l.shared.Local().AllocString(name)
			mu.Lock()
			defer mu.Unlock()
			list = append(list, strings.Clone(text))
		})
	}
	wg.Wait()
	return list
}
func (l *loader) OKLockedCounted(names []string) (n int) {
	defer l.shared.Reset()
	var wg sync.WaitGroup
	res := new(loaded)
	for _, name := range names {
		wg.Go(func() { res.add(arena.NewOf(l.shared.Local(), item{sku: name})) })
	}
	wg.Wait()
	for _, x := range res.items {
		n += len(x.sku)
	}
	return n
}

// OKLockedOwn has each goroutine put its own arena back when it has copied what is in it.
func (l *loader) OKLockedOwn(names []string) []*item {
	var wg sync.WaitGroup
	res := new(loaded)
	for _, name := range names {
		wg.Go(func() {
			a := l.pool.Get()
			defer l.pool.Put(a)
			x := arena.NewOf(a, item{sku: a.AllocString(name)})
			res.add(&item{sku: strings.Clone(x.sku)})
		})
	}
	wg.Wait()
	return res.items
}

// OKLockedKept leaves them to the caller, who resets the arena.
func (l *loader) OKLockedKept(names []string) []*item {
	var wg sync.WaitGroup
	res := new(loaded)
	for _, name := range names {
		wg.Go(func() { res.add(arena.NewOf(l.shared.Local(), item{sku: name})) })
	}
	wg.Wait()
	return slices.Clone(res.items)
}

// OKLockedEmptied empties the list before the arena is reset.
func (l *loader) OKLockedEmptied(names []string) {
	var wg sync.WaitGroup
	for _, name := range names {
		wg.Go(func() {
			text := l.shared.Local().AllocString(name)
			l.mu.Lock()
			l.texts = append(l.texts, text)
			l.mu.Unlock()
		})
	}
	wg.Wait()
	l.texts = nil
	l.shared.Reset()
}
