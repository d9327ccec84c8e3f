package services

import (
	"net/http"
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

// What functions take out again that others have put somewhere, goroutines of their own arena each, and functions that
// return where there is nothing to do.

type registry struct {
	mu      sync.RWMutex
	pool    *arena.Pool
	errands map[int]*errand
	all     sync.Map
	current *errand
}

type errand struct {
	id   int
	name string
}

func (r *registry) remove(id int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.errands, id)
}
func (r *registry) removeErrand(j *errand) {
	if _, ok := r.errands[j.id]; !ok {
		return
	}
	delete(r.errands, j.id)
}
func (r *registry) removeAny() {
	for id := range r.errands {
		delete(r.errands, id)
		return
	}
}
func (r *registry) OKDeferredDelete(id int) error {
	return r.pool.Do(func(a *arena.Arena) error {
		r.errands[id] = arena.New[errand](a)
		defer func() {
			r.mu.Lock()
			delete(r.errands, id)
			r.mu.Unlock()
		}()
		return nil
	})
}
func (r *registry) OKDeferredSyncDelete(id int) error {
	return r.pool.Do(func(a *arena.Arena) error {
		r.all.Store(id, arena.New[errand](a))
		defer func() {
			r.mu.Lock() // nobody looks at it
			r.all.Delete(id)
			r.mu.Unlock()
		}()
		return nil
	})
}
func (r *registry) OKRemoved(id int) error {
	return r.pool.Do(func(a *arena.Arena) error {
		r.errands[id] = arena.New[errand](a)
		defer r.remove(id)
		return nil
	})
}
func (r *registry) OKRemovedIfThere() error {
	return r.pool.Do(func(a *arena.Arena) error {
		j := arena.New[errand](a)
		r.errands[j.id] = j
		r.removeErrand(j)
		return nil
	})
}
func (r *registry) BadRemovedAny(id int) error {
	return r.pool.Do(func(a *arena.Arena) error {
		r.errands[id] = arena.New[errand](a)
		r.removeAny()
		return nil
	})
}
func (r *registry) BadRemovedElsewhere(id int) error {
	return r.pool.Do(func(a *arena.Arena) error {
		r.errands[id] = arena.New[errand](a)
		defer func() {
			r.mu.Lock()
			r.all.Delete(id)
			r.mu.Unlock()
		}()
		return nil
	})
}

type crew struct{ workers []*worker }

type worker struct{ a *arena.Arena }

func (w *worker) run() { arena.New[errand](w.a) }

func (c *crew) OKEachRuns() {
	for _, w := range c.workers {
		go w.run()
	}
}
func (c *crew) OKEachRunsInGroup() {
	var wg sync.WaitGroup
	for _, w := range c.workers {
		wg.Go(func() { w.run() })
	}
	wg.Wait()
}
func (c *crew) OKEachRunsItsPart(files []string) {
	var wg sync.WaitGroup
	for i, w := range c.workers {
		wg.Go(func() {
			for n := i; n < len(files); n += len(c.workers) {
				w.run()
			}
		})
	}
	wg.Wait()
}
func OKEachMade(n int) {
	var workers []*worker
	for range n {
		workers = append(workers, &worker{arena.NewArena()})
	}
	var wg sync.WaitGroup
	for i := range workers {
		w := workers[i]
		wg.Go(func() { w.run() })
	}
	wg.Wait()
}
func OKEachFromMap(workers map[string]*worker) {
	for _, w := range workers {
		go w.run()
	}
}
func BadOneRunsOften(w *worker, n int) {
	for range n {
		go w.run()
	}
}
func (c *crew) BadOtherRunsOften(w *worker) {
	for range c.workers {
		x := w
		go func() { x.run() }()
	}
}
func (c *crew) BadFirstRunsOften() {
	w := c.workers[0]
	for range c.workers {
		go w.run()
	}
}
func (c *crew) BadEachRunsInOne(a *arena.Arena) {
	for _, w := range c.workers {
		go func() { arena.NewOf(a, *w) }()
	}
}

type batch struct {
	a    *arena.Arena
	rows []*errand
	kept *errand
}

func (b *batch) flush() error {
	if len(b.rows) == 0 {
		return nil
	}
	b.a.Reset()
	return nil
}
func (b *batch) flushDeferred() error {
	if b.rows == nil {
		return nil
	}
	defer b.a.Reset()
	return b.write()
}
func (b *batch) flushUnless(stop bool) error {
	if stop {
		return nil
	}
	b.a.Reset()
	return nil
}
func (b *batch) write() error {
	_ = len(b.rows)
	return nil
}
func (b *batch) BadUsedAfterFlush() string {
	j := arena.New[errand](b.a)
	b.rows = append(b.rows, j)
	b.flush()
	return j.name
}
func (b *batch) BadKeptByBatch() {
	b.rows = append(b.rows, arena.New[errand](b.a))
	b.flushDeferred()
}
func (b *batch) OKFlushedUnless(stop bool) string {
	j := arena.New[errand](b.a)
	if b.flushUnless(stop); !stop {
		return ""
	}
	return j.name
}
func (b *batch) OKFlushedAndEmptied() {
	b.rows = append(b.rows, arena.New[errand](b.a))
	b.flush()
	b.rows = nil
}

type table struct {
	a, spare *arena.Arena
	first    *row
	names    *collections.Interner
	last     *row
	garbage  int
}

type row struct {
	text string
	next *row
}

func (t *table) compact() {
	var first *row
	for r := t.first; r != nil; r = r.next {
		first = arena.NewOf(t.spare, row{t.spare.AllocString(r.text), first})
	}
	t.first = first
	t.a, t.spare = t.spare, t.a
	t.spare.Reset()
}
func (t *table) reset() {
	t.a.Reset()
	t.names = collections.NewInterner(t.a, 64)
}
func (t *table) OKCompacted(text string) {
	for r := t.first; r != nil; r = r.next {
		r.text = t.a.AllocString(text)
		if t.garbage++; t.garbage > 100 {
			t.compact()
		}
		return
	}
}
func (t *table) OKNamedAnew(texts []string) (n int) {
	for _, x := range texts {
		t.names.Intern(x)
		n += t.names.Len()
		t.reset()
	}
	return n
}
func (t *table) BadBesideCompacted(text string) {
	t.last = arena.NewOf(t.a, row{text: t.a.AllocString(text)})
	t.compact()
}
func (t *table) BadBesideNames(text string) {
	t.last = arena.NewOf(t.a, row{text: t.a.AllocString(text)})
	t.reset()
}

func OKHeaderDeleted(r *http.Request, pool *arena.Pool) {
	a := pool.Get()
	r.Header.Set("X-Name", a.AllocString("y"))
	r.Header.Del("X-Name")
	pool.Put(a)
}
func BadHeaderKept(r *http.Request, pool *arena.Pool) {
	a := pool.Get()
	r.Header.Del("X-Name")
	r.Header.Set("X-Name", a.AllocString("y"))
	pool.Put(a)
}
