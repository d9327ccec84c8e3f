//go:build observed

package main

import (
	"fmt"
	"io"

	"github.com/harena-go/arena"
	_ "github.com/harena-go/arena/arenadebug"
	"github.com/harena-go/arena/arenametrics"
	"github.com/harena-go/arena/arenapprof"
)

// Code that watches does so from here.
func init() {
	p := arena.NewPool(arena.WithReuse(), arena.WithObserveRate(1), arena.WithName("observed"))
	for range 100 {
		a := p.Get()
		NewInt(a)
		NewOfNode(a, NewNode(a))
		TypedNode(arena.For[Node](a))
		AppendOne(a, nil, 1)
		arenametrics.Leases(p, 0)
		p.Put(a)
	}
	if err := arenapprof.Write(io.Discard, p); err != nil {
		panic(err)
	}
	fmt.Println("observed", len(arenametrics.All()))
}
