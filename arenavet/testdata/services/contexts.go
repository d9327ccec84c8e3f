package services

import (
	"context"
	"net/http"
	"sync"

	"github.com/harena-go/arena"
)

// Goroutines that get the arena of a context themselves, or what they call does.
type graph struct {
	pool *arena.Pool
	mu   sync.Mutex
	log  []string
	wg   sync.WaitGroup
	res  grapher
	any  grapher
}
type grapher interface {
	Graph(ctx context.Context, name string) *item
}
type arenaGrapher struct{}

func (arenaGrapher) Graph(ctx context.Context, name string) *item {
	return arena.NewOf(arena.FromContext(ctx), item{sku: name})
}

type heapGrapher struct{}

func (heapGrapher) Graph(ctx context.Context, name string) *item { return &item{sku: name} }

func newGraph() *graph {
	g := &graph{pool: arena.NewPool(arena.WithReuse()), res: arenaGrapher{}, any: heapGrapher{}}
	if g.log != nil {
		g.any = arenaGrapher{}
	}
	return g
}

func graphOne(ctx context.Context, name string) *item {
	return arena.NewOf(arena.FromContext(ctx), item{sku: name})
}
func (g *graph) note(ctx context.Context, name string) {
	line := arena.Concat(arena.FromContext(ctx), name, "!")
	g.mu.Lock()
	defer g.mu.Unlock()
	g.log = append(g.log, string([]byte(line)))
}
func (g *graph) noteLater(ctx context.Context, name string) {
	ctx = context.WithoutCancel(ctx)
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		g.note(ctx, name)
	}()
}

func (g *graph) BadContextFan(ctx context.Context, names []string) {
	var wg sync.WaitGroup
	for _, name := range names {
		wg.Go(func() { graphOne(ctx, name) })
	}
	wg.Wait()
}
func (g *graph) BadContextFanHere(ctx context.Context, names []string) {
	var wg sync.WaitGroup
	for _, name := range names {
		wg.Go(func() {
			a := arena.FromContext(ctx)
			a.AllocString(name)
		})
	}
	wg.Wait()
}
func (g *graph) BadContextIface(ctx context.Context, names []string) {
	var wg sync.WaitGroup
	for _, name := range names {
		wg.Go(func() { g.res.Graph(ctx, name) })
	}
	wg.Wait()
}
func (g *graph) BadContextDo(ctx context.Context, name string) error {
	return g.pool.Do(func(a *arena.Arena) error {
		c := arena.NewContext(ctx, a)
		go func() { graphOne(c, name) }()
		return nil
	})
}
func (g *graph) BadContextPut(ctx context.Context, name string) {
	a := g.pool.Get()
	defer g.pool.Put(a)
	g.noteLater(arena.NewContext(ctx, a), name)
}
func (g *graph) BadContextRequest(w http.ResponseWriter, r *http.Request) {
	g.noteLater(r.Context(), r.URL.Path)
	w.WriteHeader(http.StatusNoContent)
}
func (g *graph) OKContextRequest(w http.ResponseWriter, r *http.Request) {
	g.noteLater(context.Background(), r.URL.Path)
	g.note(r.Context(), r.URL.Path)
}
func (g *graph) OKContextRequestNone(w http.ResponseWriter, r *http.Request) {
	g.noteLater(arena.NewContext(r.Context(), nil), r.URL.Path)
}
func (g *graph) OKContextAwaited(w http.ResponseWriter, r *http.Request) {
	g.noteLater(r.Context(), r.URL.Path)
	g.wg.Wait()
}
func (g *graph) OKContextFan(ctx context.Context, names []string) {
	var wg sync.WaitGroup
	for _, name := range names {
		wg.Go(func() {
			a := g.pool.Get()
			defer g.pool.Put(a)
			graphOne(arena.NewContext(ctx, a), name)
		})
	}
	wg.Wait()
}
func (g *graph) OKContextNone(ctx context.Context, names []string) {
	var wg sync.WaitGroup
	heap := arena.NewContext(ctx, nil)
	for _, name := range names {
		wg.Go(func() { graphOne(heap, name) })
	}
	wg.Wait()
}
func (g *graph) OKContextOne(ctx context.Context, name string) error {
	return g.pool.Do(func(a *arena.Arena) error {
		c := arena.NewContext(ctx, a)
		done := make(chan struct{})
		go func() {
			defer close(done)
			graphOne(c, name)
		}()
		<-done
		graphOne(c, name)
		return nil
	})
}
func (g *graph) OKContextIface(ctx context.Context, names []string) {
	var wg sync.WaitGroup
	for _, name := range names {
		wg.Go(func() { g.any.Graph(ctx, name) })
	}
	wg.Wait()
}
func (g *graph) OKContextLocked(ctx context.Context, names []string) {
	var wg sync.WaitGroup
	for _, name := range names {
		wg.Go(func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			graphOne(ctx, name)
		})
	}
	wg.Wait()
}
