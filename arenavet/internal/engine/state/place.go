package state

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
)

// This file defines pieces of memory and arenas. Their contents are in a State.

// A Loc is a piece of memory with parts of its own: a variable, an object. All objects that one instruction makes are
// one Loc, as in the analysis of Chase, Wegman and Zadeck (PLDI 1990), and so is everything that one name of the
// caller's leads to.
//
// There are two sorts. Memory that the function makes begins empty: a cell without an entry in the state is empty.
// Memory from before the call, with Unknown set, may hold anything: a cell without an entry holds initial's result,
// which leads to further such memory.
type Loc struct {
	Key     string
	Paths   []string         // of its cells, in any state; only grows
	puts    map[string][]Put // by path; see Puts
	Sym     *summary.Sym     // the caller's name for the pointer to it, plus *; or nil
	From    *Loc             // of unknown memory: where its pointer was; or nil
	Unknown bool             // existed before the call: parts without an entry may be anything
	decoded bool             // a decoder has written to it: see Decoded
	text    bool             // the bytes of a string, to which nothing is stored
	of      *Root            // the arena of a value that an instruction allocates
	Site    ssa.Instruction
	Type    types.Type       // of a variable, or of a parameter's target; nil if unknown
	Name    string           // for messages
	depth   int              // number of pointers from an argument to it
	number  int              // among those of a function
	parts   map[string]*part // of unknown memory, by path

	to Value // see To
}

// A part is the initial content of a cell of unknown memory.
type part struct {
	leads *Loc  // the target of its pointer; nil if that is too far away
	held  *Root // its arena, once it was loaded as one
}

// A Cell is a part of a Loc that holds a value. The empty path is the Loc itself, unless that is a struct: a variable
// of a pointer type has one cell. A struct has a cell for each field.
type Cell struct {
	Loc  *Loc
	Path string
}

// Puts returns the instructions that have put tags into a cell, and the tags, in any state. The list only grows.
func (p *Places) Puts(c Cell) []Put { return c.Loc.puts[c.Path] }

// Stored reports whether anything was put into any cell.
func (p *Places) Stored() bool { return p.stored }

// maxDepth bounds how many pointers are followed from an argument. Nothing is tracked beyond that, or recursive types
// would never end.
const maxDepth = 3

// maxNested bounds the depth of structs and arrays within each other, without pointers between them. A type may have
// thousands of fields that way.
const maxNested = 3

// Places are the memory and the arenas that the analysis of one function tells apart. Each has a key that identifies it
// (an instruction; a parameter and a path), so that each visit to a block finds the same places, and tags can be
// compared by ==:
//
//	"param 0*"       the target of parameter 0
//	"param 0*.next*" the target of field next in that
//	"global p.x"     a variable of package p
//	"at 7 "          the memory that an instruction makes, the 7th found
//	"made 0xc000"    the arena that it makes; "older made 0xc000", those before
//	"in param 0*.a"  the arena in field a of the target of parameter 0
type Places struct {
	locs  map[string]*Loc
	roots map[string]*Root
	fresh map[fresh]*Loc // made by instructions; their keys are slow to print

	made map[ssa.Instruction]*Root // by Renew

	count int // number of Locs

	stored bool // some cell was set; see Puts

	// Spend counts steps of the analysis, and may not return; see package guard.
	Spend func(steps int)
}

// A Put says which instruction has put a tag into a cell.
type Put struct {
	Tag Tag
	By  ssa.Instruction
}

// A fresh identifies memory that an instruction makes; see Places.Fresh.
type fresh struct {
	by   ssa.Instruction
	part string
}

// NewPlaces returns the empty places of a function.
func NewPlaces(spend func(int)) *Places {
	return &Places{locs: map[string]*Loc{}, roots: map[string]*Root{}, fresh: map[fresh]*Loc{},
		made: map[ssa.Instruction]*Root{}, Spend: spend}
}

// list makes sure that the Paths of a Loc list a cell.
func (p *Places) list(c Cell) {
	if _, ok := c.Loc.puts[c.Path]; ok {
		return
	}
	if c.Loc.puts == nil {
		c.Loc.puts = map[string][]Put{}
	}
	c.Loc.Paths, c.Loc.puts[c.Path] = append(c.Loc.Paths, c.Path), nil
	if c.Loc.Unknown {
		p.part(c) // joins need it, in any order
	}
}

// Loc returns the Loc with a key. s and unknown are the same in each call, so only the first call uses them.
func (p *Places) Loc(key string, s *summary.Sym, unknown bool) *Loc {
	l := p.locs[key]
	if l == nil {
		l = p.loc(key, s, unknown)
		p.locs[key] = l
	}
	return l
}

func (p *Places) loc(key string, s *summary.Sym, unknown bool) *Loc {
	p.count++
	return &Loc{Key: key, Sym: s, Unknown: unknown, number: p.count - 1}
}

// Root returns the root with a key. The caller sets the other fields, at once or when they become known.
func (p *Places) Root(key string, kind RootKind) *Root {
	r := p.roots[key]
	if r == nil {
		r = &Root{Key: key, Kind: kind, number: len(p.roots)}
		p.roots[key] = r
	}
	return r
}

// Fresh returns the memory that an instruction makes; part tells several apart. It may still have contents from an
// earlier loop iteration; see Make.
func (p *Places) Fresh(i ssa.Instruction, part string) *Loc {
	l := p.fresh[fresh{i, part}]
	if l == nil {
		// It is never looked up by key, so it isn't in locs.
		l = p.loc("at "+strconv.Itoa(p.count)+" "+part, nil, false)
		l.Site = i
		p.fresh[fresh{i, part}] = l
	}
	return l
}

// Global returns the memory of a package's variable.
func (p *Places) Global(name string) *Loc {
	l := p.Loc("global "+name, &summary.Sym{Param: -1, Global: name, Path: "*"}, true)
	l.Name = name
	return l
}

// Opaque returns an unknown value of a type: a parameter, the result of an unknown function. It points to memory of its
// own, distinct from that of all other such values. Two parameters with the same pointer are taken to be different.
//
// A value with parts has them as parts, each with its own name and key:
//
//	struct{ a *arena.Arena; s string }
//	.a: points to "key.a*", is the arena "key.a"
//	.s: points to "key.s*"
func (p *Places) Opaque(key string, s *summary.Sym, t types.Type, name string) Value {
	return p.opaque(key, s, t, name, 0)
}

func (p *Places) opaque(key string, s *summary.Sym, t types.Type, name string, depth int) Value {
	if depth > maxNested || !shape.HasPointers(t) {
		return nil
	}
	var v Value
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for field := range u.Fields() {
			path := "." + field.Name()
			// For callers a field is a part of the whole, s.Add, and here a part of the value, As.
			for _, e := range p.opaque(key+path, s.Add(path), field.Type(), name+path, depth+1).As(path) {
				v = v.with(e)
			}
		}
		return v
	case *types.Array:
		// All elements are one.
		return p.opaque(key+"[]", s.Add("[]"), u.Elem(), name, depth+1).As("[]")
	case *types.Tuple:
		for i := range u.Len() {
			path := fmt.Sprintf("#%d", i)
			for _, e := range p.opaque(key+path, nil, u.At(i).Type(), "", depth+1).As(path) {
				v = v.with(e)
			}
		}
		return v
	}
	return p.opaquePointer(key, s, t, name)
}

// opaquePointer is Opaque for references, which have no parts.
func (p *Places) opaquePointer(key string, s *summary.Sym, t types.Type, name string) Value {
	l := p.Loc(key+"*", s.Add("*"), true)
	l.Name, l.text = name, shape.IsString(t)
	if p, ok := t.Underlying().(*types.Pointer); ok {
		l.Type = p.Elem()
	}
	v := To(l)
	if IsHandle(t) {
		r := p.Root(key, UnknownArena)
		r.Sym, r.Name, r.Shared = s, name, api.TypeOf(t) == api.Shared
		v, _ = v.Join(Arena(r))
	}
	return v
}

// initial returns the value that a cell of unknown memory had when the function began: a pointer to further unknown
// memory and, once it was loaded as one, an arena. So the caller's data unfolds as far as the function looks, not at
// the beginning as far as its types go (the "lazy initialization" of symbolic execution: Khurshid, Pasareanu and
// Visser, TACAS 2003).
func (p *Places) initial(c Cell) Value {
	var v Value
	x := p.part(c)
	if x.leads != nil {
		v = To(x.leads)
	}
	if x.held != nil {
		v, _ = v.Join(Arena(x.held))
	}
	return v
}

// part returns the initial content of a cell of unknown memory. It is the same each time and needed often, so each Loc
// remembers it.
func (p *Places) part(c Cell) *part {
	x := c.Loc.parts[c.Path]
	if x == nil {
		if c.Loc.parts == nil {
			c.Loc.parts = map[string]*part{}
		}
		x = &part{leads: p.deref(c)}
		c.Loc.parts[c.Path] = x
	}
	return x
}

// deref returns the target of the initial pointer in a cell, nil if that is too far away. Its key, its name for callers
// and its name in messages extend those of the cell.
func (p *Places) deref(c Cell) *Loc {
	if len(c.Loc.Key)+len(c.Path) > 4*summary.MaxPath || c.Loc.depth >= maxDepth {
		return nil
	}
	l := p.Loc(c.Loc.Key+c.Path+"*", c.Loc.Sym.Add(c.Path+"*"), true)
	l.depth, l.Name, l.From = c.Loc.depth+1, c.Loc.Name+c.Path, c.Loc
	return l
}

// held returns the initial arena of a cell of unknown memory. The root exists only once the cell was loaded as an
// arena.
func (p *Places) held(c Cell) *Root {
	x := p.part(c)
	if x.held == nil {
		x.held = p.Root("in "+c.Loc.Key+c.Path, UnknownArena)
		x.held.Sym, x.held.Name = c.Loc.Sym.Add(c.Path), c.Loc.Name+c.Path
	}
	return x.held
}

// Resolve returns the arena that a value is, nil if it is none. from is the operand, if there is one. A value that may
// be several arenas gets a root of its own in place of them all: ending it ends one of them, and nobody knows which.
func (p *Places) Resolve(v Value, from ssa.Value) *Root {
	var one *Root
	var roots []*Root // if it is more than one
	for n := range v {
		t := &v[n].node.Tag
		if !t.Is(Handle) || t.Root == one || slices.Contains(roots, t.Root) {
			continue
		}
		if one == nil {
			one = t.Root
			continue
		}
		if roots == nil {
			roots = append(roots, one)
		}
		roots = append(roots, t.Root)
	}
	if one == nil {
		return p.resolveAddress(v, from)
	}
	if roots == nil {
		return one
	}
	// The same roots make the same key, in any order.
	slices.SortFunc(roots, func(a, b *Root) int { return strings.Compare(a.Key, b.Key) })
	// Two variables that may both be any of them are usually two arenas: that of this loop iteration and the previous
	// one.
	key := "any" + variable(from)
	for _, r := range roots {
		key += " " + r.Key
	}
	r := p.Root(key, AnyOf)
	r.Members = roots
	return r
}

// variable returns a key for the variable of a value.
func variable(v ssa.Value) string {
	switch x := v.(type) {
	case *ssa.Phi:
		return fmt.Sprintf(" %p", x)
	case *ssa.UnOp:
		switch x.X.(type) {
		case *ssa.Alloc, *ssa.FreeVar:
			return fmt.Sprintf(" %p", x.X)
		}
	}
	return ""
}

// resolveAddress is Resolve for an arena that is part of a variable, as in struct{ arena.Arena }: its address
// identifies it, if there is only one.
func (p *Places) resolveAddress(v Value, from ssa.Value) *Root {
	var one *Tag
	for _, e := range v {
		t := &e.node.Tag
		if !t.Is(Ptr) {
			continue
		}
		// There is no root for one of several addresses.
		if one != nil {
			return nil
		}
		one = t
	}
	if one == nil {
		return nil
	}
	r := p.Root("at "+one.Loc.Key+one.Off, UnknownArena)
	r.Sym, r.Name = one.Loc.Sym.Add(one.Off+"&"), one.Loc.Name+one.Off
	if from != nil {
		r.Shared = api.TypeOf(from.Type()) == api.Shared
		if r.Object == nil {
			r.Object = shape.Holder(from)
		}
	}
	return r
}
