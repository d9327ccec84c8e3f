// Package state holds what is known at one point of a function: of each value,
// of each place in memory, of each arena; how two such states are joined where
// paths meet; and how a state changes when memory is stored to, or an arena ends.
//
// It must not depend on what instructions, calls or functions of any name do, nor on
// what is a mistake: packages transfer and apply tell a state what happens, and package
// report reports. What it knows of the SSA form is that values and instructions have an
// identity and a place in the source.
//
// Its files; each uses those before it:
//
//	value.go      Tag, Value: what one thing may be
//	root.go       Root, Death: arenas, and how they end
//	place.go      Loc, Cell, Places: pieces of memory, found again by their keys
//	state.go      State, join.go: all that is known at one point, and at a meeting
//	load.go       what comes out of memory, by an address or by a name
//	store.go      what is put into it
//	lifetime.go   what a new arena, a mark and an end do to all of it
//	live.go       what is forgotten
package state

import (
	"iter"
	"slices"
	"sort"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// A Tag is one thing that a value, or a part of it, may be. Tags are compared by
// ==: what is pointed to is the same whenever it has the same key, see Places.
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

// A Kind says what a tag means.
type Kind uint8

const (
	Mem    Kind = iota // points to memory of the arena Root
	Handle             // is the arena Root, or allocates from it
	Ptr                // points to Loc
	Mark               // a mark of Root
	Func               // a function
)

// Bare is a tag without its place in a value: the allocation, the arena, the mark
// itself, the function. Two values that hold the same memory, one in a field and one as
// it is, have it in common.
func (t Tag) Bare() Tag { return Tag{Kind: t.Kind, Root: t.Root, Site: t.Site, Func: t.Func} }

// Is reports whether a value itself is of a kind, not only a part of it. Of a struct
// with an arena in a field the tag has a path, and to use the struct isn't to use
// the arena.
func (t Tag) Is(k Kind) bool { return t.Kind == k && t.Path == "" }

// IsLocal reports whether a tag points to memory that the function has made. All that
// is in it the function has put there, so that it is known; callers know nothing of
// it, unless they are told.
func (t Tag) IsLocal() bool { return t.Kind == Ptr && t.Loc.Sym == nil && !t.Loc.Unknown }

// Name returns how a caller names a pointer, nil if it doesn't know it. Sym of a
// Loc is the name of what is pointed to, so it has one * more than that of the pointer:
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
	if t.Loc.name == nil {
		x := *t.Loc.Sym
		x.Path = strings.TrimSuffix(x.Path, "*") // of a global, its address
		t.Loc.name = &x
	}
	return t.Loc.name
}

// A Value says what something may be, and for each of these how it died, nil if it
// is alive. The empty value is one about which nothing is known; nil will do.
//
// This is the lattice of the analysis: a value grows by tags, and a tag by its
// death; deaths have an order (see precedes), so that it can't grow forever.
// There are as many tags as there are keys in Places and paths of bounded length.
// Nothing is reported of what isn't in a value, so that to know less is to report
// less.
//
// Values are shared: by states, and within a state by all variables and cells that one
// was assigned to. So they are copied rather than changed. Only With may change one: that
// is allowed if nobody else has it yet, or if it has one tag, since the list then has no
// room and With copies it.
//
// Most have one to three tags, and are joined with themselves. So a value is a list
// and no map, in the order of what tags are of, without their paths: a move from a
// struct to its field keeps the order, and a join is a merge.
type Value []entry

// An entry is a tag of a value, and its death.
type entry struct {
	order uint64 // of the node, by which a value is sorted
	node  *node
	death *Death
}

// A node is a tag that values share. Two nodes may be of the same tag; what was made
// from one node in the same way is one node, which is quick to compare.
type node struct {
	Tag
	made []made
}

// made is a node that was made from another one by a step along a path.
type made struct {
	by   step
	path string
	node *node // nil if the path would get too long
	is   Value // the node alone; see Value.step
}

type step uint8

const (
	byPart step = iota
	byAs
	byMoved
)

// maxMade is how many nodes one remembers to have been made from it. Few have more,
// and it takes longer to look for one than to make it anew.
const maxMade = 16

// order returns where a tag is in a value. Those that differ only in their paths are
// beside each other.
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

// entryOf returns an entry of a tag that has no node at hand.
func entryOf(t Tag, d *Death) entry { return entry{t.order(), &node{Tag: t}, d} }

// known returns what a step has made, nil if it hasn't.
func (n *node) known(by step, path string) *made {
	for i := range n.made {
		if m := &n.made[i]; m.by == by && m.path == path {
			return m
		}
	}
	return nil
}

// step returns the node that a step makes of n, nil if it makes none. make changes the tag
// of the new node, or returns false if there is none. n remembers up to maxMade steps.
func (n *node) step(by step, path string, make func(t *Tag) bool) *node {
	if m := n.known(by, path); m != nil {
		return m.node
	}
	next := &node{Tag: n.Tag}
	if !make(&next.Tag) {
		next = nil
	}
	if len(n.made) < maxMade {
		n.made = append(n.made, made{by, path, next, nil})
	}
	return next
}

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
	}{node: node{Tag: t}}
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

// find returns where a tag is, or where it is to be inserted. The node is that of the
// tag, if there is one.
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

// With adds a tag to a value that nobody else has yet, and returns the value, as append
// does. A tag that is there already gets the death d, unless it has one.
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

// WithMemory returns a pointer to a Loc that is also memory of an arena, which the
// instruction has allocated that has made the Loc: the same value each time.
func WithMemory(l *Loc, r *Root) Value {
	for n := range l.memory {
		if m := &l.memory[n]; m.root == r {
			return m.is
		}
	}
	v := To(l).With(Tag{Kind: Mem, Root: r, Site: l.Site}, nil)
	v = v[:len(v):len(v)]
	l.memory = append(l.memory, memory{r, v})
	return v
}

// same reports whether two values are one.
func (v Value) same(w Value) bool {
	return len(v) == len(w) && (len(v) == 0 || &v[0] == &w[0])
}

// Join adds what is in w, and reports whether that is anything new. What is dead on
// one of two paths is dead: it may be used after both. Of two deaths the one that
// precedes counts, so that it doesn't matter in which order paths are joined.
//
// As long as nothing is new v itself is returned, which is what happens most often:
// states are joined until they stay the same.
func (v Value) Join(w Value) (Value, bool) {
	return v.merge(w, func(old, d *Death) bool {
		return d != nil && (old == nil || precedes(d, old))
	})
}

// Replace adds w to what is in one of many places. Unlike Join, w wins: where the
// same allocation was executed again since the old one died, the new one is taken
// to be in its place. Else a loop that resets an arena and fills a slice anew, at
// each turn, would be found to have dead memory in the slice.
func (v Value) Replace(w Value) Value {
	v, _ = v.merge(w, func(old, d *Death) bool { return true })
	if v == nil {
		return Value{}
	}
	return v
}

// merge adds what is in w to v, with the death of w where both have a tag, they
// differ, and wins says so. It returns v itself if there is nothing new.
func (v Value) merge(w Value, wins func(old, d *Death) bool) (Value, bool) {
	switch {
	case v.same(w) || len(w) == 0:
		return v, false
	case len(v) == 0:
		return w[:len(w):len(w)], true // without room: see With
	}
	var some [16]int
	at := some[:0] // where in v what is in w is, or -1 less where it belongs
	missing, news := 0, false
	for k := range w {
		e := &w[k]
		n, ok := v.find(e.order, &e.node.Tag, e.node)
		if !ok {
			missing++
			n = -1 - n
		} else if v[n].death != e.death && wins(v[n].death, e.death) {
			news = true
		}
		at = append(at, n)
	}
	if missing == 0 && !news {
		return v, false
	}
	if news {
		v = v.Clone()
		for k, n := range at {
			if n >= 0 && v[n].death != w[k].death && wins(v[n].death, w[k].death) {
				v[n].death = w[k].death
			}
		}
	}
	if missing == 0 {
		return v, true
	}
	out, done := newValue(len(v)+missing), 0
	for k, n := range at {
		if n < 0 {
			out = append(append(out, v[done:-1-n]...), w[k])
			done = -1 - n
		}
	}
	return append(out, v[done:]...), true
}

// Part returns what is at a path of v: a field, an element, a result. It is the
// inverse of As.
func (v Value) Part(path string) Value {
	return v.step(byPart, path, func(t *Tag) bool {
		rest, ok := strings.CutPrefix(t.Path, path)
		t.Path = rest
		// A path ends where another step begins: ".name" isn't a part of ".names".
		return ok && (rest == "" || StartsPath(rest))
	})
}

// As returns v as the part at a path of a larger value: v.As(p).Part(p) is v, but
// for what lies too deep, which is forgotten. The parts of a struct are joined into
// one value by their paths.
func (v Value) As(path string) Value {
	if path == "" {
		return v
	}
	return v.step(byAs, path, func(t *Tag) bool {
		t.Path = path + t.Path
		return len(t.Path) <= summary.MaxPath
	})
}

// Moved returns a pointer v moved by a path: to a field, an element. What it points
// to moves, in terms of the Loc; memory of an arena stays that, however a pointer
// into it is moved. Other things aren't pointers, and a function or a mark has no
// address of its own here.
func (v Value) Moved(path string) Value {
	return v.step(byMoved, path, func(t *Tag) bool {
		if t.Kind == Ptr {
			t.Off += path
		}
		return t.Path == "" && (t.Kind == Ptr || t.Kind == Mem) && len(t.Off) <= summary.MaxPath
	})
}

// step returns what a step makes of each tag. Different ones stay different, in the
// same order.
func (v Value) step(by step, path string, make func(t *Tag) bool) Value {
	if len(v) == 1 && v[0].death == nil {
		return v[0].alone(by, path, make)
	}
	var w Value
	for _, e := range v {
		if e.node = e.node.step(by, path, make); e.node != nil {
			if w == nil {
				w = newValue(len(v))
			}
			w = append(w, e)
		}
	}
	return w
}

// alone is Value.step of one entry that is alive: the same value each time, as long as
// the node remembers it.
func (e entry) alone(by step, path string, make func(t *Tag) bool) Value {
	from := e.node
	if e.node = from.step(by, path, make); e.node == nil {
		return nil
	}
	m := from.known(by, path)
	if m == nil {
		return Value{e}
	}
	if m.is == nil {
		m.is = Value{e}
	}
	return m.is
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

// StartsPath reports whether a path that isn't empty begins with a step of its own,
// and not within a name.
func StartsPath(s string) bool { return s[0] == '.' || s[0] == '[' || s[0] == '#' || s[0] == '@' }

// Several reports whether a path may stand for many places: all elements of a slice,
// all entries of a map are one. A store to such a place is never strong.
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
