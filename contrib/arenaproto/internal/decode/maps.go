package decode

import (
	"unsafe"

	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
	"github.com/harena-go/arena/contrib/arenaproto/internal/plan"
	"github.com/harena-go/arena/contrib/arenaproto/internal/wire"
)

// This file reads maps. An entry goes to the map's cell first, see package plan.

// leastEntry is the least number of bytes of a usual entry. It limits the initial room of a map: a hostile
// input has many entries of two bytes.
const leastEntry = 6

// mapping reads entries of a map. The first one is the n bytes at i.
func (d *Decoder) mapping(f *plan.Op, at unsafe.Pointer, b []byte, i, n int) int {
	if d.Depth == 0 {
		return -1
	}
	// The map has room for the entries that follow, but for no more than a usual input of this length has.
	m, count := f.Entry, 1+run(f, b, i+n)
	if mem.Get[unsafe.Pointer](at) == nil {
		m.Maps.New(d.Arena, at, min(count, (len(b)-i)/leastEntry))
	}
	cell := m.Cells.Get().(*plan.MapCell)
	d.Depth--
	for {
		// plain reads nearly all entries entirely. Message reads the rest.
		end := i + n
		if i, _ = plain(&m.Cell, cell.Ptr, b[:end], i, 0); i < end {
			if i = d.Message(&m.Cell, cell.Ptr, b[:end], i, 0); i < 0 {
				break
			}
		}
		d.store(m, cell, at)
		if count--; count == 0 {
			break
		}
		n, i = wire.Length(b, i+int(f.Width))
	}
	d.Depth++
	// A malformed entry may have left values in the cell.
	cell.All.SetZero()
	m.Cells.Put(cell)
	return i
}

// store stores the cell's entry in the map at at, and clears the cell. A missing message is an empty one.
func (d *Decoder) store(m *plan.MapPlan, cell *plan.MapCell, at unsafe.Pointer) {
	if v := m.Value; v.Kind == plan.KindMessage && cell.Val.IsNil() {
		mem.Set(mem.Add(cell.Ptr, v.Off), d.new(v))
		d.Check = d.Check || v.Sub.Demanding
	}
	m.Maps.Put(at, cell.Ptr, mem.Add(cell.Ptr, m.Value.Off))
}
