package services

import (
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

// Turns of loops: elements that have an arena each, and loops that wait for goroutines.

type parcel struct {
	a    *arena.Arena
	text string
	next *parcel
	hits int
}

func OKEachReceived(pool *arena.Pool, ch chan parcel) (n int) {
	for p := range ch {
		n += len(p.text) + len(p.a.AllocString("x"))
		pool.Put(p.a)
	}
	return n
}
func OKEachElement(pool *arena.Pool, list []*parcel) {
	for _, p := range list {
		pool.Put(p.a)
	}
}
func OKEachOfMap(pool *arena.Pool, m map[string]parcel) {
	for k := range m {
		pool.Put(m[k].a)
	}
}
func OKEachNext(pool *arena.Pool, next func() (*parcel, bool)) {
	for {
		p, ok := next()
		if !ok {
			return
		}
		pool.Put(p.a)
	}
}
func OKEachLinked(pool *arena.Pool, p *parcel) {
	for ; p != nil; p = p.next {
		finishParcel(pool, p)
	}
}
func OKFirstOfQueue(pool *arena.Pool, queue *[]*parcel) {
	for len(*queue) > 0 {
		p := (*queue)[0]
		*queue = (*queue)[1:]
		pool.Put(p.a)
	}
}
func finishParcel(pool *arena.Pool, p *parcel) { pool.Put(p.a) }

func BadSameInEachTurn(pool *arena.Pool, p *parcel, n int) {
	for range n {
		pool.Put(p.a)
	}
}
func BadUsedInTurn(pool *arena.Pool, ch chan parcel) (n int) {
	for p := range ch {
		pool.Put(p.a)
		n += len(p.a.AllocString("x"))
	}
	return n
}
func BadTwiceInTurn(pool *arena.Pool, list []*parcel) {
	for _, p := range list {
		finishParcel(pool, p)
		pool.Put(p.a)
	}
}

func OKWaitsForEach(pool *arena.Pool, n int) {
	a := pool.Get()
	defer pool.Put(a)
	p := arena.New[parcel](a)
	done := make(chan bool, n)
	for range n {
		go func() {
			_ = p.text
			done <- true
		}()
	}
	for range n {
		<-done
	}
}
func OKWaitsForEachChannel(pool *arena.Pool, n int) {
	a := pool.Get()
	defer pool.Put(a)
	p := arena.New[parcel](a)
	done := make([]chan bool, n)
	for i := range done {
		go func() {
			_ = p.text
			close(done[i])
		}()
	}
	for _, d := range done {
		<-d
	}
}
func OKCollectsFromLocals(shared *arena.Shared, n int) (out []parcel) {
	defer shared.Reset()
	found := make(chan *parcel, n)
	for i := range n {
		go func() { found <- arena.NewOf(shared.Local(), parcel{hits: i}) }()
	}
	for range n {
		out = append(out, *arena.DeepClone(<-found))
	}
	return out
}
func BadWaitsBefore(pool *arena.Pool, n int, done chan bool) {
	a := pool.Get()
	defer pool.Put(a)
	p := arena.New[parcel](a)
	for range n {
		<-done
	}
	go func() {
		println(p.text)
		done <- true
	}()
}

type labels struct{ names []string }

func OKClearedInDo(pool *arena.Pool, l *labels) {
	pool.Do(func(a *arena.Arena) error {
		defer func() {
			clear(l.names)
			l.names = l.names[:0]
		}()
		l.names = append(l.names, a.AllocString("x"))
		return nil
	})
}
func OKOneOfTwoIsEmptied(pool *arena.Pool, free *sync.Pool) {
	l, _ := free.Get().(*labels)
	if l == nil {
		l = new(labels)
	}
	defer free.Put(l)
	a := pool.Get()
	defer pool.Put(a)
	l.names = append(l.names, a.AllocString("x"))
	l.names = nil
}
func BadCutInDo(pool *arena.Pool, l *labels) {
	pool.Do(func(a *arena.Arena) error {
		defer func() { l.names = l.names[:0] }()
		l.names = append(l.names, a.AllocString("x"))
		return nil
	})
}

type jobs struct {
	mu   sync.Mutex
	cond *sync.Cond
	list []*parcel
}

func (j *jobs) OKWaitsUntilTaken(a *arena.Arena) {
	defer a.Reset()
	j.list = append(j.list, arena.New[parcel](a))
	j.mu.Lock()
	for len(j.list) > 0 {
		j.cond.Wait()
	}
	j.mu.Unlock()
}
func (j *jobs) BadWakesOnly(a *arena.Arena) {
	defer a.Reset()
	j.mu.Lock()
	j.list = append(j.list, arena.New[parcel](a))
	j.mu.Unlock()
	j.cond.Broadcast()
}

type ranker struct{ shared *arena.Shared }

func (r *ranker) OKLocalOfEach(n int) (sum int) {
	found := make(chan *parcel, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			found <- arena.NewOf(r.shared.Local(), parcel{hits: i})
		}()
	}
	wg.Wait()
	close(found)
	for p := range found {
		sum += p.hits
	}
	return sum
}
func (r *ranker) BadLocalOfAll(n int) {
	local := r.shared.Local()
	var wg sync.WaitGroup
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			arena.NewOf(local, parcel{hits: i})
		}()
	}
	wg.Wait()
}

func OKSemaphore(pool *arena.Pool, n int) {
	a := pool.Get()
	defer pool.Put(a)
	list := arena.MakeSlice[parcel](a, n, n)
	sem := make(chan struct{}, 4)
	for i := range list {
		sem <- struct{}{}
		go func() {
			defer func() { <-sem }()
			list[i].hits++
		}()
	}
	for range cap(sem) {
		sem <- struct{}{}
	}
}
func BadSemaphore(pool *arena.Pool, n int) {
	a := pool.Get()
	defer pool.Put(a)
	list := arena.MakeSlice[parcel](a, n, n)
	sem := make(chan struct{}, 4)
	for i := range list {
		sem <- struct{}{}
		go func() {
			defer func() { <-sem }()
			list[i].hits++
		}()
	}
}

// A loop that waits in some of its turns only.
func BadWaitsInOtherTurns(pool *arena.Pool, n int, done chan bool) {
	a := pool.Get()
	x := arena.New[item](a)
	go func() {
		x.n++
		done <- true
	}()
	for {
		if n%2 == 0 {
			a.Reset()
			n++
			continue
		}
		<-done
		n++
	}
}
func OKWaitsInOtherTurns(pool *arena.Pool, n int, done chan bool) {
	a := pool.Get()
	x := arena.New[item](a)
	go func() {
		x.n++
		done <- true
	}()
	for n > 0 {
		if n--; n%2 == 0 {
			continue
		}
		<-done
	}
	pool.Put(a)
}

// One goroutine that has an arena by two names: the field, and the container in it.

type counting struct {
	a     *arena.Arena
	hosts *collections.Interner
	lines chan []string
}

func newCounting() *counting {
	a := arena.NewArena()
	return &counting{a: a, hosts: collections.NewInterner(a, 64), lines: make(chan []string)}
}
func (c *counting) run() {
	for lines := range c.lines {
		counts := collections.NewMap[string, int](c.a, len(lines))
		for _, l := range lines {
			*counts.Ref(c.hosts.Intern(l))++
		}
	}
}
func OKOneByTwoNames() *counting {
	c := newCounting()
	go c.run()
	return c
}
func OKOneOfTwoRuns(fast bool) *counting {
	c := newCounting()
	run := c.run
	if fast {
		run = c.runFast
	}
	go run()
	return c
}
func (c *counting) runFast() {
	for lines := range c.lines {
		c.hosts.Intern(lines[0])
	}
}
func BadTwoByTwoNames() *counting {
	c := newCounting()
	for range 2 {
		go c.run()
	}
	return c
}
func BadTwoStarted() *counting {
	c := newCounting()
	go c.run()
	go c.runFast()
	return c
}
