package leak

import (
	"context"
	"errors"
	"log"
	"os"
	"sync"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"

	"test/leak/lib"
)

func OKDefer(r request) error {
	a := pool.Get()
	defer pool.Put(a)
	return r.err
}

func OKDeferClosure(r request) error {
	a := pool.Get()
	defer func() {
		a.Reset()
		pool.Put(a)
	}()
	return r.err
}

func OKEveryPath(r request) error {
	a := pool.Get()
	if r.err != nil {
		pool.Put(a)
		return r.err
	}
	pool.Put(a)
	return nil
}

func OKDo() error {
	return pool.Do(func(a *arena.Arena) error {
		arena.New[int](a)
		return nil
	})
}

func OKReturned() *arena.Arena { return pool.Get() }

func OKFreed() *int {
	a := pool.Get()
	defer a.Free()
	return arena.New[int](a)
}

type server struct {
	a    *arena.Arena
	s    *arena.Shared
	all  []*arena.Arena
	byID map[int]*arena.Arena
}

func (s *server) OKStored() { s.a = pool.Get() }

func (s *server) OKStoredInSlice() { s.all = append(s.all, pool.Get()) }

func (s *server) OKStoredInMap() { s.byID[1] = pool.Get() }

func OKSent(c chan *arena.Arena) { c <- pool.Get() }

func OKStruct() *server { return &server{a: pool.Get()} }

var global = pool.Get()

func OKGlobal() { global = pool.Get() }

func OKMaybe(own bool, a *arena.Arena) int {
	if own {
		a = pool.Get()
	}
	n := *arena.New[int](a)
	if own {
		pool.Put(a)
	}
	return n
}

func OKMode(mode int, a *arena.Arena) {
	if mode == 2 {
		a = pool.Get()
	}
	arena.New[int](a)
	if mode != 2 {
		return
	}
	pool.Put(a)
}

func OKNilCheck(use bool) {
	var a *arena.Arena
	if use {
		a = pool.Get()
	}
	arena.New[int](a)
	if a != nil {
		pool.Put(a)
	}
}

func OKConditionalDefer(use bool) {
	var a *arena.Arena
	if use {
		a = pool.Get()
		defer pool.Put(a)
	}
	arena.New[int](a)
}

func OKLoop(lines []string) {
	for _, line := range lines {
		a := pool.Get()
		a.AllocString(line)
		if line == "" {
			pool.Put(a)
			continue
		}
		pool.Put(a)
	}
}

func OKReleasedElsewhere() {
	a := lib.Acquire()
	defer lib.Release(a)
	arena.New[int](a)
}

func OKReleasedHere() {
	a := acquire()
	arena.New[int](a)
	release(a, 3)
}

func release(a *arena.Arena, n int) {
	if n > 0 {
		release(a, n-1)
		return
	}
	finish(a)
}

func finish(a *arena.Arena) { pool.Put(a) }

func OKTried(err error) error {
	a, err := lib.TryAcquire(err)
	if err != nil {
		return err
	}
	lib.Release(a)
	return nil
}

func OKKept(h *lib.Holder) {
	a := pool.Get()
	h.Keep(a)
}

func OKPanics(n int) {
	a := pool.Get()
	if n < 0 {
		panic("negative")
	}
	if n == 0 {
		log.Fatal("zero")
	}
	if n == 1 {
		os.Exit(1)
	}
	pool.Put(a)
}

func OKTest(t *testing.T, err error) {
	a := pool.Get()
	if err != nil {
		t.Fatal(err)
	}
	pool.Put(a)
}

func OKGoroutinePuts(wg *sync.WaitGroup) {
	a := pool.Get()
	wg.Go(func() {
		defer pool.Put(a)
		arena.New[int](a)
	})
}

func OKGoPuts() {
	a := pool.Get()
	go finish(a)
}

func OKCleanup(t *testing.T) {
	a := pool.Get()
	t.Cleanup(func() { pool.Put(a) })
	arena.New[int](a)
}

func OKMethodValue() {
	a := pool.Get()
	end := a.Free
	defer end()
	arena.New[int](a)
}

func OKReturnsRelease() (*arena.Arena, func()) {
	a := pool.Get()
	return a, func() { pool.Put(a) }
}

func OKUnknownFunction(f func(*arena.Arena)) {
	f(pool.Get())
}

type closer interface{ Close(*arena.Arena) }

func OKUnknownMethod(c closer) {
	c.Close(pool.Get())
}

func OKContext(ctx context.Context) error {
	a := pool.Get()
	defer pool.Put(a)
	return work(arena.NewContext(ctx, a))
}

func work(ctx context.Context) error {
	if arena.FromContext(ctx) == nil {
		return errors.New("no arena")
	}
	return nil
}

func OKSyncPool() {
	var p sync.Pool
	p.Put(pool.Get())
}

func OKForever() {
	a := pool.Get()
	for {
		arena.New[int](a)
		a.Reset()
	}
}

func OKShared() {
	s := arena.NewShared()
	defer s.Free()
	arena.New[int](s.Local())
}

func OKSharedLater(lines []string) {
	s := arena.NewShared()
	var wg sync.WaitGroup
	for range lines {
		wg.Go(func() { arena.New[int](s.Local()) })
	}
	wg.Wait()
	s.Free()
}

func (s *server) OKSharedStored() { s.s = arena.NewShared() }

var globalShared = arena.NewShared()

func OKSharedReturned() *arena.Shared {
	s := arena.NewShared()
	s.Local().Reserve(100)
	return s
}

func OKSharedOfTest(t *testing.T) {
	s := arenatest.NewShared(t)
	arena.New[int](s.Local())
}

func OKArena() {
	a := arena.NewArena() // the GC finds it
	arena.New[int](a)
}

func OKChild(a *arena.Arena) {
	c := a.Child() // ends with a
	arena.New[int](c)
}

func OKOtherGet(m *sync.Map) {
	v, _ := m.Load("x")
	_ = v
}

func OKIgnored() {
	//arenavet:ignore shows what happens without Put
	a := pool.Get()
	arena.New[int](a)
}

func OKConstantCount(last [3]int) {
	a := pool.Get()
	for i := 0; i < 3; i++ {
		if last[i] > 0 {
			pool.Put(a)
			return
		}
		pool.Put(a)
		break
	}
}

func OKArray(items [3]int) {
	a := pool.Get()
	for _, item := range items {
		arena.NewOf(a, item)
		pool.Put(a)
		break
	}
}

func OKRecovered(n int) {
	a := pool.Get()
	defer func() {
		recover()
		pool.Put(a)
	}()
	if n > 0 {
		panic("n")
	}
}

func OKContextReturned(ctx context.Context) context.Context {
	return arena.NewContext(ctx, pool.Get())
}

type settings struct{ pooled bool }

func (s *settings) OKFieldDecides(a *arena.Arena) {
	if s.pooled {
		a = pool.Get()
	}
	arena.New[int](a)
	if s.pooled {
		pool.Put(a)
	}
}

func OKOnce() {
	a := pool.Get()
	release := sync.OnceFunc(func() { pool.Put(a) })
	defer release()
	arena.New[int](a)
}

func OKRequest() {
	r := server{a: pool.Get()}
	defer r.close()
	arena.New[int](r.a)
}

func (s *server) close() { pool.Put(s.a) }

func _() {
	a := pool.Get()
	defer pool.Put(a)
}

func OKLiteralWithParameter() {
	a := pool.Get()
	defer func(a *arena.Arena) { pool.Put(a) }(a)
	arena.New[int](a)
}

func OKGenericWrapper[T any](f func(*arena.Arena) T) T {
	a := pool.Get()
	defer pool.Put(a)
	return f(a)
}

func OKUnlessDone(n int) *server {
	a := pool.Get()
	done := false
	defer func() {
		if !done {
			pool.Put(a)
		}
	}()
	if n > 0 {
		return nil
	}
	done = true
	return &server{a: a}
}

var free = make(chan *arena.Arena, 10)

func take() *arena.Arena {
	select {
	case a := <-free:
		return a
	default:
		return pool.Get()
	}
}

func give(a *arena.Arena) {
	select {
	case free <- a:
	default:
		pool.Put(a)
	}
}

func OKFreeList() {
	a := take()
	defer give(a)
	arena.New[int](a)
}

func (s *server) OKLazily() *arena.Arena {
	if s.a == nil {
		s.a = pool.Get()
	}
	return s.a
}

// A deferred closure puts back the last arena of a variable.
func OKReplaced(n int) {
	var a *arena.Arena
	defer func() { pool.Put(a) }()
	for i := range n {
		if i%16 == 0 {
			pool.Put(a)
			a = pool.Get()
		}
		arena.New[int](a)
	}
}

func open(name string) (*arena.Arena, error) {
	if name == "" {
		return nil, errors.New("no name")
	}
	return pool.Get(), nil
}

// With defer, a named result is a variable.
func OKNamedError(name string) (err error) {
	a, err := open(name)
	if err != nil {
		return err
	}
	defer pool.Put(a)
	arena.New[int](a)
	return nil
}
