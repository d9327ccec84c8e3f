package goroutine

import "github.com/harena-go/arena"

// The package stores one type in the fields of a crew, so a goroutine runs that one's method.
type operator interface{ run(n int) }

type scanner struct{ arena *arena.Arena }

func (p *scanner) run(n int) { arena.New[int](p.arena) }

type crew struct {
	one operator
	all []operator
}

func newCrew(n int) *crew {
	c := &crew{one: &scanner{arena.NewArena()}}
	for range n {
		c.all = append(c.all, &scanner{arena.NewArena()})
	}
	return c
}

func (c *crew) share() {
	for i := range 3 {
		go c.one.run(i) // want `the goroutines that are started in this loop use one arena`
	}
}

func (c *crew) each() {
	for i, w := range c.all {
		go w.run(i)
	}
}

func (c *crew) anew() {
	for i := range 3 {
		c.one = &scanner{arena.NewArena()}
		go c.one.run(i)
	}
}

func (c *crew) inTurn(done chan bool) {
	for i := range 3 {
		go c.one.run(i)
		<-done
	}
}
