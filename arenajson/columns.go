package arenajson

import (
	"strings"

	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file holds what is needed of a field to write it, apart from the field, which is mostly about
// reading: one cache line for each.

// A column is what is needed to write a field, in 64 bytes.
type column struct {
	node  *node
	off   uint32
	write kind // as in the node
	size  uint8
	name  mem.Block // field.written, of so many bytes; none if there is more to do than to copy it
}

// prepareName fills in what is written of a name.
func (f *field) prepareName() {
	if f.size != 0 && !strings.ContainsAny(f.name, "<>&") {
		f.written = append([]byte(","), f.literal...)
	}
}

// prepareColumns fills in what is needed to write the fields, once all of their plans are made.
func (s *structPlan) prepareColumns() {
	if s == nil {
		return
	}
	s.columns = make([]column, len(s.list))
	for i := range s.list {
		f, c := &s.list[i], &s.columns[i]
		*c = column{node: f.node, off: uint32(f.off), write: f.node.write}
		if uintptr(c.off) == f.off && f.direct && !f.omitZero && !f.omitEmpty && len(f.written) <= len(c.name.Bytes) {
			c.size = uint8(copy(c.name.Bytes[:], f.written))
		}
	}
}
