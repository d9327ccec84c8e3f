package attack

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/harena-go/arena"
)

// An operation is a letter of the alphabet.
type operation struct {
	name   string
	weight int
	calls  string // the exported names that it is about, separated by spaces
	do     func(w *world, r *rng) *actor
	runs   atomic.Int64
}

// alphabet is all operations; letters finds one by its name, and in byWeight each
// is there as often as it weighs.
var (
	alphabet []operation
	letters  = map[string]uint16{}
	byWeight []uint16
)

// all is the alphabet's parts. Files for other versions of Go add theirs.
var parts = [][]operation{valueOps, sliceOps, rawOps, textOps, lifeOps, poolOps, sharedOps, collectionOps, scenarioOps}

// spell makes the alphabet; it isn't done by init, so that parts are complete.
func spell() {
	if len(alphabet) > 0 {
		return
	}
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	alphabet = make([]operation, n)
	i := 0
	for _, p := range parts {
		for j := range p {
			o := &alphabet[i]
			o.name, o.weight, o.calls, o.do = p[j].name, p[j].weight, p[j].calls, p[j].do
			if _, twice := letters[o.name]; twice {
				panic("two operations " + o.name)
			}
			letters[o.name] = uint16(i)
			for range o.weight {
				byWeight = append(byWeight, uint16(i))
			}
			i++
		}
	}
}

// of returns an operation for an arena and a kind.
func of(f func(w *world, ac *actor, k kind, r *rng)) func(w *world, r *rng) *actor {
	return func(w *world, r *rng) *actor {
		ac := w.pick(r)
		f(w, ac, kinds[r.n(len(kinds))], r)
		return ac
	}
}

// with returns an operation for an arena.
func with(f func(w *world, ac *actor, r *rng)) func(w *world, r *rng) *actor {
	return func(w *world, r *rng) *actor {
		ac := w.pick(r)
		f(w, ac, r)
		return ac
	}
}

var valueOps = []operation{
	{name: "New", weight: 60, calls: "arena.New", do: of(func(w *world, ac *actor, k kind, r *rng) { w.value(ac, k, 0) })},
	{name: "NewOf", weight: 30, calls: "arena.NewOf", do: of(func(w *world, ac *actor, k kind, r *rng) { w.value(ac, k, 1) })},
	{name: "TypeKey.New", weight: 10, calls: "arena.TypeKey.New arena.KeyOf arena.TypeKey arena.TypeKey.Type", do: of(func(w *world, ac *actor, k kind, r *rng) { w.value(ac, k, 2) })},
	{name: "TypeAllocator.New", weight: 10, calls: "arena.TypeKey.For arena.TypeAllocator arena.TypeAllocator.New arena.TypeAllocator.Size", do: of(func(w *world, ac *actor, k kind, r *rng) { w.value(ac, k, 3) })},
	{name: "NewFunc", weight: 6, calls: "arena.NewFunc", do: of(func(w *world, ac *actor, k kind, r *rng) { w.value(ac, k, 4) })},
	{name: "Box", weight: 10, calls: "arena.Box", do: of(func(w *world, ac *actor, k kind, r *rng) { w.value(ac, k, 5) })},
	{name: "For", weight: 6, calls: "arena.For", do: of(func(w *world, ac *actor, k kind, r *rng) {
		if len(ac.typeds) >= 6 {
			ac.typeds = slices.Delete(ac.typeds, 0, 1)
		}
		ac.typeds = append(ac.typeds, k.typed(w, ac))
	})},
	{name: "Typed.New", weight: 40, calls: "arena.Typed arena.Typed.New", do: with(func(w *world, ac *actor, r *rng) {
		if n := len(ac.typeds); n > 0 {
			ac.typeds[r.n(n)].value(w, ac)
		}
	})},
	{name: "Refill", weight: 20, do: with(refill)},
}

// refill sets elements of a value anew.
func refill(w *world, ac *actor, r *rng) {
	if len(ac.pieces) == 0 {
		return
	}
	i := r.n(len(ac.pieces))
	p := &ac.pieces[i]
	if p.form == text || p.zero || p.size() > 1<<14 {
		return
	}
	w.number++
	p.seed = mix(w.number)
	ac.note(change{piece: i, what: stored, to: p.len})
	kinds[p.kind].store(w, ac, p, 0, p.len, true)
}

// objectBounds returns by how much UsedBytes grows for a value: by a multiple of 8, and by the rest of 8 bytes behind a
// string.
func objectBounds(size int) (least, most int) {
	if size == 0 {
		return 0, 8
	}
	return size, (size+7)&^7 + 7
}

// A typed is a *typedOf[T].
type typed interface{ value(w *world, ac *actor) }

type typedOf[T any] struct {
	t *arena.Typed[T]
	k kindOf[T]
}

func (k kindOf[T]) typed(w *world, ac *actor) (t typed) {
	w.call(ac, "For", 0, 0, func() { t = typedOf[T]{arena.For[T](ac.a), k} })
	return t
}

func (t typedOf[T]) value(w *world, ac *actor) {
	var p *T
	least, most := objectBounds(int(t.k.size()))
	if w.call(ac, "Typed.New", least, most, func() { p = t.t.New() }) {
		w.addValue(ac, t.k, unsafe.Pointer(p), false)
	}
}

// value allocates a value in one of several ways.
func (w *world) value(ac *actor, k kind, how int) {
	least, most := objectBounds(int(k.size()))
	if how == 5 {
		k.box(w, ac, most)
		return
	}
	name := [...]string{"New", "NewOf", "TypeKey.New", "TypeAllocator.New", "NewFunc"}[how]
	dirty := how == 1 && !k.refs()
	var p unsafe.Pointer
	if !w.call(ac, name, least, most, func() { p = k.new(ac.a, how) }) {
		return
	}
	if dirty && differs(p, int(k.size()), 77) >= 0 {
		w.failf("NewOf has another value")
	}
	w.addValue(ac, k, p, dirty)
}

func (k kindOf[T]) new(a *arena.Arena, how int) unsafe.Pointer {
	switch how {
	case 0:
		return unsafe.Pointer(arena.New[T](a))
	case 1:
		var v T
		if k.set == nil {
			fill(unsafe.Pointer(&v), 0, int(k.size()), 77)
		}
		return unsafe.Pointer(arena.NewOf(a, v))
	case 2:
		return k.key().New(a)
	case 3:
		return k.key().For(a).New()
	default:
		return unsafe.Pointer(arena.NewFunc(a, func(*T) {}))
	}
}

// box puts a value into an interface. What of it is in the arena, and has no pointers, is looked after.
func (k kindOf[T]) box(w *world, ac *actor, most int) {
	var v T
	dirty := k.set == nil
	if dirty {
		fill(unsafe.Pointer(&v), 0, int(k.size()), 77)
	}
	var boxed any
	if !w.call(ac, "Box", 0, most, func() { boxed = arena.Box(ac.a, v) }) {
		return
	}
	got, ok := boxed.(T)
	if ok != (any(v) != nil) || dirty && differs(unsafe.Pointer(&got), int(k.size()), 77) >= 0 {
		w.failf("Box(%v) is %T %v", v, boxed, boxed)
	}
	data := (*[2]unsafe.Pointer)(unsafe.Pointer(&boxed))[1]
	if dirty && k.size() > 0 && ac.a.Owns(data) {
		w.addValue(ac, k, data, true)
	}
}

// key returns the key of T.
func (k kindOf[T]) key() arena.TypeKey {
	key := arena.KeyOf(reflect.TypeFor[T]())
	if key.Type() != reflect.TypeFor[T]() || key.For(nil).Size() != unsafe.Sizeof(*new(T)) {
		panic("a key of another type")
	}
	return key
}

func (w *world) addValue(ac *actor, k kind, p unsafe.Pointer, dirty bool) {
	added := w.add(ac, piece{p: p, len: 1, cap: 1, kind: k.index()}, k.align(), dirty)
	if added != nil && added.kind == nodeKind && len(ac.nodes) < 200 {
		ac.nodes = append(ac.nodes, (*node)(p))
	}
}

var sliceOps = []operation{
	{name: "MakeSlice", weight: 25, calls: "arena.MakeSlice", do: sliceOp(0)},
	{name: "MakeSliceUninit", weight: 15, calls: "arena.MakeSliceUninit", do: sliceOp(1)},
	{name: "Collect", weight: 6, calls: "arena.Collect", do: sliceOp(2)},
	{name: "TypeKey.MakeSlice", weight: 10, calls: "arena.TypeKey.MakeSlice", do: sliceOp(3)},
	{name: "NewN", weight: 10, calls: "arena.TypeAllocator.NewN", do: sliceOp(4)},
	{name: "TypeAllocator.Grow", weight: 20, calls: "arena.TypeAllocator.Grow arena.TypeAllocator.Trim", do: growOp(6)},
	{name: "Append1", weight: 40, calls: "arena.Append", do: growOp(0)},
	{name: "Append", weight: 20, calls: "arena.Append", do: growOp(1)},
	{name: "AppendSeq", weight: 8, calls: "arena.AppendSeq", do: growOp(2)},
	{name: "Grow", weight: 15, calls: "arena.Grow", do: growOp(3)},
	{name: "Reslice", weight: 10, do: growOp(4)},
	{name: "Foreign", weight: 4, calls: "arena.Append arena.Grow", do: growOp(5)},
	{name: "CopySlice", weight: 10, calls: "arena.CopySlice", do: copyOp(0)},
	{name: "Clone", weight: 4, calls: "arena.Clone", do: copyOp(1)},
	{name: "DeepClone", weight: 2, calls: "arena.DeepClone", do: copyOp(2)},
	{name: "CloneOut", weight: 2, calls: "arena.CloneOut", do: copyOp(3)},
}

func sliceOp(how int) func(w *world, r *rng) *actor {
	return of(func(w *world, ac *actor, k kind, r *rng) {
		n := elements(k, r)
		cap := n
		if r.one(3) {
			cap += r.n(8)
		}
		w.slice(ac, k, how, n, cap)
	})
}

// elements returns a number of elements that together are of a likely size.
func elements(k kind, r *rng) int {
	n := r.size()
	if s := int(k.size()); s > 1 {
		n = (n + r.n(s)) / s
	}
	if k.refs() {
		n = min(n, 40)
	}
	return n
}

// slice allocates a slice in one of several ways.
func (w *world) slice(ac *actor, k kind, how, n, cp int) {
	name := [...]string{"MakeSlice", "MakeSliceUninit", "Collect", "TypeKey.MakeSlice", "NewN"}[how]
	least := cp * int(k.size())
	most := least + k.pad()
	if how == 2 {
		n = min(n, 100)
		least, most = n*int(k.size()), -1
	}
	var s piece
	if !w.call(ac, name, least, most, func() { s = k.makeSlice(ac.a, how, n, cp) }) {
		return
	}
	if how == 2 {
		if (s.p == nil) != (n == 0) {
			w.failf("Collect of %d values is at %p", n, s.p)
		}
		cp = s.cap
	}
	if s.len != n || s.cap != cp {
		w.failf("%s(%d, %d): length %d, capacity %d", w.now, n, cp, s.len, s.cap)
	}
	w.add(ac, s, k.align(), how == 1 && !k.refs())
}

func (k kindOf[T]) makeSlice(a *arena.Arena, how, n, cp int) piece {
	switch how {
	case 0:
		return k.piece(arena.MakeSlice[T](a, n, cp))
	case 1:
		return k.piece(arena.MakeSliceUninit[T](a, n, cp))
	case 2:
		return k.piece(arena.Collect(a, k.zeros(n)))
	case 3:
		return k.piece(k.at(k.key().MakeSlice(a, cp), n, cp))
	default:
		return k.piece(k.at(k.key().For(a).NewN(cp), n, cp))
	}
}

// at returns the slice at p.
func (k kindOf[T]) at(p unsafe.Pointer, n, cp int) []T {
	if cp == 0 {
		return nil
	}
	return unsafe.Slice((*T)(p), cp)[:n]
}

// pad returns how many bytes may lie before a slice, so that it is aligned. In a slab
// of a 32-bit machine that is an element.
func (k kindOf[T]) pad() int {
	if unsafe.Sizeof(uintptr(0)) == 4 && k.set != nil {
		return 7 + int(k.size())
	}
	return 7
}

// zeros is a sequence of n zero values.
func (k kindOf[T]) zeros(n int) func(yield func(T) bool) {
	return func(yield func(T) bool) {
		for range n {
			if !yield(*new(T)) {
				return
			}
		}
	}
}

func (k kindOf[T]) piece(s []T) piece {
	return piece{p: unsafe.Pointer(unsafe.SliceData(s)), len: len(s), cap: cap(s), kind: k.index(), form: many}
}

func growOp(how int) func(w *world, r *rng) *actor {
	return with(func(w *world, ac *actor, r *rng) {
		n := len(ac.pieces)
		if n == 0 {
			return
		}
		i := n - 1 - r.n(min(n, 6)) // one of the newest, which may grow where it is
		if r.one(4) {
			i = r.n(n)
		}
		p := &ac.pieces[i]
		if p.form != many || p.zero {
			return
		}
		k := kinds[p.kind]
		n = elements(k, r)
		if how == 0 {
			n = 1
		}
		if p.size() > 1<<20 {
			n = 0
		}
		w.grow(ac, k, i, how, n)
	})
}

// grow makes a slice longer in one of several ways.
func (w *world) grow(ac *actor, k kind, i, how, n int) {
	p := &ac.pieces[i]
	if p.len > 1<<20 {
		return
	}
	switch how {
	case 2:
		n = min(n, 50)
	case 4:
		k.reslice(w, ac, p, n)
		return
	case 5:
		w.foreign(ac, k, *p, n)
		return
	}
	// At the worst it moves, and needs room for what there is, aligned.
	need := (p.len+n)*int(k.size()) + k.pad()
	if p.len+n <= max(p.cap, p.len) {
		need = 0
	}
	name := [...]string{"Append", "Append", "AppendSeq", "Grow", "", "", "TypeAllocator.Grow"}[how]
	if how == 2 {
		need = -1
	}
	var t piece
	if !w.callNeeding(ac, name, need, func() { t = k.longer(ac.a, *p, how, n) }) {
		return
	}
	length := p.len + n
	if how == 3 || how == 6 {
		length = p.len
	}
	if t.len != length || t.cap < p.len+n && how != 6 {
		w.failf("%s by %d: length %d, was %d; capacity %d", name, n, t.len, p.len, t.cap)
	}
	if t.cap > 0 {
		w.grown(ac, i, t, name)
	}
}

func (k kindOf[T]) longer(a *arena.Arena, p piece, how, n int) piece {
	s := unsafe.Slice((*T)(p.p), max(p.cap, p.len))[:p.len]
	switch how {
	case 0:
		return k.piece(arena.Append(a, s, *new(T)))
	case 1:
		return k.piece(arena.Append(a, s, make([]T, n)...))
	case 2:
		return k.piece(arena.AppendSeq(a, s, k.zeros(n)))
	case 3:
		return k.piece(arena.Grow(a, s, n))
	default:
		return k.piece(k.growType(a, s, n))
	}
}

// growType makes room for n more elements, or gives back half of that at once, as far as that
// is known to be zero.
func (k kindOf[T]) growType(a *arena.Arena, s []T, n int) []T {
	t := k.key().For(a)
	p, room := t.Grow(unsafe.Pointer(unsafe.SliceData(s)), len(s), cap(s), len(s)+n)
	if room < len(s)+n {
		panic("Grow makes less room than was asked for")
	}
	if n%2 == 1 && room > cap(s) {
		room = t.Trim(p, min(cap(s)+n/2, room), room)
	}
	return k.at(p, len(s), room)
}

// callNeeding is call for a call that may take any number of bytes, but needs only some.
func (w *world) callNeeding(ac *actor, name string, need int, f func()) bool {
	before, after, ok := w.attempt(ac, name, need, f)
	if !ok {
		return false
	}
	if after < before {
		w.failf("%s: UsedBytes was %d and is %d", name, before, after)
	}
	if ac.family != nil {
		if now := ac.family.used(); now > ac.family.limit {
			w.failf("%s: %d bytes used with a limit of %d (%s)", name, now, ac.family.limit, ac)
		}
	}
	return true
}

// grown takes account of a slice that is t now.
func (w *world) grown(ac *actor, i int, t piece, name string) {
	p := &ac.pieces[i]
	k, was := kinds[p.kind], *p
	if k.size() > 0 && uintptr(t.p)%k.align() != 0 {
		w.failf("%s: %p isn't aligned to %d", name, t.p, k.align())
	}
	inPlace := t.p == p.p
	// New elements are zero: appended ones, which were zeros, and spare capacity.
	w.mustBeZero(t, p.len, t.len, name, ac)
	if inPlace {
		w.mustBeZero(t, p.cap, t.cap, name, ac)
	} else {
		w.mustBeZero(t, p.len, t.cap, name, ac)
	}
	p.p, p.len, p.cap = t.p, t.len, t.cap
	if !inPlace && k.size() > 0 && ac.a != nil && !ac.a.Owns(t.p) {
		w.failf("%s: the arena doesn't own where the slice has moved", name)
	}
	what := lengthened
	if !inPlace {
		what = moved
	}
	ac.note(change{piece: i, what: what, old: was})
	if !inPlace && ac.upward && p.kind == nodeKind && (ac.opts.checks != 0 || w.profile.tidy) {
		clear(unsafe.Slice((*node)(was.p), was.len)) // which outlives its targets in the parent
		ac.note(change{piece: i, what: stored, to: was.len})
	}
	if p.len > was.len {
		ac.note(change{piece: i, what: stored, from: was.len, to: p.len})
		k.store(w, ac, p, was.len, p.len, true)
	}
	w.compare(ac, p)
}

// mustBeZero checks elements of a slice, up to its capacity.
func (w *world) mustBeZero(t piece, from, to int, name string, ac *actor) {
	size := int(kinds[t.kind].size())
	if size > 0 && from < to && !isZero(unsafe.Add(t.p, from*size), (to-from)*size) {
		w.failf("%s: elements %d to %d of length %d, capacity %d, aren't zero (%s)", name, from, to, t.len, t.cap, ac)
	}
}

// reslice makes the slice shorter, so that it grows over its old elements.
func (k kindOf[T]) reslice(w *world, ac *actor, p *piece, n int) {
	n = min(n, p.len)
	if ac.opts.checks != 0 || w.profile.checked > 0 || ac.opts.noScan {
		clear(k.of(p)[n:]) // which would be references that outlive their targets
	}
	p.len = n
}

// foreign appends to a slice in an arena that isn't its own.
func (w *world) foreign(from *actor, k kind, s piece, n int) {
	if len(w.actors) == 0 || k.refs() {
		return // its target would be another arena's
	}
	to := w.actors[w.number%uint64(len(w.actors))]
	if to == from {
		return // it might grow where it is, and be there twice
	}
	size := int(k.size())
	var t piece
	s.cap = s.len
	if !w.callNeeding(to, "Append", (s.len+n+1)*size+k.pad(), func() { t = k.longer(to.a, s, 1, n+1) }) {
		return
	}
	if t.len != s.len+n+1 || size > 0 && s.len > 0 && !bytes.Equal(bytesAt(t.p, s.size()), bytesAt(s.p, s.size())) {
		w.failf("Append of a foreign slice of %d: length %d", s.len, t.len)
	}
	if size > 0 {
		w.add(to, t, k.align(), true)
	}
}

func copyOp(how int) func(w *world, r *rng) *actor {
	return with(func(w *world, ac *actor, r *rng) {
		if len(ac.pieces) == 0 {
			return
		}
		p := &ac.pieces[r.n(len(ac.pieces))]
		if p.form == text || p.form == raw || p.size() > 1<<16 || p.zero {
			return
		}
		w.copyOut(ac, kinds[p.kind], *p, how)
	})
}

// copyOut copies a slice in one of several ways.
func (w *world) copyOut(ac *actor, k kind, p piece, how int) {
	name := [...]string{"CopySlice", "Clone", "DeepClone", "CloneOut"}[how]
	least, most := 0, 0
	if how == 0 {
		least, most = p.size(), p.size()+k.pad()
	}
	var c piece
	if !w.call(ac, name, least, most, func() { c = k.copyOf(ac.a, p, how) }) {
		return
	}
	if c.len != p.len || how < 2 && c.cap != p.len {
		w.failf("%s: length %d, capacity %d; want %d", w.now, c.len, c.cap, p.len)
	}
	if c.len == 0 {
		return
	}
	c.seed = p.seed
	if why := c.wrong(); why != "" {
		w.failf("%s: the copy is wrong: %s", w.now, why)
	}
	if how == 0 && k.size() > 0 {
		w.add(ac, c, k.align(), true)
	}
	if how > 0 && k.size() > 0 && ac.a.Owns(c.p) {
		w.failf("%s: the copy is in the arena", w.now)
	}
}

func (k kindOf[T]) copyOf(a *arena.Arena, p piece, how int) piece {
	s := k.of(&p)
	switch how {
	case 0:
		return k.piece(arena.CopySlice(a, s))
	case 1:
		return k.piece(arena.Clone(s))
	case 2:
		return k.piece(arena.DeepClone(s))
	default:
		return k.piece(arena.CloneOut(a, s))
	}
}

var rawOps = []operation{
	{name: "AllocString", weight: 40, calls: "arena.Arena.AllocString", do: textOp("AllocString", func(ac *actor, b []byte) string { return ac.a.AllocString(string(b)) })},
	{name: "AllocBytesToString", weight: 10, calls: "arena.Arena.AllocBytesToString", do: textOp("AllocString", func(ac *actor, b []byte) string { return ac.a.AllocBytesToString(b) })},
	{name: "Concat", weight: 6, calls: "arena.Concat", do: textOp("Join", func(ac *actor, b []byte) string {
		return arena.Concat(ac.a, string(b[:len(b)/3]), string(b[len(b)/3:]))
	})},
	{name: "Join", weight: 6, calls: "arena.Join", do: textOp("Join", func(ac *actor, b []byte) string {
		return arena.Join(ac.a, []string{string(b[:len(b)/3]), string(b[len(b)/2:])}, string(b[len(b)/3:len(b)/2]))
	})},
	{name: "Sprintf", weight: 4, calls: "arena.Arena.Sprintf", do: with(sprintf)},
	{name: "AllocBytes", weight: 10, calls: "arena.Arena.AllocBytes", do: bytesOp(func(ac *actor, n int) []byte { return ac.a.AllocBytes(n) }, false)},
	{name: "CopyAll", weight: 8, calls: "arena.Arena.CopyAll arena.Arena.SelfContained", do: with(copyAll)},
	{name: "AllocBytesUninit", weight: 10, calls: "arena.Arena.AllocBytesUninit", do: bytesOp(func(ac *actor, n int) []byte { return ac.a.AllocBytesUninit(n) }, true)},
	{name: "Alloc", weight: 25, calls: "arena.Arena.Alloc", do: with(alloc)},
	{name: "Realloc", weight: 25, calls: "arena.Arena.Realloc", do: with(realloc)},
	{name: "ReadAll", weight: 5, calls: "arena.Arena.ReadAll", do: with(readAll)},
	{name: "Reserve", weight: 8, calls: "arena.Arena.Reserve", do: with(reserve)},
	{name: "KeepAlive", weight: 4, calls: "arena.Arena.KeepAlive", do: with(func(w *world, ac *actor, r *rng) {
		w.keepAlive(ac, &w.number)
	})},
	{name: "RecoverLimit", weight: 4, calls: "arena.RecoverLimit", do: with(func(w *world, ac *actor, r *rng) {
		n := r.size()
		var b []byte
		var err error
		w.callNeeding(ac, "AllocBytes", -1, func() {
			func() {
				defer arena.RecoverLimit(&err)
				b = ac.a.AllocBytes(n)
			}()
			var limit *arena.LimitError
			if (err != nil) != (b == nil) || err != nil && !errors.As(err, &limit) {
				w.failf("AllocBytes(%d) with RecoverLimit: %d bytes, %v", n, len(b), err)
			}
		})
		if b != nil {
			w.add(ac, kindOf[byte]{}.piece(b), 1, false)
		}
	})},
	{name: "Owns", weight: 3, calls: "arena.Arena.Owns arena.Arena.Freed", do: with(owns)},
}

func textOp(name string, f func(ac *actor, b []byte) string) func(w *world, r *rng) *actor {
	return with(func(w *world, ac *actor, r *rng) {
		n := r.size()
		w.number++
		seed := mix(w.number)
		b := filled(n, seed)
		var s string
		if w.call(ac, name, n, n+15, func() { s = f(ac, b) }) {
			w.addText(ac, s, b, seed)
		}
	})
}

func filled(n int, seed uint64) []byte {
	b := make([]byte, n)
	if n > 0 {
		fill(unsafe.Pointer(&b[0]), 0, n, seed)
	}
	return b
}

// addText adds a string that must be want, which has a seed.
func (w *world) addText(ac *actor, s string, want []byte, seed uint64) {
	if s != string(want) {
		w.failf("%s: %q; want %q", w.now, s, want)
	}
	n := len(want)
	if n == 0 {
		return
	}
	p := unsafe.Pointer(unsafe.StringData(s))
	if ac.a != nil && (!ac.a.Owns(p) || !ac.a.Owns(unsafe.Add(p, n-1))) {
		w.failf("%s: the arena doesn't own the %d bytes at %p (%s)", w.now, n, p, ac)
	}
	ac.pieces = append(ac.pieces, piece{p: p, len: n, cap: n, kind: bytesKind, form: text, seed: seed, born: w.step})
}

func sprintf(w *world, ac *actor, r *rng) {
	n, seed := r.n(300), r.next()
	if r.one(4) {
		n = r.size()
	}
	b := filled(n, seed)
	var s string
	if w.callNeeding(ac, "Sprintf", max(n, 256)+15, func() { s = ac.a.Sprintf("%s%s", b[:n/2], b[n/2:]) }) {
		w.addText(ac, s, b, seed)
	}
}

func bytesOp(f func(ac *actor, n int) []byte, dirty bool) func(w *world, r *rng) *actor {
	return with(func(w *world, ac *actor, r *rng) {
		n := r.size()
		var b []byte
		if !w.call(ac, "AllocBytes", n, n+7, func() { b = f(ac, n) }) {
			return
		}
		if len(b) != n || cap(b) != n {
			w.failf("AllocBytes(%d): length %d, capacity %d", n, len(b), cap(b))
		}
		w.add(ac, kindOf[byte]{}.piece(b), 1, dirty)
	})
}

func alloc(w *world, ac *actor, r *rng) {
	n, align := r.size(), 1<<r.n(13)
	if r.one(2) {
		align = 8
	}
	var p unsafe.Pointer
	if w.call(ac, "Alloc", n, max(n, 1)+align+7, func() { p = ac.a.Alloc(uintptr(n), uintptr(align)) }) {
		w.add(ac, piece{p: p, len: n, cap: n, kind: bytesKind, form: raw}, uintptr(align), false)
	}
}

func realloc(w *world, ac *actor, r *rng) {
	n := len(ac.pieces)
	if n == 0 {
		return
	}
	i := n - 1 - r.n(min(n, 4))
	p := &ac.pieces[i]
	if p.form != raw || p.zero || p.len == 0 {
		return
	}
	size, align := max(1, r.size()), 8
	if r.one(4) {
		align = 1 << r.n(13)
	}
	was := *p
	var q unsafe.Pointer
	f := func() { q = ac.a.Realloc(p.p, uintptr(was.len), uintptr(size), uintptr(align)) }
	before := ac.a.UsedBytes()
	if size <= was.len && uintptr(p.p)%uintptr(align) == 0 {
		w.now = "Realloc"
		if v := caught(f); v != nil {
			w.failf("Realloc from %d to %d: %v (%s)", was.len, size, v, ac)
		}
		after := ac.a.UsedBytes()
		if q != p.p || after > before || after < before-(was.len-size) {
			w.failf("Realloc from %d to %d: moved: %v; UsedBytes was %d and is %d", was.len, size, q != p.p, before, after)
		}
		ac.used = after
		p.len, p.cap = size, size
		return
	}
	if !w.callNeeding(ac, "Realloc", size+align+7, f) {
		return
	}
	p.p, p.len, p.cap = q, size, size
	if uintptr(q)%uintptr(align) != 0 || size >= 8 && uintptr(q)%8 != 0 {
		w.failf("Realloc from %d to %d: %p isn't aligned to %d", was.len, size, q, align)
	}
	if old := min(was.len, size); size > old && !isZero(unsafe.Add(q, old), size-old) {
		w.failf("Realloc from %d to %d: the new part isn't zero (in place: %v, %s)", was.len, size, q == was.p, ac)
	}
	what := lengthened
	if q != was.p {
		what = moved
	}
	ac.note(change{piece: i, what: what, old: was})
	kinds[p.kind].store(w, ac, p, was.len, size, true)
	w.compare(ac, p)
}

// A reader gives n bytes of a seed, in parts.
type reader struct {
	n, at, part int
	seed        uint64
	err         error
}

func (r *reader) Read(b []byte) (int, error) {
	if r.at == r.n {
		return 0, r.err
	}
	n := min(len(b), r.n-r.at, r.part)
	c := make([]byte, r.n)
	fill(unsafe.Pointer(&c[0]), 0, r.n, r.seed)
	copy(b[:n], c[r.at:])
	r.at += n
	return n, nil
}

func readAll(w *world, ac *actor, r *rng) {
	n := r.size()
	src := &reader{n: n, part: 1 + n/(1+r.n(4)), seed: r.next(), err: io.EOF}
	var b []byte
	var err error
	expected := int64(r.n(2) * n)
	if !w.call(ac, "ReadAll", 0, -1, func() { b, err = ac.a.ReadAll(src, expected) }) {
		return
	}
	if err != nil || len(b) != n || cap(b) != n || n > 0 && differs(unsafe.Pointer(&b[0]), n, src.seed) >= 0 {
		w.failf("ReadAll of %d bytes: %d, %v", n, len(b), err)
	}
	if n > 0 {
		w.add(ac, kindOf[byte]{}.piece(b), 1, true)
	}
}

func reserve(w *world, ac *actor, r *rng) {
	n := r.size()
	budget := 0
	if ac.family != nil {
		budget = ac.family.used()
	}
	ac.asked += n
	if w.call(ac, "Reserve", 0, n, func() { ac.a.Reserve(n) }) {
		if ac.family != nil && budget+n > ac.family.limit {
			w.failf("Reserve(%d) with %d of %d bytes used (%s)", n, budget, ac.family.limit, ac)
		}
		if ac.a != nil && ac.used != ac.a.UsedBytes() {
			w.failf("Reserve(%d) changes UsedBytes", n)
		}
	}
}

// owns asks about what isn't the arena's.
func owns(w *world, ac *actor, r *rng) {
	if ac.a.Freed() {
		w.failf("an arena in use says that it was freed (%s)", ac)
	}
	if ac.a.Owns(nil) || ac.a.Owns(unsafe.Pointer(&statics)) || ac.a.Owns(unsafe.Pointer(w)) {
		w.failf("the arena owns what isn't its (%s)", ac)
	}
	for _, other := range w.actors {
		if n := len(other.pieces); n > 0 && other != ac {
			if p := &other.pieces[r.n(n)]; p.size() > 0 && ac.a.Owns(p.p) {
				w.failf("an arena owns another's value %v (%s)", p, ac)
			}
		}
	}
	for i := range w.kept {
		if p := &w.kept[i]; p.size() > 0 && ac.a.Owns(p.p) {
			w.failf("an arena owns a value of one that was freed (%s)", ac)
		}
	}
}

// copyAll copies some parts, which may be empty, into one piece.
func copyAll(w *world, ac *actor, r *rng) {
	if ac.a.SelfContained() != ac.opts.noScan {
		w.failf("SelfContained is wrong (%s)", ac)
	}
	var parts [][]byte
	var all []byte
	for range r.n(6) {
		part := make([]byte, r.n(100))
		fill(unsafe.Pointer(unsafe.SliceData(part)), 0, len(part), uint64(len(parts)))
		parts, all = append(parts, part), append(all, part...)
	}
	var got []byte
	if w.call(ac, "CopyAll", len(all), len(all)+7, func() { got = ac.a.CopyAll(parts...) }) && !bytes.Equal(got, all) {
		w.failf("CopyAll of %d parts: %x; want %x", len(parts), got, all)
	}
}
