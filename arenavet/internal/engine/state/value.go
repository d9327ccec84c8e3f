// Package state represents the analysis at one point of a function: the values, the contents of memory and the arenas;
// how two such states are joined where paths meet; and how stores and ends of arenas change a state.
//
// It must not depend on the effects of instructions, calls or named functions, nor on what counts as a mistake:
// packages transfer and apply change states, and package report reports. Of the SSA form it uses only the identity of
// values and instructions and their places in the source.
//
// Its files; each uses those before it:
//
//	value.go      Tag, Value: what one thing may be
//	root.go       Root, Death: arenas; the effects of a new one, a mark and an end
//	place.go      Loc, Cell, Places: pieces of memory, found by their keys
//	state.go      State: the whole at one point
//	join.go       the whole at a meeting, without dead values and unreachable memory
//	load.go       loads from memory, by an address or by a name
//	store.go      stores into memory
package state

import (
	"iter"
	"slices"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/summary"
)

// A Tag is one thing that a value, or a part of it, may be. Tags are compared by ==: equal keys give the same Loc or
// Root; see Places.
//
// Which fields are set depends on Kind; all others are zero.
type Tag struct {
	Kind Kind
	Path string          // where in the value: ".name", "[]", "#1"; empty for the value itself
	Root *Root           // of Mem, Handle and Mark
	Site ssa.Instruction // of Mem, its allocation; of Mark, the call of Mark
	Loc  *Loc            // of Ptr
	Off  string          // of Ptr, where in Loc
	Func ssa.Value       // of Func: *ssa.Function or *ssa.MakeClosure
}

// A Kind is the kind of a tag.
type Kind uint8

const (
	Mem    Kind = iota // points to memory of the arena Root
	Handle             // is the arena Root, or allocates from it
	Ptr                // points to Loc
	Mark               // a mark of Root
	Func               // a function
)

// Bare returns the tag without its place in a value: the allocation, the arena, the mark itself, the function. It is
// equal for two values that hold the same memory, one in a field and one directly.
func (t Tag) Bare() Tag { return Tag{Kind: t.Kind, Root: t.Root, Site: t.Site, Func: t.Func} }

// Is reports whether a value itself is of a kind, not only a part of it. The tag of a struct with an arena in a field
// has a path, and a use of the struct isn't a use of the arena.
func (t Tag) Is(k Kind) bool { return t.Kind == k && t.Path == "" }

// IsLocal reports whether a tag points to memory that the function has made. The function itself filled it, so its
// contents are known, and callers don't see it.
func (t Tag) IsLocal() bool { return t.Kind == Ptr && t.Loc.Sym == nil && !t.Loc.Unknown }

// Name returns the caller's name for a pointer, nil if it has none. Sym of a Loc is the name of the target, so it has
// one * more than the pointer's name:
//
//	func f(p *T)   Loc.Sym      Name
//	p              {0 "*"}      {0 ""}
//	&p.next        {0 "*"}      {0 "*.next&"}, with Off ".next"
//	p.next         {0 "*.next*"}  {0 "*.next"}
func (t Tag) Name() *summary.Sym {
	if t.Loc.Sym == nil {
		return nil
	}
	if t.Off != "" {
		return t.Loc.Sym.Add(t.Off + "&")
	}
	x := *t.Loc.Sym
	x.Path = strings.TrimSuffix(x.Path, "*") // of a global, its address
	return &x
}

// A Value is the set of things that something may be, each with its death, nil if it is alive. The empty value is an
// unknown one; nil will do.
//
// Values are the lattice of the analysis: a value grows by tags, and a tag by its death; deaths are ordered (see
// precedes), so growth ends. The number of tags is bounded by the keys in Places and by the length of paths. Only tags
// lead to findings, so a smaller value means fewer findings.
//
// Values are shared by states, and within a state by all variables and cells to which one was assigned. So they are
// copied rather than changed. Only With may change one: if nobody else has it yet, or if it has one tag, since the list
// then has no spare capacity and With copies it.
//
// Most values have one to three tags and are joined with themselves. So a value is a list, not a map, ordered by tags
// without their paths: a move from a struct to its field keeps the order, and a join is a merge.
type Value []entry

// An entry is a tag of a value, and its death.
type entry struct {
	order uint64 // of the node; the sort key
	node  *node
	death *Death
}

// A node is a tag that values share.
type node struct{ Tag }

// order returns the sort key of a tag in a value. Tags that differ only in their paths are adjacent.
func (t *Tag) order() uint64 {
	n := uint64(t.Kind)
	if t.Root != nil {
		n += uint64(t.Root.number) << 3
	}
	if t.Loc != nil {
		n += uint64(t.Loc.number) << 3
	}
	n <<= 32
	if t.Site != nil {
		n += uint64(t.Site.Pos())
	}
	if t.Func != nil {
		n += uint64(t.Func.Pos())
	}
	return n
}

// entryOf returns an entry for a tag, with a new node.
func entryOf(t Tag, d *Death) entry { return entry{t.order(), &node{t}, d} }

// To returns a pointer to a Loc, the same value each time.
func To(l *Loc) Value {
	if l.to == nil {
		l.to = Just(Tag{Kind: Ptr, Loc: l}, nil)
	}
	return l.to
}

// Arena returns a value that stands for an arena, the same each time.
func Arena(r *Root) Value {
	if r.is == nil {
		r.is = Just(Tag{Kind: Handle, Root: r}, nil)
	}
	return r.is
}

// Just returns a value that is one thing.
func Just(t Tag, d *Death) Value {
	x := &struct {
		node  node
		entry [1]entry
	}{node: node{t}}
	x.entry[0] = entry{t.order(), &x.node, d}
	return x.entry[:]
}

// All returns the tags of a value, and their deaths.
func (v Value) All() iter.Seq2[Tag, *Death] {
	return func(yield func(Tag, *Death) bool) {
		for _, e := range v {
			if !yield(e.node.Tag, e.death) {
				return
			}
		}
	}
}

// Clone returns a copy that may be changed, also of nil.
func (v Value) Clone() Value { return append(Value{}, v...) }

// Death returns how a tag has died, nil if it is alive or not in the value.
func (v Value) Death(t Tag) *Death {
	if n, ok := v.find(t.order(), &t, nil); ok {
		return v[n].death
	}
	return nil
}

// find returns the index of a tag, or its insertion point. n is the tag's node, or nil.
func (v Value) find(order uint64, t *Tag, n *node) (int, bool) {
	i := 0
	if len(v) > 8 {
		i = sort.Search(len(v), func(i int) bool { return v[i].order >= order })
	}
	for i < len(v) && v[i].order < order {
		i++
	}
	for ; i < len(v) && v[i].order == order; i++ {
		if v[i].node == n || v[i].node.Tag == *t {
			return i, true
		}
	}
	return i, false
}

// With adds a tag to a value that isn't shared yet, and returns the value, as append does. A tag that is already there
// gets the death d, unless it has one.
func (v Value) With(t Tag, d *Death) Value { return v.with(entryOf(t, d)) }

func (v Value) with(e entry) Value {
	n, ok := v.find(e.order, &e.node.Tag, e.node)
	if !ok {
		return slices.Insert(v, n, e)
	}
	if v[n].death == nil && e.death != nil {
		v = v.Clone()
		v[n].death = e.death
	}
	return v
}

// WithMemory returns a pointer to a Loc that is also memory of an arena, allocated by the Loc's instruction.
func WithMemory(l *Loc, r *Root) Value {
	l.of = r
	return To(l).With(Tag{Kind: Mem, Root: r, Site: l.Site}, nil)
}

// same reports whether two values are the same list.
func (v Value) same(w Value) bool {
	return len(v) == len(w) && (len(v) == 0 || &v[0] == &w[0])
}

// Join adds the tags of w, and reports whether v has changed. A tag that is dead in one of them is dead: it may be used
// after both paths. Of two deaths the preceding one counts, so the order of joins doesn't matter.
//
// Without a change it returns v itself. That is the most frequent case: states are joined until they stay the same.
func (v Value) Join(w Value) (Value, bool) {
	return v.merge(w, func(old, d *Death) bool {
		return d != nil && (old == nil || precedes(d, old))
	})
}

// Replace adds w to the contents of one of many places. Unlike in Join, w wins: if the same allocation was executed
// again since the old one died, the new memory is taken to replace it. Otherwise a loop that resets an arena and fills
// a slice anew in each iteration would seem to have dead memory in the slice.
func (v Value) Replace(w Value) Value {
	v, _ = v.merge(w, func(old, d *Death) bool { return true })
	if v == nil {
		return Value{}
	}
	return v
}

// merge adds the tags of w to v. For tags in both with different deaths, wins decides whether w's death counts. It
// returns v itself if nothing changes.
func (v Value) merge(w Value, wins func(old, d *Death) bool) (Value, bool) {
	switch {
	case v.same(w) || len(w) == 0:
		return v, false
	case len(v) == 0:
		return w[:len(w):len(w)], true // without room: see With
	}
	changed := false
	for k := range w {
		e := &w[k]
		n, ok := v.find(e.order, &e.node.Tag, e.node)
		if ok && (v[n].death == e.death || !wins(v[n].death, e.death)) {
			continue
		}
		if !changed {
			v, changed = append(newValue(len(v)+len(w)-k), v...), true
		}
		if ok {
			v[n].death = e.death
		} else {
			v = slices.Insert(v, n, *e)
		}
	}
	return slices.Clip(v), changed // without room: see With
}

// Part returns the part of v at a path: a field, an element, a result. It is the inverse of As.
func (v Value) Part(path string) Value {
	return v.step(func(t *Tag) bool {
		rest, ok := strings.CutPrefix(t.Path, path)
		t.Path = rest
		// A path ends where another step begins: ".name" isn't a part of ".names".
		return ok && (rest == "" || StartsPath(rest))
	})
}

// As returns v as the part at a path of a larger value: v.As(p).Part(p) is v, without tags whose paths become too long.
// The parts of a struct are joined into one value by their paths.
func (v Value) As(path string) Value {
	if path == "" {
		return v
	}
	return v.step(func(t *Tag) bool {
		t.Path = path + t.Path
		return len(t.Path) <= summary.MaxPath
	})
}

// Moved returns a pointer v moved by a path: to a field, an element. The offset in the Loc moves; memory of an arena
// stays memory of that arena. Other tags are dropped: they aren't pointers, and functions and marks have no addresses
// here.
func (v Value) Moved(path string) Value {
	return v.step(func(t *Tag) bool {
		if t.Kind == Ptr {
			t.Off += path
		}
		return t.Path == "" && (t.Kind == Ptr || t.Kind == Mem) && len(t.Off) <= summary.MaxPath
	})
}

// step changes each tag by a step, which returns false if there is none. Different tags stay different, in the same
// order.
func (v Value) step(change func(t *Tag) bool) (w Value) {
	for _, e := range v {
		t := e.node.Tag
		if !change(&t) {
			continue
		}
		if w == nil {
			w = newValue(len(v))
		}
		w = append(w, entry{e.order, &node{t}, e.death})
	}
	return w
}

func newValue(size int) Value { return make(Value, 0, size) }

// Only returns the tags that f accepts.
func (v Value) Only(f func(Tag) bool) Value {
	var w Value
	for _, e := range v {
		if f(e.node.Tag) {
			w = append(w, e)
		}
	}
	return w
}

// StartsPath reports whether a path that isn't empty begins with a whole step, and not within a name.
func StartsPath(s string) bool { return s[0] == '.' || s[0] == '[' || s[0] == '#' || s[0] == '@' }

// Several reports whether a path may stand for many places: all elements of a slice, or all entries of a map, are one.
// A store to such a place is never strong.
func Several(path string) bool { return strings.IndexByte(path, '[') >= 0 }

// MayDie reports whether a value is, or may lead to, memory of an arena.
func MayDie(v Value) bool {
	for t := range v.All() {
		if t.Kind == Mem || t.IsLocal() {
			return true
		}
	}
	return false
}

// Inside is the path from a container to its contents.
const Inside = "[in]"

// InContext is the path to a context's arena, which no field can have.
const InContext = "@ctx"

// CalledBack is the path from a function to its results, "()#0", and from an interface to the results of its methods:
// "()Visit#0".
const CalledBack = "()"

const (
	Elements  = "[]"
	Keys      = "[k]"
	InChannel = "[<-]"
)

// Result is the path to the n-th result of a call with several results.
func Result(n int) string { return "#" + strconv.Itoa(n) }

// First is Result(0).
const First = "#0"

const (
	OnceFunc   = ".once"   // the path to the other function, which is called the first time
	OnceResult = ".result" // and to the result of the first call
)
