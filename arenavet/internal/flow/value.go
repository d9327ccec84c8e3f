package flow

import (
	"go/token"
	"maps"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// This file holds what is known of a value at one point of a function.

// A tag is one thing that a value, or a part of it, may be.
type tag struct {
	kind tagKind
	path string          // where in the value: ".name", "[]", "#1"; empty for the value itself
	root *root           // of mem, handle and mark
	site ssa.Instruction // of mem, its allocation; of mark, the call of Mark
	loc  *loc            // of ptr
	off  string          // of ptr, where in loc
	fn   ssa.Value       // of fn: *ssa.Function or *ssa.MakeClosure
}

type tagKind uint8

const (
	mem    tagKind = iota // points to memory of the arena root
	handle                // is the arena root, or allocates from it
	ptr                   // points to loc
	mark                  // a mark of root
	fn                    // a function
)

// A root is an arena, as far as a function can tell them apart. Two roots may
// be the same arena at run time; they are taken to be different.
type root struct {
	key     string
	kind    rootKind
	site    ssa.Instruction // that made or obtained it
	sym     *sym            // how a caller names it, or nil
	parent  *root           // whose Reset ends it
	name    string          // for messages
	members []*root         // of any: it is one of them
	object  any             // the *types.Var that holds it, if it is a field or a global
	scrub   bool            // Free erases
	shared  bool            // is a Shared, or a Pool
	pool    *root           // that has lent it
	unsure  bool            // a callee has made it, in ways of which this is one
}

type rootKind uint8

const (
	unknownArena rootKind = iota
	newArena
	lent   // from Pool.Get
	child  // of an arena, or a local of a Shared
	older  // what root was before its site was executed again
	anyOf  // members
	ownDo  // parameter of a function that Do calls
	opaque // inside of a callee, already over
)

// A sym names something in terms that a caller understands: parameter param
// (free variables follow the parameters), or a global if that is -1, and the
// way from there. In path a * leads to what a pointer points to, and & at the
// end stands for the address. The empty path is the parameter itself.
type sym struct {
	Param  int
	Global string
	Path   string
}

func (s *sym) add(path string) *sym {
	if s == nil || len(s.Path)+len(path) > maxPath {
		return nil
	}
	return &sym{s.Param, s.Global, s.Path + path}
}

// maxPath bounds the paths that are followed.
const maxPath = 60

// maxDepth bounds how many pointers are followed from what a caller knows. Of
// what is behind more of them nothing is known: in recursive types there would
// be no end of it.
const maxDepth = 3

// A loc is a piece of memory with parts of its own: a variable, an object.
type loc struct {
	key     string
	paths   []string // of its cells, in any state
	sym     *sym     // how a caller names the pointer to it, with * at the end; or nil
	from    *loc     // of unknown memory, where the pointer to it was; or nil
	unknown bool     // was there before: what isn't known to be in it may be anything
	depth   int
	site    ssa.Instruction
	name    string
}

// A cell is a part of a loc that holds a value.
type cell struct {
	loc  *loc
	path string
}

// A death is how memory, or an arena, came to its end.
type death struct {
	at       ssa.Instruction
	verb     string // "Reset"
	deferred bool
	do       bool // the end of Do
}

// A value says what something may be, and for each of these how it died, nil if
// it is alive. Values are never changed, but copied.
type value map[tag]*death

func (v value) clone() value {
	if v == nil {
		return value{}
	}
	return maps.Clone(v)
}

// join adds what is in w. What is dead on one of two paths is dead.
func (v value) join(w value) (value, bool) {
	changed := false
	for t, d := range w {
		old, ok := v[t]
		if ok && (old == d || d == nil || old != nil && !before(d, old)) {
			continue
		}
		if !changed {
			v, changed = v.clone(), true
		}
		v[t] = d
	}
	return v, changed
}

// replace adds w to what is in one of many places. Where the same allocation was
// executed again since the old one died, the new one is taken to be in its place.
func (v value) replace(w value) value {
	v = v.clone()
	maps.Copy(v, w)
	return v
}

// before orders deaths, so that joins come to an end.
func before(d, e *death) bool {
	if p, q := position(d.at), position(e.at); p != q {
		return p < q
	}
	return d.verb < e.verb
}

// part returns what is at a path of v: a field, an element, a result.
func (v value) part(path string) value {
	var w value
	for t, d := range v {
		rest, ok := strings.CutPrefix(t.path, path)
		if !ok || rest != "" && !startsPath(rest) {
			continue
		}
		t.path = rest
		w = w.with(t, d)
	}
	return w
}

// as returns v as the part at a path of a larger value.
func (v value) as(path string) value {
	if path == "" {
		return v
	}
	var w value
	for t, d := range v {
		if t.path = path + t.path; len(t.path) <= maxPath {
			w = w.with(t, d)
		}
	}
	return w
}

// with sets a tag of a value that nobody else has yet.
func (v value) with(t tag, d *death) value {
	if v == nil {
		v = value{}
	}
	if old, ok := v[t]; !ok || old == nil {
		v[t] = d
	}
	return v
}

func startsPath(s string) bool { return s[0] == '.' || s[0] == '[' || s[0] == '#' || s[0] == '@' }

// moved returns a pointer v moved by a path: to a field, an element.
func (v value) moved(path string) value {
	var w value
	for t, d := range v {
		if t.path != "" || t.kind == handle || t.kind == fn || t.kind == mark {
			continue
		}
		if t.kind == ptr {
			if t.off += path; len(t.off) > maxPath {
				continue
			}
		}
		w = w.with(t, d)
	}
	return w
}

// only returns the tags that f accepts.
func (v value) only(f func(tag) bool) value {
	var w value
	for t, d := range v {
		if f(t) {
			w = w.with(t, d)
		}
	}
	return w
}

// position returns a place in the source for an instruction.
func position(i ssa.Instruction) token.Pos {
	if i.Pos().IsValid() {
		return i.Pos()
	}
	switch i := i.(type) {
	case *ssa.RunDefers, *ssa.Return:
		return i.Parent().Pos()
	case *ssa.Store:
		if p := i.Addr.Pos(); p.IsValid() {
			return p
		}
		return i.Val.Pos()
	}
	for _, op := range i.Operands(nil) {
		if *op != nil && (*op).Pos().IsValid() {
			return (*op).Pos()
		}
	}
	return i.Parent().Pos()
}
