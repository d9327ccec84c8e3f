package arenasql

import (
	"database/sql"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
)

// A Mode changes how columns find their fields, or where rows lie. Modes add up.
type Mode int

const (
	// Lax allows a struct to have fields without a column.
	Lax Mode = 1 << iota

	// ByPos matches columns and fields by their order.
	ByPos

	// Batch has Collect and its like, for a nil arena, lay rows and what is in them beside each other in blocks of the
	// heap, which results one after the other share. That takes less time than an object for each value; nothing has
	// to be put back, and rows stay valid for as long as something points to them. But what is kept keeps more than
	// itself: a string a block of at most 32 KiB, a pointer to a row the blocks of up to 64 KiB of values, or as many
	// as its result has, and what these lead to. If rows of a type are often kept, the next ones are allocated one by
	// one. Results of one row take longer than without. Batch changes nothing for Each, which keeps no rows together,
	// and nothing with an arena.
	Batch
)

// An op is a way to convert a value of a driver.
type op uint8

const (
	viaScan op = iota // by database/sql
	asPointer
	asNull
	asInt
	asFloat
	asBool
	asString
	asBytes
	asTime
)

// A column says how a value of a driver becomes a value of Go: that of a field, or of what a pointer leads to.
type column struct {
	op     op
	kind   reflect.Kind  // of the Go value
	offset uintptr       // in the struct
	valid  uintptr       // where in a nullable struct the field Valid is
	basic  bool          // it is a string, a bool or a []byte, not a type that is defined as one
	typ    reflect.Type  // of the Go value
	elem   *column       // of what is in the pointer or nullable struct
	key    arena.TypeKey // of elem
}

// A plan says how rows with certain columns are read into values of one type. It never changes.
type plan struct {
	mode    Mode
	names   []string
	columns []column
	err     error
}

// plans are those of each type of Go that rows were read into.
var plans arenaext.RowPlans[plan]

// planOf returns the plan for reading rows with these columns into values of type t.
func planOf(t reflect.Type, names []string, mode Mode) *plan {
	for _, p := range plans.Of(t) {
		if p.mode == mode && slices.Equal(p.names, names) {
			return p
		}
	}
	p := &plan{mode: mode, names: slices.Clone(names)}
	p.columns, p.err = match(t, names, mode)
	plans.Add(t, p)
	return p
}

// A field is one that a column may fill.
type field struct {
	name   string
	tagged bool // the name is that of a tag, in which underscores count
	offset uintptr
	typ    reflect.Type
}

// match finds the fields of the columns.
func match(t reflect.Type, names []string, mode Mode) ([]column, error) {
	if t.Kind() != reflect.Struct {
		c, err := columnOf(t)
		return []column{c}, err
	}
	fields := fieldsOf(nil, t, 0)
	if mode&ByPos != 0 {
		if len(names) > len(fields) {
			return nil, fmt.Errorf("arenasql: there are %d columns, and %s has %d fields", len(names), t, len(fields))
		}
		names = names[:0:0]
		for _, f := range fields {
			names = append(names, f.name)
		}
	}
	found := make([]*field, len(names))
	for i := range fields {
		at := fields[i].among(names)
		if mode&ByPos != 0 {
			at = i
		}
		if at < 0 && mode&(Lax|ByPos) == 0 {
			return nil, fmt.Errorf("arenasql: there is no column for the field %s of %s", fields[i].name, t)
		}
		if at >= 0 {
			found[at] = &fields[i]
		}
	}
	columns := make([]column, len(names))
	for i, f := range found {
		if f == nil {
			return nil, fmt.Errorf("arenasql: %s has no field for the column %s", t, names[i])
		}
		c, err := columnOf(f.typ)
		if err != nil {
			return nil, fmt.Errorf("%w, the type of the field %s of %s", err, f.name, t)
		}
		c.offset = f.offset
		columns[i] = c
	}
	return columns, nil
}

// fieldsOf appends the fields of a struct, which begins at an offset, and of those that are embedded in it.
func fieldsOf(fields []field, t reflect.Type, offset uintptr) []field {
	for f := range t.Fields() {
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			fields = fieldsOf(fields, f.Type, offset+f.Offset)
			continue
		}
		tag, tagged := f.Tag.Lookup("db")
		tag, _, _ = strings.Cut(tag, ",")
		if !f.IsExported() || tag == "-" {
			continue
		}
		if !tagged {
			tag = strings.ReplaceAll(f.Name, "_", "")
		}
		fields = append(fields, field{tag, tagged, offset + f.Offset, f.Type})
	}
	return fields
}

// among returns which of the columns fills the field: the first with its name, or -1.
func (f *field) among(names []string) int {
	if f.tagged {
		if i := slices.Index(names, f.name); i >= 0 {
			return i
		}
	}
	return slices.IndexFunc(names, func(name string) bool {
		if !f.tagged {
			name = strings.ReplaceAll(name, "_", "")
		}
		return strings.EqualFold(name, f.name)
	})
}

// columnOf returns how values are converted to a t.
func columnOf(t reflect.Type) (column, error) {
	c := column{typ: t, kind: t.Kind()}
	switch {
	case t == reflect.TypeFor[sql.RawBytes]():
		return c, fmt.Errorf("arenasql: a row can't be kept in a sql.RawBytes")
	case t.PkgPath() == "database/sql" && strings.HasPrefix(t.Name(), "Null") && c.kind == reflect.Struct:
		c.valid = t.Field(1).Offset
		return c.inside(asNull, t.Field(0).Type)
	case reflect.PointerTo(t).Implements(reflect.TypeFor[sql.Scanner]()):
	case c.kind == reflect.Pointer:
		return c.inside(asPointer, t.Elem())
	case t == reflect.TypeFor[time.Time]():
		c.op = asTime
	case arenaext.IsInt(c.kind):
		c.op = asInt
	case arenaext.IsFloat(c.kind):
		c.op = asFloat
	case c.kind == reflect.Bool:
		c.op, c.basic = asBool, t == reflect.TypeFor[bool]()
	case c.kind == reflect.String:
		c.op, c.basic = asString, t == reflect.TypeFor[string]()
	case c.kind == reflect.Slice && t.Elem() == reflect.TypeFor[byte]():
		c.op, c.basic = asBytes, t == reflect.TypeFor[[]byte]()
	}
	return c, nil
}

// inside completes c for a value that contains an elem.
func (c column) inside(as op, elem reflect.Type) (column, error) {
	e, err := columnOf(elem)
	if e.op != viaScan {
		c.op, c.elem, c.key = as, &e, arena.KeyOf(elem)
	}
	return c, err
}
