package attack

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/harena-go/arena"
)

var lifeOps = []operation{
	{name: "NewArena", weight: 4, calls: "arena.NewArena arena.Arena arena.Option arena.WithChunkSize arena.WithMaxChunkSize arena.WithMaxRetained " +
		"arena.WithLimit arena.WithNoScan arena.WithScrub arena.WithName arena.WithChecks arena.Checks arena.CheckResets arena.CheckObjects " +
		"arena.OnEscape arena.Escape arena.Escape.String arena.LimitError", do: func(w *world, r *rng) *actor { return w.addRoot(r) }},
	{name: "Child", weight: 8, calls: "arena.Arena.Child", do: child},
	{name: "Mark", weight: 20, calls: "arena.Arena.Mark arena.Mark", do: with(takeMark)},
	{name: "Rewind", weight: 16, calls: "arena.Arena.Rewind", do: with(rewind)},
	{name: "Reset", weight: 5, calls: "arena.Arena.Reset", do: func(w *world, r *rng) *actor {
		ac := w.pickReal(r)
		w.reset(ac)
		return ac
	}},
	{name: "Free", weight: 3, calls: "arena.Arena.Free", do: func(w *world, r *rng) *actor {
		ac := w.pickReal(r)
		w.free(ac)
		return nil
	}},
	{name: "UsedBytes", weight: 2, calls: "arena.Arena.UsedBytes arena.Arena.Stats arena.Stats arena.Stats.String", do: func(w *world, r *rng) *actor {
		ac := w.pickReal(r)
		w.verifyStats(ac, 0)
		if text := ac.a.Stats().String(); text == "" {
			w.failf("Stats().String() is empty")
		}
		return ac
	}},
	{name: "NilLife", weight: 1, do: func(w *world, r *rng) *actor {
		var a *arena.Arena
		m := a.Mark()
		a.Reset()
		a.Rewind(m)
		a.Free()
		if a.UsedBytes() != 0 || a.Stats() != (arena.Stats{}) || a.Child() != nil {
			w.failf("the nil arena has statistics or a child")
		}
		return w.heap
	}},
	{name: "Context", weight: 1, calls: "arena.NewContext arena.FromContext", do: func(w *world, r *rng) *actor {
		ac := w.pick(r)
		if arena.FromContext(arena.NewContext(context.Background(), ac.a)) != ac.a || arena.FromContext(context.Background()) != nil {
			w.failf("FromContext returns another arena")
		}
		return ac
	}},
	{name: "AfterEnd", weight: 4, do: afterEnd},
	{name: "StaleMark", weight: 2, do: staleMark},
	{name: "WrongSizes", weight: 2, do: wrongSizes},
}

func child(w *world, r *rng) *actor {
	ac := w.pick(r)
	if len(w.actors) >= maxActors || ac.a == nil || ac.depth() > 3 {
		return ac
	}
	return w.addChild(ac)
}

func (w *world) addChild(ac *actor) *actor {
	k := &actor{parent: ac, name: fmt.Sprint(ac.name, ".child", w.step), opts: ac.opts, born: ac.serial(),
		lender: ac.lender, common: ac.common, family: ac.family}
	w.call(ac, "Child", 0, 0, func() { k.a = ac.a.Child() })
	w.enter(k)
	ac.kids, ac.parted = append(ac.kids, k), true
	if f := k.family; f != nil {
		f.members = append(f.members, k)
	}
	return k
}

func (ac *actor) depth() (n int) {
	for ; ac != nil; ac = ac.parent {
		n++
	}
	return n
}

// serial grows with each mark and each child.
func (ac *actor) serial() int {
	ac.births++
	return ac.births
}

func takeMark(w *world, ac *actor, r *rng) {
	if ac.a == nil {
		return
	}
	m := mark{pieces: len(ac.pieces), log: len(ac.log), nodes: len(ac.nodes), used: ac.a.UsedBytes(), serial: ac.serial()}
	w.call(ac, "Mark", 0, 0, func() { m.m = ac.a.Mark() })
	ac.marks = append(ac.marks, m)
}

func rewind(w *world, ac *actor, r *rng) {
	n := len(ac.marks)
	if n == 0 {
		return
	}
	i := n - 1 - r.n(min(n, 3))
	if r.one(8) {
		i = r.n(n)
	}
	if ac.opts.checks != 0 && ac.outgrown(&ac.marks[i]) {
		return
	}
	w.rewind(ac, i)
}

// outgrown reports whether there is a collection that was made before a mark, and grew since. In a checked arena its
// old part would be reported: it leads to memory that Rewind reclaims.
func (ac *actor) outgrown(m *mark) bool {
	return slices.ContainsFunc(ac.colls, func(c coll) bool { return c.made() < m.serial && c.grew() >= m.serial }) || ac.lostColl >= m.serial
}

func (w *world) rewind(ac *actor, i int) {
	m := &ac.marks[i]
	// Marks with nothing in between are one, so that those are not stale.
	for _, later := range ac.marks[i+1:] {
		if later.m != m.m {
			ac.staleMark(later.m)
		}
	}
	for _, k := range slices.Backward(ac.kids) {
		if k.born > m.serial {
			w.over(k, endedWith(""), ac.lasts())
		}
	}
	if ac.lasts() {
		w.keepSince(ac, m)
	} else {
		w.forgetDeps(ac)
	}
	w.now = "Rewind"
	if v := caught(func() { ac.a.Rewind(m.m) }); v != nil {
		w.failf("Rewind to mark %d of %d: %v (%s)", i, len(ac.marks), v, ac)
	}
	if used := ac.a.UsedBytes(); used != m.used {
		w.failf("Rewind to mark %d of %d: UsedBytes is %d, was %d (%s)", i, len(ac.marks), used, m.used, ac)
	}
	ac.used, ac.touched = m.used, w.step
	ac.undo(w, m)
	ac.marks = ac.marks[:i+1]
	for _, k := range ac.kids {
		k.lookAway(w)
	}
}

// undo reclaims the changes to values since the mark. Their targets are gone, so that they are set anew: the old
// pointers are in their way.
func (ac *actor) undo(w *world, m *mark) {
	ac.colls = cut(ac.colls, ac.unchanged(m))
	ac.nodes = cut(ac.nodes, min(m.nodes, len(ac.nodes)))
	for _, c := range slices.Backward(ac.log[m.log:]) {
		if c.piece >= m.pieces {
			continue
		}
		p := &ac.pieces[c.piece]
		switch c.what {
		case moved:
			*p = c.old
		case lengthened:
			p.len, p.cap = min(p.len, c.old.len), min(p.cap, c.old.cap)
		}
	}
	for _, c := range ac.log[m.log:] {
		if c.piece >= m.pieces || c.what != stored && !c.gone {
			continue
		}
		p := &ac.pieces[c.piece]
		from, to := c.from, c.to
		if c.gone {
			from, to = 0, p.len
		}
		kinds[p.kind].store(w, ac, p, min(from, p.len), min(to, p.len), false)
		if ac.opts.checks != 0 || w.profile.tidy {
			kinds[p.kind].tidy(p)
		}
	}
	ac.log = cut(ac.log, m.log)
	ac.pieces = cut(ac.pieces, m.pieces)
}

// lookAway makes the values of a child forget their targets in its parent. Old places of slices that moved wait until a
// Rewind brings them back: until then nobody looks at these places, and not all of their contents are theirs any more.
func (ac *actor) lookAway(w *world) {
	if !ac.upward {
		return
	}
	for i := range ac.pieces {
		if p := &ac.pieces[i]; p.kind == nodeKind {
			kinds[nodeKind].store(w, ac, p, 0, p.len, false)
			kinds[nodeKind].tidy(p)
		}
	}
	for i := range ac.log {
		if c := &ac.log[i]; c.what == moved && c.old.kind == nodeKind {
			c.gone = true
		}
	}
}

// tidy clears the spare capacity.
func (k kindOf[T]) tidy(p *piece) {
	if p.cap > p.len {
		s := k.of(&piece{p: p.p, len: p.cap})
		clear(s[p.len:])
	}
}

// unchanged puts the collections in front that are as they were at the mark, and
// returns how many these are.
func (ac *actor) unchanged(m *mark) (n int) {
	for i, c := range ac.colls {
		if c.grew() < m.serial {
			ac.colls[i], ac.colls[n] = ac.colls[n], c
			n++
		}
	}
	return n
}

// lasts reports whether nothing of an arena is ever used again.
func (ac *actor) lasts() bool { return ac.lender != nil && ac.lender.lasts }

// keepSince goes on watching values that a Rewind to a mark reclaims: values that came or moved since.
func (w *world) keepSince(ac *actor, m *mark) {
	for i := range ac.pieces {
		if i >= m.pieces || slices.ContainsFunc(ac.log[m.log:], func(c change) bool { return c.piece == i && c.what == moved }) {
			w.keep(ac, &ac.pieces[i])
		}
	}
}

func (w *world) reset(ac *actor) {
	for _, k := range slices.Backward(ac.kids) {
		w.over(k, endedWith(""), ac.lasts())
	}
	w.empty(ac, ac.lasts())
	w.now = "Reset"
	if v := caught(ac.a.Reset); v != nil {
		w.failf("Reset: %v (%s)", v, ac)
	}
	ac.resets++
	ac.upward = false
	s := ac.a.Stats()
	if s.Used != 0 || ac.a.UsedBytes() != 0 {
		w.failf("%+v after Reset (%s)", s, ac)
	}
	most := 64 << 20
	if ac.opts.retained >= 0 {
		most = ac.opts.retained
	}
	if ac.local && ac.opts.noScan {
		most = math.MaxInt // others may point there
	}
	if ac.lasts() {
		most = math.MaxInt // it keeps chunks that were never used
	}
	if s.Reserved > most || s.Retained != s.Reserved {
		w.failf("%+v after Reset; at most %d are retained (%s)", s, most, ac)
	}
}

func (w *world) free(ac *actor) {
	w.now = "Free"
	if v := caught(ac.a.Free); v != nil {
		w.failf("Free: %v (%s)", v, ac)
	}
	if ac.lender != nil && ac.parent == nil {
		ac.lender.freed(ac)
	}
	if ac.local && ac.opts.noScan {
		ac.common.loose = true
	}
	w.over(ac, "was freed", true)
	w.ended(ac)
}

// ended checks that nothing is left of an arena whose life is over.
func (w *world) ended(ac *actor) {
	if s := ac.a.Stats(); ac.a.UsedBytes() != 0 || s.Used != 0 || s.Reserved != 0 {
		w.failf("%+v after the end (%s)", s, ac)
	}
}

// afterEnd uses an arena whose life is over.
func afterEnd(w *world, r *rng) *actor {
	if len(w.ghosts) == 0 {
		return nil
	}
	ac := w.ghosts[r.n(len(w.ghosts))]
	if ac.a == nil || ac.state == pooled && ac.lender.lentAgain(ac) {
		return nil
	}
	a := ac.a
	uses := []struct {
		name string
		f    func()
	}{
		{"New", func() { arena.New[uint64](a) }},
		{"New", func() { arena.NewOf(a, &statics[0]) }},
		{"AllocString", func() { a.AllocString("x") }},
		{"Join", func() { arena.Concat(a, "x") }},
		{"New", func() { arena.Box(a, "x") }},
		{"MakeSlice", func() { arena.MakeSlice[uint64](a, 3, 3) }},
		{"MakeSlice", func() { arena.MakeSlice[*int](a, 0, 3) }},
		{"Append", func() { arena.Append(a, []byte(nil), 1) }},
		{"Alloc", func() { a.Alloc(8, 8) }},
		{"AllocBytes", func() { a.AllocBytes(1) }},
		{"Mark", func() { a.Mark() }},
		{"Child", func() { a.Child() }},
		{"Reserve", func() { a.Reserve(1) }},
		{"KeepAlive", func() { a.KeepAlive(1) }},
		{"Sprintf", func() { a.Sprintf("%d", 1) }},
		{"Rewind", func() { a.Rewind(arena.Mark{}) }},
		{"For", func() { arena.For[uint64](a) }},
		{"New", func() { arena.New[struct{}](a) }},
		{"MakeSlice", func() { arena.MakeSlice[int](a, 0, 0) }},
		{"MakeSliceUninit", func() { arena.MakeSliceUninit[*int](a, 1, 1) }},
		{"", func() { arena.AppendSeq(a, nil, slices.Values(statics[:1])) }},
		{"", func() { arena.Collect(a, slices.Values(statics[:1])) }},
		{"Grow", func() { arena.Grow(a, []string{}, 3) }},
		{"MakeSliceUninit", func() { arena.CopySlice(a, []string{""}) }},
		{"Alloc", func() { a.Alloc(0, 1) }},
		{"Realloc", func() { a.Realloc(unsafe.Pointer(new(int)), 4, 8, 1) }},
		{"AllocBytes", func() { a.AllocBytesUninit(1) }},
		{"AllocString", func() { a.AllocBytesToString([]byte("x")) }},
		{"ReadAll", func() { a.ReadAll(strings.NewReader("x"), 1) }},
		{"", func() { _ = a.Text().Int(1).String() }},
		{"", func() { a.ToUpper("x") }},
		{"", func() { a.ToLower("Ä") }},
		{"", func() { a.Map(func(r rune) rune { return r + 1 }, "x") }},
		{"", func() { a.Replace("x", "x", "y", 1) }},
		{"", func() { a.Repeat("x", 2) }},
	}
	if ac.lasts() && ac.state == pooled {
		uses = append(uses, struct {
			name string
			f    func()
		}{"Reset", a.Reset}, struct {
			name string
			f    func()
		}{"Free", a.Free})
	}
	for _, u := range uses {
		w.refuses(ac, u.name, u.f, u.name, ac.state)
	}
	if n := len(ac.typeds); n > 0 && r.one(4) {
		w.now = "Typed.New"
		if v := caught(func() { ac.typeds[r.n(n)].(interface{ mustPanic() }).mustPanic() }); v == nil {
			w.failf("Typed.New after the end (%s)", ac)
		}
	}
	if ac.state != pooled {
		a.Free()
		a.Reset()
	}
	if ac.state != pooled && !a.Freed() { // the next user of one from a pool may have freed it
		w.failf("after its end an arena says that it wasn't freed (%s)", ac)
	}
	if a.Owns(a2p(a)) || a.UsedBytes() != 0 {
		w.failf("an arena whose life is over owns something (%s)", ac)
	}
	return nil
}

func (t typedOf[T]) mustPanic() { t.t.New() }

func staleMark(w *world, r *rng) *actor {
	ac := w.pickReal(r)
	if n := len(ac.stale); n > 0 {
		w.refuses(ac, "Rewind", func() { ac.a.Rewind(ac.stale[r.n(n)]) }, "the mark is stale")
	}
	other := w.pickReal(r)
	if n := len(other.marks); n > 0 && other != ac {
		w.refuses(ac, "Rewind", func() { ac.a.Rewind(other.marks[r.n(n)].m) }, "the mark is of another arena")
	}
	return ac
}

// wrongSizes makes requests that can't be met.
func wrongSizes(w *world, r *rng) *actor {
	ac := w.pickReal(r)
	a := ac.a
	n := -1 - r.n(1000)
	number := fmt.Sprint(n)
	switch r.n(8) {
	case 0:
		w.refuses(ac, "MakeSlice", func() { arena.MakeSlice[uint32](a, n, 5) }, "MakeSlice", number)
	case 1:
		w.refuses(ac, "MakeSlice", func() { arena.MakeSlice[uint32](a, 0, n) }, "MakeSlice", number)
	case 2:
		w.refuses(ac, "MakeSlice", func() { arena.MakeSlice[*uint32](a, -n, 0) }, "MakeSlice", number[1:])
	case 3:
		w.refuses(ac, "AllocBytes", func() { a.AllocBytes(n) }, "AllocBytes", number)
	case 4:
		w.refuses(ac, "Grow", func() { arena.Grow(a, []uint64{1}, n) }, "Grow", number)
	case 5:
		w.refuses(ac, "Alloc", func() { a.Alloc(uintptr(n), 8) }, "Alloc")
	case 6:
		w.refuses(ac, "Alloc", func() { a.Alloc(8, uintptr(-n)*2+5001) }, "Alloc")
	case 7:
		w.refuses(ac, "Reserve", func() { a.Reserve(n) }, "Reserve", number)
	}
	return ac
}
