package attack

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tuning"
)

// A piece is a value, a slice, a string or raw memory of an arena, and its expected contents, which follow from its
// seed.
type piece struct {
	p    unsafe.Pointer
	len  int // elements
	cap  int
	seed uint64
	kind uint8 // index in kinds
	form form
	zero bool // it was scrubbed: all of it is zero
	born int
}

// A form is the kind of call that made a piece.
type form uint8

const (
	single form = iota // New and the like
	many               // MakeSlice and the like
	text               // AllocString and the like
	raw                // Alloc
)

func (p *piece) String() string {
	return fmt.Sprintf("%s[%d:%d] at %p, form %d, seed %x", kinds[p.kind].name(), p.len, p.cap, p.p, p.form, p.seed)
}

// size returns the bytes of the elements, room those up to the capacity.
func (p *piece) size() int { return p.len * int(kinds[p.kind].size()) }
func (p *piece) room() int { return max(p.len, p.cap) * int(kinds[p.kind].size()) }

// live returns the bytes that are allocated for sure.
func (p *piece) live() int { return p.room() }

// wrong returns the errors in the content, or "".
func (p *piece) wrong() string {
	k := kinds[p.kind]
	if p.zero {
		if !isZero(p.p, p.size()) {
			return fmt.Sprintf("%v isn't zero, though it was scrubbed", p)
		}
		return ""
	}
	if k.refs() {
		return k.wrong(p)
	}
	if i := differs(p.p, p.size(), p.seed); i >= 0 {
		return fmt.Sprintf("byte %d of %v is %#x", i, p, bytesAt(p.p, p.size())[i])
	}
	return ""
}

// word returns the 8 bytes at word i of a seed's contents.
func word(seed uint64, i int) uint64 {
	return (seed + uint64(i)*0x9e3779b97f4a7c15) ^ seed>>29 | 0x0100000000000001
}

// fill writes bytes from to to of a seed's contents.
func fill(p unsafe.Pointer, from, to int, seed uint64) {
	if to <= from {
		return
	}
	b := bytesAt(p, to)
	i := from
	for ; i < to && i%8 != 0; i++ {
		b[i] = byte(word(seed, i/8) >> (i % 8 * 8))
	}
	for ; i+8 <= to; i += 8 {
		binary.LittleEndian.PutUint64(b[i:], word(seed, i/8))
	}
	for ; i < to; i++ {
		b[i] = byte(word(seed, i/8) >> (i % 8 * 8))
	}
}

// differs returns the first of n bytes that isn't what seed stands for, or -1.
func differs(p unsafe.Pointer, n int, seed uint64) int {
	if n == 0 {
		return -1
	}
	b := bytesAt(p, n)
	i := 0
	for ; i+8 <= n; i += 8 {
		if binary.LittleEndian.Uint64(b[i:]) != word(seed, i/8) {
			break
		}
	}
	for ; i < n; i++ {
		if b[i] != byte(word(seed, i/8)>>(i%8*8)) {
			return i
		}
	}
	return -1
}

func isZero(p unsafe.Pointer, n int) bool {
	if n == 0 {
		return true
	}
	b := bytesAt(p, n)
	for len(b) >= 8 {
		if binary.LittleEndian.Uint64(b) != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// A kind is a type of values.
type kind interface {
	name() string
	size() uintptr
	align() uintptr
	refs() bool // it has pointers

	wrong(p *piece) string
	// store sets the elements from from on to to, with references into ac's arena if
	// fresh is set; else with such that need no memory.
	store(w *world, ac *actor, p *piece, from, to int, fresh bool)

	index() uint8
	pad() int // bytes that may lie before a slice, so that it is aligned

	// These call the library, as do many ways that there are to do each of it.
	new(a *arena.Arena, how int) unsafe.Pointer
	box(w *world, ac *actor, most int)
	typed(w *world, ac *actor) typed
	makeSlice(a *arena.Arena, how, n, cap int) piece
	longer(a *arena.Arena, p piece, how, n int) piece
	reslice(w *world, ac *actor, p *piece, n int)
	copyOf(a *arena.Arena, p piece, how int) piece
	tidy(p *piece)
}

type kindOf[T any] struct {
	set func(w *world, ac *actor, v *T, seed uint64, fresh bool) // nil: no pointers
	ok  func(v *T, seed uint64) bool
}

func (kindOf[T]) name() string   { return fmt.Sprintf("%T", *new(T)) }
func (kindOf[T]) size() uintptr  { return unsafe.Sizeof(*new(T)) }
func (kindOf[T]) align() uintptr { return unsafe.Alignof(*new(T)) }
func (k kindOf[T]) refs() bool   { return k.set != nil }

func (k kindOf[T]) of(p *piece) []T { return unsafe.Slice((*T)(p.p), p.len) }

// element returns the seed of an element.
func element(seed uint64, i int) uint64 { return mix(seed + uint64(i)) }

func (k kindOf[T]) wrong(p *piece) string {
	for i := range k.of(p) {
		if v := &k.of(p)[i]; !k.ok(v, element(p.seed, i)) {
			return fmt.Sprintf("element %d of %v is %+v", i, p, *v)
		}
	}
	return ""
}

func (k kindOf[T]) store(w *world, ac *actor, p *piece, from, to int, fresh bool) {
	if k.set == nil {
		size := int(k.size())
		fill(p.p, from*size, to*size, p.seed)
		return
	}
	for i := from; i < to; i++ {
		k.set(w, ac, &k.of(p)[i], element(p.seed, i), fresh)
	}
}

// add notes that memory was allocated, and fills it. It must be aligned, and zero unless
// dirty is set.
func (w *world) add(ac *actor, p piece, align uintptr, dirty bool) *piece {
	k := kinds[p.kind]
	w.number++
	p.seed, p.born = mix(w.number), w.step
	n := p.room()
	if n == 0 {
		return nil
	}
	if n >= 8 && p.form != text && (ac.a != nil || p.form == raw) { // the Go heap keeps its own rules
		align = max(align, 8)
	}
	if uintptr(p.p)%align != 0 || p.p == nil {
		w.failf("%s: %d bytes at %p, which is not aligned to %d (%s)", w.now, n, p.p, align, ac)
	}
	if !dirty && !isZero(p.p, n) {
		w.failf("%s: %d bytes at %p, of a %s, are not zero (%s)", w.now, n, p.p, k.name(), ac)
	}
	if ac.a != nil && (!ac.a.Owns(p.p) || !ac.a.Owns(unsafe.Add(p.p, n-1))) {
		w.failf("%s: the arena doesn't own the %d bytes at %p (%s)", w.now, n, p.p, ac)
	}
	ac.pieces = append(ac.pieces, p)
	last := &ac.pieces[len(ac.pieces)-1]
	k.store(w, ac, last, 0, p.len, true) // which may allocate, but adds no pieces
	return last
}

// note writes down a change if there is a mark to go back to.
func (ac *actor) note(c change) {
	if len(ac.marks) == 0 || c.what == stored && !kinds[ac.pieces[c.piece].kind].refs() {
		return
	}
	ac.log = append(ac.log, c)
}

// statics are what values may point to anywhere.
var statics = func() (s [256]uint64) {
	for i := range s {
		s[i] = uint64(i)
	}
	return s
}()

// cell returns a pointer to a number.
func (w *world) cell(ac *actor, h uint64, fresh bool) *uint64 {
	if !fresh || h>>60 < 3 {
		return &statics[h%256]
	}
	if ac.a == nil || !ac.opts.noScan && h>>60 < 9 {
		p := new(uint64)
		*p = h
		return p
	}
	if ac.opts.noScan && h>>60 < 6 {
		p := new(uint64)
		*p = h
		if !w.keepAlive(ac, p) {
			return &statics[h%256]
		}
		return p
	}
	var p *uint64
	if !w.call(ac, "NewOf", 8, 8+7, func() { p = arena.NewOf(ac.a, h) }) {
		return &statics[h%256]
	}
	return p
}

func cellOK(p *uint64, h uint64) bool {
	return p != nil && (*p == h || *p == h%256)
}

const letterText = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"

// textOf returns the text that a number stands for: a constant.
func textOf(h uint64) string { return letterText[h%64 : h%64+1+h>>8%60] }

func (w *world) string(ac *actor, h uint64, fresh bool) string {
	s := textOf(h)
	if !fresh || h>>60 < 4 {
		return s
	}
	if ac.a == nil || !ac.opts.noScan && h>>60 < 8 {
		return string(append([]byte(nil), s...))
	}
	var t string
	if !w.call(ac, "AllocString", len(s), len(s)+15, func() { t = ac.a.AllocString(s) }) {
		return s
	}
	return t
}

// A node may point to others.
type node struct {
	next *node
	want uint64 // next.id
	id   uint64
	sum  uint64 // says that id is right
	name string
	cell *uint64
	any  any
	f    func() uint64
}

const idFactor = 0x9e3779b97f4a7c15

func (w *world) setNode(ac *actor, n *node, h uint64, fresh bool) {
	if n.id == 0 {
		w.number++
		n.id = mix(w.number) | 1
		n.sum = n.id * idFactor
	}
	name, cell, box := w.string(ac, h, fresh), w.cell(ac, h, fresh), w.cell(ac, h^1, fresh)
	n.name, n.cell, n.any = name, cell, box
	if ac.opts.noScan || !fresh {
		n.f = staticFunc
	} else {
		n.f = func() uint64 { return h }
	}
	n.next, n.want = nil, 0
	nodes := ac.nodes
	if ac.parent != nil && h>>30%4 == 0 {
		nodes, ac.upward = ac.parent.nodes, true
	}
	if fresh && len(nodes) > 0 {
		n.next = nodes[h>>20%uint64(len(nodes))]
		n.want = n.next.id
	}
}

func staticFunc() uint64 { return 42 }

func nodeOK(n *node, h uint64) bool {
	box, ok := n.any.(*uint64)
	if n.sum != n.id*idFactor || n.id == 0 || n.name != textOf(h) || !cellOK(n.cell, h) || !ok || !cellOK(box, h^1) || n.f == nil {
		return false
	}
	if v := n.f(); v != h && v != 42 {
		return false
	}
	return n.next == nil || n.next.id == n.want && n.next.sum == n.want*idFactor
}

// A holder points to objects of the Go heap.
type holder struct {
	m map[uint64]uint64
	c chan uint64
	s []byte
	n uintptr // no padding, which a copy may leave as it was
}

// keepAlive gives v to KeepAlive, and reports whether the limit allows that.
func (w *world) keepAlive(ac *actor, v any) bool {
	return w.call(ac, "KeepAlive", 0, tuning.KeptSize, func() { ac.a.KeepAlive(v) })
}

func (w *world) setHolder(ac *actor, v *holder, h uint64, fresh bool) {
	*v = holder{n: uintptr(uint32(h))}
	if !fresh {
		return
	}
	m, c := map[uint64]uint64{h: ^h}, make(chan uint64, 1)
	c <- h
	if ac.opts.noScan && (!w.keepAlive(ac, m) || !w.keepAlive(ac, c)) {
		return
	}
	v.m, v.c = m, c
	w.call(ac, "AllocBytes", 9, 16+8, func() { v.s = ac.a.AllocBytes(9) })
	if v.s != nil {
		fill(unsafe.Pointer(&v.s[0]), 0, 9, h)
	}
}

func holderOK(v *holder, h uint64) bool {
	if v.n != uintptr(uint32(h)) {
		return false
	}
	if v.m != nil {
		if len(v.m) != 1 || v.m[h] != ^h || len(v.c) != 1 {
			return false
		}
	}
	return v.s == nil || len(v.s) == 9 && differs(unsafe.Pointer(&v.s[0]), 9, h) < 0
}

// An odd is 12 bytes on 32-bit machines.
type odd struct {
	p    *uint64
	a, b uint32
}

// large has pointers and doesn't fit into the first chunk of a slab.
type large struct {
	p    *uint64
	rest [1200]byte
	q    string
}

var kinds = []kind{
	kindOf[byte]{},
	kindOf[uint16]{},
	kindOf[[3]byte]{},
	kindOf[uint32]{},
	kindOf[uint64]{},
	kindOf[[3]uint32]{},
	kindOf[[5]uint64]{},
	kindOf[[9]byte]{},
	kindOf[[100]byte]{},
	kindOf[complex128]{},
	kindOf[[1000]byte]{},
	kindOf[[5001]byte]{},
	kindOf[struct{}]{},
	kindOf[*uint64]{
		func(w *world, ac *actor, v **uint64, h uint64, fresh bool) { *v = w.cell(ac, h, fresh) },
		func(v **uint64, h uint64) bool { return cellOK(*v, h) },
	},
	kindOf[string]{
		func(w *world, ac *actor, v *string, h uint64, fresh bool) { *v = w.string(ac, h, fresh) },
		func(v *string, h uint64) bool { return *v == textOf(h) },
	},
	kindOf[node]{
		func(w *world, ac *actor, v *node, h uint64, fresh bool) { w.setNode(ac, v, h, fresh) },
		nodeOK,
	},
	kindOf[any]{
		func(w *world, ac *actor, v *any, h uint64, fresh bool) { *v = w.cell(ac, h, fresh) },
		func(v *any, h uint64) bool { p, ok := (*v).(*uint64); return ok && cellOK(p, h) },
	},
	kindOf[holder]{
		func(w *world, ac *actor, v *holder, h uint64, fresh bool) { w.setHolder(ac, v, h, fresh) },
		holderOK,
	},
	kindOf[odd]{
		func(w *world, ac *actor, v *odd, h uint64, fresh bool) {
			*v = odd{w.cell(ac, h, fresh), uint32(h), uint32(h >> 32)}
		},
		func(v *odd, h uint64) bool { return cellOK(v.p, h) && v.a == uint32(h) && v.b == uint32(h>>32) },
	},
	kindOf[large]{
		func(w *world, ac *actor, v *large, h uint64, fresh bool) {
			v.p, v.q = w.cell(ac, h, fresh), w.string(ac, h, fresh)
			fill(unsafe.Pointer(&v.rest), 0, len(v.rest), h)
		},
		func(v *large, h uint64) bool {
			return cellOK(v.p, h) && v.q == textOf(h) && differs(unsafe.Pointer(&v.rest), len(v.rest), h) < 0
		},
	},
}

const (
	bytesKind = 0
	nodeKind  = 15
)

// indexOf returns the number of a kind.
func (k kindOf[T]) index() uint8 {
	for i := range kinds {
		if _, ok := kinds[i].(kindOf[T]); ok {
			return uint8(i)
		}
	}
	panic("no such kind")
}
