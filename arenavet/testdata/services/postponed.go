package services

import (
	"fmt"
	"strings"

	"github.com/harena-go/arena"
)

// Functions that are called by others, which have them as arguments, in fields and in maps.

// withArena is the most usual helper there is.
func withArena[T any](pool *arena.Pool, f func(*arena.Arena) (T, error)) (out T, err error) {
	err = pool.Do(func(a *arena.Arena) error {
		var err error
		out, err = f(a)
		return err
	})
	return out, err
}

// lentTo is the same by hand.
func lentTo[T any](pool *arena.Pool, f func(*arena.Arena) T) T {
	a := pool.Get()
	defer pool.Put(a)
	return f(a)
}

// copiedFrom copies what it returns.
func copiedFrom[T any](pool *arena.Pool, f func(*arena.Arena) T) T {
	a := pool.Get()
	defer pool.Put(a)
	return arena.DeepClone(f(a))
}

// chatty passes its function on.
func chatty[T any](pool *arena.Pool, name string, f func(*arena.Arena) (T, error)) (T, error) {
	println(name)
	return withArena(pool, f)
}

// scratch rewinds.
func scratch[T any](a *arena.Arena, f func(*arena.Arena) T) T {
	m := a.Mark()
	defer a.Rewind(m)
	return f(a)
}

func BadHelped(pool *arena.Pool, name string) (*item, error) {
	return withArena(pool, func(a *arena.Arena) (*item, error) {
		return arena.NewOf(a, item{sku: a.AllocString(name)}), nil
	})
}
func BadHelpedString(pool *arena.Pool, name string) int {
	text := lentTo(pool, func(a *arena.Arena) string { return a.Sprintf("%s", name) })
	return strings.Count(text, "x")
}
func (d *desk) BadHelpedTwice(name string) string {
	x, err := chatty(d.pool, "items", func(a *arena.Arena) (*item, error) { return arena.New[item](a), nil })
	if err != nil {
		return ""
	}
	return x.sku
}
func newIn(a *arena.Arena) (*item, error) { return arena.New[item](a), nil }
func BadHelpedNamed(pool *arena.Pool) int {
	x, err := withArena(pool, newIn)
	if err != nil {
		return 0
	}
	return x.n
}
func BadScratch(a *arena.Arena) int {
	x := scratch(a, func(a *arena.Arena) *item { return arena.New[item](a) })
	return x.n
}
func OKHelped(pool *arena.Pool, name string) (int, error) {
	return withArena(pool, func(a *arena.Arena) (int, error) { return len(a.AllocString(name)), nil })
}
func OKHelpedHeap(pool *arena.Pool, name string) (*item, error) {
	return withArena(pool, func(a *arena.Arena) (*item, error) {
		return &item{sku: strings.ToUpper(strings.Clone(a.AllocString(name)))}, nil
	})
}
func OKHelpedCopy(pool *arena.Pool) int {
	return copiedFrom(pool, func(a *arena.Arena) *item { return arena.New[item](a) }).n
}
func OKHelpedOuter(pool *arena.Pool, out *arena.Arena, name string) (*item, error) {
	return chatty(pool, "x", func(a *arena.Arena) (*item, error) {
		return arena.CloneOut(a, arena.NewOf(a, item{n: len(a.AllocString(name))})), nil
	})
}
func OKScratch(a *arena.Arena) int {
	x := arena.New[item](a)
	return x.n + scratch(a, func(a *arena.Arena) int { return arena.New[item](a).n }) + x.n
}
func OKNewIn(pool *arena.Pool) int {
	a := pool.Get()
	defer pool.Put(a)
	x, _ := newIn(a)
	return x.n
}

// perhapsCopied copies what it returns if it is told how.
func perhapsCopied[T any](pool *arena.Pool, f func(*arena.Arena) T, copied func(T) T) T {
	a := pool.Get()
	defer pool.Put(a)
	x := f(a)
	if copied != nil {
		return copied(x)
	}
	return x
}
func OKPerhapsCopied(pool *arena.Pool) int {
	return perhapsCopied(pool, func(a *arena.Arena) *item { return arena.New[item](a) }, arena.DeepClone[*item]).n
}

// What a function that was passed returns.
type source interface {
	Load(a *arena.Arena, id int) *item
}
type fromArena struct{ misses int }

func (f *fromArena) Load(a *arena.Arena, id int) *item { return arena.NewOf(a, item{n: id}) }

type fromHeap struct{ all map[int]*item }

func (f *fromHeap) Load(a *arena.Arena, id int) *item { return f.all[id] }

func fetched(a *arena.Arena, from source, id int) *item {
	x := from.Load(a, id)
	if x == nil {
		return &item{}
	}
	return x
}
func built(a *arena.Arena, make func(*arena.Arena) *item) *item { return make(a) }
func listed(a *arena.Arena, n int, make func(a *arena.Arena, i int) *item) (list []*item) {
	for i := range n {
		list = append(list, make(a, i))
	}
	return list
}
func BadBuilt(pool *arena.Pool) int {
	a := pool.Get()
	x := built(a, func(a *arena.Arena) *item { return arena.New[item](a) })
	pool.Put(a)
	return x.n
}
func BadLoaded(pool *arena.Pool) *item {
	a := pool.Get()
	defer pool.Put(a)
	return fetched(a, &fromArena{}, 3)
}
func OKBuilt(pool *arena.Pool, known *item) int {
	a := pool.Get()
	x := built(a, func(a *arena.Arena) *item { return known })
	y := built(a, func(a *arena.Arena) *item { return &item{n: arena.New[item](a).n} })
	pool.Put(a)
	return x.n + y.n
}
func OKLoaded(pool *arena.Pool, all map[int]*item) *item {
	a := pool.Get()
	defer pool.Put(a)
	return fetched(a, &fromHeap{all}, 3)
}
func OKListed(pool *arena.Pool) (n int) {
	a := pool.Get()
	defer pool.Put(a)
	for _, x := range listed(a, 3, func(a *arena.Arena, i int) *item { return arena.NewOf(a, item{n: i}) }) {
		n += x.n
	}
	return n
}

// What was returned in one turn isn't used in the next one.
func OKEachTurn(a *arena.Arena, turns int) (n int) {
	get := func() *item { return arena.New[item](a) }
	use := func() { n += get().n }
	for range turns {
		use()
		a.Reset()
	}
	return n
}

// marked rewinds to what it returns.
func marked(a *arena.Arena, f func(*arena.Arena) int) *item {
	x := arena.New[item](a)
	m := a.Mark()
	x.n = f(a)
	a.Rewind(m)
	return x
}
func OKMarked(a *arena.Arena, texts []string) (n int) {
	var list []*item
	for _, text := range texts {
		list = append(list, marked(a, func(a *arena.Arena) int { return len(a.AllocString(text)) }))
	}
	for _, x := range list {
		n += x.n
	}
	return n
}

// Functions in maps.
var renderers = map[string]func(a *arena.Arena, x *item) string{
	"sku":  func(a *arena.Arena, x *item) string { return a.AllocString(x.sku) },
	"text": func(a *arena.Arena, x *item) string { return a.Sprintf("%d", x.n) },
}
var counters = map[string]func(a *arena.Arena, x *item) int{
	"sku": func(a *arena.Arena, x *item) int { return len(a.AllocString(x.sku)) },
}
var namers = map[string]func(a *arena.Arena, x *item) string{
	"none": func(a *arena.Arena, x *item) string { return "none" },
	"sku":  func(a *arena.Arena, x *item) string { return a.AllocString(x.sku) },
}

type commands struct {
	pool *arena.Pool
	by   map[string]func(a *arena.Arena, words []string) *item
	log  map[string]func(x *item)
	last *item
	n    int
}

func newCommands(pool *arena.Pool) *commands {
	c := &commands{pool: pool, by: map[string]func(a *arena.Arena, words []string) *item{}, log: map[string]func(*item){}}
	c.by["new"] = c.create
	c.by["sized"] = func(a *arena.Arena, words []string) *item { return arena.NewOf(a, item{n: len(words)}) }
	c.log["last"] = func(x *item) { c.last = x }
	return c
}
func (c *commands) create(a *arena.Arena, words []string) *item { return arena.New[item](a) }

func (c *commands) BadCommand(words []string) *item {
	a := c.pool.Get()
	defer c.pool.Put(a)
	return c.by[words[0]](a, words)
}
func BadRendered(pool *arena.Pool, x *item, out map[string]string) {
	a := pool.Get()
	defer pool.Put(a)
	for name, f := range renderers {
		out[name] = f(a, x)
	}
}
func (c *commands) OKCommand(words []string) int {
	a := c.pool.Get()
	defer c.pool.Put(a)
	if f, ok := c.by[words[0]]; ok {
		return f(a, words).n
	}
	return 0
}
func OKCounted(pool *arena.Pool, x *item, out map[string]int) {
	a := pool.Get()
	defer pool.Put(a)
	for name, f := range counters {
		out[name] = f(a, x)
	}
}
func OKNamed(pool *arena.Pool, x *item) string {
	a := pool.Get()
	defer pool.Put(a)
	return strings.Clone(namers["sku"](a, x))
}

// A callback ends the life in which its caller allocates.
func eachWord(a *arena.Arena, text string, f func(word string)) (n int) {
	for _, w := range strings.Fields(text) {
		word := a.AllocString(w)
		f(word)
		n += strings.Count(word, "x")
	}
	return n
}
func eachOnce(a *arena.Arena, text string, f func(word string)) (n int) {
	for _, w := range strings.Fields(text) {
		n++
		f(a.AllocString(w))
	}
	return n
}
func flushed(a *arena.Arena, f func()) *item {
	x := arena.New[item](a)
	f()
	return x
}
func BadEndsWord(a *arena.Arena, text string) int {
	return eachWord(a, text, func(word string) {
		println(len(word))
		a.Reset()
	})
}
func BadEndsResult(a *arena.Arena) int {
	x := flushed(a, func() { a.Reset() })
	return x.n
}
func OKEndsOnce(a *arena.Arena, text string) int {
	return eachOnce(a, text, func(word string) {
		println(word)
		a.Reset()
	})
}
func OKEndsOther(a, b *arena.Arena, text string) int {
	return eachWord(a, text, func(word string) {
		println(b.AllocString(word))
		b.Reset()
	})
}
func OKFlushed(a, b *arena.Arena) int { return flushed(a, func() { b.Reset() }).n }

type viewer struct {
	pool *arena.Pool
	last string
}

func (v *viewer) view(f func(a *arena.Arena) (string, error)) (text string, err error) {
	a := v.pool.Get()
	defer func() { v.pool.Put(a) }()
	if text, err = f(a); err != nil {
		return "", fmt.Errorf("view: %w", err)
	}
	return text, nil
}
func (v *viewer) BadViewed(name string) error {
	text, err := v.view(func(a *arena.Arena) (string, error) { return a.ToUpper(name), nil })
	if err != nil {
		return err
	}
	v.last = text
	return nil
}
func (v *viewer) OKViewed(name string) error {
	text, err := v.view(func(a *arena.Arena) (string, error) { return strings.Clone(a.ToUpper(name)), nil })
	if err != nil {
		return err
	}
	v.last = text
	return nil
}

type parseOptions struct {
	a    *arena.Arena
	make func(a *arena.Arena) *item
}

func parsedItem(o parseOptions) *item {
	x := o.make(o.a)
	x.n++
	return x
}
func BadParsedOption(pool *arena.Pool) int {
	a := pool.Get()
	x := parsedItem(parseOptions{a, func(a *arena.Arena) *item { return arena.New[item](a) }})
	pool.Put(a)
	return x.n
}
func OKParsedOption(pool *arena.Pool) int {
	a := pool.Get()
	x := parsedItem(parseOptions{a, func(a *arena.Arena) *item { return new(item) }})
	pool.Put(a)
	return x.n
}

type bus struct {
	pool *arena.Pool
	on   map[string]func(*item)
	sums map[string]func(*item) int
	seen []*item
	n    int
}

func newBus(pool *arena.Pool) *bus {
	b := &bus{pool: pool, on: map[string]func(*item){}, sums: map[string]func(*item) int{}}
	b.handle("seen", func(x *item) { b.seen = append(b.seen, x) })
	b.sums["n"] = func(x *item) int { return x.n }
	return b
}
func (b *bus) handle(name string, f func(*item)) { b.on[name] = f }
func (b *bus) BadEmitted(name string) {
	a := b.pool.Get()
	defer b.pool.Put(a)
	b.on[name](arena.New[item](a))
}
func (b *bus) OKSummed(name string) {
	a := b.pool.Get()
	defer b.pool.Put(a)
	b.n += b.sums[name](arena.New[item](a))
}

type rowWriter struct {
	a    *arena.Arena
	rows int
}

func (w *rowWriter) write(rows []string, full func()) (n int) {
	for _, r := range rows {
		x := arena.NewOf(w.a, item{sku: w.a.AllocString(r)})
		full()
		n += x.n
	}
	return n
}
func (w *rowWriter) BadFullResets(rows []string) int {
	return w.write(rows, func() {
		if w.rows++; w.rows > 100 {
			w.a.Reset()
		}
	})
}
func (w *rowWriter) OKFullCounts(rows []string) int {
	return w.write(rows, func() { w.rows++ })
}
