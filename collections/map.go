package collections

import (
	"iter"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/engine/hash"
	"github.com/harena-go/arena/internal/tuning"
)

// A Map is a hash table in an arena, with the semantics of Go's map: keys may have any comparable
// type and are compared with ==; a key that isn't equal to itself, such as NaN, makes a new entry
// each time, which only iteration finds; and a key with a value in an interface that can't be
// compared, such as a slice, panics.
//
// [NewMap] makes a Map. The zero Map is an empty one on the Go heap, ready to use. A Map must not
// be copied after its first use. It belongs to one goroutine at a time; several may read it while
// none writes. It ends with its memory, at the next Reset. After Free it can be used until it needs
// more memory; then it panics as allocating does.
//
// All operations on a key take constant time on average. One Set in many doubles the index, at
// about a nanosecond for each entry. An entry takes the size of a struct of key and value and, on
// average, 16 bytes of the index (11 to 21), as many as in Go's map for keys and values of 8 bytes
// each; up to 16 entries need no index. Entries hardly ever move: growing leaves behind in the
// arena only the old indexes, together as large as the last one, and copies of at most the first
// 512 entries. An empty Map takes about 270 bytes.
type Map[K comparable, V any] struct {
	_ noCopy
	_ cloning[Map[K, V]]
	_ mapCoding[K, V]

	arena *arena.Arena
	n     int // entries
	tags      // of up to tuning.SmallLen entries; after that, index
	index
	hasher hash.Hasher
	entries[K, V]
}

// noCopy makes go vet report copies of a type with this field.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// NewMap returns an empty map in a with room for about hint entries. It panics if hint is negative,
// or above the maximum, and as [arena.New] does.
func NewMap[K comparable, V any](a *arena.Arena, hint int) *Map[K, V] {
	checkHint("NewMap", hint)
	m := arena.New[Map[K, V]](a)
	m.init(a, hint)
	return m
}

// checkHint panics if hint isn't a possible number of entries.
func checkHint(op string, hint int) {
	if uint(hint) > maxEntries {
		panicRange(op+": hint", hint, maxEntries)
	}
}

// init initializes a zero Map in an arena.
func (m *Map[K, V]) init(a *arena.Arena, hint int) {
	m.arena = a
	m.hasher = hash.New[K]()
	if hint > tuning.SmallLen {
		m.index = newIndex(a, homesFor(hint))
	}
	if hint > 0 {
		m.more(a, hint)
	}
}

// Len returns the number of entries.
func (m *Map[K, V]) Len() int { return m.n }

// Get returns the value of k, and whether there is one.
func (m *Map[K, V]) Get(k K) (v V, ok bool) {
	if e := m.find(k); e != nil {
		return e.value, true
	}
	return
}

// Has reports whether there is an entry for k.
func (m *Map[K, V]) Has(k K) bool { return m.find(k) != nil }

// find returns the entry of k, or nil. It is search without the slot.
func (m *Map[K, V]) find(k K) *entry[K, V] {
	var h uint32
	switch p := unsafe.Pointer(&k); { // as hash, but inlined
	case m.hasher.Kind == hash.Word && unsafe.Sizeof(k) == 8:
		h = m.hasher.Word64(*(*uint64)(p)) | 1
	case m.hasher.Kind == hash.String && unsafe.Sizeof(k) == unsafe.Sizeof(""):
		h = m.hasher.Text(*(*string)(p)) | 1
	default:
		h = m.hash(k)
	}
	if m.none() { // as searchTags, but inlined
		tag := everywhere(tagOf(h))
		for w := range m.tags {
			for found := m.matches(w, tag); found != 0; found &= found - 1 {
				if e := m.at(first(w, found)); e.key == k {
					return e
				}
			}
		}
		return nil
	}
	t := uint64(h) << 32
	for i := m.home(h); ; i++ {
		s := m.slots[i]
		if s < t {
			return nil
		}
		if uint32(s>>32) == h {
			if e := m.at(uint32(s)); e.key == k {
				return e
			}
		}
	}
}

// searchTags is search while there is no index. It returns the number of the entry.
func (m *Map[K, V]) searchTags(h uint32, k K) (int, *entry[K, V]) {
	tag := everywhere(tagOf(h))
	for w := range m.tags {
		for found := m.matches(w, tag); found != 0; found &= found - 1 {
			i := first(w, found)
			if e := m.at(i); e.key == k {
				return int(i), e
			}
		}
	}
	return 0, nil
}

// search returns the slot and the entry of k, or the place for its slot and nil.
func (m *Map[K, V]) search(h uint32, k K) (int, *entry[K, V]) {
	if m.none() {
		return m.searchTags(h, k)
	}
	t := uint64(h) << 32
	for i := m.home(h); ; i++ {
		s := m.slots[i]
		if s < t {
			return i, nil
		}
		if uint32(s>>32) == h {
			if e := m.at(uint32(s)); e.key == k {
				return i, e
			}
		}
	}
}

// hash returns the hash of k, which is odd: a slot with it isn't 0.
func (m *Map[K, V]) hash(k K) uint32 { return hash.Of(&m.hasher, k) | 1 }

// Set sets the value of k to v. Like Go's map, Set stores the new key over an equal one
// (+0 and -0, strings in different places).
func (m *Map[K, V]) Set(k K, v V) {
	e, found := m.place(k)
	e.value = v
	if found && m.hasher.Kind.Distinguishes() {
		e.key = k
	}
}

// place returns the entry of k, which it makes if there is none.
func (m *Map[K, V]) place(k K) (e *entry[K, V], found bool) {
	if m.hasher.Kind == hash.None {
		m.hasher = hash.New[K]()
	}
	h := m.hash(k)
	i, e := m.search(h, k)
	if e != nil {
		return e, true
	}
	m.reserve(m.arena) // it may panic, as growing may: nothing has changed yet
	if m.n == tuning.SmallLen && m.none() {
		m.begin()
		i = m.home(h)
	}
	for !m.none() && m.full() {
		m.index = m.grown(m.arena)
		i = m.home(h)
	}
	number := m.next()
	if m.none() {
		m.tags.set(number, h)
	} else {
		m.insert(i, uint64(h)<<32|uint64(number))
	}
	m.n++
	e = m.at(number)
	e.key = k
	return e, false
}

// begin makes the first index, from the entries with tags.
//
//go:noinline
func (m *Map[K, V]) begin() {
	x := newIndex(m.arena, tuning.MinHomes)
	for i := range uint32(tuning.SmallLen) {
		h := m.hash(m.at(i).key)
		x.insert(x.home(h), uint64(h)<<32|uint64(i))
	}
	m.index = x
	m.tags = tags{}
}

// Ref returns a pointer to the value of k, which it sets to zero if there is none. It saves a
// second search when a value is changed, as in *m.Ref(word)++. The pointer is valid until the next
// entry is added, or this one is deleted.
func (m *Map[K, V]) Ref(k K) *V {
	e, found := m.place(k)
	if !found {
		var zero V
		e.value = zero
	}
	return &e.value
}

// LoadOrStore returns the value of k if there is one, with true. Else it sets it to v, and returns
// v.
func (m *Map[K, V]) LoadOrStore(k K, v V) (actual V, loaded bool) {
	e, found := m.place(k)
	if !found {
		e.value = v
	}
	return e.value, found
}

// Swap sets the value of k to v, and returns the previous one, if any.
func (m *Map[K, V]) Swap(k K, v V) (previous V, loaded bool) {
	e, found := m.place(k)
	if found {
		previous = e.value
	}
	e.value = v
	return previous, found
}

// Delete deletes the entry of k, if there is one. It neither takes nor returns memory, but the room
// of the entry is reused.
func (m *Map[K, V]) Delete(k K) { m.LoadAndDelete(k) }

// LoadAndDelete deletes the entry of k, and returns its value, if any.
func (m *Map[K, V]) LoadAndDelete(k K) (value V, loaded bool) {
	h := m.hash(k)
	if m.n == 0 {
		return
	}
	i, e := m.search(h, k)
	if e == nil {
		return
	}
	value = e.value
	number := uint32(i)
	if m.none() {
		m.tags.remove(number)
	} else {
		number = uint32(m.slots[i])
		m.index.remove(i)
	}
	m.entries.remove(number)
	m.n--
	return value, true
}

// Clear deletes all entries, even those that can't be found by their keys. It keeps the memory for
// other entries. It takes time in proportion to the largest number of entries since the last Clear.
func (m *Map[K, V]) Clear() {
	if m.used >= len(m.slots)/clearShare || !m.removeSlots() {
		m.index.clear()
	}
	m.entries.clear()
	m.tags = tags{}
	m.n = 0
}

// clearShare is the number of slots that are cleared in the time of hashing a key and finding its
// slot.
const clearShare = 32

// removeSlots removes the slots of all entries, one by one. It reports whether it has found them:
// those of keys like NaN can be anywhere.
func (m *Map[K, V]) removeSlots() bool {
	for i := range m.used {
		if m.live(i) && !m.empty(m.hash(m.at(uint32(i)).key), uint32(i)) {
			return false
		}
	}
	m.room = roomFor(m.homes())
	return true
}

// Clone returns a copy of the map in a, which may differ from the map's arena. Keys and values are
// copied by assignment.
func (m *Map[K, V]) Clone(a *arena.Arena) *Map[K, V] {
	c := NewMap[K, V](a, m.n)
	c.Insert(m.All())
	return c
}

// Equal reports whether two maps have the same keys, with values that are equal according to eq, as
// [maps.EqualFunc] does.
func (m *Map[K, V]) Equal(other *Map[K, V], eq func(v, w V) bool) bool {
	if m.Len() != other.Len() {
		return false
	}
	for k, v := range m.All() {
		if w, ok := other.Get(k); !ok || !eq(v, w) {
			return false
		}
	}
	return true
}

// All returns an iterator over the entries, in no particular order. The map may be changed
// meanwhile. It doesn't produce entries deleted before it reaches them, may produce entries added
// meanwhile, and produces none twice.
func (m *Map[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		// Entries don't move, so iterating over their numbers is enough. Entries added at the end
		// are left out, so that a loop that adds some ends.
		for i, end := 0, m.used; i < min(end, m.used); i++ {
			if m.live(i) {
				if e := m.at(uint32(i)); !yield(e.key, e.value) {
					return
				}
			}
		}
	}
}

// Keys returns an iterator over the keys, as [Map.All].
func (m *Map[K, V]) Keys() iter.Seq[K] {
	return func(yield func(K) bool) {
		for k := range m.All() {
			if !yield(k) {
				return
			}
		}
	}
}

// Values returns an iterator over the values, as [Map.All].
func (m *Map[K, V]) Values() iter.Seq[V] {
	return func(yield func(V) bool) {
		for _, v := range m.All() {
			if !yield(v) {
				return
			}
		}
	}
}

// Insert sets all entries of seq, as maps.Insert does.
func (m *Map[K, V]) Insert(seq iter.Seq2[K, V]) {
	for k, v := range seq {
		m.Set(k, v)
	}
}
