package state

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds which pieces of memory and which arenas there are. What is in
// them is for a State to know.

// A Loc is a piece of memory with parts of its own: a variable, an object. All
// objects that one instruction makes are one Loc, as in the analysis of Chase,
// Wegman and Zadeck (PLDI 1990), and so is all that one name of the caller's leads
// to.
//
// There are two sorts. What the function has made begins empty: a cell that isn't
// in a state holds nothing. What was there before, for which Unknown is set, holds
// anything: a cell that isn't in a state holds what initial says, which leads to
// further such memory.
type Loc struct {
	Key     string
	Paths   []string         // of its cells, in any state; only grows
	cells   []*cell          // the same
	byPath  map[string]*cell // the same, if there are many
	Sym     *summary.Sym     // how a caller names the pointer to it, with * at the end; or nil
	From    *Loc             // of unknown memory, where the pointer to it was; or nil
	Unknown bool             // was there before: what isn't known to be in it may be anything
	decoded bool             // a decoder has written to it: see Decoded
	Site    ssa.Instruction
	Type    types.Type       // of a variable, or what a parameter points to; nil if that isn't known
	Name    string           // for messages
	depth   int              // how many pointers lead to it from what the caller has passed
	number  int              // among those of a function
	parts   map[string]*part // of unknown memory, by path

	to     Value // see To
	memory []memory
	name   *summary.Sym // see Tag.Name
}

// A memory is what a Loc is as memory of an arena.
type memory struct {
	root *Root
	is   Value // see WithMemory
}

// A part is what was in a cell of unknown memory when the function began.
type part struct {
	leads *Loc  // where the pointer in it leads to; nil if that is too far away
	held  *Root // the arena in it, once it was looked at as one which holds an arena
}

// A Cell is a part of a Loc that holds a value. The empty path is the Loc itself,
// if it is no struct: a variable of a pointer type has one cell. A struct has a
// cell for each field.
type Cell struct {
	Loc  *Loc
	Path string
}

// A cell is a Cell that is, or was, in a state. There is one for each, with a number.
type cell struct {
	Cell
	number int
	at     int   // where it was in a table the last time; see table.find
	puts   []Put // see Puts

	name  *summary.Sym // see NameOf
	named bool         // name was asked for
}

// NameOf returns how a caller names a cell, nil if it doesn't know it.
func (p *Places) NameOf(c Cell) *summary.Sym {
	x := c.Loc.cell(c.Path)
	if x == nil {
		return c.Loc.Sym.Add(c.Path)
	}
	if !x.named {
		x.name, x.named = c.Loc.Sym.Add(c.Path), true
	}
	return x.name
}

// Puts says which instructions have put which tags into a cell, in any state. They only
// get more.
func (p *Places) Puts(c Cell) []Put {
	if x := c.Loc.cell(c.Path); x != nil {
		return x.puts
	}
	return nil
}

// Stored reports whether anything was put into any cell.
func (p *Places) Stored() bool { return p.stored }

// cell returns the cell at a path, nil if none was ever in a state, or if there is no Loc.
func (l *Loc) cell(path string) *cell {
	if l == nil {
		return nil
	}
	if l.byPath != nil {
		return l.byPath[path]
	}
	for _, c := range l.cells {
		if c.Path == path {
			return c
		}
	}
	return nil
}

// fewCells is up to how many a Loc is searched for one without a map.
const fewCells = 12

// maxDepth bounds how many pointers are followed from what a caller knows. Of
// what is behind more of them nothing is known: in recursive types there would
// be no end of it.
const maxDepth = 3

// maxNested bounds how deep structs and arrays within each other are looked into,
// without pointers between them. A type may have thousands of fields that way.
const maxNested = 3

// Places are the memory and the arenas that the analysis of one function tells
// apart. Each has a key, made of what it is by definition (an instruction, a
// parameter and a path), so that each visit to a block finds the same ones, and
// tags can be compared by ==:
//
//	"param 0*"       what parameter 0 points to
//	"param 0*.next*" what field next of that points to
//	"global p.x"     a variable of package p
//	"at 7 "          what an instruction makes, and was the 7th to be seen
//	"made 0xc000"    the arena that it makes; "older made 0xc000", those before
//	"in param 0*.a"  the arena that is in field a of what parameter 0 points to
type Places struct {
	live  *Live
	locs  map[string]*Loc
	roots map[string]*Root
	fresh map[fresh]*Loc // those that instructions make, whose keys take long to print
	inner map[fresh]*Loc // the same, by the beginning of the part; see FreshInside

	made map[ssa.Instruction]*Root // by Renew

	count    int               // how many Locs there are
	someLocs []Loc             // room for further ones
	some     []cell            // the same for cells
	cells    int               // how many there are, of all Locs
	numbers  map[ssa.Value]int // of what a state knows the values of
	globals  map[*ssa.Global]Value
	literals map[*ssa.Function]Value // see State.Of

	merges map[merged]Value   // what was joined
	values map[uint64][]Value // large ones, by their hashes; see known

	stored bool // something was put somewhere; see Puts

	// Spend is told how many things were looked at, and may not return; see
	// package guard.
	Spend func(steps int)
}

// A Put says which instruction has put a tag into a cell.
type Put struct {
	Tag Tag
	By  ssa.Instruction
}

// A fresh says what an instruction makes; see Places.Fresh.
type fresh struct {
	by   ssa.Instruction
	part string
}

// NewPlaces returns those of a function that nothing is known of yet. live is of that
// function, and tells the numbers of its values.
func NewPlaces(live *Live, spend func(int)) *Places {
	return &Places{live: live, locs: make(map[string]*Loc, live.locs),
		roots: make(map[string]*Root, live.roots), fresh: make(map[fresh]*Loc, live.fresh),
		inner: make(map[fresh]*Loc, live.inner), made: map[ssa.Instruction]*Root{},
		numbers: live.numbers, globals: map[*ssa.Global]Value{}, literals: map[*ssa.Function]Value{},
		merges: map[merged]Value{}, values: map[uint64][]Value{}, Spend: spend}
}

// Done remembers how much there was, so that there is room for that when the function is
// looked at again.
func (p *Places) Done() {
	p.live.locs, p.live.roots, p.live.fresh, p.live.inner = len(p.locs), len(p.roots), len(p.fresh), len(p.inner)
}

// cell returns the cell that a Cell is, which comes into being here: Paths of a Loc
// has all of its.
func (p *Places) cell(c Cell) *cell {
	if x := c.Loc.cell(c.Path); x != nil {
		return x
	}
	if len(p.some) == 0 {
		p.some = make([]cell, 16)
	}
	x := &p.some[0]
	p.some = p.some[1:]
	x.Cell, x.number = c, p.cells
	p.cells++
	if c.Loc.cells == nil {
		c.Loc.Paths, c.Loc.cells = make([]string, 0, 4), make([]*cell, 0, 4)
	}
	c.Loc.Paths, c.Loc.cells = append(c.Loc.Paths, c.Path), append(c.Loc.cells, x)
	if len(c.Loc.cells) == fewCells {
		c.Loc.byPath = map[string]*cell{}
		for _, y := range c.Loc.cells {
			c.Loc.byPath[y.Path] = y
		}
	} else if c.Loc.byPath != nil {
		c.Loc.byPath[c.Path] = x
	}
	return x
}

// Loc returns the Loc with a key. What it is called by callers, and whether it was
// there before, is the same each time, so that only the first call counts.
func (p *Places) Loc(key string, s *summary.Sym, unknown bool) *Loc {
	l := p.locs[key]
	if l == nil {
		l = p.loc(key, s, unknown)
		p.locs[key] = l
	}
	return l
}

func (p *Places) loc(key string, s *summary.Sym, unknown bool) *Loc {
	if len(p.someLocs) == 0 {
		p.someLocs = make([]Loc, 8)
	}
	l := &p.someLocs[0]
	p.someLocs = p.someLocs[1:]
	l.Key, l.Sym, l.Unknown, l.number = key, s, unknown, p.count
	p.count++
	return l
}

// Root returns the root with a key. The caller sets its other fields, at once or when
// they become known.
func (p *Places) Root(key string, kind RootKind) *Root {
	r := p.roots[key]
	if r == nil {
		r = &Root{Key: key, Kind: kind, number: len(p.roots)}
		p.roots[key] = r
	}
	return r
}

// Fresh returns the memory that an instruction makes, or one of several, which part
// tells apart. It may hold what an earlier turn of a loop has left there; see Make.
func (p *Places) Fresh(i ssa.Instruction, part string) *Loc {
	l := p.fresh[fresh{i, part}]
	if l == nil {
		// Nobody asks for it by its key, so that it isn't in locs.
		l = p.loc("at "+strconv.Itoa(p.count)+" "+part, nil, false)
		l.Site = i
		p.fresh[fresh{i, part}] = l
	}
	return l
}

// FreshInside is Fresh(i, part + "*"), which it takes a string less to find.
func (p *Places) FreshInside(i ssa.Instruction, part string) *Loc {
	l := p.inner[fresh{i, part}]
	if l == nil {
		l = p.Fresh(i, part+"*")
		p.inner[fresh{i, part}] = l
	}
	return l
}

// Global returns the memory of a package's variable.
func (p *Places) Global(name string) *Loc {
	l := p.Loc("global "+name, &summary.Sym{Param: -1, Global: name, Path: "*"}, true)
	l.Name = name
	return l
}

// Opaque returns a value about which nothing is known but its type and where it comes
// from: a parameter, the result of an unknown function. It points to memory of its
// own, which differs from that of all other such values. Two parameters that are
// the same pointer are taken to be two.
//
// A value that is made of parts has the parts, each with a name and a key of its
// own:
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
			// A field is named by callers as a part of the whole, s.Add, and is a part
			// of the value, As.
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

// opaquePointer is Opaque of what refers to memory, and isn't made of parts.
func (p *Places) opaquePointer(key string, s *summary.Sym, t types.Type, name string) Value {
	l := p.Loc(key+"*", s.Add("*"), true)
	l.Name = name
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

// initial returns what was in a cell of unknown memory when the function began: a
// pointer to memory that is unknown as well, and, once it was loaded as one, an
// arena. So what a caller has passed unfolds as far as the function looks, and not
// at the beginning as far as types go (the "lazy initialization" of symbolic
// execution: Khurshid, Pasareanu and Visser, TACAS 2003).
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

// part returns what was in a cell of unknown memory. It is the same each time, and
// asked for often, so that each Loc remembers it.
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

// deref returns the memory that the pointer leads to which was in a cell, nil if
// that is too far away. Its key, its name for callers and that for people go on
// from those of the cell.
func (p *Places) deref(c Cell) *Loc {
	if len(c.Loc.Key)+len(c.Path) > 4*summary.MaxPath || c.Loc.depth >= maxDepth {
		return nil
	}
	l := p.Loc(c.Loc.Key+c.Path+"*", c.Loc.Sym.Add(c.Path+"*"), true)
	l.depth, l.Name, l.From = c.Loc.depth+1, c.Loc.Name+c.Path, c.Loc
	return l
}

// held returns the arena that was in a cell of unknown memory. That there is a root
// for it says that the cell was looked at as one which holds an arena.
func (p *Places) held(c Cell) *Root {
	x := p.part(c)
	if x.held == nil {
		x.held = p.Root("in "+c.Loc.Key+c.Path, UnknownArena)
		x.held.Sym, x.held.Name = c.Loc.Sym.Add(c.Path), c.Loc.Name+c.Path
	}
	return x.held
}

// Resolve returns the arena that a value is, or nil if it is none. from is what
// was looked at, if that is known. A value that may be several arenas is one of its
// own, in place of all of them: to end it is to end one, and nobody knows which.
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
	// The same ones make the same key, in whatever order a map has them.
	slices.SortFunc(roots, func(a, b *Root) int { return strings.Compare(a.Key, b.Key) })
	// Two variables that may both be any of them are two arenas, most often: those of
	// this turn of a loop and of the one before.
	key := "any" + variable(from)
	for _, r := range roots {
		key += " " + r.Key
	}
	r := p.Root(key, AnyOf)
	r.Members = roots
	return r
}

// variable returns a key for the variable that a value is of.
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

// resolveAddress is Resolve for an arena that is a part of a variable, as in
// struct{ arena.Arena }: what is known of it is its address, if there is just one.
func (p *Places) resolveAddress(v Value, from ssa.Value) *Root {
	var one *Tag
	for _, e := range v {
		t := &e.node.Tag
		if !t.Is(Ptr) {
			continue
		}
		// Of several addresses nobody knows which it is, and there is no root for
		// that.
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
