// Package escape has values that outlive their arena's reset, each with its
// look-alike.
package escape

import (
	"bytes"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/harena-go/arena"
)

type node struct {
	name string
	n    int
	next *node
}

type server struct {
	pool  *arena.Pool
	last  *node
	names map[string]*node
	list  []*node
	out   chan *node
	n     int
	mu    sync.Mutex
	wg    sync.WaitGroup
}

var (
	pool   = arena.NewPool(arena.WithReuse())
	global *node
	cache  = map[string]*node{}
	words  []string
	total  int
)

func result() *node {
	a := pool.Get()
	defer pool.Put(a)
	return arena.New[node](a) // want `arena memory is returned, but the deferred Pool.Put in line 42 reclaims it`
}

func OKResult() *node {
	a := pool.Get()
	defer pool.Put(a)
	return arena.DeepClone(arena.New[node](a))
}

func OKNumber() int {
	a := pool.Get()
	defer pool.Put(a)
	return arena.New[node](a).n
}

func OKCallersArena(a *arena.Arena) *node {
	defer a.Reserve(10)
	return arena.New[node](a)
}

func named() (s string, err error) {
	a := pool.Get()
	defer pool.Put(a)
	s = a.AllocString("x")
	return // want `arena memory is returned, but the deferred Pool.Put`
}

func OKNamed() (s string, err error) {
	a := pool.Get()
	defer pool.Put(a)
	s = a.AllocString("x")
	s = arena.Clone(s)
	return
}

func literal() []byte {
	a := arena.NewArena()
	defer func() { a.Reset() }()
	return a.AllocBytes(3) // want `arena memory is returned, but the deferred Reset`
}

func OKLiteral() []byte {
	a := arena.NewArena()
	defer func() { a.Free() }()
	return a.AllocBytes(3)
}

func inStruct() *node {
	a := arena.NewArena()
	defer a.Reset()
	n := new(node)
	n.name = a.AllocString("x")
	return n // want `arena memory is returned, but the deferred Reset`
}

func OKInStruct() *node {
	a := arena.NewArena()
	defer a.Reset()
	n := new(node)
	n.name = string([]byte(a.AllocString("x")))
	return n
}

func inSlice() []string {
	a := arena.NewArena()
	defer a.Reset()
	var list []string
	list = append(list, a.AllocString("x"))
	return list // want `arena memory is returned, but the deferred Reset`
}

func inMap() map[string]int {
	a := arena.NewArena()
	defer a.Reset()
	m := map[string]int{}
	m[a.AllocString("x")] = 1
	return m // want `arena memory is returned, but the deferred Reset`
}

func OKInMap() map[string]int {
	a := arena.NewArena()
	defer a.Reset()
	m := map[string]int{}
	m[arena.Clone(a.AllocString("x"))] = 1
	return m
}

func inClosure() func() int {
	a := arena.NewArena()
	defer a.Reset()
	n := arena.New[node](a)
	return func() int { return n.n } // want `arena memory is returned, but the deferred Reset`
}

func inInterface() any {
	a := pool.Get()
	defer pool.Put(a)
	return arena.New[node](a) // want `arena memory is returned`
}

func theArena() *arena.Arena {
	a := pool.Get()
	defer pool.Put(a)
	return a // want `the arena is returned, but the deferred Pool.Put`
}

func rewound(a *arena.Arena) []byte {
	m := a.Mark()
	defer a.Rewind(m)
	return a.AllocBytes(5) // want `arena memory is returned, but the deferred Rewind`
}

func OKRewound(a *arena.Arena) []byte {
	b := a.AllocBytes(5)
	m := a.Mark()
	defer a.Rewind(m)
	copy(b, a.AllocBytes(5))
	return b
}

func inGlobal() {
	a := pool.Get()
	defer pool.Put(a)
	global = arena.New[node](a) // want `the global global keeps arena memory, which .*Pool.Put`
}

func OKInGlobal() {
	a := pool.Get()
	defer pool.Put(a)
	global = arena.New[node](a)
	fmt.Println(global.n)
	total += global.n
	global = nil
}

func OKClonedIntoGlobal() {
	a := pool.Get()
	defer pool.Put(a)
	global = arena.DeepClone(arena.New[node](a))
	words = append(words, arena.Clone(a.AllocString("x")))
}

func inCache(name string) {
	a := arena.NewArena()
	cache[name] = arena.New[node](a) // want `the global cache keeps arena memory, which .*Reset .*; keep copies, as of arena.Keep`
	a.Reset()
}

func keyInCache() {
	a := arena.NewArena()
	cache[a.AllocString("x")] = nil // want `the global cache keeps arena memory, which .*Reset`
	a.Reset()
}

func inWords() {
	a := arena.NewArena()
	words = append(words, a.AllocString("x")) // want `the global words keeps arena memory, which .*Reset`
	a.Reset()
}

func OKFreed(name string) {
	a := arena.NewArena()
	cache[name] = arena.New[node](a)
	a.Free()
}

func (s *server) inField() {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.last = arena.New[node](a) // want `s.last keeps arena memory, which .*Pool.Put`
}

func (s *server) OKInField() {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.last = arena.New[node](a)
	s.n = s.last.n
	s.last = nil
}

func (s *server) OKDeferredClear() {
	a := s.pool.Get()
	defer func() {
		s.last = nil
		s.pool.Put(a)
	}()
	s.last = arena.New[node](a)
}

func (s *server) inMap() {
	a := s.pool.Get()
	s.names["x"] = arena.New[node](a) // want `s.names\S* keeps arena memory, which .*Pool.Put`
	s.pool.Put(a)
}

func (s *server) inList() {
	a := s.pool.Get()
	s.list = append(s.list, arena.New[node](a)) // want `s.list keeps arena memory, which .*Pool.Put`
	s.pool.Put(a)
}

func fill(n *node) {
	a := pool.Get()
	defer pool.Put(a)
	n.name = a.AllocString("x") // want `n.name keeps arena memory, which .*Pool.Put`
	n.n = len(n.name)
}

func OKFill(a *arena.Arena, n *node) {
	n.name = a.AllocString("x")
}

func (s *server) sent() {
	a := pool.Get()
	defer pool.Put(a)
	s.out <- arena.New[node](a) // want `arena memory is sent to another goroutine, and Pool.Put in line \d+ reclaims it without waiting`
}

func (s *server) OKSent(done chan bool) {
	a := pool.Get()
	defer pool.Put(a)
	s.out <- arena.New[node](a)
	<-done
}

func (s *server) OKSentClone() {
	a := pool.Get()
	defer pool.Put(a)
	s.out <- arena.DeepClone(arena.New[node](a))
}

func selected(out chan<- *node, stop chan<- int) {
	a := pool.Get()
	defer pool.Put(a)
	n := arena.New[node](a)
	select { // want `arena memory is sent to another goroutine`
	case out <- n:
	case stop <- 1:
	}
}

func captured() {
	a := arena.NewArena()
	n := arena.New[node](a)
	go func() { // want `arena memory is given to a goroutine, and Reset in line \d+ reclaims it without waiting`
		n.n++
	}()
	a.Reset()
}

func passed() {
	a := pool.Get()
	defer pool.Put(a)
	go use(arena.New[node](a)) // want `arena memory is given to a goroutine`
}

func use(n *node) { n.n++ }

func OKCaptured() {
	a := arena.NewArena()
	n := arena.New[node](a)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		n.n++
	}()
	wg.Wait()
	a.Reset()
}

func OKGroup() {
	a := arena.NewArena()
	n := arena.New[node](a)
	var wg sync.WaitGroup
	wg.Go(func() { n.n++ })
	wg.Wait()
	a.Reset()
}

func group() {
	a := arena.NewArena()
	n := arena.New[node](a)
	var wg sync.WaitGroup
	wg.Go(func() { n.n++ }) // want `arena memory is given to a goroutine`
	a.Reset()
	wg.Wait()
}

func OKGoroutinesOwn() {
	a := arena.NewArena()
	n := arena.New[node](a)
	go func() {
		n.n++
		a.Reset()
	}()
}

func do() error {
	return pool.Do(func(a *arena.Arena) error {
		global = arena.New[node](a) // want `the global global keeps arena memory, which .*Do`
		return nil
	})
}

func OKDo() (n int, err error) {
	err = pool.Do(func(a *arena.Arena) error {
		x := arena.New[node](a)
		n = x.n
		return nil
	})
	return
}

func doKept() int {
	var x *node
	pool.Do(func(a *arena.Arena) error {
		x = arena.New[node](a)
		return nil
	})
	return x.n // want `arena memory is used after the end of Do in line \d+, kept beyond it`
}

func OKDoOnlyInside() error {
	var x *node
	return pool.Do(func(a *arena.Arena) error {
		x = arena.New[node](a)
		x.n++
		return nil
	})
}

func doReturned() (x *node) {
	pool.DoKeyed("key", func(a *arena.Arena) error {
		x = arena.New[node](a)
		return nil
	})
	return x // want `returns arena memory, which Do`
}

func OKDoReturned() (x *node) {
	pool.Do(func(a *arena.Arena) error {
		x = arena.DeepClone(arena.New[node](a))
		return nil
	})
	return x
}

func (s *server) doField() {
	s.pool.Do(func(a *arena.Arena) error {
		s.last = arena.New[node](a) // want `s\S*.last keeps arena memory, which .*Do`
		return nil
	})
}

func (s *server) doNamed() error { return s.pool.Do(s.handle) }

func (s *server) handle(a *arena.Arena) error {
	s.last = arena.New[node](a) // want `s.last keeps arena memory, which .*Do`
	return nil
}

func doFunc() error { return pool.Do(handle) }

func handle(a *arena.Arena) error {
	words = append(words, a.AllocString("x")) // want `the global words keeps arena memory, which .*Do`
	return nil
}

type parseError struct{ text string }

func (e *parseError) Error() string { return e.text }

func doError() error {
	return pool.Do(func(a *arena.Arena) error {
		return &parseError{a.AllocString("bad")} // want `returns arena memory, which Do`
	})
}

func OKDoError() error {
	return pool.Do(func(a *arena.Arena) error {
		return fmt.Errorf("bad: %s", a.AllocString("bad"))
	})
}

func OKBuffer() []byte {
	a := pool.Get()
	defer pool.Put(a)
	var b bytes.Buffer
	b.Write(a.AllocBytes(5))
	return b.Bytes()
}

func buffer() *bytes.Buffer {
	a := pool.Get()
	defer pool.Put(a)
	return bytes.NewBuffer(a.AllocBytes(5)) // want `arena memory is returned`
}

var scratch = arena.NewArena()

func remember() {
	global = arena.New[node](scratch) // want `memory of an arena that is reset is kept in the global global`
}

func newRound() { scratch.Reset() }

var forever = arena.NewArena()

func OKForever() {
	cache["x"] = arena.New[node](forever)
}

func OKIgnored() {
	a := pool.Get()
	defer pool.Put(a)
	//arenavet:ignore replaced before anybody looks at it
	global = arena.New[node](a)
}

var ready atomic.Bool

func early(n *node, stop chan bool) {
	n.n++
	ready.Store(true)
	<-stop
}

func late(n *node, stop chan bool) {
	ready.Store(true)
	<-stop
	n.n++
}

func polled(stop chan bool) {
	a := arena.NewArena()
	go late(arena.New[node](a), stop) // want `arena memory is given to a goroutine`
	for !ready.Load() {
	}
	a.Reset()
}

func OKPolled(stop chan bool) {
	a := arena.NewArena()
	go early(arena.New[node](a), stop)
	for !ready.Load() {
	}
	a.Reset()
}

var attrs = make(chan slog.Attr, 10)

func logged(user string) {
	a := arena.NewArena()
	attrs <- slog.String("user", a.AllocString(user)) // want `arena memory is sent to another goroutine`
	a.Reset()
}

func OKLogged(user string) {
	a := arena.NewArena()
	attrs <- slog.String("user", arena.Clone(a.AllocString(user)))
	a.Reset()
}
