package decode

import (
	"math/rand/v2"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/text"
	"github.com/harena-go/arena/internal/engine/smallmap"
)

// This file holds the keys of maps that a decoder remembers.
//
// Objects decoded into maps mostly have the same names in the same order. Their keys form a tree:
// the children of a key followed it in some object. On a path from the root no key comes twice, so
// an object whose names are all on the path has no duplicates. The tree also has the string and the
// hash byte of each key in a map: an object whose names are predicted right needs neither hashes
// nor copies of its names.
//
// A table finds a key by its parent and its name. A key is learned when it comes for the second
// time. The tree belongs to the decoder, as its scratch does, and is bounded. It refers to the Go
// heap only.

const (
	logKeys      = 10           // the table has two to this power places
	longestKey   = 64           // bytes of a name
	deepestKey   = 64           // keys of an object
	learnKeys    = 2 << logKeys // most keys that a tree learns
	leastMember  = 5            // bytes of a member, with its comma
	renewalTexts = 1 << 12      // a tree that can't learn is dropped after this many texts
)

// A key is a name that followed its ancestors in some object.
type key struct {
	plan.Member // how it looks in the input
	name        string
	control     byte // its hash byte with the tree's seed
	used        bool // it was found since another key wanted its place
	depth       int  // number of keys on the path to it
	id          uint64
	above       *key
	next        *key // the latest of its children
	first       *key // the first key of the latest object in its value: a child of the root
	wide        int  // members of the latest object that began with it, if more than eight
	others      int  // likewise for the latest object in its value that began with a key other than first
	ended       bool // an object has ended with it
	form        *smallmap.Form
}

// begins returns the likely number of members of the object in k's value whose first name is at i,
// if it is more than eight, and else 0. It does so once for each object that has ended: otherwise
// each of many nested objects would get memory before any has shown its size.
func (k *key) begins(data []byte, i int) int {
	wide := k.width(data, i)
	if *wide == 0 {
		return 0
	}
	n := min(*wide, (len(data)-i)/leastMember+1)
	if *wide = 0; n <= smallmap.Most {
		return 0
	}
	return n
}

// ends records the number of members of the object in k's value whose first name is at i.
func (k *key) ends(data []byte, i, members int) {
	wide := k.width(data, i)
	if *wide = 0; members > smallmap.Most {
		*wide = members
	}
}

// width returns the place of that record: that of the first name, or a common one for all names but
// k.first.
func (k *key) width(data []byte, i int) *int {
	if f := k.first; f != nil && f.Begins(data, i) {
		return &f.wide
	}
	return &k.others
}

// A keyTree is the tree of keys.
type keyTree struct {
	seed  smallmap.Seed // of all maps with these keys
	root  key
	other key     // replaces the root in values of names that aren't in the tree
	types [16]key // replace the root for maps of a type that are in no other map
	table [1 << logKeys]*key
	once  [256]uint32 // hashes of keys that came once
	left  int         // number of keys that may still be learned
	texts int         // texts since left became 0
}

// newKeyTree returns a tree without keys.
func newKeyTree() *keyTree { return &keyTree{seed: smallmap.NewSeed(), left: learnKeys} }

// place returns the key that stands in for the parent of outermost maps of a plan.
func (t *keyTree) place(n *plan.Node) *key {
	return &t.types[uintptr(unsafe.Pointer(n))>>7%uintptr(len(t.types))]
}

// find returns the child of k with a name, which it learns if possible, or nil.
func (t *keyTree) find(k *key, name []byte) *key {
	hash := (text.NameHash(name) ^ k.id) * 0x9e3779b97f4a7c15
	place := hash >> (64 - logKeys)
	for _, f := range [...]*key{t.table[place], t.table[place^1]} {
		if f != nil && f.above == k && f.name == string(name) {
			f.used = true
			return f
		}
	}
	return t.learn(k, name, hash)
}

// formOf returns the form of maps with the keys up to k, if an object has ended there before.
func (t *keyTree) formOf(s *plan.Small, k *key) *smallmap.Form {
	if k.form == nil && k.ended {
		keys := make([]string, k.depth)
		for a := k; a.depth > 0; a = a.above {
			keys[a.depth-1] = a.name
		}
		k.form = s.NewForm(keys)
		t.left -= min(t.left, k.depth/8) // a form takes the memory of this many keys
	}
	k.ended = true
	return k.form
}

// learn adds a key if it came before, isn't too long, and isn't an ancestor's. A key has two
// possible places. It keeps its place if it was found since another key wanted that.
//
//go:noinline
func (t *keyTree) learn(k *key, name []byte, hash uint64) *key {
	if t.left == 0 || len(name) > longestKey || k.depth == deepestKey {
		return nil
	}
	// Of two keys with the same place in once, either may be recorded, so that both get their turn.
	once, mark := &t.once[hash>>40&255], uint32(hash>>32)
	if *once != mark {
		if *once == 0 || rand.Uint32()&1 == 0 {
			*once = mark
		}
		return nil
	}
	for a := k; a.depth > 0; a = a.above {
		if a.name == string(name) {
			return nil
		}
	}
	place := &t.table[hash>>(64-logKeys)]
	if other := &t.table[hash>>(64-logKeys)^1]; *place != nil && (*other == nil || (*place).used) {
		(*place).used, place = false, other
	}
	if *place != nil && (*place).used {
		(*place).used = false
		return nil
	}
	t.left--
	s := string(name)
	f := &key{name: s, control: t.seed.Control(s), depth: k.depth + 1, above: k, id: uint64(learnKeys - t.left)}
	plan.Predict(&f.Member, s)
	*place = f
	return f
}

// nextKey finds the child of k for the name at i, which wasn't predicted, and returns the start of
// its value. It returns no key if the name isn't in the tree, and -1 if the text is wrong.
//
//go:noinline
func (d *decoder) nextKey(k *key, i int) (*key, int) {
	name, end := d.Text(i)
	if end < 0 {
		return nil, -1
	}
	f := d.keys.find(k, name)
	if f == nil {
		return nil, 0
	}
	v, ok := d.Colon(end)
	if !ok {
		return nil, -1
	}
	return f, v
}

// small returns the way in which keyMembers decodes objects into new maps of a plan, or nil if it
// can't. It can't if names must be unique and different names may give the same key, since the tree
// has keys.
func (d *decoder) small(n *plan.Node) *plan.Small {
	if n.MapKey.Kind != plan.KindString ||
		d.Flags&(option.AllowInvalidUTF8|option.AllowDuplicateNames) == option.AllowInvalidUTF8 {
		return nil
	}
	s := n.Small()
	if s == nil || !s.Entries() {
		return nil
	}
	if d.at == nil {
		d.beginKeys()
	}
	return s
}
