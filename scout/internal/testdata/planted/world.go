// Package planted has small programs, and states which of their values live on. Each is a function that Unit calls. A
// comment at the end of a line that allocates gives the expected verdict, and the expected holder.
package planted

import (
	"context"
	"errors"
	"sync"
	"time"
	"unique"
)

// Item is what most programs allocate: above 16 bytes, with and without pointers.
type Item struct {
	Name  string
	Count int
	Next  *Item
}

// Plain has no pointers.
type Plain struct{ A, B, C, D int }

// World is what lives as long as a benchmark.
type World struct {
	N       int // units so far
	last    *Item
	lastBuf []byte
	name    string
	names   map[string]int
	items   []*Item
	byName  map[string]*Item
	queue   chan *Item
	pool    sync.Pool
	funcs   []func() int
	timers  []*time.Timer
	ctx     context.Context
	err     error
	any     any
	box     any
	ring    [8]*Item
	handles []unique.Handle[string]
	nested  *Inner
	set     map[*Item]bool
	sync    sync.Map
	once    sync.Once
	log     [][]byte
	index   map[string][]int
	matrix  [][]int
	head    *Item
	done    chan struct{}
	values  []Plain
	texts   []string
	numbers []*int32
	shown   []any
	marked  *Marked
}

// Large is larger than Item.
type Large struct {
	Name string
	List [8]int
}

// Marked begins with something that has no size.
type Marked struct {
	Marker
	item *Item
}

type Marker struct{}

// Of these types each asserts to fmt.Stringer.
type (
	first  int
	second int
	third  int
)

func (first) String() string  { return "first" }
func (second) String() string { return "second" }
func (third) String() string  { return "third" }

type Inner struct{ deep struct{ item *Item } }

var (
	global     *Item
	registry   = map[int]*Item{}
	journal    []string
	interned   = map[string]string{}
	ErrPlanted = errors.New("planted")
)

// NewWorld returns one with all its maps and channels.
func NewWorld() *World {
	return &World{
		names: map[string]int{}, byName: map[string]*Item{}, queue: make(chan *Item, 1<<15), ctx: context.Background(),
		nested: &Inner{}, set: map[*Item]bool{}, index: map[string][]int{}, done: make(chan struct{}),
		shown: []any{first(1), second(2), third(3)}, marked: &Marked{},
	}
}

// Unit is the unit of work.
func Unit(w *World, f func(*World)) {
	w.N++
	f(w)
}

// scanners has what units share, each after the other.
var scanners = sync.Pool{New: func() any { return new(Scanner) }}

type Scanner struct{ stack []int }

// sink makes its argument escape for as long as the call takes.
//
//go:noinline
func use(p any) {
	box = p
	box = nil
}

var box any

//go:noinline
func useBytes(b []byte) { bytesBox = b; bytesBox = nil }

var bytesBox []byte

//go:noinline
func useString(s string) { stringBox = s; stringBox = "" }

var stringBox string
