package report

import (
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// This file recognizes arenas that a loop gets anew in each iteration under one name: no two goroutines use one, and
// none is used after its end.

// another reports whether a call gets another arena than the one that d has ended, though both have one name: it comes
// from an element of something, and each path from the end to the call gets another element first.
//
//	for w := range work {
//		w.arena.AllocString("done")
//		pool.Put(w.arena)
//	}
func (f Reporter) another(d *state.Death, i ssa.Instruction, from []ssa.Value) bool {
	if d.At.Parent() != f.Fn || i.Parent() != f.Fn || len(from) == 0 || !code.Leads(d.At, i, nil, f.Spend) {
		return false
	}
	for _, x := range from {
		got, ok := code.Source(x).(ssa.Instruction)
		if !ok || code.Leads(d.At, i, got, f.Spend) {
			return false
		}
	}
	return true
}

// givenAnew reports whether a call in a loop gets another arena in each iteration, though all have one name: the value
// that led to it is an element of something, which the loop gets anew.
//
//	for _, w := range workers {
//		go w.run() // in w.arena
//	}
func (f Reporter) givenAnew(i ssa.CallInstruction, from ssa.Value) bool {
	if from == nil || i.Parent() != f.Fn || !code.Leads(i, i, nil, f.Spend) {
		return false
	}
	for _, v := range code.Written(from) {
		got, ok := code.Source(v).(ssa.Instruction)
		if !ok || code.Leads(i, i, got, f.Spend) {
			return false
		}
	}
	return true
}
