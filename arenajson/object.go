package arenajson

import (
	"errors"
	"sync/atomic"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file holds how objects go to structs.

// object reads an object to the struct at p.
func (d *decoder) object(n *node, p unsafe.Pointer, i int) int {
	data, s := d.data, n.fields
	if uint(i) >= uint(len(data)) || data[i] != '{' {
		return d.notObject(n, p, i)
	}
	if s.err != nil && d.flags&option.Legacy == 0 {
		return d.misfit(s.culprit, i, i, '{', s.err)
	}
	if !d.enter() {
		return -1
	}
	i = text.SkipSpace(data, i+1)
	if uint(i) < uint(len(data)) && data[i] == '}' {
		d.depth++
		return i + 1
	}
	m := memberState{n: n, p: p, names: -1, bits: len(d.bits)}
	next := &s.first
	var seen uint64 // ids below 64
	unique := d.flags&option.AllowDuplicateNames == 0
	for {
		f := next.Load()
		if f != nil && f.begins(data, i) && (f.size <= 8 || f.ends(data, i) && (f.size <= 16 || f.middle(data, i))) {
			i = text.SkipSpace(data, i+f.size)
		} else if f, i = d.member(&m, next, i); f == nil {
			if i < 0 {
				break
			}
			goto delimiter
		}
		next = &f.next
		if bit := uint64(1) << (f.id & 63); !unique || f.id < 64 && seen&bit == 0 {
			seen |= bit
		} else if f.id < 64 || !d.firstOf(&m, f.id) {
			i = d.duplicate(i)
			break
		}
		if f.direct {
			i = d.value(f.node, mem.Add(p, f.off), i)
		} else if f.node == nil {
			i = d.passMember(&m, f, i)
		} else {
			i = d.indirect(&m, f, i)
		}
		if i < 0 {
			break
		}
	delimiter:
		if i = text.SkipSpace(data, i); uint(i) < uint(len(data)) && data[i] == ',' {
			i = text.SkipSpace(data, i+1)
			continue
		}
		if uint(i) < uint(len(data)) && data[i] == '}' {
			i++
		} else {
			i = -1
		}
		break
	}
	d.depth++
	d.bits = d.bits[:m.bits]
	if m.names >= 0 {
		d.closeNames(&d.sets[m.names])
		d.sets = d.sets[:m.names]
	}
	return i
}

// A memberState is what the rare cases of object need.
type memberState struct {
	n     *node
	p     unsafe.Pointer
	names int // index in decoder.sets of the names of members without a field, or -1
	bits  int // where those of this struct begin in decoder.bits
}

// member finds the field for the name at i that wasn't predicted, and returns where its value
// begins. Without a field the member is dealt with, and ends where is returned.
//
//go:noinline
func (d *decoder) member(m *memberState, next *atomic.Pointer[member], i int) (*member, int) {
	start, s := i, m.n.fields
	name, i := d.text(i)
	if i < 0 {
		return nil, -1
	}
	var f *member
	if k := s.names.find(s.list, name); k >= 0 {
		f = &s.list[k].member
	} else {
		f = s.others.find(name)
	}
	if f != nil {
		next.Store(f)
	} else {
		folded, several := s.findFolded(name, d.flags, &d.folded)
		if several && d.flags&option.Legacy == 0 {
			return nil, d.misfit(m.n.typ, start, start, '"', errAmbiguous)
		}
		if folded == nil {
			return nil, d.unknown(m, name, start, i)
		}
		f = &folded.member
	}
	v, ok := d.colon(i)
	if !ok {
		return nil, -1
	}
	return f, v
}

var (
	errAmbiguous = errors.New("ambiguous object member name")
	errNilField  = errors.New("cannot set embedded pointer to unexported struct type")
)

// errUnknownName is package arenajson's ErrUnknownName.
var errUnknownName = errors.New("unknown object member name")

// unknown deals with a member without a field, whose name begins and ends there.
func (d *decoder) unknown(m *memberState, name []byte, start, i int) int {
	rest := m.n.fields.rest
	if d.flags&option.RejectUnknown != 0 && rest == nil && m.n.kind != kindSkipped {
		if d.misfit(m.n.typ, i, start, '"', errUnknownName) < 0 {
			return -1
		}
	}
	if d.flags&option.AllowDuplicateNames == 0 {
		if m.names < 0 {
			m.names = len(d.sets)
			d.sets = append(d.sets, d.openNames())
		}
		if !d.addName(&d.sets[m.names], name, start+1, !text.Within(d.data, name, start+1)) {
			return d.duplicateAt(start)
		}
	}
	v, ok := d.colon(i)
	switch {
	case !ok:
		return -1
	case rest == nil:
		m.n.fields.learn(name)
		return d.skip(v)
	}
	return d.toRest(m, rest, string(name), v)
}

// firstOf notes that a member with a large id was seen, and says whether it wasn't yet.
func (d *decoder) firstOf(m *memberState, id uint32) bool {
	at := m.bits + int(id/64)
	for len(d.bits) <= at {
		d.bits = append(d.bits, 0)
	}
	word, bit := &d.bits[at], uint64(1)<<(id%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}

// duplicate reports that the member whose value is at i is the second of its name.
func (d *decoder) duplicate(i int) int {
	start, _ := d.nameBefore(i)
	return d.duplicateAt(start)
}

// indirect reads the value at i to a field of a struct to which pointers lead.
func (d *decoder) indirect(m *memberState, f *member, i int) int {
	p := m.p
	for _, s := range f.path {
		at := mem.Add(p, s.off)
		p = mem.Get[unsafe.Pointer](at)
		if p != nil {
			continue
		}
		if s.closed {
			return d.misfitValue(m.n.typ, i, errNilField)
		}
		p = arena.NewType(d.a, s.key)
		mem.Set(at, p)
	}
	return d.value(f.node, mem.Add(p, f.off), i)
}

// notObject is object for what isn't one.
//
//go:noinline
func (d *decoder) notObject(n *node, p unsafe.Pointer, i int) int {
	if end := d.word(i, "null"); end >= 0 {
		if d.flags&option.Legacy == 0 {
			setZero(n, p)
		}
		return end
	}
	return d.mismatchToken(n.typ, i, nil)
}
