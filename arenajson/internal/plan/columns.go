package plan

import (
	"strings"
)

// This file holds how writing a field is prepared. Most fields are written by
// copying 48 bytes, which begin with a comma, the name in quotes and a colon, and
// then the value over what was too much. Names that are longer, or that some option
// escapes, take the long way.

// prepareName fills in what is written of a name, unless that depends on the
// options.
func (f *Field) prepareName() {
	if f.Size != 0 && !strings.ContainsAny(f.Name, "<>&") {
		f.Written = append([]byte(","), f.Literal...)
	}
}

// prepareColumns fills in what is needed to write the fields, once all of their
// plans are made. A field with more to do than to copy a short name gets a size of
// 0, and is written from the Field.
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
