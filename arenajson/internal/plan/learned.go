package plan

import (
	"math/rand/v2"
	"sync/atomic"

	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file learns from decoded texts: names that match no field exactly, and lengths of slices.
//
// A program that uses few members of large objects would have to look up, hash and compare all
// other names, to find duplicates; but those names come again and again, in the same order. A
// learned name is predicted as a field's is, and has a number as well, which finds its duplicates.
// A name that matches a field only by case folding is learned as another name of that field, so
// that decoding id into the field ID takes no longer than decoding ID.
//
// Learned names are never forgotten, so that a name keeps its number to the end of an object. They
// are bounded for each type: by the cost of names, and by learning a name only when it comes twice,
// which keys of data mostly don't. Other spellings of fields' names have a bound of their own, so
// that other names can't use it up.

// The limits of learning, and its costs in bytes.
const (
	learnBytes  = 64 << 10 // for a type
	longestName = 64       // of the learned ones
	nameCost    = 192      // bytes for a name beyond its own, with its part of a table
	insideCost  = 384      // of the plan for objects in a value
	spellings   = 4        // learned for each field of a struct, on average
)

// newLearning returns a learning with its whole budget.
func newLearning() *learning {
	l := new(learning)
	l.left.Store(learnBytes)
	return l
}

// spend reports whether n bytes are left, and takes them.
func (l *learning) spend(n int) bool {
	if l.left.Add(int32(-n)) >= 0 {
		return true
	}
	l.left.Add(int32(n))
	return false
}

// again reports whether a name came before, as far as is remembered. Of two names with the same
// place either may be remembered, so that both get their turn.
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

// Find returns the learned name, or nil.
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

// Learn learns a name that matches no field exactly, if it came before, and returns the learned
// Member, or nil. to is the field that it matches with these options, or nil. Long names, and those
// that come with escapes, aren't learned.
func (s *Struct) Learn(name []byte, to *Field) *Member {
	v, l := &s.Others, s.Others.Memory
	if len(name) > longestName || to == nil && l.left.Load() < nameCost || !predictable(name) {
		return nil
	}
	if !l.again(text.SecretHash(name)) {
		return nil
	}
	// Others may have learned it meanwhile.
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

// add adds a name. Readers see either the old table or a larger one with all names.
func (v *Vocabulary) add(f *Member, name string) {
	f.predict(name)
	v.count++
	old := v.table.Load()
	if old != nil && 2*v.count <= len(*old) {
		putMember(*old, f)
		return
	}
	// A new table, since others may be reading the old one.
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

// putMember puts a name into its slot for Find.
func putMember(slots []atomic.Pointer[Member], f *Member) {
	i := text.SecretHash([]byte(f.Literal[1 : len(f.Literal)-2]))
	for slots[i&uint32(len(slots)-1)].Load() != nil {
		i++
	}
	slots[i&uint32(len(slots)-1)].Store(f)
}

// NewInside returns the plan for objects in the values of a name, or nil if the budget is used up.
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

// firstRoom is the most bytes of a slice's first capacity, if learned.
const firstRoom = 1 << 10

// Grown returns the next capacity of a slice: twice the present one, or at first the one that the
// last slices of the plan needed.
func (n *Node) Grown(room int) int {
	if room > 0 {
		return 2 * room
	}
	return max(int(n.room.Load()), int(n.Elem.few), 1)
}

// setRooms sets the bounds of the first capacity of slices with elements of the plan's type: at
// least 32 bytes, and up to 4 elements within 128 bytes. A division takes as long as decoding a
// short element.
func (n *Node) setRooms() {
	size := max(n.Size, 1)
	n.few, n.most = int32(max(32/size, min(4, 128/size))), int32(firstRoom/size)
}

// Learn records the length of a slice, if it differs much from the recorded one: a longer one at
// once, a shorter one only if three quarters of the capacity would be unused.
func (n *Node) Learn(length int) {
	want := int32(min(length, int(n.Elem.most)))
	if now := n.room.Load(); want > now || want < now/4 {
		n.room.Store(want)
	}
}
