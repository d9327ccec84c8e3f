// This file has the way of a request through a service, from parsing to the answer.

package services

import (
	"bytes"
	"container/heap"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
	"github.com/harena-go/arena/arenajson"
)

type order struct {
	ID    string
	Lines []line2
	Meta  map[string]string
	Cust  *cust
	total int
}
type line2 struct {
	SKU string
	Qty int
}
type cust struct{ Name, Email string }

type svc struct {
	pool    *arena.Pool
	cache   map[string]*order
	recent  []string
	lastErr error
	mu      sync.RWMutex
	events  chan event2
	subs    []func(event2)
	metrics map[string]int64
	tmpl    *template.Template
	logger  *slog.Logger
	snap    snapshot
	hist    *ring
	buf     []byte
	scratch []string
	a       *arena.Arena
	wg      sync.WaitGroup
	jobs    chan func()
	timer   *time.Timer
	byEmail sync.Map
	db      *sql.DB
}
type event2 struct {
	Name string
	Data any
}
type snapshot struct {
	mu sync.Mutex
	v  []string
}

func (s *snapshot) set(v []string) { s.mu.Lock(); s.v = v; s.mu.Unlock() }

type ring struct {
	items [8]*order
	n     int
}

func (r *ring) push(o *order) { r.items[r.n%8] = o; r.n++ }

func parse2(a *arena.Arena, data []byte) (*order, error) {
	o, err := arenajson.New[order](a, data)
	if err != nil {
		return nil, fmt.Errorf("parse: %w", err)
	}
	return o, nil
}

func (s *svc) BadHandle(data []byte) error {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, err := parse2(a, data)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.cache[o.ID] = o
	s.mu.Unlock()
	return nil
}
func (s *svc) BadRecent(data []byte) error {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, err := parse2(a, data)
	if err != nil {
		return err
	}
	for _, l := range o.Lines {
		s.recent = append(s.recent, l.SKU)
	}
	return nil
}
func (s *svc) BadSnap(data []byte) {
	s.pool.Do(func(a *arena.Arena) error {
		names := arena.MakeSlice[string](a, 0, 10)
		names = arena.Append(a, names, "x")
		s.snap.set(names)
		return nil
	})
}
func (s *svc) BadRing(data []byte) {
	s.pool.Do(func(a *arena.Arena) error {
		o, err := parse2(a, data)
		if err != nil {
			return err
		}
		s.hist.push(o)
		return nil
	})
}
func (s *svc) BadEvent(data []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, _ := parse2(a, data)
	s.publish(event2{"order", o})
}
func (s *svc) publish(e event2) {
	select {
	case s.events <- e:
	default:
	}
}
func (s *svc) BadLastErr(data []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	if o, err := parse2(a, data); err != nil {
		s.lastErr = err
	} else if o.total == 0 {
		s.lastErr = &valErr{o.ID, "no total"}
	}
}

type valErr struct{ id, msg string }

func (e *valErr) Error() string { return e.id + e.msg }
func validate(o *order) error {
	if o.total < 0 {
		return &valErr{o.ID, "negative"}
	}
	return nil
}
func (s *svc) BadErrHelper(data []byte) error {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, err := parse2(a, data)
	if err != nil {
		return err
	}
	if err := validate(o); err != nil {
		return fmt.Errorf("order: %w", err)
	}
	return nil
}
func (s *svc) BadErrJoin(data []byte) error {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, _ := parse2(a, data)
	var errs []error
	errs = append(errs, validate(o))
	return errors.Join(errs...)
}
func (s *svc) OKErrText(data []byte) error {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, err := parse2(a, data)
	if err != nil {
		return err
	}
	if o.total < 0 {
		return fmt.Errorf("order %s: negative", o.ID)
	}
	return nil
}
func (s *svc) BadResult(data []byte) (name string, err error) {
	err = s.pool.Do(func(a *arena.Arena) error {
		o, err := parse2(a, data)
		if err != nil {
			return err
		}
		name = o.Cust.Name
		return nil
	})
	return name, err
}
func (s *svc) OKResult(data []byte) (name string, err error) {
	err = s.pool.Do(func(a *arena.Arena) error {
		o, err := parse2(a, data)
		if err != nil {
			return err
		}
		name = arena.Clone(o.Cust.Name)
		return nil
	})
	return name, err
}
func (s *svc) BadJob(data []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, _ := parse2(a, data)
	s.jobs <- func() { fmt.Println(o.ID) }
}
func (s *svc) BadTimer(data []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, _ := parse2(a, data)
	s.timer = time.AfterFunc(time.Minute, func() { s.mu.Lock(); delete(s.cache, o.ID); s.mu.Unlock() })
}
func (s *svc) BadSubs(data []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, _ := parse2(a, data)
	s.subs = append(s.subs, func(e event2) { fmt.Println(o.ID, e) })
}
func (s *svc) BadGo(data []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, _ := parse2(a, data)
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		fmt.Println(o.ID)
	}()
}
func (s *svc) OKGo(data []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, _ := parse2(a, data)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		fmt.Println(o.ID)
	}()
	wg.Wait()
}
func (s *svc) OKGoClone(data []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, _ := parse2(a, data)
	id := strings.Clone(o.ID)
	go func() { fmt.Println(id) }()
}
func (s *svc) BadMetrics(data []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, _ := parse2(a, data)
	s.metrics["order."+o.ID]++
	s.metrics[o.ID]++
}
func (s *svc) OKMetrics(data []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, _ := parse2(a, data)
	s.metrics["order."+o.ID]++
}
func (s *svc) OKMetricsExisting(data []byte) int64 {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, _ := parse2(a, data)
	if n, ok := s.metrics[o.ID]; ok {
		return n
	}
	return 0
}
func (s *svc) BadMapsCopy(data []byte) map[string]string {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, _ := parse2(a, data)
	return maps.Clone(o.Meta)
}
func (s *svc) BadSorted(data []byte) []string {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, _ := parse2(a, data)
	return slices.Sorted(maps.Keys(o.Meta))
}
func (s *svc) BadCollect(data []byte) []string {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, _ := parse2(a, data)
	return slices.Collect(names(o))
}
func names(o *order) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, l := range o.Lines {
			if !yield(l.SKU) {
				return
			}
		}
	}
}
func (s *svc) BadSplit(data []byte) string {
	a := s.pool.Get()
	defer s.pool.Put(a)
	line := a.AllocBytesToString(data)
	k, _, _ := strings.Cut(line, "=")
	return strings.TrimSpace(k)
}
func (s *svc) BadFields(data []byte) []string {
	a := s.pool.Get()
	defer s.pool.Put(a)
	return strings.Fields(a.AllocBytesToString(data))
}
func (s *svc) BadLower(data []byte) string {
	a := s.pool.Get()
	defer s.pool.Put(a)
	return strings.ToLower(a.AllocBytesToString(data))
}
func (s *svc) BadBytesTrim(data []byte) []byte {
	a := s.pool.Get()
	defer s.pool.Put(a)
	return bytes.TrimSpace(arena.CopySlice(a, data))
}
func (s *svc) BadBuf(data []byte) {
	a := s.pool.Get()
	s.buf = arena.CopySlice(a, data)
	s.pool.Put(a)
	os.Stdout.Write(s.buf)
}
func (s *svc) OKBuf(data []byte) {
	a := s.pool.Get()
	s.buf = append(s.buf[:0], arena.CopySlice(a, data)...)
	s.pool.Put(a)
	os.Stdout.Write(s.buf)
}
func (s *svc) OKScratch(data []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.scratch = arena.Append(a, nil, "x")
	defer func() { s.scratch = nil }()
	fmt.Println(s.scratch)
}
func (s *svc) OKScratch2(data []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.scratch = arena.Append(a, nil, "x")
	fmt.Println(s.scratch)
	s.scratch = s.scratch[:0]
	s.scratch = nil
}
func (s *svc) BadScratch(data []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.scratch = arena.Append(a, nil, "x")
	fmt.Println(s.scratch)
	s.scratch = s.scratch[:0]
}
func (s *svc) OKFieldArena(a *arena.Arena, data []byte) {
	s.a = a
	defer func() { s.a = nil }()
	s.work(data)
}
func (s *svc) work(data []byte) { s.a.AllocString(string(data)) }

func (s *svc) BadFieldArena(data []byte) {
	s.a = s.pool.Get()
	defer s.pool.Put(s.a)
	s.scratch = arena.Append(s.a, s.scratch, s.a.AllocString("x"))
}
func (s *svc) OKJSON(w http.ResponseWriter, r *http.Request) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), 500)
		return
	}
	o, err := parse2(a, body)
	if err != nil {
		http.Error(w, err.Error(), 400)
		return
	}
	s.logger.Info("order", "id", o.ID, slog.String("cust", o.Cust.Name))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Count", strconv.Itoa(len(o.Lines)))
	json.NewEncoder(w).Encode(o)
}
func (s *svc) OKTemplate(w io.Writer, data []byte) error {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, err := parse2(a, data)
	if err != nil {
		return err
	}
	return s.tmpl.Execute(w, o)
}
func (s *svc) OKSort(data []byte) int {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, _ := parse2(a, data)
	sort.Slice(o.Lines, func(i, j int) bool { return o.Lines[i].Qty < o.Lines[j].Qty })
	slices.SortFunc(o.Lines, func(x, y line2) int { return x.Qty - y.Qty })
	return o.Lines[0].Qty
}

type pq []*order

func (p pq) Len() int           { return len(p) }
func (p pq) Less(i, j int) bool { return p[i].total < p[j].total }
func (p pq) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }
func (p *pq) Push(x any)        { *p = append(*p, x.(*order)) }
func (p *pq) Pop() any          { o := (*p)[len(*p)-1]; *p = (*p)[:len(*p)-1]; return o }
func (s *svc) OKHeap(datas [][]byte) int {
	a := s.pool.Get()
	defer s.pool.Put(a)
	var q pq
	for _, d := range datas {
		o, _ := parse2(a, d)
		heap.Push(&q, o)
	}
	return heap.Pop(&q).(*order).total
}
func (s *svc) BadHeap(q *pq, data []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, _ := parse2(a, data)
	heap.Push(q, o)
}
func (s *svc) OKDeepClone(data []byte) (*order, error) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, err := parse2(a, data)
	if err != nil {
		return nil, err
	}
	return arena.DeepClone(o), nil
}
func (s *svc) BadShallowClone(data []byte) (*order, error) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, err := parse2(a, data)
	if err != nil {
		return nil, err
	}
	return arena.Clone(o), nil
}
func (s *svc) BadStructCopy(data []byte) (order, error) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, err := parse2(a, data)
	if err != nil {
		return order{}, err
	}
	return *o, nil
}
func (s *svc) OKStructFields(data []byte) (order, error) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	o, err := parse2(a, data)
	if err != nil {
		return order{}, err
	}
	return order{ID: strings.Clone(o.ID), total: o.total}, nil
}
func (s *svc) OKFree(data []byte) (*order, error) {
	a := s.pool.Get()
	defer a.Free()
	return parse2(a, data)
}
func OKNewArena(data []byte) (*order, error) {
	a := arena.NewArena()
	return parse2(a, data)
}
func BadResetLoop(datas [][]byte) (all []*order) {
	a := arena.NewArena()
	for _, d := range datas {
		a.Reset()
		o, _ := parse2(a, d)
		all = append(all, o)
	}
	return all
}
func OKResetLoop(datas [][]byte) (n int) {
	a := arena.NewArena()
	for _, d := range datas {
		a.Reset()
		o, _ := parse2(a, d)
		n += o.total
	}
	return n
}
func BadMarkRewind(a *arena.Arena, d []byte) string {
	m := a.Mark()
	o, _ := parse2(a, d)
	a.Rewind(m)
	return o.ID
}
func OKMarkRewind(a *arena.Arena, d []byte) *order {
	res := arena.New[order](a)
	m := a.Mark()
	o, _ := parse2(a, d)
	res.total = o.total
	a.Rewind(m)
	return res
}
func BadMarkField(a *arena.Arena, d []byte) *order {
	res := arena.New[order](a)
	m := a.Mark()
	o, _ := parse2(a, d)
	res.ID = o.ID
	a.Rewind(m)
	return res
}
func BadChild(a *arena.Arena, d []byte) *order {
	c := a.Child()
	defer c.Free()
	o, _ := parse2(c, d)
	defer c.Reset()
	return o
}
func (s *svc) BadMiddleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := s.pool.Get()
		defer s.pool.Put(a)
		s.recent = append(s.recent, a.AllocString(r.URL.Path))
		next.ServeHTTP(w, r.WithContext(arena.NewContext(r.Context(), a)))
	})
}
func (s *svc) OKMiddleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := s.pool.Get()
		defer s.pool.Put(a)
		next.ServeHTTP(w, r.WithContext(arena.NewContext(r.Context(), a)))
	})
}
func (s *svc) OKMux() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/x", func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		o := arena.New[order](a)
		o.ID = a.AllocString(r.URL.Path)
		fmt.Fprint(w, o.ID)
	})
	return arenahttp.Handler(s.pool, mux)
}
func (s *svc) BadMux() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/x", func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		o := arena.New[order](a)
		o.ID = a.AllocString(r.URL.Path)
		s.cache[o.ID] = o
		fmt.Fprint(w, o.ID)
	})
	return arenahttp.Handler(s.pool, mux)
}
func (s *svc) lookup(ctx context.Context, id string) *order {
	a := arena.FromContext(ctx)
	o := arena.New[order](a)
	o.ID = a.AllocString(id)
	return o
}
func (s *svc) BadCtx(w http.ResponseWriter, r *http.Request) {
	o := s.lookup(r.Context(), "x")
	s.cache["x"] = o
}
func (s *svc) OKCtx(w http.ResponseWriter, r *http.Request) {
	o := s.lookup(r.Context(), "x")
	fmt.Fprint(w, o.ID)
}
func (s *svc) BadCtxPut(ctx context.Context) *order {
	a := s.pool.Get()
	defer s.pool.Put(a)
	return s.lookup(arena.NewContext(ctx, a), "x")
}
func (s *svc) BadCtxLeak(ctx context.Context) context.Context {
	a := s.pool.Get()
	defer s.pool.Put(a)
	return arena.NewContext(ctx, a)
}
func (s *svc) BadRows(rows *sql.Rows) (out []string, err error) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	for rows.Next() {
		var raw sql.RawBytes
		if err := rows.Scan(&raw); err != nil {
			return nil, err
		}
		out = append(out, a.AllocBytesToString(raw))
	}
	return out, nil
}
func (s *svc) OKRows(rows *sql.Rows) (n int, err error) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	var out []string
	for rows.Next() {
		var raw sql.RawBytes
		if err := rows.Scan(&raw); err != nil {
			return 0, err
		}
		out = append(out, a.AllocBytesToString(raw))
	}
	return len(out), nil
}

type builder struct {
	a     *arena.Arena
	nodes []*order
}

func newBuilder(a *arena.Arena) *builder { return &builder{a: a} }
func (b *builder) add(id string) *builder {
	o := arena.New[order](b.a)
	o.ID = b.a.AllocString(id)
	b.nodes = arena.Append(b.a, b.nodes, o)
	return b
}
func (b *builder) build() []*order { return b.nodes }
func (s *svc) BadBuilder() []*order {
	a := s.pool.Get()
	defer s.pool.Put(a)
	return newBuilder(a).add("x").add("y").build()
}
func (s *svc) OKBuilder() int {
	a := s.pool.Get()
	defer s.pool.Put(a)
	return len(newBuilder(a).add("x").add("y").build())
}
func OKBuilderCaller(a *arena.Arena) []*order { return newBuilder(a).add("x").build() }

type lexer struct {
	pool *arena.Pool
	a    *arena.Arena
	toks []string
	cur  string
}

func newLexer(p *arena.Pool) *lexer { return &lexer{pool: p, a: p.Get()} }
func (l *lexer) next(s string)      { l.cur = l.a.AllocString(s); l.toks = arena.Append(l.a, l.toks, l.cur) }
func (l *lexer) Close()             { l.pool.Put(l.a); l.a = nil; l.toks = nil; l.cur = "" }
func OKLexer(p *arena.Pool) int {
	l := newLexer(p)
	defer l.Close()
	l.next("x")
	return len(l.toks)
}
func BadLexer(p *arena.Pool) string {
	l := newLexer(p)
	defer l.Close()
	l.next("x")
	return l.cur
}
func BadLexerAfter(p *arena.Pool) {
	l := newLexer(p)
	l.next("x")
	s := l.cur
	l.Close()
	fmt.Println(s)
}
func BadCloseThenUse(p *arena.Pool) {
	l := &lexer{pool: p, a: p.Get()}
	l.pool.Put(l.a)
	l.next("y")
}

type session3 struct {
	mu   sync.Mutex
	a    *arena.Arena
	vars map[string]string
}

func (s *session3) set(k, v string) { s.vars[s.a.AllocString(k)] = s.a.AllocString(v) }
func (s *session3) OKend() {
	s.a.Reset()
	clear(s.vars)
}
func (s *session3) BadEnd() string {
	v := s.vars["x"]
	s.a.Reset()
	return v
}

// Several at once.

func (s *svc) BadBatch(datas [][]byte) []*order {
	var wg sync.WaitGroup
	out := make([]*order, len(datas))
	for i, d := range datas {
		wg.Go(func() {
			s.pool.Do(func(a *arena.Arena) error {
				out[i], _ = parse2(a, d)
				return nil
			})
		})
	}
	wg.Wait()
	return out
}
func (s *svc) OKBatch(datas [][]byte) []int {
	var wg sync.WaitGroup
	out := make([]int, len(datas))
	for i, d := range datas {
		wg.Go(func() {
			s.pool.Do(func(a *arena.Arena) error {
				o, err := parse2(a, d)
				if err != nil {
					return err
				}
				out[i] = o.total
				return nil
			})
		})
	}
	wg.Wait()
	return out
}
func (s *svc) BadBatchChan(datas [][]byte) (ids []string) {
	ch := make(chan string)
	for _, d := range datas {
		go func() {
			a := s.pool.Get()
			defer s.pool.Put(a)
			o, _ := parse2(a, d)
			ch <- o.ID
		}()
	}
	for range datas {
		ids = append(ids, <-ch)
	}
	return ids
}
func OKShared(datas [][]byte) []*order {
	sh := arena.NewShared()
	defer sh.Free()
	out := make([]*order, len(datas))
	var wg sync.WaitGroup
	for i, d := range datas {
		wg.Go(func() { out[i], _ = parse2(sh.Local(), d) })
	}
	wg.Wait()
	return out
}
func BadSharedReset(datas [][]byte) []*order {
	sh := arena.NewShared()
	defer sh.Reset()
	out := make([]*order, len(datas))
	var wg sync.WaitGroup
	for i, d := range datas {
		wg.Go(func() { out[i], _ = parse2(sh.Local(), d) })
	}
	wg.Wait()
	return out
}
func BadTwoGo(a *arena.Arena, d []byte) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { parse2(a, d) })
	}
	wg.Wait()
}
func OKMethod(p *arena.Pool) {
	a := p.Get()
	put := func() { p.Put(a) }
	defer put()
	a.AllocString("x")
}
func OKOptions(p *arena.Pool, opts ...func(*order)) int {
	a := p.Get()
	defer p.Put(a)
	o := arena.New[order](a)
	for _, f := range opts {
		f(o)
	}
	return o.total
}
func OKVisit(p *arena.Pool, v func(*order) error) error {
	return p.Do(func(a *arena.Arena) error {
		o := arena.New[order](a)
		return v(o)
	})
}
func BadVisitKeeps(p *arena.Pool) *order {
	var kept *order
	OKVisit(p, func(o *order) error { kept = o; return nil })
	return kept
}
func OKVisitUses(p *arena.Pool) (n int) {
	OKVisit(p, func(o *order) error { n += o.total; return nil })
	return n
}
func OKRetry(p *arena.Pool, d []byte) (n int, err error) {
	for try := range 3 {
		a := p.Get()
		o, err := parse2(a, d)
		if err != nil {
			p.Put(a)
			continue
		}
		n = o.total + try
		p.Put(a)
		break
	}
	return n, err
}
func OKSwitch(p *arena.Pool, d []byte) (n int) {
	a := p.Get()
	defer p.Put(a)
	var out any
	o, _ := parse2(a, d)
	out = o
	switch v := out.(type) {
	case *order:
		n = v.total
	}
	return n
}
func OKSwap(p *arena.Pool, datas [][]byte) (n int) {
	cur, next := p.Get(), p.Get()
	defer func() { p.Put(cur); p.Put(next) }()
	var prev *order
	for _, d := range datas {
		o, _ := parse2(next, d)
		if prev != nil {
			o.total += prev.total
		}
		prev = o
		cur.Reset()
		cur, next = next, cur
	}
	return prev.total
}
