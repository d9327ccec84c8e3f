package promises_test

import (
	"fmt"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// An entry is a value for the tests of Pool and Shared: it refers to others of its kind and to other values of the
// arena.
type entry struct {
	id   uint64
	name string
	data []uint32
	all  []*entry
	next *entry
}

// newEntry allocates an entry, which must be zero, and fills it.
func newEntry(a *arena.Arena, id uint64, next *entry) (*entry, error) {
	e := arena.New[entry](a)
	if e.id != 0 || e.name != "" || e.data != nil || e.all != nil || e.next != nil {
		return nil, fmt.Errorf("a new entry is %+v", *e)
	}
	e.id, e.next = id, next
	e.name = a.Sprintf("entry %d", id)
	data := arena.MakeSlice[uint32](a, 3, 3+int(id%40))
	if !testkit.AllZero(testkit.BytesOf(data[:cap(data)])) {
		return nil, fmt.Errorf("a new slice is %v", data[:cap(data)])
	}
	for i := range data {
		data[i] = uint32(id)
	}
	e.data = arena.Append(a, data, uint32(id), uint32(id))
	for f := next; f != nil && len(e.all) < 5; f = f.next {
		e.all = arena.Append(a, e.all, f)
	}
	if spare := e.all[len(e.all):cap(e.all)]; !testkit.AllZero(testkit.BytesOf(spare)) {
		return nil, fmt.Errorf("spare capacity is %v", spare)
	}
	return e, nil
}

// check reports whether an entry is as newEntry left it.
func (e *entry) check(id uint64) error {
	ok := e.id == id && e.name == fmt.Sprintf("entry %d", id) && len(e.data) == 5
	for _, x := range e.data {
		ok = ok && x == uint32(id)
	}
	f := e.next
	for _, g := range e.all {
		ok = ok && f == g
		f = g.next
	}
	if !ok {
		return fmt.Errorf("entry %d is %+v", id, *e)
	}
	return nil
}

// newEntries allocates n entries whose ids begin with id.
func newEntries(a *arena.Arena, id uint64, n int) (all []*entry, err error) {
	var next *entry
	for i := range n {
		if next, err = newEntry(a, id+uint64(i), next); err != nil {
			return nil, err
		}
		all = append(all, next)
	}
	return all, nil
}

func checkEntries(all []*entry, id uint64) error {
	for i, e := range all {
		if err := e.check(id + uint64(i)); err != nil {
			return err
		}
	}
	return nil
}
