package plan

import (
	"math/rand/v2"
	"sync/atomic"

	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file holds what plans learn from what is read: names that no field has just so,
// and how long slices are.
//
// A program that wants few members of large objects would look up, hash and compare
// all other names, to find duplicates; but those names come again and again, and in
// the same order. Once a name is learned it is predicted as that of a field is, and
// has a number as that has, by which a second one is noticed. A name that leads to a
// field without regard to case is learned as another name of that field, so that
// reading id to the field ID takes no longer than reading ID.
//
// Names that are learned are never forgotten, so that a name that has a number in
// the beginning of an object has it to the end. They are bounded for each type: by
// what names cost, and by learning those only that come twice, which keys of data
// mostly don't. Names of fields have a bound of their own, so that others can't take
// it from them.

// What may be learned, and what it counts for, in bytes.
const (
	learnBytes  = 64 << 10 // for a type
	longestName = 64       // of those that are learned
	nameCost    = 192      // bytes for a name beyond its own, with its part of a table
	insideCost  = 384      // for the plan of the objects in a value
	spellings   = 4        // for each field of a struct, in the mean, that lead to it
)

// newLearning returns a learning that has spent nothing.
func newLearning() *learning {
	l := new(learning)
	l.left.Store(learnBytes)
	return l
}

// spend reports whether there are so many bytes left, and takes them.
func (l *learning) spend(n int) bool {
	if l.left.Add(int32(-n)) >= 0 {
		return true
	}
	l.left.Add(int32(n))
	return false
}

// again reports whether a name came before, as far as is remembered. Of names that
// fall on one place either is remembered, so that both have their turn.
func (l *learning) again(hash uint32) bool {
	// One place for each upper byte of a hash.
	p := &l.once[hash>>24]
	if before := p.Load(); before == hash {
		return true
	} else if before == 0 || rand.Uint32()&1 == 0 {
		p.Store(hash)
	}
	return false
}

// Find returns what is learned of a name, or nil.
func (v *Vocabulary) Find(name []byte) *Member {
	t := v.table.Load()
	if t == nil || len(name) > longestName {
		return nil
	}
	for i, slots := text.SecretHash(name), *t; ; i++ {
		f := slots[i&uint32(len(slots)-1)].Load()
		if f == nil || f.Literal[1:len(f.Literal)-2] == string(name) {
			return f
		}
	}
}

// Learn learns a name that no field has just so, if it came before, and returns what
// was learned, or nil. to is the field that it leads to with these options, or nil.
// Names that are long, or come with escapes, aren't learned.
func (s *Struct) Learn(name []byte, to *Field) *Member {
	v, l := &s.Others, s.Others.Memory
	if len(name) > longestName || to == nil && l.left.Load() < nameCost || !predictable(name) {
		return nil
	}
	if !l.again(text.SecretHash(name)) {
		return nil
	}
	// Others may have learned it in the meantime.
	l.mu.Lock()
	defer l.mu.Unlock()
	f := v.Find(name)
	switch {
	case f != nil:
	case to == nil && l.spend(nameCost+len(name)):
		// Its ID follows those of the fields, and of the names before.
		f = &Member{ID: uint32(len(s.List) + v.count)}
		v.add(f, string(name))
	case to != nil && v.folded < spellings*len(s.List):
		v.folded++
		f = &Member{Node: to.Node, Off: to.Off, ID: to.ID, Direct: to.Direct, Path: to.Path}
		v.add(f, string(name))
	}
	return f
}

// add adds a name. Readers see either the old table or a larger one that has all names.
func (v *Vocabulary) add(f *Member, name string) {
	f.predict(name)
	v.count++
	old := v.table.Load()
	if old != nil && 2*v.count <= len(*old) {
		putMember(*old, f)
		return
	}
	// A new table, since others may be looking at the old one.
	slots := make([]atomic.Pointer[Member], 8)
	if old != nil {
		slots = make([]atomic.Pointer[Member], 2*len(*old))
		for i := range *old {
			if g := (*old)[i].Load(); g != nil {
				putMember(slots, g)
			}
		}
	}
	putMember(slots, f)
	v.table.Store(&slots)
}

// putMember puts a name where Find finds it.
func putMember(slots []atomic.Pointer[Member], f *Member) {
	i := text.SecretHash([]byte(f.Literal[1 : len(f.Literal)-2]))
	for slots[i&uint32(len(slots)-1)].Load() != nil {
		i++
	}
	slots[i&uint32(len(slots)-1)].Store(f)
}

// NewInside returns the plan for objects in the values of a name, or nil if there
// is no more memory for it.
func (l *learning) NewInside(f *Member) *Node {
	if l.left.Load() < insideCost {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := f.Inside.Load(); n != nil || !l.spend(insideCost) {
		return n
	}
	s := &Struct{Others: Vocabulary{Memory: l}}
	s.Names.build(nil)
	f.Inside.Store(&Node{Kind: KindSkipped, Fields: s})
	return f.Inside.Load()
}

// firstRoom is how many bytes a slice begins with at most, of what it has learned.
const firstRoom = 1 << 10

// Grown returns how many elements a slice makes room for that has room for so many:
// twice as many, or to begin with what the last slices of the plan needed.
func (n *Node) Grown(room int) int {
	if room > 0 {
		return 2 * room
	}
	return max(int(n.room.Load()), int(n.Elem.few), 1)
}

// setRooms sets with how many elements of the plan's type slices begin: at least 32 bytes, and up to 4 within
// 128 bytes. To divide takes as long as to read a short element.
func (n *Node) setRooms() {
	size := max(n.Size, 1)
	n.few, n.most = int32(max(32/size, min(4, 128/size))), int32(firstRoom/size)
}

// Learn remembers how long a slice was, if that is far from what is known. Longer
// ones are learned at once; shorter ones only if three quarters of the room would
// be for nothing.
func (n *Node) Learn(length int) {
	want := int32(min(length, int(n.Elem.most)))
	if now := n.room.Load(); want > now || want < now/4 {
		n.room.Store(want)
	}
}
