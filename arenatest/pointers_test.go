package arenatest_test

import (
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// An order has pointers of all kinds.
type order struct {
	id     int
	next   *order
	text   string
	raw    []byte
	items  [4]item
	lines  []line
	any    any
	shape  fmt.Stringer
	index  map[string]int
	queue  chan int
	done   func() int
	place  unsafe.Pointer
	number uintptr
	none   *struct{}
}

type item struct {
	price int
	names [2]string
}

type line struct {
	text string
	link *item
}

type label string

func (l label) String() string { return string(l) }

type boxed struct{ p *item }

func (b boxed) String() string { return "" }

// Static data, and data unknown to the linker.
var (
	staticItem  item
	staticOrder = order{text: "a constant"}
)

func (i *item) String() string { return "" }

// heap returns strings and bytes on the heap.
func heapString(n int) string { return strings.Repeat("x", n) }

//go:noinline
func closure(n int) func() int { return func() int { return n } }

func noClosure() int { return 1 }

// The targets of pointers. Each is correct in all fields.
var correct = []struct {
	name string
	make func(a *arena.Arena, o *order)
}{
	{"nothing", func(*arena.Arena, *order) {}},
	{"own arena", func(a *arena.Arena, o *order) {
		o.next = arena.New[order](a)
		o.next.next = o
		o.text = a.AllocString("text")
		o.raw = arena.Append(a, o.raw, []byte("bytes")...)
		o.items[3].names[1] = a.Sprintf("%d", 17)
		o.lines = arena.MakeSlice[line](a, 2, 10)
		o.lines[1] = line{a.AllocString("line"), arena.New[item](a)}
		o.any, o.shape = arena.New[line](a), arena.New[item](a)
		o.place = a.Alloc(100, 8)
	}},
	{"middle of own objects", func(a *arena.Arena, o *order) {
		o.lines = arena.MakeSlice[line](a, 20, 20)[5:10]
		o.text = a.AllocString("0123456789")[3:5]
		o.any, o.shape = &o.items[1].names[1], &o.items[2]
		o.place = unsafe.Pointer(&o.items[2].price)
	}},
	{"ends of own objects", func(a *arena.Arena, o *order) {
		b := a.AllocBytes(64)
		o.raw = b[64:]
		o.place = unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), 64)
		o.text = a.AllocString("0123456789")[10:]
		for n := range 200 {
			end := unsafe.Add(a.Alloc(uintptr(n+1), 1), n+1)
			arena.New[order](a).place = end
		}
	}},
	{"static data", func(a *arena.Arena, o *order) {
		o.next, o.text = &staticOrder, "constant"
		o.items[3].names[1] = staticOrder.text[2:]
		o.raw = []byte{}
		o.any, o.shape = &staticItem, label("constant")
		o.done = noClosure
		o.place = unsafe.Pointer(&staticItem.names)
		o.none = new(struct{})
	}},
	{"small values in interfaces", func(a *arena.Arena, o *order) {
		o.any, o.shape = 17, label("")
		arena.New[order](a).any = struct{}{}
		arena.New[order](a).any = "constant"
		arena.New[order](a).any = 3.5
	}},
	{"no pointer", func(_ *arena.Arena, o *order) { o.number = uintptr(unsafe.Pointer(&[]byte(heapString(20))[0])) }},
	{"empty slices of the heap", func(_ *arena.Arena, o *order) {
		o.raw = []byte(heapString(20))[:0:0]
		o.text = heapString(20)[:0]
	}},
	{"parent", func(a *arena.Arena, o *order) {
		c := a.Child()
		p := arena.NewOf(c, order{next: o, text: a.AllocString("of the parent")})
		cc := c.Child()
		arena.New[order](cc).next = p
		arena.New[order](cc).next = o
	}},
	{"kept by KeepAlive", func(a *arena.Arena, o *order) {
		o.next = &order{index: map[string]int{"x": 1}}
		o.text = heapString(12)
		o.raw = []byte(heapString(30))
		o.index, o.queue, o.done = map[string]int{}, make(chan int, 5), closure(1)
		for _, v := range []any{o.next, o.text, o.raw, o.index, o.queue, o.done} {
			a.KeepAlive(v)
		}
	}},
	{"what KeepAlive leads to", func(a *arena.Arena, o *order) {
		m := map[string]*order{}
		for i := range 100 {
			m[fmt.Sprint(i)] = &order{text: heapString(12), next: &order{raw: []byte(heapString(30))}, any: &item{}}
		}
		a.KeepAlive(m)
		a.KeepAlive(&order{})
		k := m["55"]
		o.next, o.text, o.raw, o.any = k.next, k.text, k.next.raw[5:], k.any
		o.place = unsafe.Pointer(&k.next.raw[3])
	}},
	{"kept by the parent", func(a *arena.Arena, _ *order) {
		kept := []*item{{}, {}}
		a.KeepAlive(kept)
		arena.New[line](a.Child()).link = kept[1]
	}},
}

func TestCorrectPointers(t *testing.T) {
	for _, c := range correct {
		testkit.Run(t, c.name, func(t *testing.T) {
			run(t, func(tb testing.TB) {
				a := arenatest.New(tb, arena.WithNoScan())
				c.make(a, arena.New[order](a))
				arenatest.Verify(tb)
				a.Reset()
				m := a.Mark()
				c.make(a, arena.New[order](a))
				a.Rewind(m)
				c.make(a, arena.New[order](a))
			}).want(t)
		})
	}
}

// Wrong pointers, with their fields and targets.
var wrong = []struct {
	name string
	make func(a *arena.Arena, o *order)
	want []string
}{
	{"string", func(_ *arena.Arena, o *order) { o.text = heapString(12) },
		[]string{"arenatest_test.order.text ", "a string of 12 bytes"}},
	{"part of a string", func(_ *arena.Arena, o *order) { o.text = heapString(120)[50:100] },
		[]string{"arenatest_test.order.text ", "a string of 50 bytes"}},
	{"string in an array", func(_ *arena.Arena, o *order) { o.items[3].names[1] = heapString(12) },
		[]string{"arenatest_test.order.items[3].names[1] ", "a string of 12 bytes"}},
	{"string in a slice", func(a *arena.Arena, o *order) {
		o.lines = arena.MakeSlice[line](a, 5, 5)
		o.lines[4].text = heapString(12)
	}, []string{"[]arenatest_test.line[4].text ", "a string of 12 bytes"}},
	{"beyond a slice's length", func(a *arena.Arena, o *order) {
		o.lines = arena.MakeSlice[line](a, 5, 8)
		o.lines[:8][7].text = heapString(12)
		o.lines = o.lines[:0]
	}, []string{"[]arenatest_test.line[7].text ", "a string of 12 bytes"}},
	{"slice", func(_ *arena.Arena, o *order) { o.raw = make([]byte, 10, 100) },
		[]string{"arenatest_test.order.raw ", "the array of a []uint8 of length 10"}},
	{"slice of length 0", func(_ *arena.Arena, o *order) { o.raw = make([]byte, 0, 100) },
		[]string{"arenatest_test.order.raw ", "the array of a []uint8 of length 0"}},
	{"builtin append", func(a *arena.Arena, o *order) {
		s := arena.MakeSlice[line](a, 1, 1)
		o.lines = append(s, line{})
	}, []string{"arenatest_test.order.lines ", "the array of a []arenatest_test.line of length 2"}},
	{"pointer", func(_ *arena.Arena, o *order) { o.next = new(order) },
		[]string{"arenatest_test.order.next ", "the arenatest_test.order of a *arenatest_test.order"}},
	{"pointer to a field", func(_ *arena.Arena, o *order) { o.place = unsafe.Pointer(&new(order).number) },
		[]string{"arenatest_test.order.place ", "what an unsafe.Pointer leads to"}},
	{"map", func(_ *arena.Arena, o *order) { o.index = map[string]int{"x": 1} },
		[]string{"arenatest_test.order.index ", "a map[string]int on"}},
	{"channel", func(_ *arena.Arena, o *order) { o.queue = make(chan int) },
		[]string{"arenatest_test.order.queue ", "a chan int on"}},
	{"closure", func(_ *arena.Arena, o *order) { o.done = closure(1) },
		[]string{"arenatest_test.order.done ", "the closure ", "arenatest_test.closure.func1"}},
	{"value in an interface", func(_ *arena.Arena, o *order) { o.any = heapString(12) },
		[]string{"arenatest_test.order.any ", "the string in an interface"}},
	{"number in an interface", func(_ *arena.Arena, o *order) { o.any = len(heapString(1000)) },
		[]string{"arenatest_test.order.any ", "the int in an interface"}},
	{"pointer in an interface", func(_ *arena.Arena, o *order) { o.any = new(item) },
		[]string{"arenatest_test.order.any ", "the arenatest_test.item of a *arenatest_test.item in an interface"}},
	{"map in an interface", func(_ *arena.Arena, o *order) { o.any = map[int]int{} },
		[]string{"arenatest_test.order.any ", "a map[int]int in an interface"}},
	{"interface with methods", func(_ *arena.Arena, o *order) { o.shape = label(heapString(12)) },
		[]string{"arenatest_test.order.shape ", "the arenatest_test.label in an interface"}},
	{"pointer in an interface with methods", func(_ *arena.Arena, o *order) { o.shape = new(item) },
		[]string{"arenatest_test.order.shape ", "the arenatest_test.item of a *arenatest_test.item in an interface"}},
	{"struct of one pointer in an interface", func(_ *arena.Arena, o *order) { o.shape = boxed{new(item)} },
		[]string{"arenatest_test.order.shape ", "the arenatest_test.boxed in an interface"}},
	{"another arena", func(_ *arena.Arena, o *order) {
		other := arena.NewArena(arena.WithNoScan())
		o.next = arena.New[order](other)
	}, []string{"arenatest_test.order.next "}},
	{"another checked arena", func(_ *arena.Arena, o *order) {
		other := arena.NewArena(arena.WithNoScan(), arena.WithChecks(arena.CheckObjects))
		o.text = other.AllocString("text")
	}, []string{"arenatest_test.order.text "}},
	{"child", func(a *arena.Arena, o *order) { o.next = arena.New[order](a.Child()) },
		[]string{"arenatest_test.order.next ", "in a child of that arena"}},
	{"in a child", func(a *arena.Arena, o *order) { arena.New[order](a.Child()).text = heapString(12) },
		[]string{"arenatest_test.order.text ", "a string of 12 bytes"}},
	{"what was reclaimed", func(a *arena.Arena, o *order) {
		m := a.Mark()
		o.next = arena.New[order](a)
		a.Rewind(m)
	}, []string{"arenatest_test.order.next ", "has reclaimed at "}},
	{"what only the arena and its handler know", func(a *arena.Arena, o *order) {
		k := &order{text: heapString(40)}
		a.KeepAlive(&order{next: o}) // and o leads back to the arena
		o.next = k
	}, []string{"arenatest_test.order.next "}},
	{"many of a kind", func(a *arena.Arena, _ *order) {
		for i := range 1000 {
			arena.New[line](a).text = heapString(10 + i%3)
		}
	}, []string{"arenatest_test.line.text ", "; 999 more like it"}},
}

func TestWrongPointers(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it would free objects that only the arena leads to, before the search
	for i, c := range wrong {
		if len(c.want) == 1 || strings.Contains(c.want[1], "a string") {
			c.want = append(c.want, "on the Go heap")
		}
		want := append(c.want, "ARENA POINTER: ", " in self-contained arena \"TestDouble\" points to ", "pointers_test.go:")
		// The time of the search doesn't matter to a kind of pointer: each is tried at two of the times, in turn.
		for _, look := range []int{i % len(looks), (i + 1) % len(looks)} {
			testkit.Run(t, fmt.Sprint(c.name, "/", look), func(t *testing.T) {
				run(t, func(tb testing.TB) {
					a := arenatest.New(tb, arena.WithNoScan())
					c.make(a, arena.New[order](a))
					looks[look](tb, a)
				}).want(t, want...)
			})
		}
	}
}

// looks are the ways to look for wrong pointers.
var looks = []func(tb testing.TB, a *arena.Arena){
	func(testing.TB, *arena.Arena) {}, // at the end
	func(tb testing.TB, _ *arena.Arena) { arenatest.Verify(tb) },
	func(_ testing.TB, a *arena.Arena) { a.Reset() },
	func(_ testing.TB, a *arena.Arena) { a.Free() },
}
