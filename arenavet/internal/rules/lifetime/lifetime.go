// Package lifetime reports memory that is used, or kept, beyond its end, and arenas that are used beyond theirs.
package lifetime

import (
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/record"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
	"github.com/harena-go/arena/arenavet/internal/rules/finding"
)

// A Reporter reports mistakes in the states of a function.
type Reporter struct{ *record.Function }

// report adds a finding at an instruction, about t, which d has ended. Memory of Pools without reuse stays valid.
func (f Reporter) report(k finding.Kind, i ssa.Instruction, d *state.Death, t state.Tag, message string) {
	switch gear := f.Lasts(d, t); {
	case k != finding.Escape && k != finding.UseAfter:
	case gear == summary.Lasting:
		return
	case gear == summary.Unseen:
		message += " (dead memory with WithReuse, memory that stays without)"
	}
	if d != nil && d.Verb == summary.FreeSlot {
		message = strings.Replace(message, "arena memory", "a slot", 1)
	} else if d != nil && d.OfBuffer() {
		message = strings.Replace(message, "arena memory", "what was in a buffer", 1)
	}
	f.Found.Add(k, i, d, t, message)
}

// ending returns the verb of a death and its place, in words.
func (f Reporter) ending(d *state.Death) string {
	if at := f.doOf(d); at != nil {
		return d.Verb + " " + f.where(at)
	}
	text := d.Verb + " " + f.where(d.At)
	if d.Deferred {
		text += " (deferred)"
	}
	return text
}

// reclaims returns the future end of memory and its place, in words.
func (f Reporter) reclaims(d *state.Death) string {
	if at := f.doOf(d); at != nil {
		verb := "Do"
		if fn := api.StaticCallee(at.Common()); fn != nil {
			verb = fn.Name()
		}
		return fmt.Sprintf("%s %s reclaims when it returns", verb, f.where(at))
	}
	if d.Deferred {
		return fmt.Sprintf("the deferred %s %s reclaims", d.Verb, f.where(d.At))
	}
	return fmt.Sprintf("%s %s reclaims", d.Verb, f.where(d.At))
}

// doOf returns the call of Do, or its like, that ends with d, nil if there is none.
func (f Reporter) doOf(d *state.Death) ssa.CallInstruction {
	if !d.Do {
		return nil
	}
	if call, ok := d.At.(ssa.CallInstruction); ok {
		return call
	}
	return f.Program.DoFuncs[d.At.Parent()].By
}

// where returns the place of an instruction, in words.
func (f Reporter) where(i ssa.Instruction) string {
	p := f.Program.Pass.Fset.Position(state.Position(i))
	if here := f.Program.Pass.Fset.Position(f.Fn.Pos()); here.Filename != p.Filename {
		return fmt.Sprintf("at %s:%d", filepath.Base(p.Filename), p.Line)
	}
	return fmt.Sprintf("in line %d", p.Line)
}
