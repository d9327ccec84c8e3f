package flow

import (
	"fmt"
	"go/token"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
)

// A Kind says which analyzer a finding is for.
type Kind uint8

const (
	UseAfter Kind = iota
	Escape
	Goroutine
)

// A Finding is a mistake that was found.
type Finding struct {
	Kind    Kind
	Pos     token.Pos
	Message string
	Related []Related

	cause string // of several with the same one the first is reported
}

// A Related is a place that has to do with a finding.
type Related struct {
	Pos     token.Pos
	Message string
}

// report notes a finding.
func (f *function) report(_ *state, k Kind, i ssa.Instruction, d *death, t tag, message string) {
	pos := position(i)
	x := Finding{Kind: k, Pos: pos, Message: message}
	var allocated, died token.Pos
	if t.site != nil {
		allocated = position(t.site)
		x.Related = append(x.Related, Related{allocated, "allocated here"})
	}
	if d != nil {
		died = position(d.at)
		x.Related = append(x.Related, Related{died, "taken back here"})
	}
	x.cause = fmt.Sprintf("%d %d %d", k, allocated, died)
	if d == nil || t.kind == handle {
		x.cause += fmt.Sprint(" ", pos)
	}
	key := fmt.Sprintf("%d %d", k, pos)
	if old, ok := f.found[key]; !ok || x.Message+x.cause < old.Message+old.cause {
		f.found[key] = x
	}
}

// where says in words where an instruction is.
func (f *function) where(i ssa.Instruction) string {
	p := f.pkg.pass.Fset.Position(position(i))
	if here := f.pkg.pass.Fset.Position(f.fn.Pos()); here.Filename != p.Filename {
		return fmt.Sprintf("at %s:%d", filepath.Base(p.Filename), p.Line)
	}
	return fmt.Sprintf("in line %d", p.Line)
}

// used reports the use of dead memory, and says whether it was.
func (f *function) used(s *state, i ssa.Instruction, v value, how string) bool {
	dead := false
	for t, d := range v {
		if t.path != "" {
			continue
		}
		if s.waited && t.kind == ptr && t.loc.sym != nil && t.loc.sym.Param >= 0 {
			add(&f.summary.Late, t.loc.sym.Param)
		}
		if t.kind == ptr && t.loc.sym != nil && t.loc.sym.Param >= len(f.fn.Params) {
			add(&f.summary.Uses, *t.loc.sym)
		}
		if f.dead(s, i, t, d, how) {
			dead = true
		}
	}
	return dead
}

func (f *function) dead(s *state, i ssa.Instruction, t tag, d *death, how string) bool {
	if d == nil || t.kind != mem || f.contradiction(d.at, i) {
		return false
	}
	if d.do {
		f.report(s, Escape, i, d, t, fmt.Sprintf("arena memory %s after %s %s, kept beyond it", how, d.verb, f.where(d.at)))
	} else {
		f.report(s, UseAfter, i, d, t, fmt.Sprintf("arena memory %s after %s %s", how, d.verb, f.where(d.at)))
	}
	return true
}

func (f *function) usedIf(cond bool, s *state, i ssa.Instruction, v value) {
	if cond {
		f.used(s, i, v, "is used")
	}
}

// usedArgs reports dead memory among the arguments of a call.
func (f *function) usedArgs(s *state, i ssa.Instruction, c *ssa.CallCommon, args []value) {
	if calleeName(c) == "runtime.KeepAlive" {
		return
	}
	for n, v := range args {
		f.usedArg(s, i, v)
		if n -= shift(c); n >= 0 && holdsMany(c.Args[n]) {
			f.usedElements(s, i, v)
		}
	}
}

// usedOthers is usedArgs for what a function of package arena only reads.
func (f *function) usedOthers(s *state, i ssa.Instruction, k *api.Func, c *ssa.CallCommon) {
	for n := range len(c.Args) + 1 {
		a := api.Arg(c, n)
		if n == k.From || n == k.Alias || a == nil {
			continue
		}
		f.usedArg(s, i, f.value(s, a))
		if holdsMany(a) {
			f.usedElements(s, i, f.value(s, a))
		}
	}
}

// usedArg looks at a value and, if it is a struct, its fields.
func (f *function) usedArg(s *state, i ssa.Instruction, v value) {
	f.used(s, i, v, "is passed on")
	for t, d := range v {
		if t.path != "" {
			f.dead(s, i, t, d, "is passed on")
		}
	}
}

// usedElements looks at the elements of a slice or map.
func (f *function) usedElements(s *state, i ssa.Instruction, v value) {
	for t := range v {
		if t.kind != ptr || t.path != "" {
			continue
		}
		for _, path := range t.loc.paths {
			if !strings.HasPrefix(path, t.off+"[") {
				continue
			}
			for t, d := range s.cells[cell{t.loc, path}] {
				f.dead(s, i, t, d, "is passed on")
			}
		}
	}
}

// contradiction says whether two instructions can't both be executed, because
// one needs a condition to be true and the other the same to be false.
func (f *function) contradiction(a, b ssa.Instruction) bool {
	if a.Parent() != f.fn || b.Parent() != f.fn {
		return false
	}
	needed := f.conditions(a.Block())
	for c, yes := range f.conditions(b.Block()) {
		if other, ok := needed[c]; ok && other != yes {
			return true
		}
	}
	return false
}

// A condition is a value that is true or, if isNil is set, one that is nil.
type condition struct {
	v     ssa.Value
	isNil bool
}

// conditions returns what must be true or false for a block to be reached.
func (f *function) conditions(b *ssa.BasicBlock) map[condition]bool {
	if cs := f.needed[b]; cs != nil {
		return cs
	}
	cs := map[condition]bool{}
	f.needed[b] = cs
	for ; b != nil; b = b.Idom() {
		if len(b.Preds) != 1 {
			continue
		}
		p := b.Preds[0]
		if i, ok := p.Instrs[len(p.Instrs)-1].(*ssa.If); ok && p.Succs[0] != p.Succs[1] {
			if x := comparedWithNil(p, 0); x != nil && f.stable(x) {
				cs[condition{x, true}] = p.Succs[0] == b
			} else if x := comparedWithNil(p, 1); x != nil && f.stable(x) {
				cs[condition{x, true}] = p.Succs[1] == b
			} else if f.stable(i.Cond) {
				cs[condition{v: i.Cond}] = p.Succs[0] == b
			}
		}
	}
	return cs
}

// stable says whether a condition has one value for all of a call. Others may
// change from one turn of a loop to the next.
func (f *function) stable(c ssa.Value) bool {
	switch c := c.(type) {
	case *ssa.Parameter, *ssa.FreeVar:
		return true
	case ssa.Instruction:
		return !f.inLoop(c.Block())
	}
	return false
}

// inLoop says whether a block can be reached from itself.
func (f *function) inLoop(b *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{}
	work := []*ssa.BasicBlock{b}
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		f.spend(1)
		for _, y := range x.Succs {
			if y == b {
				return true
			}
			if !seen[y] {
				seen[y] = true
				work = append(work, y)
			}
		}
	}
	return false
}
