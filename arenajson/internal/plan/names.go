package plan

import (
	"math"
	"math/bits"
	"slices"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file finds the field for the name of a member, in three ways, each slower and rarer than the
// one before.
//
//	(1) Members mostly come in the same order. Each field knows the one that came after it
//	    last, and its form in the input, quotes and colon included: a name is found by
//	    comparing one to three words of the input with it.
//	(2) A hash table has all names, without collisions if possible. Another one has the
//	    learned names (see learned.go).
//	(3) By an option, or a field's tag, a name without a field is folded and looked up in
//	    a map of folded names. If it comes again it is learned, and found by (1).
//
// The options decide which field a name leads to, if any. The results of (1) and (2) are right for
// some options only, so each option.Matching has a Struct of its own.

// predictable reports whether a name may be in a text without escapes. If a text has it with
// escapes, it isn't predicted.
func predictable(name []byte) bool {
	for i := 0; ; {
		if i = text.Run(name, i); i == len(name) {
			return true
		}
		// Valid text beyond ASCII needs no escapes.
		j := text.SkipWide(name, i)
		if j == i {
			return false
		}
		i = j
	}
}

// predict prepares the prediction of a name. Names that need escapes have none.
func (p *Member) predict(name string) {
	b := mem.Bytes(name)
	if !predictable(b) {
		p.need = math.MaxInt // size stays 0
		return
	}
	p.Literal = `"` + name + `":`
	p.Size = len(p.Literal)
	p.need = max(p.Size, 8)
	// Zeros behind it, so that a word can be loaded from short names.
	b = append([]byte(p.Literal), make([]byte, 8)...)
	p.head, p.headMask = mem.Load64(b, 0), ^uint64(0)
	if p.Size < 8 {
		p.headMask >>= 64 - 8*uint(p.Size)
	} else {
		p.tail = mem.Load64(b, p.Size-8)
	}
	p.head &= p.headMask
}

// Predict prepares the prediction of a member with nothing but a name, such as the key of a map.
func Predict(p *Member, name string) { p.predict(name) }

// Begins reports whether the name may be at i, by its first eight bytes. It returns false near the
// end of the input, where a word can't be loaded. It must be inlined.
func (p *Member) Begins(data []byte, i int) bool {
	return len(data)-i >= p.need && mem.Load64(data, i)&p.headMask == p.head
}

// Ends compares the last eight bytes of a name longer than a word. It must be inlined.
func (p *Member) Ends(data []byte, i int) bool { return mem.Load64(data, i+p.Size-8) == p.tail }

// Middle compares the bytes between those of Begins and Ends, in a name longer than two words.
//
//go:noinline
func (p *Member) Middle(data []byte, i int) bool {
	return string(data[i+8:i+p.Size-8]) == p.Literal[8:p.Size-8]
}

// key returns the key of a name.
func (t *nameTable) key(name []byte) uint64 {
	if t.whole {
		return uint64(text.SecretHash(name))
	}
	return text.NameKey(name)
}

// AtEnd reports whether the name is at i, where the end of the input is too near for Begins, as in
// small texts.
func (p *Member) AtEnd(data []byte, i int) bool {
	rest := len(data) - i
	return rest < p.need && rest >= p.Size && p.Size > 0 && string(data[i:i+p.Size]) == p.Literal
}

// slot returns the first slot of the search for a key.
func (t *nameTable) slot(key uint64) int {
	key ^= key >> 29
	return int(key * t.seed >> t.shift)
}

// build fills the table. It tries some seeds, and larger tables, to avoid collisions; after 300
// attempts it accepts them, so that structs with many fields don't take forever. Names with the
// same beginning and end have the same key with any seed: then all bytes count.
func (t *nameTable) build(list []Field) {
	keys := make([]uint64, len(list))
	different := map[uint64]bool{}
	for i := range list {
		keys[i] = t.key([]byte(list[i].Tag.Name))
		different[keys[i]] = true
	}
	if len(different) < len(keys) && !t.whole {
		t.whole = true
		t.build(list)
		return
	}
	log := uint(bits.Len(uint(2 * len(list))))
	for try := uint64(1); ; try++ {
		t.seed = try*0xd1342543de82ef95 | 1
		t.shift = 64 - log
		if t.fill(keys, log) || try >= 300 {
			return
		}
		// No seed without collisions was found: try a larger table.
		if try%60 == 0 && log < 12 {
			log++
		}
	}
}

// fill fills the slots, and reports whether there were no collisions.
func (t *nameTable) fill(keys []uint64, log uint) (perfect bool) {
	t.slots = make([]int32, 1<<log)
	perfect = true
	for i, k := range keys {
		s := t.slot(k)
		for t.slots[s] != 0 {
			perfect = false
			s = (s + 1) & (len(t.slots) - 1)
		}
		t.slots[s] = int32(i + 1)
	}
	return perfect
}

// Find returns the index of the field with a name, or -1.
func (t *nameTable) Find(list []Field, name []byte) int {
	// If another name has its slot, it is in one of the next.
	for s := t.slot(t.key(name)); ; s = (s + 1) & (len(t.slots) - 1) {
		i := int(t.slots[s]) - 1
		if i < 0 || list[i].Tag.Name == string(name) {
			return i
		}
	}
}

// FindFolded returns the field for a name that matches none exactly, or nil, and whether there are
// several. scratch is memory for the folded name, which later calls use again.
func (s *Struct) FindFolded(name []byte, set option.Flags, scratch *[]byte) (found *Field, several bool) {
	if set&option.MatchCaseInsensitive == 0 && !s.casing {
		return nil, false
	}
	*scratch = text.Fold((*scratch)[:0], name)
	plain := option.Classic && set&option.Legacy != 0 // the original has no such tag options
	for _, f := range s.folded[string(*scratch)] {
		// The field's tag takes precedence over the option.
		if !plain && (f.casing == caseStrict || f.casing != caseIgnore && set&option.MatchCaseInsensitive == 0) {
			continue
		}
		// Version 1 doesn't ignore dashes and underscores.
		if set&option.Legacy != 0 && !text.EqualFold(name, f.Tag.Name) {
			continue
		}
		switch {
		case found == nil || plain && slices.Compare(f.index, found.index) < 0: // the original uses the struct's order
			found = f
		case !plain:
			return found, true
		}
	}
	return found, false
}
