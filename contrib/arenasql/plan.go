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

// A Mode changes how columns are matched with fields, or where rows are allocated. Modes can be combined.
type Mode int

const (
	// Lax allows a struct to have fields without a column.
	Lax Mode = 1 << iota

	// ByPos matches columns and fields by their order.
	ByPos

	// Batch makes Collect and similar functions, for a nil arena, allocate rows and their values together in blocks of
	// the heap, which consecutive results share. That is faster than an object for each value; nothing has to be put
	// back, and rows stay valid for as long as something points to them. But a kept value keeps others alive: a string
	// keeps a block of at most 32 KiB; a pointer to a row keeps the blocks of 64 KiB of values, or of its whole result
	// if that is larger, and everything they lead to. If rows of a type are often kept, later ones are allocated one
	// by one. Results of one row take longer with Batch. It doesn't affect Each, which keeps no rows together, or
	// calls with an arena.
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

// A column says how a driver's value is converted to a Go value, which is a field or the target of a pointer.
type column struct {
	op     op
	kind   reflect.Kind  // of the Go value
	offset uintptr       // in the struct
	valid  uintptr       // offset of the field Valid in a nullable struct
	basic  bool          // the type is string, bool or []byte, not one defined as such
	typ    reflect.Type  // of the Go value
	elem   *column       // of the pointer's target or the nullable struct's value
	key    arena.TypeKey // of elem
}

// A plan says how rows with certain columns are read into values of one type. It never changes.
type plan struct {
	mode    Mode
	names   []string
	columns []column
	err     error
}

// plans has the plans of each Go type.
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

// A field can be filled by a column.
type field struct {
	name   string
	tagged bool // the name is from a tag, where underscores count
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

// fieldsOf appends the fields of a struct at an offset, and of its embedded structs.
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

// among returns the index of the column that fills the field: the first with its name, or -1.
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
