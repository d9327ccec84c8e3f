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
// Objects that go to maps have the same names in the same order again and again. The keys that came are a
// tree: below each are those that came next in some object. On a way down from the root no key comes twice,
// so that an object whose names are all in the tree has no duplicates. What a key has in a map is in the
// tree too, its string and its byte of the hash: an object whose names are predicted right takes neither
// hashes nor copies of its names.
//
// A key is found in a table by the key above and its name. It is learned when it comes for the second time.
// The tree belongs to the decoder, as its scratch does, and is bounded. It refers to the Go heap only.

const (
	logKeys      = 10           // the table has places for two to the power of so many keys
	longestKey   = 64           // bytes
	deepestKey   = 64           // keys of an object
	learnKeys    = 2 << logKeys // that a tree learns at most
	leastMember  = 5            // bytes of a member, with its comma
	renewalTexts = 1 << 12      // after so many texts a tree that has learned all that is dropped
)

// A key is a name that came after those above it in the tree.
type key struct {
	plan.Member // what it looks like in the input
	name        string
	control     byte // of its hash, for the seed of the tree
	used        bool // it was looked for since somebody else wanted its place
	depth       int  // how many keys an object has up to it
	id          uint64
	above       *key
	next        *key // which came below it lately
	first       *key // with which an object in its value lately began: a key below the root
	wide        int  // how many members an object had that lately began with it, if they were more than eight
	others      int  // likewise one in its value, with a name that isn't first
	ended       bool // an object has ended with it that was
	form        *smallmap.Form
}

// begins returns how many members the object in a value of k has whose first name is at i, if they seem to be
// more than eight, or else 0. It says so once for each object that has ended: of many within each other, each
// would get memory before any has shown what it needs.
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

// ends notes how many members the object had whose first name is at i, in a value of k.
func (k *key) ends(data []byte, i, members int) {
	wide := k.width(data, i)
	if *wide = 0; members > smallmap.Most {
		*wide = members
	}
}

// width returns where that is noted: with the first name, or for all that begin otherwise with k.
func (k *key) width(data []byte, i int) *int {
	if f := k.first; f != nil && f.Begins(data, i) {
		return &f.wide
	}
	return &k.others
}

// A keyTree is the keys that came.
type keyTree struct {
	seed  smallmap.Seed // of all maps with these keys
	root  key
	other key     // in place of the root in values of names that aren't in the tree
	types [16]key // in place of the root for maps of some type that are in no other, for what they begin with
	table [1 << logKeys]*key
	once  [256]uint32 // hashes of keys that came once
	left  int         // how many keys may be learned yet
	texts int         // since then
}

// newKeyTree returns a tree without keys.
func newKeyTree() *keyTree { return &keyTree{seed: smallmap.NewSeed(), left: learnKeys} }

// place returns the key in whose value maps of a plan seem to be that are in no other map.
func (t *keyTree) place(n *plan.Node) *key {
	return &t.types[uintptr(unsafe.Pointer(n))>>7%uintptr(len(t.types))]
}

// find returns the key below k with a name. It is learned if it can be, else there is none.
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

// formOf returns the form of maps with the keys up to k, if objects have ended there before.
func (t *keyTree) formOf(s *plan.Small, k *key) *smallmap.Form {
	if k.form == nil && k.ended {
		keys := make([]string, k.depth)
		for a := k; a.depth > 0; a = a.above {
			keys[a.depth-1] = a.name
		}
		k.form = s.NewForm(keys)
		t.left -= min(t.left, k.depth/8) // it takes as much memory as so many keys
	}
	k.ended = true
	return k.form
}

// learn adds a key if it came before, is not too long, and isn't one of those above. It has two places. A key
// that has one and was looked for since another wanted that keeps it.
//
//go:noinline
func (t *keyTree) learn(k *key, name []byte, hash uint64) *key {
	if t.left == 0 || len(name) > longestKey || k.depth == deepestKey {
		return nil
	}
	// Of keys that fall on one place either is remembered, so that both have their turn.
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

// nextKey finds the key for the name at i that wasn't predicted, below k, and returns where its value
// begins. It returns no key if the name isn't in the tree, and -1 if it is wrong.
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

// small returns how objects are read to new maps of a plan by keyMembers, nil if they can't be. Where names
// must be unique and different ones may give the same key they can't: the tree has keys.
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
