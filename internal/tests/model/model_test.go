package model_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

var optionSets = []optionSet{
	{name: "default"},
	{name: "zero arena", opts: nil},
	{name: "self-contained", opts: []arena.Option{arena.WithNoScan()}},
	{name: "scrub", opts: []arena.Option{arena.WithScrub()}, scrub: true},
	{name: "tiny", opts: []arena.Option{arena.WithChunkSize(256), arena.WithMaxChunkSize(512)}},
	{name: "odd", opts: []arena.Option{arena.WithChunkSize(1000), arena.WithMaxChunkSize(3001)}},
	{name: "odd, self-contained", opts: []arena.Option{arena.WithChunkSize(1003), arena.WithMaxChunkSize(3000), arena.WithNoScan()}},
	{name: "nothing retained", opts: []arena.Option{arena.WithMaxRetained(0)}},
	{name: "little retained, tiny", opts: []arena.Option{arena.WithMaxRetained(3000), arena.WithChunkSize(300)}},
	{name: "limit", opts: []arena.Option{arena.WithLimit(20000)}, limit: 20000},
	{name: "small limit, tiny", opts: []arena.Option{arena.WithLimit(2000), arena.WithChunkSize(256)}, limit: 2000},
	{name: "limit, self-contained, scrub", opts: []arena.Option{arena.WithLimit(8000), arena.WithNoScan(), arena.WithScrub()}, limit: 8000, scrub: true},
	{name: "tiny, scrub, self-contained", opts: []arena.Option{arena.WithChunkSize(256), arena.WithMaxChunkSize(256), arena.WithScrub(), arena.WithNoScan()}, scrub: true},
	{name: "checked resets", opts: arenakit.Checked(arena.CheckResets)},
	{name: "checked resets, tiny, self-contained", opts: arenakit.Checked(arena.CheckResets, arena.WithChunkSize(256), arena.WithNoScan())},
	{name: "checked objects", opts: arenakit.Checked(arena.CheckObjects)},
	{name: "checked objects, self-contained, limit", opts: arenakit.Checked(arena.CheckObjects, arena.WithNoScan(), arena.WithLimit(20000)), limit: 20000},
	{name: "unknown layout", untrusted: true},
	{name: "unknown layout, self-contained, limit", opts: []arena.Option{arena.WithNoScan(), arena.WithLimit(9000)}, limit: 9000, untrusted: true},
	{name: "checked resets, scrub, tiny", opts: arenakit.Checked(arena.CheckResets, arena.WithScrub(), arena.WithChunkSize(256)), scrub: true},
	{name: "checked resets, limit, self-contained", opts: arenakit.Checked(arena.CheckResets, arena.WithNoScan(), arena.WithLimit(9000)), limit: 9000},
	{name: "checked objects, scrub", opts: arenakit.Checked(arena.CheckObjects, arena.WithScrub()), scrub: true, fills: true},
	{name: "checked objects, nothing retained, self-contained, scrub", opts: arenakit.Checked(arena.CheckObjects, arena.WithMaxRetained(0), arena.WithNoScan(), arena.WithScrub()), scrub: true, fills: true},
}

// TestModel runs random programs on arenas of all kinds. A failure prints the
// program, which FuzzModel's seeds can take over.
func TestModel(t *testing.T) {
	programs := testkit.Cases(60)
	if testkit.Long {
		programs = 2500
	}
	runRandom(t, programs, run)
}

// runRandom runs a number of random programs with each set of options.
func runRandom(t *testing.T, programs int, run func(t testing.TB, set optionSet, program []byte)) {
	for i, set := range optionSets {
		t.Run(set.name, func(t *testing.T) {
			for seed := range programs {
				r := rand.New(rand.NewPCG(uint64(i), uint64(seed)))
				program := make([]byte, 200+r.IntN(1800))
				for i := range program {
					program[i] = byte(r.Uint32())
				}
				run(t, set, program)
			}
		})
	}
}

// run executes one program.
func run(t testing.TB, set optionSet, program []byte) {
	t.Helper()
	if set.untrusted {
		defer setTrusted(false)()
	}
	w := &world{t: t, set: set, program: program, seed: uint64(len(program))}
	w.root = w.newRoot()
	for w.pos < len(program) {
		w.step++
		w.perform(w.pick(), w.next())
		w.verifyBooks()
		if w.step%16 == 0 {
			w.verify()
		}
	}
	w.verify()
	w.root.a.Free()
	w.release(w.root)
	w.verifyFree()
}

func (w *world) newRoot() *actor {
	if w.set.opts == nil && !w.set.untrusted && w.set.name == "zero arena" {
		return &actor{a: new(arena.Arena), born: w.step}
	}
	return &actor{a: arena.NewArena(w.set.opts...), born: w.step}
}

// pick returns one of the arenas: mostly the root.
func (w *world) pick() *actor {
	ac := w.root
	for n := w.next(); n >= 160 && len(ac.children) > 0; n = n * 7 % 256 {
		ac = ac.children[n%len(ac.children)]
	}
	return ac
}

// perform does one operation.
func (w *world) perform(ac *actor, op int) {
	a := ac.a
	sh := shapes[w.next()%len(shapes)]
	switch op % 32 {
	case 0, 1, 2, 3, 4:
		w.attempt("New", func() { sh.newValue(w, ac, op%32%3) })
	case 5, 6:
		w.attempt("MakeSlice", func() { sh.makeSlice(w, ac, w.next()%20, w.next()%4*(w.next()%9), op&32 != 0) })
	case 7, 8, 9, 10, 11:
		if s := pickOf(w, ac.slices); s != nil {
			w.attempt("Append", func() { s.grow(w, ac, max(0, op%32-9), w.size()) })
		}
	case 12:
		if s := pickOf(w, ac.slices); s != nil {
			s.part(w, ac, op&32 == 0, w.next()%12)
		}
	case 13:
		if s := pickOf(w, ac.slices); s != nil {
			w.attempt("CopySlice", func() { s.copyTo(w, w.pick()) })
		}
	case 14:
		if s := pickOf(w, ac.slices); s != nil {
			s.fill(w)
		}
	case 15, 16, 17:
		w.attempt("AllocString", func() { w.newString(ac, w.size(), op&32 != 0) })
	case 18:
		if op&32 != 0 {
			w.attempt("Text", func() { w.text(ac, w.size()) })
			break
		}
		w.attempt("Sprintf", func() { w.sprintf(ac, w.size()) })
	case 19, 20:
		w.attempt("Alloc", func() { w.alloc(ac, w.size(), 1<<(w.next()%13)) })
	case 21, 22, 23:
		if r := pickOf(w, ac.raws); r != nil {
			w.attempt("Realloc", func() { w.realloc(ac, r, w.size(), 1<<(w.next()%13)) })
		}
	case 24:
		w.attempt("AllocBytes", func() { w.allocBytes(ac, w.size(), op&32 != 0) })
	case 25, 26:
		w.trace = append(w.trace, "Mark")
		w.mark(ac)
	case 27, 28:
		if n := len(ac.marks); n > 0 {
			w.trace = append(w.trace, "Rewind")
			w.rewind(ac, n-1-w.next()%n)
		}
	case 29:
		w.attempt("Reserve", func() {
			n := w.size()
			w.asked(n, 8)
			a.Reserve(n)
		})
		w.attempt("KeepAlive", func() {
			w.asked(int(unsafe.Sizeof(any(op))), 1)
			a.KeepAlive(op)
		})
	case 30:
		if depth(ac) < 3 && len(ac.children) < 4 {
			w.trace = append(w.trace, "Child")
			ac.children = append(ac.children, &actor{a: a.Child(), parent: ac, born: w.step})
		}
	default:
		w.end(ac, w.next())
	}
}

func depth(ac *actor) int {
	if ac == nil {
		return 0
	}
	return 1 + depth(ac.parent)
}

// pickOf returns one of the items, the newest ones more often; or zero.
func pickOf[T any](w *world, items []T) (item T) {
	n := w.next()
	if len(items) == 0 {
		return item
	}
	if n < 128 {
		return items[max(0, len(items)-1-n%3)]
	}
	return items[n%len(items)]
}

func (w *world) newString(ac *actor, n int, fromBytes bool) {
	w.asked(n, 1)
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(w.random()>>24) | 1
	}
	var s string
	if fromBytes {
		s = ac.a.AllocBytesToString(b)
	} else {
		s = ac.a.AllocString(string(b))
	}
	w.check(s == string(b), "AllocString: %q; want %q", s, b)
	w.addString(ac, s)
}

func (w *world) addString(ac *actor, s string) {
	if len(s) > 0 {
		p := unsafe.Pointer(unsafe.StringData(s))
		w.addUnaligned(ac, p, []byte(s))
	}
}

// chatty is a Stringer that allocates while it is being formatted.
type chatty struct {
	w  *world
	ac *actor
	n  int
}

func (c chatty) String() string {
	// fmt would swallow the panic of a limit.
	if v := testkit.Caught(func() {
		shapes[5].newValue(c.w, c.ac, 0)
		shapes[1].makeSlice(c.w, c.ac, c.n, 3, false)
		shapes[15].newValue(c.w, c.ac, 0)
	}); v != nil {
		if _, ok := v.(*arena.LimitError); !ok {
			panic(v)
		}
	}
	return strings.Repeat("x", c.n)
}

func (w *world) sprintf(ac *actor, n int) {
	w.exact = false
	w.asked(2*n+256, 8)
	var args []any
	want := fmt.Sprintf("%d:%s", n, strings.Repeat("x", n))
	if n%3 == 0 {
		args = []any{n, chatty{w, ac, n}}
	} else {
		args = []any{n, strings.Repeat("x", n)}
	}
	got := ac.a.Sprintf("%d:%s", args...)
	w.check(got == want, "Sprintf: %q; want %q", got, want)
	w.addString(ac, got)
}

// text builds a string, which moves if it is long, since a slice is allocated meanwhile.
func (w *world) text(ac *actor, n int) {
	w.exact = false
	w.asked(4*n+1024, 8)
	half := strings.Repeat("x", n/2)
	t := ac.a.Text().Str(half).Int(n)
	w.allocBytes(ac, 16, false)
	got, want := t.Str(half).String(), half+strconv.Itoa(n)+half
	w.check(got == want, "Text: %q; want %q", got, want)
	w.addString(ac, got)
}

func (w *world) allocBytes(ac *actor, n int, uninit bool) {
	w.asked(n, 8)
	if !uninit {
		w.add(ac, unsafe.Pointer(unsafe.SliceData(ac.a.AllocBytes(n))), make([]byte, n), 1)
		return
	}
	s := ac.a.AllocBytesUninit(n)
	for i := range s {
		s[i] = byte(i) | 1
	}
	w.add(ac, unsafe.Pointer(unsafe.SliceData(s)), slices.Clone(s), 1)
}

func (w *world) alloc(ac *actor, n int, align uintptr) {
	w.asked(max(n, 1), int(align))
	p := ac.a.Alloc(uintptr(n), align)
	r := &raw{p: p, at: w.step}
	r.b = w.add(ac, p, make([]byte, n), align)
	w.fillRaw(r, 0)
	ac.raws = append(ac.raws, r)
}

func (w *world) fillRaw(r *raw, from int) {
	if r.b == nil {
		return
	}
	for i := from; i < len(r.b.want); i++ {
		r.b.want[i] = byte(w.random()>>32) | 1
	}
	copy(testkit.BytesAt(r.p, len(r.b.want)), r.b.want)
}

func (w *world) realloc(ac *actor, r *raw, n int, align uintptr) {
	var old []byte
	if r.b != nil {
		old = r.b.want
	}
	w.asked(max(n, 1), int(align))
	p := ac.a.Realloc(r.p, uintptr(len(old)), uintptr(n), align)
	want := make([]byte, n)
	copy(want, old)
	if n >= 8 {
		align = max(align, 8)
	}
	w.check(n == 0 || uintptr(p)%align == 0, "Realloc from %d to %d bytes: %x is not aligned to %d", len(old), n, p, align)
	if p == r.p && r.b != nil && n > 0 { // no bytes overlap nothing
		r.b.want = want
		w.compare(r.b)
	} else {
		ac.drop(r.b)
		r.b = w.add(ac, p, want, align)
	}
	r.p, r.at = p, w.step
	w.fillRaw(r, len(old))
}

// drop forgets a block.
func (ac *actor) drop(b *block) {
	ac.blocks = slices.DeleteFunc(ac.blocks, func(o *block) bool { return o == b })
}
