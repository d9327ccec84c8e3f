package plan

import (
	"strings"
)

// This file prepares the writing of fields. Most fields are written by copying 48 bytes, which
// begin with a comma, the name in quotes and a colon; the value then overwrites the surplus. Longer
// names, and those that some option escapes, take the slow way.

// prepareName fills in the written form of a name, unless it depends on the options.
func (f *Field) prepareName() {
	if f.Size != 0 && !strings.ContainsAny(f.Name, "<>&") {
		f.Written = append([]byte(","), f.Literal...)
	}
}

// prepareColumns fills in the columns for writing, once the plans of all fields are made. A field
// that needs more than a copy of a short name gets size 0, and is written from the Field.
func (s *Struct) prepareColumns() {
	if s == nil {
		return
	}
	s.Columns = make([]column, len(s.List))
	for i := range s.List {
		f, c := &s.List[i], &s.Columns[i]
		*c = column{Node: f.Node, Off: uint32(f.Off), Write: f.Node.Write}
		if uintptr(c.Off) == f.Off && f.Direct && !f.OmitZero && !f.OmitEmpty && len(f.Written) <= len(c.Name.Bytes) {
			c.Size = uint8(copy(c.Name.Bytes[:], f.Written))
		}
	}
}
