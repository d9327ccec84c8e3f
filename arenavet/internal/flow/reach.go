package flow

import (
	"fmt"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
)

// reach returns all that a value leads to through memory made in this function,
// without paths.
func (f *function) reach(s *state, v value) value {
	w, seen := value{}, map[*loc]bool{}
	f.walk(s, v, seen, func(_ cell, t tag, d *death) { w.with(t, d) })
	return w
}

// walk calls visit for the tags of a value and all that it leads to, with the
// cell in which they are.
func (f *function) walk(s *state, v value, seen map[*loc]bool, visit func(c cell, t tag, d *death)) {
	var follow func(c cell, v value)
	follow = func(c cell, v value) {
		f.spend(1 + len(v))
		for t, d := range v {
			u := t
			u.path = ""
			visit(c, u, d)
			if t.kind != ptr || t.loc.unknown || seen[t.loc] {
				continue
			}
			seen[t.loc] = true
			for _, path := range t.loc.paths {
				if c := (cell{t.loc, path}); s.cells[c] != nil {
					follow(c, s.cells[c])
				}
			}
		}
	}
	follow(cell{}, v)
}

// goes takes a state past the start of a goroutine that runs a function.
func (f *function) goes(s *state, i ssa.CallInstruction, fnv ssa.Value, args []value, what pendingKind) {
	c := i.Common()
	var targets []target
	direct := what == byGo && len(args) > 0 || fnv == c.Value
	if direct {
		targets = f.targets(s, c)
		if api.Callee(c) != nil {
			return
		}
		f.usedArgs(s, i, c, args)
	} else {
		targets = targetsOf(f.value(s, fnv))
	}
	given := value{}
	early := len(targets) > 0
	for _, t := range targets {
		if sum := f.pkg.summary(t.fn); sum == nil || len(sum.Late) > 0 {
			early = false
		}
	}
	for _, a := range args {
		for t, d := range f.reach(s, a) {
			given.with(t, d)
		}
	}
	for _, t := range targets {
		bs := f.bindings(s, t.closure)
		for _, b := range bs {
			for t, d := range f.reach(s, b) {
				given.with(t, d)
			}
		}
		sum := f.pkg.summary(t.fn)
		if sum == nil || sum.Locks {
			continue
		}
		all := f.all(s, t, args)
		for _, x := range sum.Uses {
			f.used(s, i, f.follow(s, x, all), "is used by a goroutine")
		}
		for _, x := range sum.Touches {
			if r := f.resolve(f.follow(s, x, all), nil); r != nil && !r.shared {
				f.giveArena(s, i, r, what)
			}
		}
	}
	if targets == nil && direct {
		for _, a := range args {
			for t, d := range a {
				if t.kind == handle && t.path == "" && d == nil && !t.root.shared {
					f.giveArena(s, i, t.root, what)
				}
			}
		}
	}
	if what == byHandler {
		return
	}
	for t, d := range given {
		if t.kind == mem && d == nil {
			s.pending[pending{at: i, root: t.root, site: t.site, what: what, early: early}] = true
		} else if t.kind == ptr {
			f.give(s, i, t, what)
		}
	}
}

// give notes that a goroutine has memory that the caller may know.
func (f *function) give(s *state, i ssa.Instruction, t tag, what pendingKind) {
	if x := pointerSym(t); x != nil && x.Param >= 0 && !strings.Contains(x.Path, "*") {
		s.pending[pending{at: i, what: what, sym: *x, given: true}] = true
	}
}

// giveArena notes that a goroutine uses an arena from now on.
func (f *function) giveArena(s *state, i ssa.CallInstruction, r *root, what pendingKind) {
	if what == byHandler {
		f.report(s, Goroutine, i, nil, tag{root: r}, "the handler uses one arena for all requests, which many goroutines serve at once")
		return
	}
	for p := range s.pending {
		if p.root == r && p.site == nil {
			m := fmt.Sprintf("the goroutine uses the arena of another that was started %s", f.where(p.at))
			if p.at == i {
				m = "the goroutines that are started in this loop use one arena"
			}
			f.report(s, Goroutine, i, nil, tag{root: r}, m)
		}
	}
	s.pending[pending{at: i, root: r, what: what}] = true
	if r.sym != nil {
		add(&f.summary.Touches, *r.sym)
	}
}

// follow returns what a name means, given the arguments and what a closure has
// captured.
func (f *function) follow(s *state, x sym, all []value) value {
	var v value
	if x.Param >= 0 {
		if x.Param < len(all) {
			v = all[x.Param]
		}
	} else {
		v = value{tag{kind: ptr, loc: f.global(x.Global)}: nil}
	}
	path := x.Path
	if n := strings.IndexByte(path, '*'); n != 0 {
		if n < 0 {
			n = len(path)
		}
		v, path = v.part(path[:n]), path[n:]
	}
	for path != "" {
		path = path[1:] // the *
		n := strings.IndexAny(path, "*&")
		if n < 0 {
			n = len(path)
		}
		if strings.HasPrefix(path[n:], "&") {
			return v.moved(path[:n])
		}
		v, path = f.content(s, v, path[:n]), path[n:]
	}
	return v
}

// content returns what is where a pointer, moved by a path, leads to, of
// whatever type.
func (f *function) content(s *state, p value, path string) value {
	var v value
	f.spend(len(p))
	for t := range p {
		if t.kind != ptr || t.path != "" {
			continue
		}
		c := cell{t.loc, t.off + path}
		x, ok := s.cells[c]
		if !ok && c.loc.unknown {
			x = f.initial(c)
			if len(x) > 0 && f.roots["in "+c.loc.key+c.path] == nil {
				r := f.root("in "+c.loc.key+c.path, unknownArena)
				r.sym, r.name = c.loc.sym.add(c.path), c.loc.name+c.path
				x = f.initial(c)
			}
			s.set(c, x)
		}
		v, _ = v.join(x)
	}
	return v
}
