package services

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"sync"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

// What buffers show of what they hold, until they are used again.

type framer struct {
	pool *arena.Pool
	out  bytes.Buffer
	key  []byte
	seen map[string]int
}

func (f *framer) frame(x *item) []byte {
	f.out.Reset()
	f.out.WriteString(x.sku)
	return f.out.Bytes()
}
func (f *framer) BadFrames(x, y *item) bool {
	a := f.pool.Get()
	defer f.pool.Put(a)
	return bytes.Equal(f.frame(x), f.frame(y))
}
func BadTokens(a *arena.Arena, r io.Reader) int {
	var longest []byte
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if line := lines.Bytes(); len(line) > len(longest) {
			longest = line
		}
	}
	return len(a.AllocBytesToString(longest))
}
func (f *framer) BadCounted(list []*item) {
	for _, x := range list {
		f.key = append(f.key[:0], x.sku...)
		f.seen[unsafe.String(unsafe.SliceData(f.key), len(f.key))]++
	}
}

func (f *framer) OKFrames(a *arena.Arena, x, y *item) bool {
	first := a.AllocBytesToString(f.frame(x))
	return first == string(f.frame(y))
}
func OKTokens(a *arena.Arena, r io.Reader) (list []string) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) > 0 {
			list = arena.Append(a, list, a.AllocBytesToString(line))
		}
	}
	return list
}
func (f *framer) OKCounted(a *arena.Arena, list []*item) {
	for _, x := range list {
		f.key = append(f.key[:0], x.sku...)
		key := unsafe.String(unsafe.SliceData(f.key), len(f.key))
		if _, ok := f.seen[key]; !ok {
			f.seen[string(f.key)] = 0
		}
	}
}
func (f *framer) OKCompacted(a *arena.Arena, n int) int {
	rest := f.out.Bytes()[n:]
	f.out.Reset()
	f.out.Write(rest)
	return f.out.Len()
}

// Written when the rest was found.
type head struct {
	a          *arena.Arena
	verb, path []byte
	in         *bufio.Reader
}

func (h *head) line() []byte {
	line, _, _ := h.in.ReadLine()
	return line
}
func (h *head) BadHead() {
	h.verb = h.line()
	h.path = h.line()
}
func BadSlicesOf(a *arena.Arena, list []*item) []string {
	names := collections.NewSlice[string](a, 0)
	for _, x := range list {
		names.Append(a.AllocString(x.sku))
	}
	shown := names.Slice()
	if len(shown) > 100 {
		names.Clear()
	}
	return shown
}
func (h *head) OKHead() {
	h.verb = append(h.verb[:0], h.line()...)
	h.path = append(h.path[:0], h.line()...)
}
func (h *head) OKPeeked() int {
	b, err := h.in.Peek(4)
	if err != nil {
		return 0
	}
	n := int(b[0])<<8 | int(b[1])
	h.in.Discard(4)
	h.verb = h.a.AllocBytes(n)
	h.in.Read(h.verb)
	return len(h.verb)
}

// Buffers of a sync.Pool.

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func BadByPool(x *item) []byte {
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	fmt.Fprintf(b, "%s", x.sku)
	out := b.Bytes()
	buffers.Put(b)
	return out
}
func BadByPoolDeferred(x *item) []byte {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	fmt.Fprintf(b, "%s", x.sku)
	return b.Bytes()
}
func (f *framer) BadByPoolKept(x *item) {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	fmt.Fprintf(b, "%s", x.sku)
	f.key = bytes.TrimSpace(b.Bytes())
}
func OKByPool(w io.Writer, x *item) string {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	fmt.Fprintf(b, "%s", x.sku)
	w.Write(b.Bytes())
	return b.String() + string(b.Bytes())
}
func OKByPoolCloned(x *item) []byte {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	fmt.Fprintf(b, "%s", x.sku)
	return bytes.Clone(b.Bytes())
}
func OKByPoolArena(p *sync.Pool, n int) (m int) {
	a := p.Get().(*arena.Arena)
	list := arena.MakeSlice[int](a, 0, n)
	m = len(list)
	a.Reset()
	p.Put(a)
	return m
}
func OKByPoolLarge(x *item) []byte {
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	fmt.Fprintf(b, "%s", x.sku)
	if b.Cap() > 1<<16 {
		return b.Bytes()
	}
	out := append([]byte(nil), b.Bytes()...)
	buffers.Put(b)
	return out
}
