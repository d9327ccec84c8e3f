// Package goroutine has arenas that several goroutines use, each with its
// look-alike.
package goroutine

import (
	"net/http"
	"sync"
	"time"

	"github.com/harena-go/arena"
	"test/useafter/lib"
)

type node struct{ n int }

var pool = arena.NewPool(arena.WithReuse())

func parse(a *arena.Arena) *node { return arena.New[node](a) }

func both() {
	a := arena.NewArena()
	go parse(a)
	parse(a) // want `call: the arena is in use by the goroutine that was started in line 22`
}

func OKHandedOver() {
	a := arena.NewArena()
	parse(a)
	go parse(a)
}

func OKWaited() {
	a := arena.NewArena()
	done := make(chan bool)
	go func() {
		parse(a)
		close(done)
	}()
	<-done
	parse(a)
}

func literal(a *arena.Arena) {
	go func() {
		arena.New[node](a)
	}()
	a.AllocString("x") // want `AllocString: the arena is in use by the goroutine that was started`
}

func OKReadsOnly(a *arena.Arena) {
	n := arena.New[node](a)
	go func() {
		println(n.n)
	}()
	a.AllocString("x")
}

func reset(a *arena.Arena) {
	go parse(a)
	a.Reset() // want `Reset: the arena is in use by the goroutine`
}

func put() {
	a := pool.Get()
	defer pool.Put(a) // want `Put: the arena is in use by the goroutine`
	go parse(a)
}

func OKPut() {
	a := pool.Get()
	go func() {
		defer pool.Put(a)
		parse(a)
	}()
}

func two(a *arena.Arena) {
	go parse(a)
	go parse(a) // want `the goroutine uses the arena of another that was started in line \d+`
}

func OKTwo() {
	go parse(arena.NewArena())
	go parse(arena.NewArena())
}

func loop(a *arena.Arena) {
	for range 3 {
		go parse(a) // want `the goroutines that are started in this loop use one arena`
	}
}

func OKLoop() {
	for range 3 {
		a := pool.Get()
		go func() {
			defer pool.Put(a)
			parse(a)
		}()
	}
}

func OKShared() {
	s := arena.NewShared()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { parse(s.Local()) })
	}
	wg.Wait()
	s.Free()
}

func local() {
	s := arena.NewShared()
	a := s.Local()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { parse(a) }) // want `the goroutines that are started in this loop use one arena`
	}
	wg.Wait()
	s.Free()
}

func group(a *arena.Arena) {
	var wg sync.WaitGroup
	wg.Go(func() { parse(a) })
	parse(a) // want `call: the arena is in use by the goroutine`
	wg.Wait()
}

func OKGroup(a *arena.Arena) {
	var wg sync.WaitGroup
	wg.Go(func() { parse(a) })
	wg.Wait()
	parse(a)
}

func OKMutex(a *arena.Arena, mu *sync.Mutex) {
	for range 3 {
		go func() {
			mu.Lock()
			defer mu.Unlock()
			parse(a)
		}()
	}
}

func later(a *arena.Arena) {
	time.AfterFunc(time.Second, func() { parse(a) })
	parse(a) // want `call: the arena is in use by the goroutine`
}

func serve() {
	a := arena.NewArena()
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { // want `the handler uses one arena for all requests`
		parse(a)
		a.Reset()
	})
}

func OKServe() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		pool.Do(func(a *arena.Arena) error {
			parse(a)
			return nil
		})
	})
}

type worker struct{ a *arena.Arena }

func (w *worker) run() { parse(w.a) }

func method(w *worker) {
	go w.run()
	w.run() // want `call: the arena is in use by the goroutine`
}

func OKMethod(w, v *worker) {
	go w.run()
	v.run()
}

func inDo() error {
	return pool.Do(func(a *arena.Arena) error {
		go parse(a)
		return nil // want `the end of Do: the arena is in use by the goroutine`
	})
}

func OKInDo() error {
	return pool.Do(func(a *arena.Arena) error {
		var wg sync.WaitGroup
		wg.Go(func() { parse(a) })
		wg.Wait()
		return nil
	})
}

func sent(c chan *arena.Arena, a *arena.Arena) {
	c <- a
	parse(a) // want `call: the arena is in use by the goroutine that it was sent to`
}

func OKSent(c chan *arena.Arena, a *arena.Arena) {
	parse(a)
	c <- a
	a = <-c
	parse(a)
}

func start(a *arena.Arena) { go parse(a) }

func started(a *arena.Arena) {
	start(a)
	parse(a) // want `call: the arena is in use by the goroutine`
}

func across(a *arena.Arena) {
	lib.Start(a)
	parse(a) // want `call: the arena is in use by the goroutine`
}

// OKNotSent gives the arena to a goroutine that waits for one, or else puts it back.
func OKNotSent(waiting chan<- *arena.Arena, pool *arena.Pool) {
	a := pool.Get()
	arena.New[node](a)
	select {
	case waiting <- a:
	default:
		a.Reset()
		pool.Put(a)
	}
}

func sentAndPut(waiting chan<- *arena.Arena, pool *arena.Pool) {
	a := pool.Get()
	select {
	case waiting <- a:
		pool.Put(a) // want `the arena is in use by the goroutine that it was sent to`
	default:
		pool.Put(a)
	}
}
