package symbols

import (
	"go/types"
	"slices"
	"strings"

	"github.com/harena-go/arena/internal/diagnose/holder/dump"
	"github.com/harena-go/arena/internal/diagnose/source"
)

// This file finds the names of variables in programs without symbols. The lines whose code uses an
// address mention the variable that is there, and may mention others. It is one that all of them
// mention, of a type with a pointer at the place in question, and with pointers and other words where
// the GC's map of all variables has them.
//
// That isn't proof yet. What a pointer variable is known to point to is used at lines that mention
// only the pointer, as after p := &x, and there could be another variable on such a line. But that
// one is used somewhere, too: a variable that could as well be elsewhere isn't named. If several are
// left, all are: what is said may be vague, and must not be wrong.

// A sourceNames finds the names of variables.
type sourceNames struct{ *sourceUses }

// A spot is a variable and where it may be.
type spot struct {
	*source.Variable
	starts []uintptr // none if its size is unknown
}

// maxUses is how many used addresses before and behind one are tried.
const maxUses = 16

// variablesAt returns the variables that may be at an address. The nearest used addresses that tell
// anything decide, those before it first.
func (n *sourceNames) variablesAt(addr uintptr) []spot {
	// Down from the address: code that uses a part of a variable has its start, or that part's address.
	i := n.find(addr + 1)
	for range maxUses {
		if i == 0 {
			break
		}
		to := n.uses[i-1].addr
		if found := n.among(to, addr); len(found) > 0 {
			return found
		}
		i = n.find(to)
	}
	// Then up: another part of the variable may be used.
	i = n.find(addr + 1)
	for range maxUses {
		if i == len(n.uses) {
			break
		}
		to := n.uses[i].addr
		if found := n.among(to, addr); len(found) > 0 {
			return found
		}
		i = n.find(to + 1)
	}
	return nil
}

// among returns the variables that may be at addr, by the lines that use to, which is near. It returns
// none if too little is known of one that might be there.
func (n *sourceNames) among(to, addr uintptr) (found []spot) {
	for _, name := range n.sharedAt(to).all {
		v := n.reader.Variable(name)
		// A variable of unknown size can only be named by its own address.
		switch s := (spot{v, n.starts(v, to)}); {
		case !v.Known, v.Size == 0 && to != addr:
			return nil
		case v.Size > 0 && !s.covers(addr), n.elsewhere(s, addr):
		default:
			found = append(found, s)
		}
	}
	return found
}

// covers reports whether an address is in the variable, at each of the places where that may be.
func (s spot) covers(addr uintptr) bool {
	outside := func(start uintptr) bool { return addr-start >= s.Size }
	return len(s.starts) > 0 && !slices.ContainsFunc(s.starts, outside)
}

// maxWords is how many words of a part of a variable are tried as the one that is used.
const maxWords = 1 << 10

// starts returns where a variable may start if the address is in it: the address may be that of its
// first word, or of a word of the parts that lines with the address mention.
func (n *sourceNames) starts(v *source.Variable, addr uintptr) (starts []uintptr) {
	if v.Size == 0 {
		return nil
	}
	// Each offset that the address may have in the variable gives a place where it may start.
	offsets := []uintptr{0}
	for _, u := range n.usesAt(addr, addr+1) {
		for _, m := range n.mentions(u).all {
			if m.Name == v.Name {
				from, to := v.Part(m.Fields)
				to = min(to, from+maxWords*n.dump.WordSize)
				for o := from + addr%n.dump.WordSize; o < to; o += n.dump.WordSize {
					offsets = append(offsets, o)
				}
			}
		}
	}
	slices.Sort(offsets)
	for _, o := range slices.Compact(offsets) {
		if n.fits(v, addr-o) {
			starts = append(starts, addr-o)
		}
	}
	return starts
}

// fits reports whether a variable may start at an address: its pointers are where the dump has
// pointers, and each line that uses a part of it mentions it, or no variable.
func (n *sourceNames) fits(v *source.Variable, start uintptr) bool {
	s := n.segmentOf(start)
	if s == nil || start%n.dump.WordSize != 0 || start-s.Addr+v.Size > uintptr(len(s.Contents)) {
		return false
	}
	if n.isLiteral(v, start) {
		return false
	}
	// The GC's map of variables has all pointers: one more or one less, and it is another variable.
	var want []uintptr
	v.Pointers(func(offset uintptr) { want = append(want, start+offset) })
	if !slices.Equal(want, n.pointersIn(s, start, start+v.Size)) {
		return false
	}
	for _, u := range n.usesAt(start, start+v.Size) {
		all := n.mentions(u).all
		ofPart := func(m source.Mention) bool {
			from, to := v.Part(m.Fields)
			return m.Name == v.Name && (u.addr == start || u.addr-start-from < to-from)
		}
		if !slices.ContainsFunc(all, ofPart) && n.mentionAny(all) {
			return false
		}
	}
	return true
}

// isLiteral reports whether a variable at an address would be what the variable itself points to, as
// with var x = &T{m: f()}: the line that declares it uses both.
func (n *sourceNames) isLiteral(v *source.Variable, start uintptr) bool {
	size := v.Pointee()
	if size == 0 {
		return false
	}
	at, to := n.pointerBefore(start)
	return at != 0 && at != start && start-to < size && slices.Contains(n.sharedAt(at).all, v.Name)
}

// pointersIn returns the addresses of the pointers between two in a segment.
func (n *sourceNames) pointersIn(s *dump.Segment, from, to uintptr) (all []uintptr) {
	n.dump.Offsets(*s, func(offset uintptr) bool {
		if s.Addr+offset >= from && s.Addr+offset < to {
			all = append(all, s.Addr+offset)
		}
		return s.Addr+offset < to
	})
	return all
}

// elsewhere reports whether a variable might be somewhere else than around an address: at another
// address that lines use which mention it, unless that must be another variable.
func (n *sourceNames) elsewhere(s spot, addr uintptr) bool {
	around := func(start uintptr) bool { return addr-start < s.Size }
	return n.anyUse(s.Name, func(at uintptr) bool {
		sameVariable := func(start uintptr) bool { return at-start < s.Size && around(start) }
		if at == addr || slices.ContainsFunc(s.starts, sameVariable) {
			return false
		}
		names := n.sharedAt(at).all
		if !slices.Contains(names, s.Name) || s.Size > 0 && len(n.starts(s.Variable, at)) == 0 {
			return false
		}
		// Another name in these lines that has no place of its own is what is there.
		homeless := func(name source.Name) bool { return name != s.Name && !n.hasPlace(name) }
		return !slices.ContainsFunc(names, homeless)
	})
}

// hasPlace reports whether there is an address that only this variable can be at.
func (n *sourceNames) hasPlace(name source.Name) bool {
	return n.anyUse(name, func(at uintptr) bool {
		names := n.sharedAt(at).all
		return len(names) == 1 && names[0] == name
	})
}

// maxNames is how many names a variable may have. If more are possible none is said.
const maxNames = 3

// maxBehind is how many pointers from a variable to others without names are followed.
const maxBehind = 3

// describe says what is at an address, and returns the type of the word there, nil if it isn't known.
// behind is how many pointers may be followed.
func (n *sourceNames) describe(addr uintptr, behind int) (found Variable, t types.Type, ok bool) {
	spots := n.variablesAt(addr)
	if len(spots) == 0 || len(spots) > maxNames {
		return n.describeBehind(addr, behind)
	}
	var all []string
	for _, s := range spots {
		all = append(all, s.Name.String())
	}
	found.Name, found.Addr = strings.Join(all, " or "), addr
	if len(spots) > 1 {
		return found, nil, true
	}
	// The part of the variable is known only with its start.
	v := spots[0]
	found.Type = v.Type
	if len(v.starts) == 1 {
		found.Addr, found.Offset = v.starts[0], addr-v.starts[0]
		found.Field, t = v.At(found.Offset)
	}
	return found, t, true
}

// describeBehind describes what only a pointer in a variable leads to, as with var x = &T{...}, as a
// part of that variable.
func (n *sourceNames) describeBehind(addr uintptr, behind int) (Variable, types.Type, bool) {
	at, start := n.pointerBefore(addr)
	if at == 0 || behind == 0 {
		return Variable{}, nil, false
	}
	v, t, ok := n.describe(at, behind-1)
	if ok && t != nil {
		if p, isPointer := t.Underlying().(*types.Pointer); isPointer {
			elem := n.reader.Whole(p.Elem())
			if addr-start < source.Size(elem) {
				field, t := source.At(elem, addr-start)
				v.Field, v.Offset = v.Field+field, addr-start
				return v, t, true
			}
		}
	}
	return Variable{}, nil, false
}

// pointerBefore returns the pointer in a variable that leads to the nearest place up to an address, in
// the same segment, and where it leads to; zeros if there is none.
func (n *sourceNames) pointerBefore(addr uintptr) (at, to uintptr) {
	for _, s := range n.dump.Variables {
		n.dump.Pointers(s, func(offset, p uintptr) bool {
			if p <= addr && p > to && n.segmentOf(p) == n.segmentOf(addr) {
				at, to = s.Addr+offset, p
			}
			return true
		})
	}
	return at, to
}
