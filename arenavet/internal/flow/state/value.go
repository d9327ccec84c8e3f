// Package state holds what is known at one point of a function: of each value,
// of each place in memory, of each arena; how two such states are joined where
// paths meet; and how a state changes when memory is stored to, or an arena ends.
//
// It may not know what instructions, calls or functions of any name do, nor
// what is a mistake: package flow walks through a program, tells a state what
// happens, and reports. What it knows of the SSA form is that values and
// instructions have an identity and a place in the source.
//
// Its files, each of which uses those before it:
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
	"maps"
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
// itself. Two values that hold the same memory, one in a field and one as it is,
// have it in common.
func (t Tag) Bare() Tag { return Tag{Kind: t.Kind, Root: t.Root, Site: t.Site} }

// Is says whether a value itself is of a kind, not only a part of it. Of a struct
// with an arena in a field the tag has a path, and to use the struct isn't to use
// the arena.
func (t Tag) Is(k Kind) bool { return t.Kind == k && t.Path == "" }

// IsLocal says whether a tag points to memory that the function has made. All that
// is in it the function has put there, so that it is known; callers know nothing of
// it, unless they are told.
func (t Tag) IsLocal() bool { return t.Kind == Ptr && t.Loc.Sym == nil && !t.Loc.Unknown }

// Name returns how a caller names a pointer, nil if it doesn't know it. Sym of a
// Loc is the name of what is pointed to, hence one * more than that of the pointer:
//
//	func f(p *T)   Loc.Sym      Name
//	p              {0 "*"}      {0 ""}
//	&p.next        {0 "*"}      {0 "*.next&"}, with Off ".next"
//	p.next         {0 "*.next*"}  {0 "*.next"}
func (t Tag) Name() *summary.Sym {
	if t.Loc.Sym == nil {
		return nil
	}
	x := *t.Loc.Sym
	if t.Off != "" {
		return x.Add(t.Off + "&")
	}
	if x.Param < 0 && x.Path == "*" {
		x.Path = "" // the address of a global
		return &x
	}
	x.Path = strings.TrimSuffix(x.Path, "*")
	return &x
}

// A Value says what something may be, and for each of these how it died, nil if it
// is alive. The empty value is one of which nothing is known; nil will do.
//
// This is the lattice of the analysis: a value grows by tags, and a tag by its
// death, of which there is an order (see precedes), so that it can't grow forever.
// There are as many tags as there are keys in Places and paths of bounded length.
// Nothing is reported of what isn't in a value, so that to know less is to report
// less.
//
// Values are shared: by states, and within one by all that one was assigned to.
// They are never changed, but copied; With, which does change one, is for those
// that nobody else has yet.
type Value map[Tag]*Death

// To returns a pointer to a Loc.
func To(l *Loc) Value { return Value{Tag{Kind: Ptr, Loc: l}: nil} }

// Arena returns a value that stands for an arena.
func Arena(r *Root) Value { return Value{Tag{Kind: Handle, Root: r}: nil} }

// Clone returns a copy that may be changed, also of nil.
func (v Value) Clone() Value {
	if v == nil {
		return Value{}
	}
	return maps.Clone(v)
}

// With sets a tag of a value that nobody else has yet, and returns it: it may have
// been nil. A death that is known already stays, for the same reason for which Join
// keeps it.
func (v Value) With(t Tag, d *Death) Value {
	if v == nil {
		v = Value{}
	}
	if old, ok := v[t]; !ok || old == nil {
		v[t] = d
	}
	return v
}

// Join adds what is in w, and says whether that is anything new. What is dead on
// one of two paths is dead: it may be used after both. Of two deaths the one that
// precedes counts, so that it doesn't matter in which order paths are joined.
//
// As long as nothing is new v itself is returned, which is what happens most often:
// states are joined until they stay the same.
func (v Value) Join(w Value) (Value, bool) {
	changed := false
	for t, d := range w {
		old, ok := v[t]
		// Nothing new: it is there, and as dead as d says, or deader.
		if ok && (old == d || d == nil || old != nil && !precedes(d, old)) {
			continue
		}
		if !changed {
			v, changed = v.Clone(), true
		}
		v[t] = d
	}
	return v, changed
}

// Replace adds w to what is in one of many places. Unlike Join, w wins: where the
// same allocation was executed again since the old one died, the new one is taken
// to be in its place. Else a loop that resets an arena and fills a slice anew, at
// each turn, would be found to have dead memory in the slice.
func (v Value) Replace(w Value) Value {
	v = v.Clone()
	maps.Copy(v, w)
	return v
}

// Part returns what is at a path of v: a field, an element, a result. It is the
// inverse of As.
func (v Value) Part(path string) Value {
	var w Value
	for t, d := range v {
		rest, ok := strings.CutPrefix(t.Path, path)
		// A path ends where another step begins: ".name" isn't a part of ".names".
		if !ok || rest != "" && !StartsPath(rest) {
			continue
		}
		t.Path = rest
		w = w.With(t, d)
	}
	return w
}

// As returns v as the part at a path of a larger value: v.As(p).Part(p) is v, but
// for what lies too deep, which is forgotten. The parts of a struct are joined into
// one value by their paths.
func (v Value) As(path string) Value {
	if path == "" {
		return v
	}
	var w Value
	for t, d := range v {
		if t.Path = path + t.Path; len(t.Path) <= summary.MaxPath {
			w = w.With(t, d)
		}
	}
	return w
}

// Moved returns a pointer v moved by a path: to a field, an element. What it points
// to moves, in terms of the Loc; memory of an arena stays that, however a pointer
// into it is moved. Other things aren't pointers, and a function or a mark has no
// address of its own here.
func (v Value) Moved(path string) Value {
	var w Value
	for t, d := range v {
		if t.Path != "" || t.Kind != Ptr && t.Kind != Mem {
			continue
		}
		if t.Kind == Ptr {
			if t.Off += path; len(t.Off) > summary.MaxPath {
				continue
			}
		}
		w = w.With(t, d)
	}
	return w
}

// Only returns the tags that f accepts.
func (v Value) Only(f func(Tag) bool) Value {
	var w Value
	for t, d := range v {
		if f(t) {
			w = w.With(t, d)
		}
	}
	return w
}

// StartsPath says whether a path that isn't empty begins with a step of its own,
// and not within a name.
func StartsPath(s string) bool { return s[0] == '.' || s[0] == '[' || s[0] == '#' || s[0] == '@' }

// Several says whether a path may stand for many places: all elements of a slice,
// all entries of a map are one. A store to such a place is never strong.
func Several(path string) bool { return strings.IndexByte(path, '[') >= 0 }
