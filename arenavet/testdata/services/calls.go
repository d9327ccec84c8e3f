// This file has handlers, results that are dropped, constructors that fail, callbacks,
// and what is right though it looks wrong.

package services

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"os"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
	"github.com/harena-go/arena/collections"
)

// An api is a server with handlers.
type api struct {
	pool  *arena.Pool
	last  string
	items map[string]*item
	a     *arena.Arena
	queue chan *item
	log   []string
	mu    sync.Mutex
	st    store
}
type store interface {
	Save(ctx context.Context, it *item) error
}

func (s *api) BadHandlerCtx(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	s.last = a.AllocString(r.URL.Path)
}
func (s *api) BadHandlerCtxMap(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	it := arena.New[item](a)
	it.sku = a.AllocString(r.FormValue("x"))
	s.mu.Lock()
	s.items[it.sku] = it
	s.mu.Unlock()
}
func (s *api) BadHandlerKeepsArena(w http.ResponseWriter, r *http.Request) {
	s.a = arena.FromContext(r.Context())
}
func (s *api) BadHandlerGo(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	it := decode(a, []byte(r.URL.Path))
	go fmt.Println(it.sku)
}
func (s *api) BadHandlerChan(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	it := decode(a, []byte(r.URL.Path))
	s.queue <- it
}
func BadHandlerFunc(pool *arena.Pool) http.Handler {
	var last string
	return arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		fmt.Fprint(w, last)
		last = a.AllocString(r.URL.Path)
	}))
}
func (s *api) OKHandler(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	it := decode(a, []byte(r.URL.Path))
	s.last = strings.Clone(it.sku)
	w.Header().Set("X-Name", it.sku)
	json.NewEncoder(w).Encode(it)
}
func (s *api) BadHandlerBody(w http.ResponseWriter, r *http.Request) {
	b, err := arenahttp.ReadBody(r)
	if err != nil {
		return
	}
	s.log = append(s.log, string(b))
	s.queue <- &item{sku: arena.FromContext(r.Context()).AllocString("x")}
}
func (s *api) OKHandlerHelper(w http.ResponseWriter, r *http.Request) {
	p := &parser{a: arena.FromContext(r.Context())}
	p.root = decode(p.a, []byte(r.URL.Path))
	p.run()
	fmt.Fprint(w, p.root.n)
}

type parser struct {
	a    *arena.Arena
	root *item
	errs []string
	toks []string
}

func (p *parser) run() {
	p.root = arena.New[item](p.a)
	p.toks = arena.Append(p.a, p.toks, p.a.AllocString("t"))
}
func (p *parser) OKParse(a *arena.Arena, s string) *item {
	p.a = a
	p.root = arena.New[item](a)
	p.toks = arena.Append(a, p.toks, a.AllocString(s))
	return p.root
}
func (p *parser) OKReset() {
	p.a.Reset()
	p.root = nil
	p.toks = nil
}

var keptArena *arena.Arena
var lastName string

func BadKeepCtxArenaGlobal(ctx context.Context) {
	keptArena = arena.FromContext(ctx)
}
func BadKeepCtxMemGlobal(ctx context.Context) {
	lastName = arena.FromContext(ctx).AllocString("x")
}
func BadServeHTTPOrder(pool *arena.Pool) http.HandlerFunc {
	seen := map[string]bool{}
	return func(w http.ResponseWriter, r *http.Request) {
		a := pool.Get()
		defer pool.Put(a)
		seen[a.AllocString(r.URL.Path)] = true
	}
}

// Calls that can't be meant.

func BadDropAppend(a *arena.Arena, xs []int) []int {
	arena.Append(a, xs, 1)
	return xs
}
func BadDropAppend2(a *arena.Arena, xs []int) []int {
	_ = arena.Append(a, xs, 1)
	return xs
}
func BadDropGrow(a *arena.Arena, xs []int) []int {
	arena.Grow(a, xs, 10)
	return xs
}
func BadDropNew(a *arena.Arena) {
	arena.New[item](a)
}
func OKTwoAppends(a *arena.Arena, base []int, c bool) []int {
	if c {
		return arena.Append(a, base, 1)
	}
	return arena.Append(a, base, 2)
}
func OKTwoAppendsChain(a *arena.Arena, base []int) []int {
	base = arena.Append(a, base, 1)
	base = arena.Append(a, base, 2)
	return base
}
func OKTwoAppendsNil(a *arena.Arena) ([]int, []int) {
	return arena.Append(a, nil, 1), arena.Append(a, nil, 2)
}
func OKTwoAppendsCap(a *arena.Arena, base []int) ([]int, []int) {
	x := arena.Append(a, base[:len(base):len(base)], 1)
	y := arena.Append(a, base[:len(base):len(base)], 2)
	return x, y
}
func OKAppendReset(a *arena.Arena, buf []byte) (n int) {
	for range 3 {
		b := arena.Append(a, buf[:0], 'x')
		n += len(b)
	}
	return n
}
func BadDeferPutLoop(pool *arena.Pool, texts [][]byte) {
	for _, t := range texts {
		a := pool.Get()
		defer pool.Put(a)
		decode(a, t)
	}
}
func OKDeferPutLoopFunc(pool *arena.Pool, texts [][]byte) {
	for _, t := range texts {
		func() {
			a := pool.Get()
			defer pool.Put(a)
			decode(a, t)
		}()
	}
}
func BadDeferFreeLoop(texts [][]byte) {
	for _, t := range texts {
		a := arena.NewArena()
		defer a.Free()
		decode(a, t)
	}
}
func OKRef(a *arena.Arena) {
	m := collections.NewMap[string, int](a, 4)
	*m.Ref("x")++
	m.Set("y", 2)
	*m.Ref("x")++
}
func OKBytesUse(a *arena.Arena, w io.Writer) {
	b := collections.NewBuffer(a, 10)
	b.WriteString("hello")
	w.Write(b.Bytes())
	b.WriteString(" world")
	w.Write(b.Bytes())
}
func BadPutMissingErr(pool *arena.Pool, name string) (*sess, error) {
	a := pool.Get()
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return &sess{a: a, f: f, pool: pool}, nil
}
func OKPutErr(pool *arena.Pool, name string) (*sess, error) {
	a := pool.Get()
	f, err := os.Open(name)
	if err != nil {
		pool.Put(a)
		return nil, err
	}
	return &sess{a: a, f: f, pool: pool}, nil
}
func BadPutMissingErr2(pool *arena.Pool, name string) (*sess, error) {
	s := &sess{pool: pool, a: pool.Get()}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	s.f = f
	return s, nil
}
func OKPutErr2(pool *arena.Pool, name string) (*sess, error) {
	s := &sess{pool: pool, a: pool.Get()}
	f, err := os.Open(name)
	if err != nil {
		s.Close()
		return nil, err
	}
	s.f = f
	return s, nil
}
func (s *sess) Close() { s.pool.Put(s.a) }

type sess struct {
	a    *arena.Arena
	f    *os.File
	pool *arena.Pool
}

func BadTypedAfterPut(pool *arena.Pool) {
	a := pool.Get()
	t := arena.For[item](a)
	t.New()
	pool.Put(a)
	t.New()
}
func BadTypedField(pool *arena.Pool) *item {
	a := pool.Get()
	s := struct{ t *arena.Typed[item] }{arena.For[item](a)}
	pool.Put(a)
	return s.t.New()
}
func BadChildAfter(pool *arena.Pool) {
	a := pool.Get()
	c := a.Child()
	pool.Put(a)
	c.AllocString("x")
}
func BadChildAfterReset(a *arena.Arena) {
	c := a.Child()
	a.Reset()
	c.AllocString("x")
}
func BadChildMemAfterFreeParent(a *arena.Arena) string {
	c := a.Child()
	s := c.AllocString("x")
	a.Reset()
	return s + "y"
}

// What is right.

func OKAppendZero(a *arena.Arena, b []byte) []byte {
	x := a.AllocBytes(10)
	return append(x[:0:0], x...)
}
func OKAppendNil(pool *arena.Pool) []byte {
	a := pool.Get()
	defer pool.Put(a)
	b := a.AllocBytes(10)
	return append([]byte(nil), b...)
}
func OKAppendZeroPool(pool *arena.Pool) []byte {
	a := pool.Get()
	defer pool.Put(a)
	b := a.AllocBytes(10)
	return append(b[:0:0], b...)
}
func OKDeferCleanup(pool *arena.Pool) (n int) {
	a := pool.Get()
	it := decode(a, nil)
	defer func() {
		fmt.Println(it.sku)
		pool.Put(a)
	}()
	it.n = 4
	return it.n
}
func OKDeferCleanup2(pool *arena.Pool) (n int) {
	a := pool.Get()
	var it *item
	cleanup := func() {
		if it != nil {
			fmt.Println(it.sku)
			it = nil
		}
		pool.Put(a)
	}
	defer cleanup()
	it = decode(a, nil)
	return it.n
}
func OKDeferNil(a *arena.Arena) *item {
	defer a.Reset()
	return nil
}
func OKDeferResetNil(c bool) *item {
	var a *arena.Arena
	if c {
		a = arena.NewArena()
	}
	defer a.Reset()
	return &item{}
}
func OKMaybeNil(ctx context.Context) *item {
	var a *arena.Arena
	defer a.Reset()
	return arena.New[item](a)
}
func OKNilParamDefer(a *arena.Arena) *item {
	if a == nil {
		return arena.New[item](a)
	}
	defer a.Reset()
	return arena.DeepClone(arena.New[item](a))
}
func OKAfterFuncStop(ctx context.Context, pool *arena.Pool) {
	a := pool.Get()
	defer pool.Put(a)
	it := decode(a, nil)
	stop := context.AfterFunc(ctx, func() { log.Println(it.sku) })
	defer stop()
	it.n++
}
func OKTimerStop(pool *arena.Pool) {
	a := pool.Get()
	defer pool.Put(a)
	it := decode(a, nil)
	t := time.AfterFunc(time.Hour, func() { log.Println(it.sku) })
	defer t.Stop()
}
func OKGoWait(pool *arena.Pool) {
	a := pool.Get()
	defer pool.Put(a)
	it := decode(a, nil)
	var wg sync.WaitGroup
	wg.Go(func() { fmt.Println(it.sku) })
	wg.Wait()
}
func OKReturnErr(pool *arena.Pool) error {
	a := pool.Get()
	defer pool.Put(a)
	it := decode(a, nil)
	if it.sku == "" {
		return errors.New("empty " + it.sku)
	}
	return fmt.Errorf("x %s: %w", it.sku, io.EOF)
}
func OKLogger(pool *arena.Pool, l *slog.Logger) {
	a := pool.Get()
	defer pool.Put(a)
	it := decode(a, nil)
	l.With("x", it.n).Info("hello", "sku", it.sku)
}
func OKSortCopy(pool *arena.Pool) []string {
	a := pool.Get()
	defer pool.Put(a)
	it := decode(a, nil)
	sort.Strings(it.tags)
	out := make([]string, 0, len(it.tags))
	for _, t := range it.tags {
		out = append(out, strings.Clone(t))
	}
	return out
}
func OKJoin(pool *arena.Pool) string {
	a := pool.Get()
	defer pool.Put(a)
	it := decode(a, nil)
	return strings.Join(it.tags, ",")
}
func OKConcat(pool *arena.Pool) string {
	a := pool.Get()
	defer pool.Put(a)
	it := decode(a, nil)
	return "x" + it.sku
}
func OKBuilder(pool *arena.Pool) string {
	a := pool.Get()
	defer pool.Put(a)
	var b strings.Builder
	for _, t := range decode(a, nil).tags {
		b.WriteString(t)
	}
	return b.String()
}
func OKMapIndex(pool *arena.Pool, m map[string]int) int {
	a := pool.Get()
	defer pool.Put(a)
	return m[a.AllocString("x")]
}
func OKMapDelete(pool *arena.Pool, s *api) {
	a := pool.Get()
	defer pool.Put(a)
	k := a.AllocString("x")
	s.items[k] = nil
	delete(s.items, k)
}
func OKSliceReset(pool *arena.Pool, s *api) {
	a := pool.Get()
	defer pool.Put(a)
	s.log = append(s.log, a.AllocString("x"))
	fmt.Println(s.log)
	s.log = nil
}
func OKScanner(pool *arena.Pool, r io.Reader) (names []string) {
	a := pool.Get()
	defer pool.Put(a)
	sc := bufio.NewScanner(r)
	sc.Buffer(a.AllocBytes(4096), 4096)
	for sc.Scan() {
		names = append(names, sc.Text())
	}
	return names
}
func BadScannerBytes(pool *arena.Pool, r io.Reader) (names [][]byte) {
	a := pool.Get()
	defer pool.Put(a)
	sc := bufio.NewScanner(r)
	sc.Buffer(a.AllocBytes(4096), 4096)
	for sc.Scan() {
		names = append(names, sc.Bytes())
	}
	return names
}
func OKBytesToString(pool *arena.Pool) string {
	a := pool.Get()
	defer pool.Put(a)
	return string(a.AllocBytes(5))
}
func OKSlicesCloneInts(pool *arena.Pool) []int {
	a := pool.Get()
	defer pool.Put(a)
	return slices.Clone(arena.MakeSlice[int](a, 3, 3))
}
func BadSlicesCloneStrings(pool *arena.Pool) []string {
	a := pool.Get()
	defer pool.Put(a)
	return slices.Clone(decode(a, nil).tags)
}
func BadEachCallback(pool *arena.Pool, s *server) {
	a := pool.Get()
	defer pool.Put(a)
	each(decode(a, nil), func(x *item) { s.last = x })
}
func each(it *item, f func(*item)) {
	for ; it != nil; it = it.next {
		f(it)
	}
}
func OKEachCallback(pool *arena.Pool, s *server) (n int) {
	a := pool.Get()
	defer pool.Put(a)
	each(decode(a, nil), func(x *item) { n += x.n })
	return n
}

type group struct {
	mu sync.Mutex
	m  map[string]*call
}
type call struct {
	wg  sync.WaitGroup
	val any
	err error
}

func (g *group) Do(key string, fn func() (any, error)) (any, error) {
	g.mu.Lock()
	if c, ok := g.m[key]; ok {
		g.mu.Unlock()
		c.wg.Wait()
		return c.val, c.err
	}
	c := new(call)
	c.wg.Add(1)
	g.m[key] = c
	g.mu.Unlock()
	c.val, c.err = fn()
	c.wg.Done()
	return c.val, c.err
}
func BadSingleflight(pool *arena.Pool, g *group) {
	a := pool.Get()
	defer pool.Put(a)
	v, _ := g.Do("x", func() (any, error) { return decode(a, nil), nil })
	fmt.Println(v)
}
func memo[K comparable, V any](m map[K]V, k K, f func() V) V {
	v, ok := m[k]
	if !ok {
		v = f()
		m[k] = v
	}
	return v
}
func BadMemo(pool *arena.Pool, s *server) {
	a := pool.Get()
	defer pool.Put(a)
	fmt.Println(memo(s.byName, "x", func() *item { return decode(a, nil) }))
}
func BadMemoKey(pool *arena.Pool, s *server) {
	a := pool.Get()
	defer pool.Put(a)
	fmt.Println(memo(s.seen, a.AllocString("x"), func() int { return 1 }))
}
func BadCleanupGo(pool *arena.Pool) {
	a := pool.Get()
	it := decode(a, nil)
	runtime.AddCleanup(it, func(int) {}, 1)
	pool.Put(a)
}
func BadDoubleDefer(pool *arena.Pool) {
	a := pool.Get()
	defer pool.Put(a)
	if decode(a, nil).n > 0 {
		pool.Put(a)
		return
	}
}
func BadIfaceStore(pool *arena.Pool, s *api, ctx context.Context) {
	a := pool.Get()
	defer pool.Put(a)
	ms := &memStore{m: s.items}
	save(ctx, ms, decode(a, nil))
}

type memStore struct{ m map[string]*item }

func (m *memStore) Save(ctx context.Context, it *item) error { m.m[it.sku] = it; return nil }
func save(ctx context.Context, st store, it *item)           { st.Save(ctx, it) }
