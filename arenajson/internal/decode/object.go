package decode

import (
	"errors"
	"sync/atomic"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file decodes objects into structs.
//
// The name of a member is compared with the predicted one, a few words of the input at a time. If
// it differs it is looked up, and the prediction changes: each member predicts the one that came
// after it last. A wrong prediction costs a hash and a search, and changes no result. Learned
// names, which match a field only by case folding or no field at all, are predicted too.
//
// Fields and learned names have numbers, which find a second member of the same name: a bit of one
// word for the first 64, a list of words for the others. Names without a number go to a set
// (syntax.NameSet), which is made for the first of them.

// object decodes an object into the struct at p. It also skips objects; then the plan has no fields
// and p is nil.
//
// It is the hottest function, and a single one: it compares the predicted name in the loop, and
// only rare cases leave it. At the end it returns its parts of the decoder's lists.
func (d *decoder) object(n *plan.Node, p unsafe.Pointer, i int) int {
	data, s := d.Data, n.Fields.In(d.matching)
	if uint(i) >= uint(len(data)) || data[i] != '{' {
		return d.notObject(n, p, i)
	}
	// Wrong tags, which are no error with the options of v1.
	if s.Err != nil && d.Flags&option.Legacy == 0 {
		return d.misfit(s.Culprit, i, i, '{', s.Err)
	}
	if !d.Enter() {
		return -1
	}
	i = text.SkipSpace(data, i+1)
	if uint(i) < uint(len(data)) && data[i] == '}' {
		d.Depth++
		return i + 1
	}
	m := memberState{n: n, s: s, p: p, names: -1, bits: len(d.bits)}
	next := &s.First
	var seen uint64 // ids below 64
	unique := d.Flags&option.AllowDuplicateNames == 0
	for {
		// The name that came here the last time, if it matches.
		f := next.Load()
		if f != nil && f.Begins(data, i) && (f.Size <= 8 || f.Ends(data, i) && (f.Size <= 16 || f.Middle(data, i))) {
			i = text.SkipSpace(data, i+f.Size)
		} else if f, i = d.member(&m, next, i); f == nil {
			if i < 0 {
				break
			}
			// The member is done; a delimiter comes next.
			goto delimiter
		}
		next = &f.Next
		// It must be the first of its name, if names are unique.
		if bit := uint64(1) << (f.ID & 63); !unique || f.ID < 64 && seen&bit == 0 {
			seen |= bit
		} else if f.ID < 64 || !d.firstOf(&m, f.ID) {
			i = d.duplicate(i)
			break
		}
		// A field of the struct, a name without a field, or a field behind pointers.
		if f.Direct {
			i = d.value(f.Node, mem.Add(p, f.Off), i)
		} else if f.Node == nil {
			i = d.passMember(&m, f, i)
		} else {
			i = d.indirect(&m, f, i)
		}
		if i < 0 {
			break
		}
	delimiter:
		if uint(i) < uint(len(data)) && data[i] == ',' { // mostly without white space
			i = text.SkipSpace(data, i+1)
			continue
		}
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
	d.Depth++
	d.bits = d.bits[:m.bits]
	if m.names >= 0 {
		d.CloseNames(&d.sets[m.names])
		d.sets = d.sets[:m.names]
	}
	return i
}

// A memberState is the state of object for its rare cases, in one place.
type memberState struct {
	n     *plan.Node
	s     *plan.Struct // n.Fields for the options
	p     unsafe.Pointer
	names int // index in decoder.sets of the names of members without a field, or -1
	bits  int // start of this struct's words in decoder.bits
}

// member finds the field for the name at i that object hasn't found, and returns the start of its
// value. next is the prediction of the member before, which it updates. It handles a member without
// a field itself, and then returns nil and the member's end.
//
//go:noinline
func (d *decoder) member(m *memberState, next *atomic.Pointer[plan.Member], i int) (*plan.Member, int) {
	if f := next.Load(); f != nil && f.AtEnd(d.Data, i) {
		return f, text.SkipSpace(d.Data, i+f.Size)
	}
	start, s := i, m.s
	name, i := d.Text(i)
	if i < 0 {
		return nil, -1
	}
	var f *plan.Member
	// Either a field has the name, or it was learned.
	if k := s.Names.Find(s.List, name); k >= 0 {
		f = &s.List[k].Member
	} else {
		f = s.Others.Find(name)
	}
	if f != nil {
		next.Store(f)
	} else {
		// With an option the name may match a field but for case.
		folded, several := s.FindFolded(name, d.Flags, &d.folded)
		if several && d.Flags&option.Legacy == 0 {
			return nil, d.misfit(m.n.Type, start, start, '"', errAmbiguous)
		}
		if folded == nil {
			return nil, d.unknown(m, name, start, i)
		}
		f = &folded.Member
		if learned := s.Learn(name, folded); learned != nil {
			f = learned
			next.Store(f)
		}
	}
	v, ok := d.Colon(i)
	if !ok {
		return nil, -1
	}
	return f, v
}

// The faults of a struct for some names.
var (
	errAmbiguous = errors.New("ambiguous object member name")
	errNilField  = errors.New("cannot set embedded pointer to unexported struct type")
)

// ErrUnknownName is for members without a field, if these are refused. Package arenajson has one of
// its own.
var ErrUnknownName = errors.New("unknown object member name")

// unknown handles a member without a field, whose name is at start and ends at i. It refuses the
// member, adds it to the map for such members, or skips and learns it.
func (d *decoder) unknown(m *memberState, name []byte, start, i int) int {
	rest := m.s.Rest
	if d.Flags&option.RejectUnknown != 0 && rest == nil && m.n.Kind != plan.KindSkipped {
		if d.misfit(m.n.Type, i, start, '"', ErrUnknownName) < 0 {
			return -1
		}
	}
	if d.Flags&option.AllowDuplicateNames == 0 {
		// The first name without a field begins the set of such names.
		if m.names < 0 {
			m.names = len(d.sets)
			d.sets = append(d.sets, d.OpenNames())
		}
		if !d.AddName(&d.sets[m.names], name, start+1, !text.Within(d.Data, name, start+1)) {
			return d.duplicateAt(start)
		}
	}
	v, ok := d.Colon(i)
	switch {
	case !ok:
		return -1
	case rest == nil:
		m.s.Learn(name, nil)
		return d.Skip(v)
	}
	return d.toRest(m, rest, string(name), d.Data[start:i], v)
}

// firstOf marks the member with a large number as seen, and reports whether it is the first.
func (d *decoder) firstOf(m *memberState, id uint32) bool {
	at := m.bits + int(id/64)
	// Each open struct has its words in the list, from m.bits on.
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

// duplicate reports that the member whose value is at i has the name of an earlier one.
func (d *decoder) duplicate(i int) int {
	// Find the name from its value.
	start, _ := d.NameBefore(i)
	return d.duplicateAt(start)
}

// indirect decodes the value at i into a field behind pointers. Nil pointers get a struct in the
// arena, unless their type isn't exported, which is an error.
func (d *decoder) indirect(m *memberState, f *plan.Member, i int) int {
	p := m.p
	for _, s := range f.Path {
		at := mem.Add(p, s.Off)
		p = mem.Get[unsafe.Pointer](at)
		if p != nil {
			continue
		}
		if s.Closed {
			return d.misfitValue(m.n.Type, i, errNilField)
		}
		p = s.Key.New(d.a)
		mem.Set(at, p)
	}
	return d.value(f.Node, mem.Add(p, f.Off), i)
}

// notObject is object for other kinds of values. null makes the struct zero, or leaves it
// unchanged.
//
//go:noinline
func (d *decoder) notObject(n *plan.Node, p unsafe.Pointer, i int) int {
	if end := d.Word(i, "null"); end >= 0 {
		if d.Flags&option.Legacy == 0 {
			setZero(n, p)
		}
		return end
	}
	return d.mismatchToken(n.Type, i, nil)
}
