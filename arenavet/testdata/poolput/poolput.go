// Package poolput uses what it has given back to pools.
package poolput

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"log"
	"sync"
	"sync/atomic"

	"github.com/gin-gonic/gin"
	"github.com/valyala/fasthttp"
	"test/poolput/lib"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

var slices sync.Pool

var errEmpty = errors.New("empty")

// Bugs of others, made small: what a pooled bytes.Buffer has is returned (mozilla-services/go-syncstorage, pull request 148).
func encode(v any) ([]byte, error) {
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	defer buffers.Put(b)
	if err := json.NewEncoder(b).Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil // want `this is returned, but the deferred Put in line \d+ gives it back: return a copy`
}

func OKEncode(v any) (string, error) {
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	defer buffers.Put(b)
	if err := json.NewEncoder(b).Encode(v); err != nil {
		return "", err
	}
	return b.String(), nil
}

func OKEncodeClone(v any) ([]byte, error) {
	b := buffers.Get().(*bytes.Buffer)
	defer func() {
		b.Reset()
		buffers.Put(b)
	}()
	if err := json.NewEncoder(b).Encode(v); err != nil {
		return nil, err
	}
	return bytes.Clone(b.Bytes()), nil
}

// The capacity is read behind Put (thanos-io/thanos, pull request 4792).
type bucketed struct {
	mu      sync.Mutex
	buckets []sync.Pool
	sizes   []int
	used    uint64
}

func (p *bucketed) Put(b *[]byte) {
	if b == nil {
		return
	}
	for i, size := range p.sizes {
		if cap(*b) > size {
			continue
		}
		*b = (*b)[:0]
		p.buckets[i].Put(b)
		break
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if size := uint64(cap(*b)); size < p.used { // want `this was given back by Put in line \d+: another goroutine may have it`
		p.used -= size
	}
}

func (p *bucketed) OKPut(b *[]byte) {
	size := uint64(cap(*b))
	for i, max := range p.sizes {
		if cap(*b) <= max {
			*b = (*b)[:0]
			p.buckets[i].Put(b)
			break
		}
	}
	p.used -= size
}

// A buffer is used behind Put, to log it (syncthing/syncthing, pull request 7409).
type messagePool struct{ pool sync.Pool }

func (p *messagePool) Put(b []byte) { p.pool.Put(&b) }

func (p *messagePool) Get() []byte { return *p.pool.Get().(*[]byte) }

func readMessage(p *messagePool, r io.Reader) error {
	b := p.Get()
	n, err := r.Read(b)
	if err != nil {
		p.Put(b)
		log.Printf("read %d bytes: %q", n, b) // want `this was given back by Put in line \d+`
		return err
	}
	p.Put(b)
	return nil
}

// What a response leads to is returned (valyala/fasthttp, issue 1109), or left in a variable (issue 955).
func query() []byte {
	r := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseResponse(r)
	if err := fasthttp.Do(r); err != nil {
		return nil
	}
	return r.Body() // want `this is returned, but the deferred ReleaseResponse in line \d+ gives it back`
}

func queryRetried(retry func(func() error) error) ([]byte, error) {
	var body []byte
	err := retry(func() error {
		r := fasthttp.AcquireResponse()
		defer fasthttp.ReleaseResponse(r)
		if err := fasthttp.Do(r); err != nil {
			return err
		}
		body = r.Body() // want `this is kept here, but ReleaseResponse in line \d+ gives it back: keep a copy`
		return nil
	})
	return body, err
}

func OKQuery(retry func(func() error) error) (body []byte, err error) {
	err = retry(func() error {
		r := fasthttp.AcquireResponse()
		defer fasthttp.ReleaseResponse(r)
		body = append(body[:0], r.Body()...)
		return nil
	})
	return body, err
}

func handler(ctx *fasthttp.RequestCtx) {
	body := ctx.PostBody()
	go log.Printf("%s", body) // want `this goroutine has the request's context`
}

func ginHandler(c *gin.Context) {
	go func() { // want `this goroutine has the request's context`
		log.Print(c.Request.URL)
	}()
}

func OKHandler(ctx *fasthttp.RequestCtx) {
	body := string(ctx.PostBody())
	go log.Print(body)
}

func OKHandlerWaits(ctx *fasthttp.RequestCtx) {
	done := make(chan bool)
	go func() {
		log.Printf("%s", ctx.PostBody())
		done <- true
	}()
	<-done
}

func rowsKept(rows *sql.Rows) (list [][]byte, err error) {
	var raw sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&raw); err != nil {
			return nil, err
		}
		list = append(list, raw) // want `this is kept, but sql.RawBytes are overwritten by the next row`
	}
	return list, nil
}

func OKRows(rows *sql.Rows) (list []string, err error) {
	var raw sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&raw); err != nil {
			return nil, err
		}
		list = append(list, string(raw))
		log.Println(raw)
	}
	return list, nil
}

func ofOther(name string) string {
	b := lib.Get()
	b.WriteString(name)
	s := b.Unsafe()
	b.Free()
	return s // want `this is returned, but Free in line \d+ has given it back`
}

func OKOfOther(name string) string {
	b := lib.Get()
	defer lib.Put(b)
	b.WriteString(name)
	return b.String()
}

func ofField(name string) []byte {
	b := lib.Get()
	defer b.Free()
	b.WriteString(name)
	return b.B // want `this is returned, but the deferred Free`
}

func OKTaken(name string) []byte {
	b := lib.Get()
	b.WriteString(name)
	out := b.B
	b.B = nil
	b.Free()
	return out
}

func twice(name string) error {
	b := lib.GetBuffer()
	defer lib.PutBuffer(b)
	if name == "" {
		lib.PutBuffer(b) // want `this is given back a second time by the deferred PutBuffer in line \d+`
		return errEmpty
	}
	b.WriteString(name)
	return nil
}

func again(name string) {
	b := lib.GetBuffer()
	b.WriteString(name)
	lib.PutBuffer(b)
	if name == "" {
		lib.PutBuffer(b) // want `this is given back a second time; the first is PutBuffer in line \d+`
	}
}

type node struct {
	next *node
	name string
}

var nodes sync.Pool

func free(list *node) {
	for n := list; n != nil; n = n.next { // want `this was given back by Put in line \d+`
		nodes.Put(n)
	}
}

func OKFree(list *node) {
	for n := list; n != nil; {
		next := n.next
		n.next, n.name = nil, ""
		nodes.Put(n)
		n = next
	}
}

func OKEither(pooled bool, w io.Writer) error {
	var b *bytes.Buffer
	if pooled {
		b = lib.GetBuffer()
	} else {
		b = new(bytes.Buffer)
	}
	b.WriteString("x")
	if pooled {
		lib.PutBuffer(b)
	}
	if !pooled {
		_, err := w.Write(b.Bytes())
		return err
	}
	return nil
}

func OKLoop(w io.Writer, names []string) {
	for _, n := range names {
		b := lib.GetBuffer()
		b.WriteString(n)
		w.Write(b.Bytes())
		lib.PutBuffer(b)
	}
}

func OKReplaced(w io.Writer, names []string) {
	b := lib.GetBuffer()
	for _, n := range names {
		if b.Len() > 1000 {
			w.Write(b.Bytes())
			lib.PutBuffer(b)
			b = lib.GetBuffer()
		}
		b.WriteString(n)
	}
	lib.PutBuffer(b)
}

func OKOnError(fill func(*bytes.Buffer) error) (_ *bytes.Buffer, err error) {
	b := lib.GetBuffer()
	defer func() {
		if err != nil {
			lib.PutBuffer(b)
		}
	}()
	if err = fill(b); err != nil {
		return nil, err
	}
	return b, nil
}

type counted struct {
	refs atomic.Int32
	data []byte
}

var counteds sync.Pool

func (c *counted) Release() {
	if c.refs.Add(-1) == 0 {
		c.data = c.data[:0]
		counteds.Put(c)
	}
}

func OKCounted(c *counted) []byte {
	c.refs.Add(1)
	defer c.Release()
	return c.data
}

func OKErr(c *counted) (err error) {
	p := slices.Get().(*[]byte)
	buf := (*p)[:0]
	buf = append(buf, c.data...)
	if len(buf) == 0 {
		err = errEmpty
	}
	*p = buf
	slices.Put(p)
	return err
}

func pooledSlice(c *counted) []byte {
	p := slices.Get().(*[]byte)
	defer slices.Put(p)
	buf := append((*p)[:0], c.data...)
	return buf // want `this is returned, but the deferred Put`
}

type cache struct{ entries map[string][]byte }

func (c *cache) add(key string, v any) {
	b := lib.GetBuffer()
	defer lib.PutBuffer(b)
	json.NewEncoder(b).Encode(v)
	c.entries[key] = b.Bytes() // want `this is kept here, but PutBuffer in line \d+ gives it back`
}

func OKInterface(p lib.Pool, r io.Reader) (int, error) {
	b := p.Get()
	defer p.Put(b)
	return r.Read(*b)
}

func throughInterface(p lib.Pool, r io.Reader) ([]byte, error) {
	b := p.Get()
	n, err := r.Read(*b)
	p.Put(b)
	return (*b)[:n], err // want `this was given back by Put in line \d+`
}

// A writer that writes into what its caller gives it.
type writer struct {
	buf   []byte
	stack []int
}

var writers = sync.Pool{New: func() any { return new(writer) }}

func (w *writer) reset(buf []byte) {
	w.stack = w.stack[:0]
	w.buf = buf
}

func (w *writer) again() { w.reset(w.buf[:0]) }

func OKLent(dst []byte, v string) []byte {
	w := writers.Get().(*writer)
	defer writers.Put(w)
	w.reset(dst)
	w.buf = append(w.buf, v...)
	return w.buf
}

func sent(ch chan<- []byte, v string) {
	b := lib.GetBuffer()
	defer lib.PutBuffer(b)
	b.WriteString(v)
	ch <- b.Bytes() // want `this is kept here, but PutBuffer in line \d+ gives it back`
}

func OKSent(ch chan<- []byte, done <-chan bool, v string) {
	b := lib.GetBuffer()
	defer lib.PutBuffer(b)
	b.WriteString(v)
	ch <- b.Bytes()
	<-done
}

func goes(w io.Writer, v string) {
	b := lib.GetBuffer()
	defer lib.PutBuffer(b)
	b.WriteString(v)
	go func() { w.Write(b.Bytes()) }() // want `this goroutine has what PutBuffer in line \d+ gives back without waiting`
}

func OKGoes(w io.Writer, v string) {
	b := lib.GetBuffer()
	b.WriteString(v)
	go func() {
		defer lib.PutBuffer(b)
		w.Write(b.Bytes())
	}()
}

type path struct{ names []string }

var paths = sync.Pool{New: func() any { return new(path) }}

func releasePath(p *path) {
	p.names = p.names[:0]
	paths.Put(p)
}

// An element may refer to any memory.
func OKElement(name string) string {
	p := paths.Get().(*path)
	p.names = append(p.names, name)
	first := p.names[0]
	releasePath(p)
	return first
}
