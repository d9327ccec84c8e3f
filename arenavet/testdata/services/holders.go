// Package services has functions as those of services are, which hold what belongs to a
// request: in a field of the server, an error, a context, a channel, something of the
// standard library. Names say which are wrong: those that begin with Bad. TestServices
// needs a finding in each of them, and none elsewhere.
package services

import (
	"bytes"
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"expvar"
	"fmt"
	"html/template"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/harena-go/arena"
)

type item struct {
	sku  string
	n    int
	next *item
	tags []string
}

type server struct {
	pool   *arena.Pool
	a      *arena.Arena
	seen   map[string]int
	byName map[string]*item
	last   *item
	names  []string
	ch     chan *item
	any    any
	err    error
	ctx    context.Context
	fn     func() string
	m      sync.Map
	v      atomic.Value
	p      atomic.Pointer[item]
	list   *list.List
	sp     sync.Pool
	once   func() string
	hdr    http.Header
	u      *url.URL
	buf    bytes.Buffer
	sb     strings.Builder
	log    *slog.Logger
	visit  visitor
	rd     *strings.Reader
	cache  *lru[string, *item]
	mu     sync.Mutex
	stats  struct{ last string }
	inner  *state
	arr    [4]string
	evs    []event
	metric *expvar.String
}
type event struct {
	name string
	at   int
}
type state struct {
	name string
	tags map[string][]string
}

type visitor interface{ Visit(*item) }

type lru[K comparable, V any] struct {
	m     map[K]V
	order []K
}

func (c *lru[K, V]) Add(k K, v V)      { c.m[k] = v; c.order = append(c.order, k) }
func (c *lru[K, V]) Get(k K) (V, bool) { v, ok := c.m[k]; return v, ok }

func (s *server) BadSeen(name []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.seen[a.AllocBytesToString(name)]++
}
func (s *server) BadSeenPlus(name []byte, n int) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	k := a.AllocBytesToString(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[k] += n
}
func (s *server) BadSeenDo(name []byte, n int) error {
	return s.pool.Do(func(a *arena.Arena) error {
		s.seen[a.AllocBytesToString(name)] += n
		return nil
	})
}
func (s *server) OKSeenClone(name []byte, n int) error {
	return s.pool.Do(func(a *arena.Arena) error {
		s.seen[strings.Clone(a.AllocBytesToString(name))] += n
		return nil
	})
}
func (s *server) BadSeenHelper(name []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.count(a.AllocBytesToString(name))
}
func (s *server) count(k string) { s.seen[k]++ }
func (s *server) BadSeenHelper2(name []byte) {
	s.pool.Do(func(a *arena.Arena) error {
		it := decode(a, name)
		s.remember(it)
		return nil
	})
}
func decode(a *arena.Arena, b []byte) *item {
	it := arena.New[item](a)
	it.sku = a.AllocBytesToString(b)
	it.tags = arena.Append(a, it.tags, a.AllocString("x"))
	return it
}
func (s *server) remember(it *item) { s.last = it }
func (s *server) BadNested(name []byte) {
	s.pool.Do(func(a *arena.Arena) error {
		it := decode(a, name)
		s.noteName(it.sku)
		return nil
	})
}
func (s *server) noteName(k string) { s.inner.tags[k] = append(s.inner.tags[k], "y") }
func (s *server) BadNestedStruct(name []byte) {
	s.pool.Do(func(a *arena.Arena) error {
		it := decode(a, name)
		s.stats.last = it.sku
		return nil
	})
}
func (s *server) BadEvs(name []byte) {
	s.pool.Do(func(a *arena.Arena) error {
		it := decode(a, name)
		s.evs = append(s.evs, event{it.sku, 1})
		return nil
	})
}
func (s *server) BadTagsRange(name []byte) {
	s.pool.Do(func(a *arena.Arena) error {
		for _, t := range decode(a, name).tags {
			s.names = append(s.names, t)
		}
		return nil
	})
}
func (s *server) BadTagsSpread(name []byte) {
	s.pool.Do(func(a *arena.Arena) error {
		s.names = append(s.names, decode(a, name).tags...)
		return nil
	})
}
func (s *server) BadGeneric(name []byte) {
	s.pool.Do(func(a *arena.Arena) error {
		it := decode(a, name)
		s.cache.Add(it.sku, it)
		return nil
	})
}
func (s *server) BadGenericKey(name []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.cache.Add(a.AllocBytesToString(name), &item{})
}
func (s *server) BadErrorf(name []byte) error {
	return s.pool.Do(func(a *arena.Arena) error {
		it := decode(a, name)
		return &notFound{it.sku}
	})
}

type notFound struct{ name string }

func (e *notFound) Error() string { return "no " + e.name }
func (s *server) BadErrorStruct(name []byte) error {
	a := s.pool.Get()
	defer s.pool.Put(a)
	return &notFound{a.AllocBytesToString(name)}
}
func (s *server) BadErrorsNew(name []byte) error {
	a := s.pool.Get()
	defer s.pool.Put(a)
	return errors.New(a.Sprintf("no %s", name))
}
func (s *server) BadErrorWrap(name []byte) error {
	a := s.pool.Get()
	defer s.pool.Put(a)
	return fmt.Errorf("load: %w", &notFound{a.AllocBytesToString(name)})
}
func (s *server) OKErrorf(name []byte) error {
	a := s.pool.Get()
	defer s.pool.Put(a)
	return fmt.Errorf("load: %s", a.AllocBytesToString(name))
}
func (s *server) OKErrorWrapsOther(name []byte) error {
	a := s.pool.Get()
	defer s.pool.Put(a)
	return fmt.Errorf("100%% of %-5d: %w: %+v", len(name), io.EOF, &notFound{a.AllocBytesToString(name)})
}
func (s *server) BadErrorWrapsSecond(name []byte) error {
	a := s.pool.Get()
	defer s.pool.Put(a)
	return fmt.Errorf("%v: %w", io.EOF, &notFound{a.AllocBytesToString(name)})
}
func (s *server) BadErrorWrapsByIndex(name []byte) error {
	a := s.pool.Get()
	defer s.pool.Put(a)
	return fmt.Errorf("%[2]w: %[1]v", io.EOF, &notFound{a.AllocBytesToString(name)})
}
func (s *server) BadErrorsJoin(name []byte) error {
	a := s.pool.Get()
	defer s.pool.Put(a)
	return errors.Join(errors.New("x"), &notFound{a.AllocBytesToString(name)})
}
func (s *server) BadErrField(name []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.err = &notFound{a.AllocBytesToString(name)}
}
func (s *server) BadCtx(name []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.ctx = context.WithValue(context.Background(), "k", a.AllocBytesToString(name))
}
func (s *server) BadCtxRet(ctx context.Context, name []byte) context.Context {
	a := s.pool.Get()
	defer s.pool.Put(a)
	return context.WithValue(ctx, "k", a.AllocBytesToString(name))
}
func (s *server) BadCtxReq(r *http.Request) *http.Request {
	a := s.pool.Get()
	defer s.pool.Put(a)
	return r.WithContext(context.WithValue(r.Context(), "k", a.AllocString(r.URL.Path)))
}
func (it *item) Name() string { return it.sku }
func (s *server) BadMethodValue(name []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.fn = decode(a, name).Name
}
func (s *server) BadOnceValue(name []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	it := decode(a, name)
	s.once = sync.OnceValue(func() string { return it.sku })
}
func (s *server) BadOnceValueRet(name []byte) func() string {
	a := s.pool.Get()
	defer s.pool.Put(a)
	it := decode(a, name)
	return sync.OnceValue(func() string { return it.sku })
}
func (s *server) BadVisitor(name []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	c := &collect{}
	walk(decode(a, name), c)
	s.names = c.names
}

type collect struct {
	names []string
	seen  []*item
}

func (c *collect) Visit(i *item) { c.names = append(c.names, i.sku); c.seen = append(c.seen, i) }
func walk(i *item, v visitor) {
	for ; i != nil; i = i.next {
		v.Visit(i)
	}
}
func (s *server) BadSyncMap(name []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.m.Store("x", decode(a, name))
}
func (s *server) BadSyncMapKey(name []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.m.Store(a.AllocBytesToString(name), 1)
}
func (s *server) BadSyncMapLOS(name []byte) {
	s.pool.Do(func(a *arena.Arena) error {
		s.m.LoadOrStore(a.AllocBytesToString(name), 1)
		return nil
	})
}
func (s *server) BadAtomicValue(name []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.v.Store(decode(a, name))
}
func (s *server) BadAtomicPtr(name []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.p.Store(decode(a, name))
}
func (s *server) BadAtomicCAS(name []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.p.CompareAndSwap(nil, decode(a, name))
}
func (s *server) BadList(name []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.list.PushFront(decode(a, name))
}
func (s *server) BadSyncPool(name []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.sp.Put(decode(a, name))
}
func BadHeader(pool *arena.Pool, w http.ResponseWriter, r *http.Request) {
	a := pool.Get()
	w.Header().Set("X-Id", a.AllocString(r.URL.Path))
	pool.Put(a)
	w.WriteHeader(200)
}
func (s *server) BadHeaderField(name []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.hdr.Add("x", a.AllocBytesToString(name))
}
func (s *server) BadHeaderMap(name []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.hdr["X"] = []string{a.AllocBytesToString(name)}
}
func (s *server) BadURL(name []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.u, _ = url.Parse(a.AllocBytesToString(name))
}
func (s *server) BadURLHost(name []byte) string {
	a := s.pool.Get()
	defer s.pool.Put(a)
	u, err := url.Parse(a.AllocBytesToString(name))
	if err != nil {
		return ""
	}
	return u.Host
}
func (s *server) BadReader(name []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.rd = strings.NewReader(a.AllocBytesToString(name))
}
func (s *server) BadSlogWith(name []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.log = s.log.With("name", a.AllocBytesToString(name))
}
func (s *server) BadSlogWith2(name []byte) *slog.Logger {
	a := s.pool.Get()
	defer s.pool.Put(a)
	return slog.Default().With(slog.String("name", a.AllocBytesToString(name)))
}
func (s *server) OKSlog(name []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.log.Info("x", "name", a.AllocBytesToString(name))
}
func (s *server) BadExpvar(name []byte) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.metric.Set(a.AllocBytesToString(name))
}
func BadExpvarMap(pool *arena.Pool, m *expvar.Map, name []byte) {
	a := pool.Get()
	defer pool.Put(a)
	m.Add(a.AllocBytesToString(name), 1)
}
func BadAfterFunc(pool *arena.Pool, name []byte) {
	a := pool.Get()
	defer pool.Put(a)
	it := decode(a, name)
	time.AfterFunc(time.Second, func() { fmt.Println(it.sku) })
}
func BadAfterFuncMethod(pool *arena.Pool, name []byte) {
	a := pool.Get()
	defer pool.Put(a)
	it := decode(a, name)
	time.AfterFunc(time.Second, it.Print)
}
func (it *item) Print() { fmt.Println(it.sku) }
func BadCtxAfterFunc(ctx context.Context, pool *arena.Pool, name []byte) {
	a := pool.Get()
	defer pool.Put(a)
	it := decode(a, name)
	context.AfterFunc(ctx, func() { fmt.Println(it.sku) })
}
func OKCtxAfterFunc(ctx context.Context, pool *arena.Pool, name []byte) {
	a := pool.Get()
	defer pool.Put(a)
	it := decode(a, name)
	stop := context.AfterFunc(ctx, func() { fmt.Println(it.sku) })
	defer stop()
}
func BadLabels(pool *arena.Pool, ctx context.Context, name []byte) {
	a := pool.Get()
	defer pool.Put(a)
	ctx = pprof.WithLabels(ctx, pprof.Labels("name", a.AllocBytesToString(name)))
	pprof.SetGoroutineLabels(ctx)
}
func BadLabelsRet(pool *arena.Pool, ctx context.Context, name []byte) context.Context {
	a := pool.Get()
	defer pool.Put(a)
	return pprof.WithLabels(ctx, pprof.Labels("name", a.AllocBytesToString(name)))
}
func BadTemplate(pool *arena.Pool, text []byte) *template.Template {
	a := pool.Get()
	defer pool.Put(a)
	return template.Must(template.New("x").Parse(a.AllocBytesToString(text)))
}
func BadTemplateName(pool *arena.Pool, text []byte) *template.Template {
	a := pool.Get()
	defer pool.Put(a)
	return template.New(a.AllocBytesToString(text))
}
func BadTemplateHTML(pool *arena.Pool, text []byte) template.HTML {
	a := pool.Get()
	defer pool.Put(a)
	return template.HTML(a.AllocBytesToString(text))
}
func BadJSONRaw(pool *arena.Pool, text []byte) json.RawMessage {
	a := pool.Get()
	defer pool.Put(a)
	return json.RawMessage(arena.CopySlice(a, text))
}
func OKJSON(pool *arena.Pool, text []byte) ([]byte, error) {
	a := pool.Get()
	defer pool.Put(a)
	return json.Marshal(decode(a, text))
}
func BadOuterSlice(pool *arena.Pool, texts [][]byte) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		pool.Do(func(a *arena.Arena) error {
			out[i] = decode(a, t).sku
			return nil
		})
	}
	return out
}
func BadOuterSlice2(pool *arena.Pool, texts [][]byte) (out []*item) {
	for _, t := range texts {
		a := pool.Get()
		out = append(out, decode(a, t))
		pool.Put(a)
	}
	return out
}
func BadOuterVar(pool *arena.Pool, text []byte) (name string, err error) {
	err = pool.Do(func(a *arena.Arena) error {
		name = decode(a, text).sku
		return nil
	})
	return
}
func OKOuterVar(pool *arena.Pool, text []byte) (n int, err error) {
	err = pool.Do(func(a *arena.Arena) error {
		n = len(decode(a, text).sku)
		return nil
	})
	return
}
func BadParam(pool *arena.Pool, text []byte, out *state) {
	a := pool.Get()
	defer pool.Put(a)
	out.name = decode(a, text).sku
}
func BadParamMap(pool *arena.Pool, text []byte, out map[string]string) {
	a := pool.Get()
	defer pool.Put(a)
	out["x"] = decode(a, text).sku
}
func BadParamSlice(pool *arena.Pool, text []byte, out []string) {
	a := pool.Get()
	defer pool.Put(a)
	out[0] = decode(a, text).sku
}
func BadChan(pool *arena.Pool, text []byte, out chan<- *item) {
	a := pool.Get()
	defer pool.Put(a)
	out <- decode(a, text)
}
func BadChanBuffered(pool *arena.Pool, text []byte) chan *item {
	out := make(chan *item, 1)
	a := pool.Get()
	defer pool.Put(a)
	out <- decode(a, text)
	return out
}
func BadSeq(pool *arena.Pool, text []byte) iter.Seq[string] {
	a := pool.Get()
	defer pool.Put(a)
	it := decode(a, text)
	return func(yield func(string) bool) {
		for ; it != nil; it = it.next {
			if !yield(it.sku) {
				return
			}
		}
	}
}
func BadRangeFunc(pool *arena.Pool, text []byte) (names []string) {
	a := pool.Get()
	defer pool.Put(a)
	for s := range parts(a, text) {
		names = append(names, s)
	}
	return names
}
func parts(a *arena.Arena, text []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, b := range bytes.Fields(text) {
			if !yield(a.AllocBytesToString(b)) {
				return
			}
		}
	}
}
func OKRangeFunc(pool *arena.Pool, text []byte) (n int) {
	a := pool.Get()
	defer pool.Put(a)
	for s := range parts(a, text) {
		n += len(s)
	}
	return n
}
func (i *item) All() iter.Seq[*item] {
	return func(yield func(*item) bool) {
		for ; i != nil; i = i.next {
			if !yield(i) {
				return
			}
		}
	}
}
func BadRangeAll(pool *arena.Pool, text []byte) (last *item) {
	a := pool.Get()
	defer pool.Put(a)
	for i := range decode(a, text).All() {
		last = i
	}
	return last
}
func (s *server) BadRangeBody(texts [][]byte) {
	for text := range seqOf(texts) {
		a := s.pool.Get()
		s.last = decode(a, text)
		s.pool.Put(a)
	}
}
func seqOf(texts [][]byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, t := range texts {
			if !yield(t) {
				return
			}
		}
	}
}
func BadDeep(pool *arena.Pool, text []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	return fetch(a, text).items[0].sku
}
func BadDeep2(pool *arena.Pool, text []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	return fetch(a, text).names[0]
}
func BadDeep3(pool *arena.Pool, text []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	r := fetch(a, text)
	return r.first.next.sku
}
func BadDeepVal(pool *arena.Pool, text []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	r := fetchVal(a, text)
	return r.items[0].tags[0]
}

type resp struct {
	items []*item
	names []string
	first *item
}

func fetch(a *arena.Arena, text []byte) *resp {
	r := arena.New[resp](a)
	r.items = arena.Append(a, r.items, decode(a, text))
	r.names = arena.Append(a, r.names, a.AllocString("x"))
	r.first = decode(a, text)
	r.first.next = decode(a, text)
	return r
}
func fetchVal(a *arena.Arena, text []byte) resp {
	r := resp{}
	r.items = append(r.items, decode(a, text))
	r.names = arena.Append(a, r.names, a.AllocString("x"))
	return r
}
func OKDeepN(pool *arena.Pool, text []byte) int {
	a := pool.Get()
	defer pool.Put(a)
	return fetchVal(a, text).items[0].n
}
func BadWeak(pool *arena.Pool, text []byte) weak.Pointer[item] {
	a := pool.Get()
	defer pool.Put(a)
	return weak.Make(decode(a, text))
}
func BadWeak2(a *arena.Arena) {
	p := weak.Make(arena.New[item](a))
	fmt.Println(p.Value())
}
func BadFinalizer(a *arena.Arena) {
	runtime.SetFinalizer(arena.New[item](a), func(*item) {})
}
func BadCleanup(a *arena.Arena) {
	runtime.AddCleanup(arena.New[item](a), func(int) {}, 1)
}
func BadReflect(pool *arena.Pool, text []byte, out *state) {
	a := pool.Get()
	defer pool.Put(a)
	reflect.ValueOf(out).Elem().Field(0).SetString(a.AllocBytesToString(text))
}
func BadReflect2(pool *arena.Pool, text []byte) any {
	a := pool.Get()
	defer pool.Put(a)
	return reflect.ValueOf(decode(a, text)).Elem().Interface()
}
func BadPanic(pool *arena.Pool, text []byte) {
	a := pool.Get()
	defer pool.Put(a)
	panic(decode(a, text))
}
func BadPanic2(pool *arena.Pool, text []byte) {
	a := pool.Get()
	defer pool.Put(a)
	if len(text) == 0 {
		panic(a.Sprintf("bad %s", text))
	}
}
func OKPanic(pool *arena.Pool, text []byte) {
	a := pool.Get()
	defer pool.Put(a)
	if len(text) == 0 {
		panic(fmt.Sprintf("bad %s", a.AllocBytesToString(text)))
	}
}
