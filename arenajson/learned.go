package arenajson

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/harena-go/arena/arenajson/internal/number"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file holds how names without a field are learned. A program that wants few members of
// large objects would look up, hash and compare all other names, to find duplicates; but those
// names come again and again, and in the same order. Once a name is learned it is predicted as
// that of a field is, and has a number as that has, by which a second one is noticed.
//
// What is learned is never forgotten, so that a name that has a number in the beginning of an
// object has it to the end. It is bounded for each type: by what names cost, and by
// learning those only that come twice, which keys of data mostly don't.

// A vocabulary is the names without a field of the objects for one plan. They may be looked up
// by any goroutine while one learns.
type vocabulary struct {
	table  atomic.Pointer[[]atomic.Pointer[member]] // by secretHash; at least half of it is nil
	count  int                                      // of names; under memory.mu
	memory *learning
}

// A learning is what the vocabularies of a struct and of all objects within share.
type learning struct {
	mu   sync.Mutex
	left atomic.Int32 // bytes that may be spent yet
	once [256]atomic.Uint32
}

const (
	learnBytes  = 64 << 10 // for a type
	longestName = 64       // of those that are learned
	nameCost    = 192      // bytes for a name beyond its own, with its part of a table
	insideCost  = 384      // for the plan of the objects in a value
)

func newLearning() *learning {
	l := new(learning)
	l.left.Store(learnBytes)
	return l
}

// spend says whether there are so many bytes left, and takes them.
func (l *learning) spend(n int) bool {
	if l.left.Add(int32(-n)) >= 0 {
		return true
	}
	l.left.Add(int32(n))
	return false
}

// again says whether a name came before, as far as is remembered. Of names that fall on one
// place either is remembered, so that both have their turn.
func (l *learning) again(hash uint32) bool {
	p := &l.once[hash>>24]
	if before := p.Load(); before == hash {
		return true
	} else if before == 0 || rand.Uint32()&1 == 0 {
		p.Store(hash)
	}
	return false
}

// find returns what is learned of a name, or nil.
func (v *vocabulary) find(name []byte) *member {
	t := v.table.Load()
	if t == nil || len(name) > longestName {
		return nil
	}
	for i, slots := text.SecretHash(name), *t; ; i++ {
		f := slots[i&uint32(len(slots)-1)].Load()
		if f == nil || f.literal[1:len(f.literal)-2] == string(name) {
			return f
		}
	}
}

// learn learns a name for which there is no field, if it came before.
func (s *structPlan) learn(name []byte) {
	l := s.others.memory
	if len(name) > longestName || l.left.Load() < nameCost || text.Run(name, 0) < len(name) || !l.again(text.SecretHash(name)) {
		return
	}
	if s.folded[string(text.Fold(nil, name))] != nil { // there is a field, with some options
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.others.find(name) == nil && l.spend(nameCost+len(name)) {
		s.others.add(string(name), len(s.list))
	}
}

// add adds a name behind the fields, of which there are so many.
func (v *vocabulary) add(name string, fields int) {
	f := &member{id: uint32(fields + v.count)}
	f.predict(name)
	v.count++
	old := v.table.Load()
	if old != nil && 2*v.count <= len(*old) {
		putMember(*old, f)
		return
	}
	slots := make([]atomic.Pointer[member], 8)
	if old != nil {
		slots = make([]atomic.Pointer[member], 2*len(*old))
		for i := range *old {
			if g := (*old)[i].Load(); g != nil {
				putMember(slots, g)
			}
		}
	}
	putMember(slots, f)
	v.table.Store(&slots)
}

// putMember puts a name where find finds it.
func putMember(slots []atomic.Pointer[member], f *member) {
	i := text.SecretHash([]byte(f.literal[1 : len(f.literal)-2]))
	for slots[i&uint32(len(slots)-1)].Load() != nil {
		i++
	}
	slots[i&uint32(len(slots)-1)].Store(f)
}

// passMember passes over the value at i of a name without a field that is learned. The caller has
// looked for a second of the name among those that are.
func (d *decoder) passMember(m *memberState, f *member, i int) int {
	if (d.flags&option.RejectUnknown != 0 || m.names >= 0) && !d.mayPass(m, f, i) {
		return -1
	}
	switch c := d.peek(i); c {
	case '"':
		return d.skipText(i)
	case '{', '[':
		if d.peek(i+1) == c+2 && d.depth > 0 { // empty: the closing bracket is two behind the opening one
			return i + 2
		}
		n := f.inside.Load()
		if n == nil && d.hasNames(c, i) {
			n = m.n.fields.others.memory.newInside(f)
		}
		if n == nil {
			return d.skip(i)
		}
		return d.pass(n, i)
	case 't', 'f', 'n':
		return d.skip(i)
	}
	return number.Skip(d.data, i)
}

// pass is skip where n has learned what names the objects have in such a value.
func (d *decoder) pass(n *node, i int) int {
	switch d.peek(i) {
	case '{':
		return d.object(n, nil, i)
	case '[':
		return d.passArray(n, i)
	}
	return d.skip(i)
}

// passArray is pass for an array.
func (d *decoder) passArray(n *node, i int) int {
	if !d.enter() {
		return -1
	}
	data := d.data
	i = text.SkipSpace(data, i+1)
	if uint(i) < uint(len(data)) && data[i] == ']' {
		d.depth++
		return i + 1
	}
	for {
		if i = d.pass(n, i); i < 0 {
			return -1
		}
		i = text.SkipSpace(data, i)
		switch {
		case uint(i) >= uint(len(data)):
			return -1
		case data[i] == ',':
			i = text.SkipSpace(data, i+1)
		case data[i] == ']':
			d.depth++
			return i + 1
		default:
			return -1
		}
	}
}

// hasNames says whether the object or array at i, which begins with c, may have names to learn.
func (d *decoder) hasNames(c byte, i int) bool {
	next := d.peek(text.SkipSpace(d.data, i+1))
	return c == '{' && next == '"' || c == '[' && (next == '{' || next == '[')
}

// mayPass says whether passMember may do so, where that isn't always the case: names may be refused,
// and this one came before in the object if it wasn't learned then.
//
//go:noinline
func (d *decoder) mayPass(m *memberState, f *member, i int) bool {
	if d.flags&option.RejectUnknown != 0 && m.n.kind != kindSkipped {
		start, end := d.nameBefore(i)
		if d.misfit(m.n.typ, end, start, '"', errUnknownName) < 0 {
			return false
		}
	}
	if m.names >= 0 && d.has(&d.sets[m.names], []byte(f.literal[1:len(f.literal)-2])) {
		d.duplicate(i)
		return false
	}
	return true
}

// newInside returns the plan for objects in the values of a name, or nil if there is no more
// memory for it.
func (l *learning) newInside(f *member) *node {
	if l.left.Load() < insideCost {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := f.inside.Load(); n != nil || !l.spend(insideCost) {
		return n
	}
	s := &structPlan{others: vocabulary{memory: l}}
	s.names.build(nil)
	f.inside.Store(&node{kind: kindSkipped, fields: s})
	return f.inside.Load()
}
