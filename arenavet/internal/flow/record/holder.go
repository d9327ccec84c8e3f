package record

import (
	"strings"

	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file names memory that callees have made.

// A Holder names memory with contents that a callee has made: the path to it, after a prefix that tells the holders of
// one call apart.
type Holder struct {
	Name string
	From int // start of the path in the name
}

// Holders returns the holders of stored values, an empty one for values without a holder. They are named once per
// summary: naming them at each call took half of ApplyStore's time, which was 38 ms of go/parser's 200 in
// BenchmarkAgainstVet.
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

// Behind splits the path to a value behind pointers that the callee has made: into the path up to the last pointer, and
// the place in its target. Without a pointer the first part is empty.
//
//	#0*.name       #0          .name
//	#0*.items*[]   #0*.items   []
func Behind(out string) (holder, rest string) {
	n := strings.LastIndexByte(out, '*')
	return out[:n+1], out[n+1:]
}

// Here ends the name of a holder, so that none is empty.
const Here = "*"
