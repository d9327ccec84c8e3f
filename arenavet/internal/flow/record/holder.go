package record

import (
	"strings"

	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds the names of memory that callees have made.

// A Holder names memory that a callee has made, and in which there is something: the way
// to it, behind what tells apart those of one call.
type Holder struct {
	Name string
	From int // where in the name the way begins
}

// Holders returns the holders of what is stored, none for what is in none. They are named
// once for a summary: at each call that took half of applyStore's time, which was 38 ms of
// go/parser's 200 in BenchmarkAgainstVet.
func (p *Program) Holders(stores []summary.Store) []Holder {
	if len(stores) == 0 {
		return nil
	}
	list := p.holding[&stores[0]]
	if len(list) >= len(stores) {
		return list
	}
	list = make([]Holder, len(stores))
	for n := range stores {
		if way, _ := Behind(stores[n].Flow.Out); way != "" {
			of := stores[n].Into.String()
			list[n] = Holder{of + way, len(of)}
		}
	}
	p.holding[&stores[0]] = list
	return list
}

// Behind splits the way to what is behind pointers that the callee has made, into
// that to the pointer to the memory in which it is, and the place there. The way is
// that to the place if there is no pointer.
//
//	#0*.name       #0          .name
//	#0*.items*[]   #0*.items   []
func Behind(out string) (holder, rest string) {
	n := strings.LastIndexByte(out, '*')
	return out[:n+1], out[n+1:]
}

// Here ends the name of a holder, so that none is empty.
const Here = "*"
