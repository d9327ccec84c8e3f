// This file has a server that tests and callers make themselves, what is left over when a
// function returns, and package collections.

package services

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/arenatest"
	"github.com/harena-go/arena/collections"
)

type quote struct {
	Symbol string
	Price  float64
	Tags   []string
	Next   *quote
}
type market struct {
	pool   *arena.Pool
	last   map[string]*quote
	feed   chan *quote
	err    error
	hooks  []func()
	audit  []string
	lock   sync.Mutex
	cur    atomic.Pointer[quote]
	idx    *index3
	closed bool
}
type index3 struct {
	bySym map[string][]*quote
	root  *tnode
}
type tnode struct {
	key         string
	left, right *tnode
	q           *quote
}

func (n *tnode) insert(key string, q *quote) *tnode {
	if n == nil {
		return &tnode{key: key, q: q}
	}
	if key < n.key {
		n.left = n.left.insert(key, q)
	} else {
		n.right = n.right.insert(key, q)
	}
	return n
}
func newMarket(p *arena.Pool) *market {
	return &market{pool: p, last: map[string]*quote{}, feed: make(chan *quote, 10), idx: &index3{bySym: map[string][]*quote{}}}
}
func decodeQuote(a *arena.Arena, r io.Reader) (*quote, error) {
	q := arena.New[quote](a)
	b, err := a.ReadAll(r, 1<<20)
	if err != nil {
		return nil, err
	}
	if err := arenajson.Unmarshal(a, b, q); err != nil {
		return nil, err
	}
	return q, nil
}
func (m *market) BadMarketHandle(r io.Reader) error {
	a := m.pool.Get()
	defer m.pool.Put(a)
	q, err := decodeQuote(a, r)
	if err != nil {
		return err
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	m.idx.bySym[q.Symbol] = append(m.idx.bySym[q.Symbol], q)
	return nil
}
func (m *market) BadMarketTree(r io.Reader) error {
	a := m.pool.Get()
	defer m.pool.Put(a)
	q, err := decodeQuote(a, r)
	if err != nil {
		return err
	}
	m.idx.root = m.idx.root.insert(q.Symbol, q)
	return nil
}
func (m *market) BadMarketPublish(r io.Reader) {
	m.pool.Do(func(a *arena.Arena) error {
		q, err := decodeQuote(a, r)
		if err != nil {
			return err
		}
		m.cur.Store(q)
		return nil
	})
}
func (m *market) BadMarketFeed(r io.Reader) {
	m.pool.Do(func(a *arena.Arena) error {
		q, err := decodeQuote(a, r)
		if err != nil {
			return err
		}
		m.feed <- q
		return nil
	})
}
func (m *market) BadMarketAudit(r io.Reader) {
	m.pool.Do(func(a *arena.Arena) error {
		q, err := decodeQuote(a, r)
		if err != nil {
			return err
		}
		m.record(q)
		return nil
	})
}
func (m *market) record(q *quote) {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.audit = append(m.audit, q.Symbol)
}
func (m *market) BadMarketAuditTags(r io.Reader) {
	m.pool.Do(func(a *arena.Arena) error {
		q, err := decodeQuote(a, r)
		if err != nil {
			return err
		}
		for _, t := range q.Tags {
			m.note(t)
		}
		return nil
	})
}
func (m *market) note(s string) { m.audit = append(m.audit, s) }
func (m *market) BadMarketHook(r io.Reader) {
	m.pool.Do(func(a *arena.Arena) error {
		q, err := decodeQuote(a, r)
		if err != nil {
			return err
		}
		m.hooks = append(m.hooks, func() { fmt.Println(q.Symbol) })
		return nil
	})
}
func BadMarketTestLocal(t *testing.T) {
	pool := arenatest.NewPool(t)
	a := pool.Get()
	q, _ := decodeQuote(a, strings.NewReader("{}"))
	pool.Put(a)
	if q.Symbol != "x" {
		t.Fatal(q.Symbol)
	}
}
func BadMarketTestServer(t *testing.T) {
	pool := arenatest.NewPool(t)
	seen := map[string]int{}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := pool.Get()
		defer pool.Put(a)
		q, err := decodeQuote(a, r.Body)
		if err != nil {
			http.Error(w, err.Error(), 400)
			return
		}
		seen[q.Symbol]++
	})
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest("POST", "/", strings.NewReader("{}")))
}
func OKMarketTestServer(t *testing.T) {
	pool := arenatest.NewPool(t)
	n := 0
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := pool.Get()
		defer pool.Put(a)
		q, err := decodeQuote(a, r.Body)
		if err != nil {
			http.Error(w, err.Error(), 400)
			return
		}
		n += len(q.Tags)
		fmt.Fprintf(w, "%s", q.Symbol)
	})
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest("POST", "/", strings.NewReader("{}")))
}
func BadMarketReset(t *testing.T) {
	a := arenatest.New(t)
	q := arena.New[quote](a)
	q.Symbol = a.AllocString("x")
	s := q.Symbol
	a.Reset()
	if s == "x" {
		t.Log(s)
	}
}
func OKMarketReset(t *testing.T) {
	a := arenatest.New(t)
	q := arena.New[quote](a)
	q.Symbol = a.AllocString("x")
	s := strings.Clone(q.Symbol)
	a.Reset()
	q = arena.New[quote](a)
	if s == "x" {
		t.Log(s, q.Price)
	}
}
func OKMarketDeferEvaluated(pool *arena.Pool, w io.Writer) {
	a := pool.Get()
	q := arena.New[quote](a)
	defer fmt.Fprintln(w, q.Symbol)
	defer pool.Put(a)
	q.Symbol = a.AllocString("x")
}
func BadMarketDeferOrder2(pool *arena.Pool, w io.Writer) {
	a := pool.Get()
	q := arena.New[quote](a)
	defer func() { fmt.Fprintln(w, q.Symbol) }()
	defer pool.Put(a)
	q.Symbol = a.AllocString("x")
}
func OKMarketDeferOrder(pool *arena.Pool, w io.Writer) {
	a := pool.Get()
	defer pool.Put(a)
	q := arena.New[quote](a)
	defer func() { fmt.Fprintln(w, q.Symbol) }()
	q.Symbol = a.AllocString("x")
}
func BadMarketBufferedWriter(pool *arena.Pool, w io.Writer) *bufio.Writer {
	a := pool.Get()
	defer pool.Put(a)
	bw := bufio.NewWriter(w)
	bw.Write(a.AllocBytes(10))
	b := bytes.NewBuffer(a.AllocBytes(10))
	return bufio.NewWriter(b)
}
func OKMarketBufferedWriter(pool *arena.Pool, w io.Writer) *bufio.Writer {
	a := pool.Get()
	defer pool.Put(a)
	bw := bufio.NewWriter(w)
	bw.Write(a.AllocBytes(10))
	bw.WriteString(a.AllocString("x"))
	return bw
}
func BadMarketRequest(pool *arena.Pool, ctx context.Context) (*http.Request, error) {
	a := pool.Get()
	defer pool.Put(a)
	return http.NewRequestWithContext(ctx, "POST", "http://x/", bytes.NewReader(arena.CopySlice(a, []byte("x"))))
}
func OKMarketRequest(pool *arena.Pool, ctx context.Context) error {
	a := pool.Get()
	defer pool.Put(a)
	req, err := http.NewRequestWithContext(ctx, "POST", "http://x/", bytes.NewReader(arena.CopySlice(a, []byte("x"))))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	return nil
}
func BadMarketPipe(pool *arena.Pool) io.Reader {
	a := pool.Get()
	defer pool.Put(a)
	return io.MultiReader(strings.NewReader(a.AllocString("x")), os.Stdin)
}
func BadMarketCookie(pool *arena.Pool) *http.Cookie {
	a := pool.Get()
	defer pool.Put(a)
	return &http.Cookie{Name: "x", Value: a.AllocString("y")}
}
func OKMarketCookie(pool *arena.Pool, w http.ResponseWriter) {
	a := pool.Get()
	defer pool.Put(a)
	http.SetCookie(w, &http.Cookie{Name: "x", Value: a.AllocString("y")})
}
func BadMarketErrs(pool *arena.Pool, in []string) (errs []error) {
	for _, s := range in {
		a := pool.Get()
		n := a.AllocString(s)
		if n == "" {
			errs = append(errs, errors.New(n))
		}
		pool.Put(a)
	}
	return errs
}
func BadMarketErrPanicRecover(pool *arena.Pool) (err error) {
	a := pool.Get()
	defer pool.Put(a)
	defer func() {
		if r := recover(); r != nil {
			err = &notFound{a.Sprintf("%v", r)}
		}
	}()
	return nil
}
func BadMarketStructRet(pool *arena.Pool) struct{ q *quote } {
	a := pool.Get()
	defer pool.Put(a)
	return struct{ q *quote }{arena.New[quote](a)}
}
func BadMarketNamed(pool *arena.Pool) (q *quote) {
	pool.Do(func(a *arena.Arena) error {
		q = arena.New[quote](a)
		return nil
	})
	q.Price = 3
	return
}
func BadMarketAny(pool *arena.Pool) any {
	a := pool.Get()
	defer pool.Put(a)
	return any(arena.New[quote](a))
}
func BadMarketStringer(pool *arena.Pool) fmt.Stringer {
	a := pool.Get()
	defer pool.Put(a)
	return arena.New[qs](a)
}

type qs struct{ s string }

func (q *qs) String() string { return q.s }
func BadMarketColl(pool *arena.Pool) *collections.Map[string, int] {
	a := pool.Get()
	defer pool.Put(a)
	m := collections.NewMap[string, int](a, 10)
	m.Set(a.AllocString("x"), 1)
	return m
}
func BadMarketCollAfter(pool *arena.Pool) {
	a := pool.Get()
	m := collections.NewMap[string, int](a, 10)
	pool.Put(a)
	m.Set("x", 1)
}
func BadMarketCollSlice(pool *arena.Pool) []int {
	a := pool.Get()
	defer pool.Put(a)
	s := collections.NewSlice[int](a, 10)
	s.Append(1)
	return s.Slice()
}
func BadMarketCollBuffer(pool *arena.Pool) []byte {
	a := pool.Get()
	defer pool.Put(a)
	b := collections.NewBuffer(a, 10)
	b.WriteString("x")
	return b.Bytes()
}
func OKMarketCollBuffer(pool *arena.Pool) string {
	a := pool.Get()
	defer pool.Put(a)
	b := collections.NewBuffer(a, 10)
	b.WriteString("x")
	return string(b.Bytes())
}
func BadMarketCollField(pool *arena.Pool, m *market) {
	a := pool.Get()
	defer pool.Put(a)
	d := collections.NewDeque[*quote](a, 4)
	d.PushBack(arena.New[quote](a))
	m.cur.Store(d.PopFront())
}
func BadMarketCollElem(pool *arena.Pool, m *market) {
	a := pool.Get()
	defer pool.Put(a)
	d := collections.NewMap[string, *quote](a, 4)
	d.Set("x", arena.New[quote](a))
	q, _ := d.Get("x")
	m.last["x"] = q
}
func BadMarketHeapMapOfArena(pool *arena.Pool) map[string]*quote {
	a := pool.Get()
	defer pool.Put(a)
	m := map[string]*quote{}
	m["x"] = arena.New[quote](a)
	return m
}
func BadMarketSliceOfStrings(pool *arena.Pool, in []string) []string {
	a := pool.Get()
	defer pool.Put(a)
	out := make([]string, 0, len(in))
	for _, s := range in {
		out = append(out, a.AllocString(s))
	}
	return out
}
func OKMarketEarlyReturn(pool *arena.Pool, in []string) []string {
	if len(in) == 0 {
		return in
	}
	a := pool.Get()
	defer pool.Put(a)
	tmp := arena.CopySlice(a, in)
	return []string{tmp[0] + "x"}
}
func OKMarketElemsOfCopy(pool *arena.Pool, in []string) string {
	a := pool.Get()
	defer pool.Put(a)
	tmp := arena.CopySlice(a, in)
	return tmp[0]
}
func OKMarketSub(pool *arena.Pool, in []*quote) *quote {
	a := pool.Get()
	defer pool.Put(a)
	best := arena.MakeSlice[*quote](a, 0, len(in))
	for _, q := range in {
		if q.Price > 0 {
			best = arena.Append(a, best, q)
		}
	}
	return best[0]
}
func OKMarketTwo(p1, p2 *arena.Pool) (n float64) {
	a := p1.Get()
	b := p2.Get()
	q := arena.New[quote](a)
	r := arena.New[quote](b)
	p1.Put(a)
	n = r.Price
	p2.Put(b)
	_ = q
	return
}
func OKMarketCond(pool *arena.Pool, heap bool) *quote {
	var a *arena.Arena
	if !heap {
		a = pool.Get()
		defer pool.Put(a)
	}
	q := arena.New[quote](a)
	if heap {
		return q
	}
	return arena.DeepClone(q)
}
func OKMarketKeepAliveRes(pool *arena.Pool) error {
	a := pool.Get()
	defer pool.Put(a)
	f, err := os.Open(a.AllocString("x"))
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	return f.Close()
}
func OKMarketStop(pool *arena.Pool) {
	a := pool.Get()
	q := arena.New[quote](a)
	done := make(chan struct{})
	go func() {
		defer close(done)
		fmt.Println(q.Symbol)
	}()
	<-done
	pool.Put(a)
}
func OKMarketCtx(pool *arena.Pool, ctx context.Context) error {
	a := pool.Get()
	defer pool.Put(a)
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, "q", arena.New[quote](a)), time.Second)
	defer cancel()
	return work3(ctx)
}
func work3(ctx context.Context) error { return ctx.Err() }
func OKMarketJSON(pool *arena.Pool, data []byte) (map[string]any, error) {
	a := pool.Get()
	defer pool.Put(a)
	c := arena.CopySlice(a, data)
	var m map[string]any
	err := json.Unmarshal(c, &m)
	return m, err
}
func OKMarketDecoder(pool *arena.Pool, data []byte) (q quote, err error) {
	a := pool.Get()
	defer pool.Put(a)
	d := json.NewDecoder(bytes.NewReader(arena.CopySlice(a, data)))
	err = d.Decode(&q)
	return q, err
}
func OKMarketAtoi(pool *arena.Pool, s string) (int, error) {
	a := pool.Get()
	defer pool.Put(a)
	var n int
	_, err := fmt.Sscan(a.AllocString(s), &n)
	return n, err
}
func OKMarketReplacer(pool *arena.Pool, s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return fmt.Sprint(strings.ReplaceAll(a.AllocString(s), "x", "y"))
}
func OKMarketInterned(pool *arena.Pool, m map[string]string, s string) string {
	a := pool.Get()
	defer pool.Put(a)
	k := a.AllocString(s)
	if v, ok := m[k]; ok {
		return v
	}
	c := strings.Clone(k)
	m[c] = c
	return c
}
func OKMarketClearedCache(a *arena.Arena, m *market) {
	m.last["x"] = arena.New[quote](a)
	clear(m.last)
	a.Reset()
}
func OKMarketPrepared(m *market, a *arena.Arena) func() {
	q := arena.New[quote](a)
	m.cur.Store(q)
	return func() { m.cur.Store(nil); a.Reset() }
}
func OKMarketSwapCur(m *market, pool *arena.Pool) {
	a := pool.Get()
	defer pool.Put(a)
	old := m.cur.Swap(arena.New[quote](a))
	defer m.cur.Store(old)
}
func OKMarketOnce(pool *arena.Pool) int {
	a := pool.Get()
	defer pool.Put(a)
	v := sync.OnceValue(func() *quote { return arena.New[quote](a) })
	return int(v().Price)
}
func OKMarketLocalServer(pool *arena.Pool) int {
	m := newMarket(pool)
	a := pool.Get()
	defer pool.Put(a)
	m.last["x"] = arena.New[quote](a)
	m.audit = append(m.audit, a.AllocString("x"))
	return len(m.last)
}
func BadMarketLocalServer(pool *arena.Pool) *market {
	m := newMarket(pool)
	a := pool.Get()
	defer pool.Put(a)
	m.last["x"] = arena.New[quote](a)
	return m
}
func BadMarketLocalServer2(pool *arena.Pool) {
	m := newMarket(pool)
	a := pool.Get()
	m.last["x"] = arena.New[quote](a)
	pool.Put(a)
	fmt.Println(m.last["x"].Price)
}
func BadMarketEmbedded(pool *arena.Pool) {
	type req struct {
		*arena.Arena
		q *quote
	}
	r := req{Arena: pool.Get()}
	r.q = arena.New[quote](r.Arena)
	pool.Put(r.Arena)
	fmt.Println(r.q.Price)
}
func BadMarketIfaceHolder(pool *arena.Pool, c interface{ Put(k string, v any) }) {
	a := pool.Get()
	defer pool.Put(a)
	c.Put(a.AllocString("x"), 1)
}
