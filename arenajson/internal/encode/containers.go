package encode

import (
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file writes containers of package collections: as Go's maps and slices, but an empty one
// never as null.

// table writes the Map at p.
func (e *Encoder) table(b []byte, n *plan.Node, p unsafe.Pointer) []byte {
	e.checkKey(n)
	e.enter(n.Type, p, 0)
	begin := len(b)
	if e.flags&option.Deterministic != 0 && n.Container.Table.Len(p) > 1 {
		b = e.sortedTable(b, n, p)
	} else {
		b = e.tableEntries(b, n, p)
	}
	e.leave(n.Type, p, 0)
	return endObject(b, begin)
}

// tableEntries writes the entries of a Map in their order there, the one in which they were added
// as long as none was deleted. It reads keys and values in place.
func (e *Encoder) tableEntries(b []byte, n *plan.Node, p unsafe.Pointer) []byte {
	t := n.Container.Table
	names, repeats := len(e.names), e.mayRepeat(n.MapKey)
	for key, value, i := t.Next(p, 0); key != nil; key, value, i = t.Next(p, i) {
		b = append(b, ',')
		switch k := n.MapKey; {
		case k.Write == plan.KindString:
			b = text.Append(b, e.noteName(mem.Get[string](key), repeats), e.flags)
		case k.Write == plan.KindInt64 || k.Write == plan.KindInt || k.Write == plan.KindUint:
			b = e.number(b, k, key, true)
		default:
			b = text.Append(b, e.noteName(e.keyName(n, mem.Value(k.Type, key)), repeats), e.flags)
		}
		b = e.value(append(b, ':'), n.Elem, value, true)
	}
	e.uniqueNames(names)
	return b
}

// A tableEntry is an entry of a Map that is being sorted. The value stays in place.
type tableEntry struct {
	name  string
	value unsafe.Pointer
}

// tableEntries keeps the memory for sorting.
var tableEntries = sync.Pool{New: func() any { return new([]tableEntry) }}

// sortedTable writes the entries of a Map in the order of their names. The next Map uses the memory
// for sorting again, cleared of names, unless it is very large.
func (e *Encoder) sortedTable(b []byte, n *plan.Node, p unsafe.Pointer) []byte {
	// The values stay in place: only names and addresses are sorted.
	t, kept := n.Container.Table, tableEntries.Get().(*[]tableEntry)
	all := (*kept)[:0]
	names, repeats := len(e.names), e.mayRepeat(n.MapKey)
	for key, value, i := t.Next(p, 0); key != nil; key, value, i = t.Next(p, i) {
		all = append(all, tableEntry{e.noteName(e.keyName(n, mem.Value(n.MapKey.Type, key)), repeats), value})
	}
	e.uniqueNames(names)
	slices.SortFunc(all, func(x, y tableEntry) int { return strings.Compare(x.name, y.name) })
	for _, x := range all {
		b = append(text.Append(append(b, ','), x.name, e.flags), ':')
		b = e.value(b, n.Elem, x.value, true)
	}
	if len(all) > keepNames {
		return b
	}
	clear(all)
	*kept = all
	tableEntries.Put(kept)
	return b
}

// noItems is an empty slice, not nil.
var noItems = mem.EmptySlice()

// items writes the Slice at p, as the Go slice in it.
func (e *Encoder) items(b []byte, n *plan.Node, p unsafe.Pointer) []byte {
	c := n.Container
	s := c.List.Items(p)
	// Some options would write the nil slice of an empty Slice as null.
	if mem.Get[mem.Slice](s).Data == nil {
		s = unsafe.Pointer(&noItems)
	}
	return e.byKind(b, c.Items, c.Items.Write, s, true)
}
