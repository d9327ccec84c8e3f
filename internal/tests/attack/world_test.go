package attack

import (
	"fmt"
	"math"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/harena-go/arena"
)

// A world is arenas of all sorts and the model of them. Its operations are those
// of the alphabet; each begins and ends with both agreeing.
type world struct {
	profile *profile
	options rng // from which the arenas' options come
	step    int
	number  uint64 // of the next value

	actors  []*actor // live ones, parents before their children
	heap    *actor   // the nil arena
	lenders []*lender
	shareds []*commons
	ghosts  []*actor // some whose life is over
	kept    []keptPiece

	rejected int  // LimitErrors so far
	suspect  bool // a checked arena was used since the judge last looked

	mu      sync.Mutex
	escapes []string
	escaped atomic.Bool

	trace [16]instruction
	now   string // the call that runs
}

// maxActors is how many live arenas a world has.
const maxActors = 14

// A keptPiece is a value of an arena that was freed. It is valid for as long as the
// model points to it.
type keptPiece struct {
	piece
	dep *actor // whose memory it points to as well
}

// An actor is an arena and all that lives in it.
type actor struct {
	a      *arena.Arena
	w      *world
	name   string
	opts   settings
	parent *actor
	kids   []*actor
	born   int // len(parent.log) at its birth

	lender *lender  // of an arena from a pool, and of its children
	key    string   // which it was got with
	common *commons // of a local, and of its children
	local  bool
	doing  bool // lent by Do

	family *family
	pieces []piece
	log    []change
	marks  []mark
	stale  []arena.Mark
	typeds []typed
	colls  []coll
	nodes  []*node // single values, which others may point to
	upward bool    // its nodes may point to the parent's
	births int     // marks and children so far

	lostColl int // when a collection last grew that isn't watched any more

	state   string // "" while it lives; else the text of its panics
	resets  int
	most    int  // the largest use that its statistics have told of
	asked   int  // bytes given to Reserve
	parted  bool // it had children, who leave it their chunks
	used    int  // at the end of the last operation
	touched int  // step of the last operation
}

// A family shares a budget: the allocations of its members stay within it.
type family struct {
	limit   int
	members []*actor
}

func (f *family) used() (n int) {
	for _, m := range f.members {
		n += m.a.UsedBytes() + chargedTo(m.a)
	}
	return n
}

// A change is one to a piece that a Rewind reclaims.
type change struct {
	piece int
	what  changed
	old   piece // moved or lengthened: the piece before
	from  int   // stored: the elements that were set
	to    int
	gone  bool // moved: targets of the old place may have been reclaimed since
}

type changed uint8

const (
	lengthened changed = iota // where it is
	moved
	stored // references to newer values
)

// A mark remembers how much there was.
type mark struct {
	m                   arena.Mark
	pieces, log, serial int
	used, nodes         int
}

// settings are the options of an arena, and their consequences.
type settings struct {
	noScan, scrub, zero bool
	checks              arena.Checks
	limit               int
	chunk, maxChunk     int
	retained            int // -1 for the default
}

func (s settings) abandons() bool { return s.checks != 0 }

// options returns the options for an arena.
func (s settings) options(w *world, name string) []arena.Option {
	o := []arena.Option{arena.WithName(name)}
	if s.noScan {
		o = append(o, arena.WithNoScan())
	}
	if s.scrub {
		o = append(o, arena.WithScrub())
	}
	if s.checks != 0 {
		o = append(o, arena.WithChecks(s.checks))
	}
	if s.limit > 0 {
		o = append(o, arena.WithLimit(s.limit))
	}
	if s.chunk > 0 {
		o = append(o, arena.WithChunkSize(s.chunk))
	}
	if s.maxChunk > 0 {
		o = append(o, arena.WithMaxChunkSize(s.maxChunk))
	}
	if s.retained >= 0 {
		o = append(o, arena.WithMaxRetained(s.retained))
	}
	return append(o, arena.OnEscape(w.onEscape))
}

// draw returns random settings, as the world's profile allows.
func (w *world) draw(r *rng) settings {
	s := settings{retained: -1}
	p := w.profile
	s.noScan = r.one(2) || p.noScan
	s.scrub = r.one(6)
	if p.checked > 0 && r.one(p.checked) {
		s.checks = arena.CheckResets
		if r.one(2) {
			s.checks = arena.CheckObjects
		}
		w.suspect = true
	}
	if r.one(3) {
		s.limit = 2000 + r.n(60000)
		if r.one(4) {
			s.limit *= 20
		}
	}
	switch r.n(6) {
	case 0:
		s.chunk, s.maxChunk = 256, 512
	case 1:
		s.chunk = 256 + r.n(6000)
	case 2:
		s.maxChunk = 300 + r.n(40000)
	}
	switch r.n(8) {
	case 0:
		s.retained = 0
	case 1:
		s.retained = r.n(20000)
	}
	return s
}

// A failure is what ends a world.
type failure struct{ text string }

func (w *world) failf(format string, args ...any) {
	panic(failure{fmt.Sprintf(format, args...)})
}

// attempt makes a call, and returns UsedBytes before and after it. If it meets a limit, that must be right for a call
// that needs need bytes.
func (w *world) attempt(ac *actor, name string, need int, f func()) (before, after int, ok bool) {
	w.now = name
	before = ac.a.UsedBytes()
	budget := 0
	if ac.family != nil {
		budget = ac.family.used()
	}
	v := caught(f)
	after = ac.a.UsedBytes()
	ac.used, ac.touched = after, w.step
	if v != nil {
		w.limited(ac, name, v, need, before, after, budget)
	}
	return before, after, v == nil
}

// call makes one call of the library for an arena. If the call meets a limit, call reports false, and nothing has
// changed. Otherwise it allocates from least to most bytes. most is also its need at worst; most < 0 means that isn't
// known.
func (w *world) call(ac *actor, name string, least, most int, f func()) bool {
	before, after, ok := w.attempt(ac, name, most, f)
	if !ok {
		return false
	}
	if grew := after - before; ac.a != nil && most >= 0 && (grew < least || grew > most) {
		w.failf("%s: UsedBytes grew by %d; want %d to %d (%s)", name, grew, least, most, ac)
	}
	if ac.family != nil {
		if now := ac.family.used(); now > ac.family.limit {
			w.failf("%s: %d bytes used with a limit of %d (%s)", name, now, ac.family.limit, ac)
		}
	}
	return true
}

// limited checks that a panic is a *LimitError, and that it tells the truth.
func (w *world) limited(ac *actor, name string, v any, need, before, after, budget int) {
	e, ok := v.(*arena.LimitError)
	if !ok {
		w.failf("%s: unexpected panic: %v (%s)", name, v, ac)
	}
	w.rejected++
	if need >= 0 && before != after {
		w.failf("%s: %v; UsedBytes was %d and is %d", name, e, before, after)
	}
	if e.Used > e.Limit || e.Used < 0 || e.Asked < 0 || need >= 0 && !e.Total && e.Asked > need {
		w.failf("%s: %v; at most %d were needed (%s)", name, e, need, ac)
	}
	switch {
	case e.Total:
		w.limitedTotal(ac, name, e, need)
	case ac.family == nil:
		w.failf("%s: %v of an arena without a limit (%s)", name, e, ac)
	case e.Limit != ac.family.limit:
		w.failf("%s: %v; the limit is %d", name, e, ac.family.limit)
	case need >= 0 && e.Used != budget:
		w.failf("%s: %v; %d bytes are used", name, e, budget)
	case need >= 0 && budget+need <= ac.family.limit:
		w.failf("%s: %v; %d bytes are used, and %d more would have been enough (%s)", name, e, budget, need, ac)
	}
}

// limitedTotal is limited for the limit of a Pool or a Shared.
func (w *world) limitedTotal(ac *actor, name string, e *arena.LimitError, need int) {
	limit, charged, exact := 0, 0, true
	switch {
	case ac.lender != nil:
		limit, charged = ac.lender.limit, ac.lender.charged()
	case ac.common != nil:
		limit = ac.common.opts.limit
		charged, exact = ac.common.charged()
	}
	if limit == 0 || e.Limit != limit {
		w.failf("%s: %v; the limit is %d (%s)", name, e, limit, ac)
	}
	exact = exact && name != "ReadAll" // which counts the bytes read so far
	if exact && e.Used != charged || e.Used < charged {
		w.failf("%s: %v; %d bytes are reserved (exact: %v, %s)", name, e, charged, exact, ac)
	}
	// The overhead of a block is a size class, a sixteenth at most, or the page that ends a large one.
	if most := need + need/4 + 16<<10; need >= 0 && e.Used+most <= limit {
		w.failf("%s: %v, though %d bytes with all they may cost, %d, fit (%s)", name, e, need, most, ac)
	}
}

// caught returns what f panics with.
func caught(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// refuses makes a call that must panic, with a text that begins with "arena: " and
// has the parts; nothing may change.
func (w *world) refuses(ac *actor, name string, f func(), parts ...string) {
	w.now = name
	before := ac.a.UsedBytes()
	v := caught(f)
	if ac.a == nil && v == nil {
		return
	}
	text, ok := v.(string)
	if !ok || !strings.HasPrefix(text, "arena: ") {
		w.failf("%s: panic %v; want one with %q (%s)", name, v, parts, ac)
	}
	for _, p := range parts {
		if !strings.Contains(text, p) {
			w.failf("%s: panic %q doesn't have %q", name, text, p)
		}
	}
	if after := ac.a.UsedBytes(); after != before {
		w.failf("%s: panic %q, after which UsedBytes is %d, not %d", name, text, after, before)
	}
}

func (ac *actor) String() string {
	return fmt.Sprintf("%s %+v parent=%v local=%v pool=%v pieces=%d marks=%d", ac.name, ac.opts,
		ac.parent != nil, ac.local, ac.lender != nil, len(ac.pieces), len(ac.marks))
}

// pick returns a live arena: one time in 16 the heap.
func (w *world) pick(r *rng) *actor {
	if len(w.actors) == 0 || r.one(16) {
		return w.heap
	}
	return w.actors[r.n(len(w.actors))]
}

// pickReal returns a live arena that isn't nil.
func (w *world) pickReal(r *rng) *actor {
	if len(w.actors) == 0 {
		return w.addRoot(r)
	}
	return w.actors[r.n(len(w.actors))]
}

// addRoot makes an arena, unless there are enough.
func (w *world) addRoot(r *rng) *actor {
	if len(w.actors) >= maxActors {
		return w.actors[r.n(len(w.actors))]
	}
	ac := &actor{w: w, name: fmt.Sprint("root", w.step), opts: w.draw(r)}
	if r.one(8) {
		ac.opts = settings{zero: true, retained: -1}
		ac.a = new(arena.Arena)
	} else {
		ac.a = arena.NewArena(ac.opts.options(w, ac.name)...)
	}
	w.enter(ac)
	if ac.opts.limit > 0 {
		ac.family = &family{ac.opts.limit, []*actor{ac}}
	}
	return ac
}

func (w *world) enter(ac *actor) {
	ac.w = w
	w.actors = append(w.actors, ac)
}

// over ends an actor and all below it. Its values live on if keep is set.
func (w *world) over(ac *actor, why string, keep bool) {
	for _, k := range slices.Backward(ac.kids) {
		w.over(k, endedWith(why), keep)
	}
	w.empty(ac, keep)
	if p := ac.parent; p != nil {
		p.kids = slices.DeleteFunc(p.kids, func(k *actor) bool { return k == ac })
	}
	if c := ac.common; c != nil && ac.local {
		c.locals = slices.DeleteFunc(c.locals, func(k *actor) bool { return k == ac })
	}
	if l := ac.lender; l != nil && ac.parent == nil {
		l.live = slices.DeleteFunc(l.live, func(k *actor) bool { return k == ac })
	}
	if f := ac.family; f != nil {
		f.members = slices.DeleteFunc(f.members, func(k *actor) bool { return k == ac })
	}
	w.actors = slices.DeleteFunc(w.actors, func(k *actor) bool { return k == ac })
	ac.state = why
	ac.typeds = slices.Clip(ac.typeds)
	if len(w.ghosts) >= 8 {
		w.ghosts = slices.Delete(w.ghosts, 0, 1)
	}
	w.ghosts = append(w.ghosts, ac)
}

// endedWith returns the text of the panics of a child whose parent ended.
func endedWith(why string) string {
	if why == sharedFreed {
		return why
	}
	return "ended with it"
}

const (
	sharedFreed = "is of a Shared that was f"
	sharedReset = "is of a Shared that was " // reset, or freed since
)

// empty forgets the values in an arena, or keeps them as freed ones.
func (w *world) empty(ac *actor, keep bool) {
	if keep {
		for i := range ac.pieces {
			w.keep(ac, &ac.pieces[i])
		}
	} else {
		w.forgetDeps(ac)
	}
	ac.pieces = cut(ac.pieces, 0)
	ac.log = cut(ac.log, 0)
	ac.nodes = cut(ac.nodes, 0)
	for i := range ac.marks {
		ac.staleMark(ac.marks[i].m)
	}
	ac.marks = cut(ac.marks, 0)
	ac.colls = cut(ac.colls, 0)
	ac.lostColl = 0
	ac.used = 0
}

// cut shortens a slice and clears the elements behind.
func cut[T any](s []T, n int) []T {
	clear(s[n:])
	return s[:n]
}

func (ac *actor) staleMark(m arena.Mark) {
	if len(ac.stale) >= 4 {
		ac.stale = ac.stale[:0]
	}
	ac.stale = append(ac.stale, m)
}

// keep goes on watching a value of an arena that is freed.
func (w *world) keep(ac *actor, p *piece) {
	most := uint64(300)
	if ac.lasts() {
		most = 1 << 20
	}
	k := keptPiece{piece: *p}
	if ac.upward && p.kind == nodeKind && !ac.lasts() {
		k.dep = ac.parent
	}
	if ac.opts.scrub {
		k.zero, k.dep = true, nil
	}
	if uint64(len(w.kept)) < most {
		w.kept = append(w.kept, k)
		return
	}
	w.kept[(p.seed>>7)%most] = k
}

// forgetDeps forgets values of freed arenas that lead into ac, whose memory is reclaimed.
func (w *world) forgetDeps(ac *actor) {
	n := 0
	for i := range w.kept {
		if !w.kept[i].leadsTo(ac) {
			w.kept[n] = w.kept[i]
			n++
		}
	}
	w.kept = cut(w.kept, n)
}

func (k *keptPiece) leadsTo(ac *actor) bool {
	d := k.dep
	for d != nil && d != ac {
		d = d.parent
	}
	return d != nil
}

// check looks at a few values, and now and then at everything.
func (w *world) check(ac *actor, r *rng) {
	for range 2 {
		if n := len(ac.pieces); n > 0 {
			w.compare(ac, &ac.pieces[r.n(n)])
		}
	}
	if n := len(w.actors); n > 0 {
		other := w.actors[r.n(n)]
		if n := len(other.pieces); n > 0 {
			w.compare(other, &other.pieces[r.n(n)])
		}
	}
	if n := len(w.kept); n > 0 {
		k := &w.kept[r.n(n)]
		w.compare(nil, &k.piece)
	}
	if w.step%w.profile.verifyEvery == 0 {
		w.verify()
	}
}

func (w *world) compare(ac *actor, p *piece) {
	if why := p.wrong(); why != "" {
		where := "a freed arena"
		if ac != nil {
			where = ac.String()
		}
		w.failf("a value has changed: %s; from step %d, %s", why, p.born, where)
	}
	if ac != nil && ac.a != nil && p.size() > 0 {
		if !ac.a.Owns(p.p) {
			w.failf("the arena doesn't own its value %v (%s)", p, ac)
		}
		if ac.parent != nil && ac.parent.a.Owns(p.p) {
			w.failf("the parent owns its child's value %v", p)
		}
	}
}

// verify compares everything.
func (w *world) verify() {
	w.now = "verify"
	for i := range w.kept {
		w.compare(nil, &w.kept[i].piece)
	}
	w.verifyActor(w.heap)
	for _, ac := range w.actors {
		w.verifyActor(ac)
	}
	for _, l := range w.lenders {
		l.verify(w)
	}
	for _, c := range w.shareds {
		c.verify(w)
	}
	w.verifyApart()
	w.checkEscapes()
}

func (w *world) verifyActor(ac *actor) {
	live := 0
	for i := range ac.pieces {
		w.compare(ac, &ac.pieces[i])
		live += ac.pieces[i].live()
	}
	for _, c := range ac.colls {
		c.verify(w)
	}
	w.verifyStats(ac, live)
}

// verifyStats checks an arena's statistics.
func (w *world) verifyStats(ac *actor, live int) {
	a := ac.a
	if a == nil {
		return
	}
	s := a.Stats()
	used := a.UsedBytes()
	ok := s.Used == used && used >= live && s.HighWater >= used && s.Wasted >= 0 && s.Retained >= 0 &&
		used+s.Wasted+s.Retained <= s.Reserved && (s.Chunks == 0 || s.Reserved > 0) &&
		s.HighWater >= ac.most && s.Resets == ac.resets
	if !ok || ac.used != used {
		w.failf("inconsistent: %+v; UsedBytes is %d, was %d, %d are live, most was %d, resets %d (%s)",
			s, used, ac.used, live, ac.most, ac.resets, ac)
	}
	ac.most = s.HighWater
	if bound := ac.reserve(s); s.Reserved > bound {
		w.failf("%+v; at most %d should be reserved (%s)", s, bound, ac)
	}
}

// reserve returns how much an arena may have reserved, at the very most.
func (ac *actor) reserve(s arena.Stats) int {
	// Chunks double; slabs begin with an eighth of the first chunk. The hints of a pool, and chunks that children have
	// left, aren't known here.
	if ac.lender != nil || ac.common != nil || ac.parted || ac.parent != nil {
		return math.MaxInt
	}
	return 512<<10 + 4*ac.asked + s.Slabs*(64<<10) + 12*s.HighWater + len(ac.marks)*(8<<10)
}

// verifyApart checks that no two live values overlap.
func (w *world) verifyApart() {
	type span struct{ from, to uintptr }
	var all []span
	add := func(p *piece) {
		if n := p.room(); n > 0 {
			all = append(all, span{uintptr(p.p), uintptr(p.p) + uintptr(n)})
		}
	}
	for _, ac := range w.actors {
		for i := range ac.pieces {
			add(&ac.pieces[i])
		}
	}
	for i := range w.kept {
		add(&w.kept[i].piece)
	}
	slices.SortFunc(all, func(a, b span) int {
		if a.from < b.from {
			return -1
		}
		return 1
	})
	for i := 1; i < len(all); i++ {
		if all[i].from < all[i-1].to {
			w.failf("two live values overlap: %x to %x and %x to %x", all[i-1].from, all[i-1].to, all[i].from, all[i].to)
		}
	}
}

// onEscape is the handler of all arenas: their programs are correct.
func (w *world) onEscape(e arena.Escape) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.escapes) < 4 {
		w.escapes = append(w.escapes, e.String())
	}
	w.escaped.Store(true)
}

func (w *world) checkEscapes() {
	if w.escaped.Load() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.failf("false alarm: %s", strings.Join(w.escapes, "\n"))
	}
}

// do performs one instruction.
func (w *world) do(in instruction) {
	w.step++
	w.trace[w.step%len(w.trace)] = in
	op := &alphabet[in.op]
	r := rng(uint64(in.arg)<<16 ^ uint64(in.op))
	ac := op.do(w, &r)
	op.runs.Add(1)
	if ac == nil {
		ac = w.heap
	}
	w.check(ac, &r)
	w.bound(ac)
}

// bound keeps an arena from growing for ever.
func (w *world) bound(ac *actor) {
	switch {
	case ac == w.heap:
		if len(ac.pieces) > 200 || len(ac.colls) > 20 {
			w.empty(ac, false)
		}
	case ac.state == "" && (len(ac.pieces) > 300 || ac.used > w.profile.most || len(ac.marks) > 500):
		w.reset(ac)
	}
}

// endWorld frees everything, and looks a last time.
func (w *world) endWorld() {
	w.verify()
	if w.suspect {
		w.judge()
	}
	for len(w.actors) > 0 {
		w.free(w.actors[len(w.actors)-1])
	}
	runtime.GC()
	for i := range w.kept {
		w.compare(nil, &w.kept[i].piece)
	}
	w.kept = nil
	if w.suspect {
		w.judge()
	}
}

// judge has all checked arenas' dead memory judged.
func (w *world) judge() {
	w.now = "FindEscapes"
	arena.FindEscapes()
	w.checkEscapes()
}

// digits are what differs between two runs of a failure: numbers, seeds of values, and what
// is found instead of these.
var digits = regexp.MustCompile(`0x[0-9a-f]+|seed [0-9a-f]+| is \{.*|[0-9]+`)

// class returns what two failures for the same reason have in common.
func class(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	text, _, _ = strings.Cut(text, ";")
	return digits.ReplaceAllString(text, "#")
}

func bytesAt(p unsafe.Pointer, n int) []byte { return unsafe.Slice((*byte)(p), n) }
