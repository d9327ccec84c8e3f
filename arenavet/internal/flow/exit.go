package flow

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// exit looks at what leaves a function, with its results or in memory that
// outlives it.
func (f *function) exit(s *state, i *ssa.Return) {
	if !f.judging {
		return
	}
	if n, ok := f.pkg.do[f.fn]; ok && n < len(f.fn.Params) {
		v := s.vals[f.fn.Params[n]]
		if r := f.resolve(v, f.fn.Params[n]); r != nil && !f.endedInDo(s, v) {
			d := f.death(i, "the end of Do", true)
			d.do = true
			f.share(s, i, r, "the end of Do")
			f.end(s, r, d, nil)
		}
	}
	for n, x := range i.Results {
		v := f.value(s, x)
		f.returns(s, i, v)
		out, emit := fmt.Sprintf("#%d", n), func(x Flow) { f.out[x] = true }
		f.flows(s, v, out, emit)
		f.flowsBeyond(s, v, out, emit)
	}
	f.outliving(s, i)
	f.leave(s)
}

// endedInDo says whether the arena of a Do was freed in it, and reports it if it
// was put back.
func (f *function) endedInDo(s *state, v value) bool {
	for t, d := range v {
		if t.kind == handle && t.path == "" && d != nil {
			if d.verb == "Pool.Put" {
				f.report(s, UseAfter, d.at, d, t, "Put: the arena is Do's, which puts it back itself")
			}
			return d.verb == "Free"
		}
	}
	return false
}

// returns reports dead memory in a result.
func (f *function) returns(s *state, i *ssa.Return, v value) {
	seen := map[*loc]bool{}
	f.walk(s, v, seen, func(c cell, t tag, d *death) {
		if d == nil || t.kind != mem && t.kind != handle || t.kind == handle && (d.verb == "Free" || c.loc != nil) {
			return
		}
		if f.contradiction(d.at, i) {
			return
		}
		what := "arena memory"
		if t.kind == handle {
			what = "the arena"
		}
		k := UseAfter
		m := fmt.Sprintf("%s is returned after %s %s", what, d.verb, f.where(d.at))
		if d.deferred {
			k, m = Escape, fmt.Sprintf("%s is returned, but the deferred %s %s takes it back", what, d.verb, f.where(d.at))
		}
		if d.do {
			k, m = Escape, fmt.Sprintf("%s is returned, but it is taken back at %s", what, d.verb)
			if d.at != ssa.Instruction(i) {
				m += " " + f.where(d.at)
			}
		}
		f.report(s, k, i, d, t, m)
	})
}

// outliving reports dead memory in what outlives the function.
func (f *function) outliving(s *state, i *ssa.Return) {
	if len(f.stored) == 0 {
		return
	}
	for c, v := range s.cells {
		if c.loc.sym == nil || f.isOwnVariable(c) || strings.Contains(c.path, inChannel) {
			continue
		}
		seen := map[*loc]bool{}
		f.walk(s, v, seen, func(in cell, t tag, d *death) {
			if in.loc == nil {
				in = c
			}
			if t.kind != mem {
				return
			}
			at := f.storedAt(in, t)
			switch {
			case at == nil || f.contradictionOf(d, at):
			case d != nil:
				f.report(s, Escape, at, d, t, fmt.Sprintf("arena memory is kept in %s beyond %s %s", f.place(c), d.verb, f.where(d.at)))
			case c.loc.sym.Param < 0 && f.comesBack(t.root):
				f.report(s, Escape, at, d, t, fmt.Sprintf("memory of an arena that is reset is kept in %s", f.place(c)))
			}
		})
	}
}

func (f *function) contradictionOf(d *death, at ssa.Instruction) bool {
	return d != nil && f.contradiction(d.at, at)
}

// storedAt returns the instruction that has put a tag into a cell.
func (f *function) storedAt(c cell, t tag) ssa.Instruction {
	var first ssa.Instruction
	for put, i := range f.stored[c] {
		if bare(put) == bare(t) && (first == nil || position(i) < position(first)) {
			first = i
		}
	}
	return first
}

// isOwnVariable says whether a cell is a variable of the function around this
// closure, which sees to it.
func (f *function) isOwnVariable(c cell) bool {
	return c.loc.sym.Param >= len(f.fn.Params) && strings.Count(c.loc.sym.Path, "*") == 1
}

// comesBack says whether an arena is reset, or put back, somewhere.
func (f *function) comesBack(r *root) bool {
	for ; r != nil; r = r.parent {
		if r.kind == lent || r.object != nil && f.pkg.resettable[r.object] {
			return true
		}
	}
	return false
}

// place names a cell for people.
func (f *function) place(c cell) string {
	what := c.loc.name + c.path
	if s := c.loc.sym; s.Param < 0 {
		return "the global " + s.Global[strings.LastIndexByte(s.Global, '.')+1:]
	}
	what = strings.NewReplacer("[]", "[...]", "[k]", "[...]").Replace(strings.TrimPrefix(what, "."))
	if strings.Contains(what, " ") || what == "" {
		return "memory that outlives it"
	}
	return what
}

// flows calls emit for what a value may be, in terms of the caller: for the
// value itself, and for what the memory holds that it points to.
func (f *function) flows(s *state, v value, out string, emit func(Flow)) {
	for t, d := range v {
		to := out + t.path
		if len(to) > maxPath {
			continue
		}
		f.flowsTag(t, d, to, emit)
		if !isLocal(t) {
			continue
		}
		for _, path := range t.loc.paths {
			rest, ok := strings.CutPrefix(path, t.off)
			if ok && (rest == "" || startsPath(rest)) && len(to)+1+len(rest) <= maxPath {
				for t, d := range s.cells[cell{t.loc, path}] {
					f.flowsTag(t, d, to+"*"+rest+t.path, emit)
				}
			}
		}
	}
}

// beyond is the path to all that is behind more than one pointer in what a
// function returns. Where exactly that is isn't told: in graphs there are more
// ways to it than can be followed.
const beyond = "**"

// flowsBeyond is flows for that. It visits everything once.
func (f *function) flowsBeyond(s *state, v value, out string, emit func(Flow)) {
	seen := map[*loc]bool{}
	for t := range v {
		if isLocal(t) {
			seen[t.loc] = true
		}
	}
	for l := range maps.Clone(seen) {
		for _, path := range l.paths {
			x := s.cells[cell{l, path}]
			f.walk(s, x, seen, func(c cell, t tag, d *death) {
				if c.loc != nil || strings.HasPrefix(path, "*") {
					f.flowsTag(t, d, out+beyond, emit)
				}
			})
		}
	}
}

// isLocal says whether a tag points to memory that the function has made.
func isLocal(t tag) bool { return t.kind == ptr && t.loc.sym == nil && !t.loc.unknown }

func (f *function) flowsTag(t tag, d *death, to string, emit func(Flow)) {
	f.spend(1)
	switch t.kind {
	case mem:
		f.flowsMemory(t, d, to, emit)
	case handle:
		if t.root.sym != nil && d == nil {
			emit(Flow{Out: to, From: *t.root.sym})
		} else if d != nil && strings.HasPrefix(to, "into") && d.do {
			emit(Flow{Out: to, Kind: DeadArena, Verb: d.verb})
		} else if d == nil && (t.root.kind == newArena || t.root.kind == lent) && t.root.site != nil {
			emit(Flow{Out: to, Kind: map[rootKind]FlowKind{newArena: New, lent: Lent}[t.root.kind], ID: f.id(t.root)})
		}
	case ptr:
		if x := pointerSym(t); x != nil {
			emit(Flow{Out: to, From: *x})
		}
	}
}

func (f *function) flowsMemory(t tag, d *death, to string, emit func(Flow)) {
	switch {
	case d != nil:
		if strings.HasPrefix(to, "into") {
			emit(Flow{Out: to, Kind: Dead, Verb: d.verb})
		}
	case t.root.sym != nil:
		emit(Flow{Out: to, Kind: Memory, From: *t.root.sym})
	case (t.root.kind == newArena || t.root.kind == lent) && t.root.site != nil:
		verb := ""
		if t.root.kind == lent {
			verb = "lent"
		}
		emit(Flow{Out: to, Kind: MemoryNew, ID: f.id(t.root), Verb: verb})
	}
}

// id is the same each time a package is analyzed.
func (f *function) id(r *root) int {
	return int(position(r.site) - f.fn.Pos())
}

// pointerSym returns how a caller names a pointer.
func pointerSym(t tag) *sym {
	if t.loc.sym == nil {
		return nil
	}
	x := *t.loc.sym
	if t.off != "" {
		return x.add(t.off + "&")
	}
	if x.Param < 0 && x.Path == "*" {
		x.Path = "" // the address of a global
		return &x
	}
	x.Path = strings.TrimSuffix(x.Path, "*")
	return &x
}

// leave completes the summary with what one return tells.
func (f *function) leave(s *state) {
	var clears []sym
	for c, v := range s.cells {
		into := c.loc.sym.add(c.path)
		if into == nil {
			continue
		}
		if len(v) == 0 && !several(c.path) {
			clears = append(clears, *into)
			continue
		}
		f.flows(s, v, "into", func(x Flow) {
			if x.Kind == Same && x.From == *into || x.Kind == New || x.Kind >= Dead && !f.isOwnVariable(c) {
				return
			}
			x.Out = strings.TrimPrefix(x.Out, "into")
			f.kept[Store{*into, x}] = true
		})
	}
	for p := range s.pending {
		if p.given {
			add(&f.summary.Gives, Given{p.sym, uint8(p.what)})
		} else if p.root.sym != nil {
			add(&f.summary.Pending, Pending{*p.root.sym, p.site != nil, uint8(p.what)})
		}
	}
	f.replaced(s)
	f.kills(s)
	if f.returned {
		f.summary.Clears = slices.DeleteFunc(f.summary.Clears, func(x sym) bool { return !slices.Contains(clears, x) })
	} else {
		f.summary.Clears = clears
	}
	f.returned = true
}

// kills completes what the summary says of arenas that take back memory. Resets
// on some paths count, unless a result may tell the caller which it was; what
// ends an arena itself must be on all paths.
func (f *function) kills(s *state) {
	counts := func(k Kill) bool {
		if k.Verb == "Reset" || k.Verb == "Rewind" {
			return !f.mayFail()
		}
		return false
	}
	if !f.returned {
		for k := range s.must {
			add(&f.summary.Kills, k)
		}
	}
	f.summary.Kills = slices.DeleteFunc(f.summary.Kills, func(k Kill) bool { return !s.must[k] && !counts(k) })
	for k := range s.may {
		if counts(k) {
			add(&f.summary.Kills, k)
		}
	}
}

// replaced notes which arenas that have ended were replaced by others.
func (f *function) replaced(s *state) {
	for c, v := range s.cells {
		at := c.loc.sym.add(c.path)
		if at == nil {
			continue
		}
		for t := range v {
			if t.kind == handle && t.path == "" && (t.root.sym == nil || *t.root.sym != *at) || t.kind == ptr && t.loc.sym == nil {
				add(&f.summary.Replaces, *at)
			}
		}
	}
}

// mayFail says whether a result tells the caller what has happened, so that
// what happened on some paths only can't be told.
func (f *function) mayFail() bool {
	for v := range f.fn.Signature.Results().Variables() {
		if b, ok := v.Type().Underlying().(*types.Basic); ok && b.Kind() == types.Bool {
			return true
		}
		if types.Identical(v.Type(), types.Universe.Lookup("error").Type()) {
			return true
		}
	}
	return false
}

func add[T comparable](s *[]T, x T) {
	if !slices.Contains(*s, x) {
		*s = append(*s, x)
	}
}
