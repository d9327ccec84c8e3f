package arenasql

import (
	"database/sql"
	"reflect"
	"strconv"
	"time"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
)

// This file converts values. database/sql passes each value of the driver to a cell, unconverted. The cell converts it
// as database/sql would, or leaves it to database/sql, which then scans the row again. So all errors come from
// database/sql.

// A scanner reads the rows of one result.
type scanner struct {
	arena *arena.Arena
	batch *arena.Arena // the arena, if it was lent for this result
	rows  *sql.Rows
	mode  Mode
	typ   reflect.Type
	plan  *plan // from Prepare on
	err   error
	at    unsafe.Pointer // the current row
	cells []cell
	dest  []any // pointers to the cells
	left  arenaext.DriverColumns
	some  bool // values of this row are left
	panic any  // the value of a cell's panic
}

func newScanner[T any](a *arena.Arena, rows *sql.Rows, mode []Mode) *scanner {
	s := &scanner{arena: a, rows: rows, typ: reflect.TypeFor[T](), left: arenaext.NewDriverColumns(a, skip{})}
	for _, m := range mode {
		s.mode |= m
	}
	return s
}

// lend makes the scanner read to an arena of its own, for Batch.
func (s *scanner) lend() *scanner {
	if s.arena == nil && s.mode&Batch != 0 {
		s.batch = arenaext.LendBatch(batches, s.typ.String())
		s.arena, s.left = s.batch, arenaext.NewDriverColumns(s.batch, skip{})
	}
	return s
}

// batches has the arenas for Batch. Their keys are types, since values of different types live for different times.
var batches = arena.NewPool(arena.WithName("arenasql.Batch"))

// skip is a target that drops its value.
type skip struct{}

func (skip) Scan(any) error { return nil }

// Prepare finds the plan.
func (s *scanner) Prepare() {
	var names []string
	if names, s.err = s.rows.Columns(); s.err != nil {
		return
	}
	s.plan = planOf(s.typ, names, s.mode)
	s.err = s.plan.err
	s.cells = make([]cell, len(s.plan.columns))
	s.dest = make([]any, len(s.cells))
	raw := rawColumns(s.rows)
	for i := range s.cells {
		c := &s.plan.columns[i]
		s.cells[i] = cell{s, c, i}
		s.dest[i] = &s.cells[i]
		if raw != nil && c.takes(raw[i].DatabaseTypeName()) {
			s.dest[i] = (*rawCell)(&s.cells[i])
		}
	}
}

// rawColumns returns the types of the columns if the driver can pass their bytes: with Go 1.27 pgx passes them to
// targets that have ScanBytes and not Scan. To others it passes strings, which it allocates.
func rawColumns(rows *sql.Rows) []*sql.ColumnType {
	driver := reflect.ValueOf(rows).Elem().FieldByName("rowsi")
	if !driver.IsValid() || driver.Kind() != reflect.Interface || driver.IsNil() {
		return nil
	}
	t := driver.Elem().Type()
	if t.Kind() != reflect.Pointer || t.Elem().PkgPath() != pgxDriver || !t.Implements(columnScanner) {
		return nil
	}
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil
	}
	return types
}

const pgxDriver = "github.com/jackc/pgx/v5/stdlib"

// columnScanner is a part of driver.RowsColumnScanner, which is new in Go 1.27.
var columnScanner = reflect.TypeFor[interface{ NextRow() error }]()

// takes reports whether the bytes of a column, by its PostgreSQL type, equal the value that the driver would pass.
func (c *column) takes(typ string) bool {
	for c.op == asPointer || c.op == asNull {
		c = c.elem
	}
	switch typ {
	case "TEXT", "VARCHAR", "BPCHAR":
		return c.op == asString || c.op == asBytes && c.basic
	case "BYTEA", "JSON", "JSONB":
		return c.op == asString || c.op == asBytes
	}
	return false
}

// A rawCell is a cell that gets the bytes of a value.
type rawCell cell

// ScanBytes implements an interface of pgx, BytesScanner.
func (c *rawCell) ScanBytes(b []byte) error {
	if b == nil {
		return (*cell)(c).Scan(nil)
	}
	return (*cell)(c).Scan(b)
}

// Row reads the current row.
func (s *scanner) Row(p unsafe.Pointer) error {
	if s.err != nil {
		return s.err
	}
	s.at, s.some = p, false
	if err := s.rows.Scan(s.dest...); err != nil {
		return err
	}
	if s.panic != nil {
		panic(s.panic)
	}
	if !s.some {
		return nil
	}
	return s.left.Scan(s.rows.Scan)
}

// A cell is the target of the values of one column.
type cell struct {
	scanner *scanner
	column  *column
	index   int
}

// Scan converts a value, or leaves it. A panic here would leave a lock of sql.Rows locked, and Close would wait for
// ever: Row panics instead.
func (c *cell) Scan(src any) error {
	s, p := c.scanner, unsafe.Add(c.scanner.at, c.column.offset)
	defer s.catch()
	if s.panic == nil && !value(s.arena, c.column, src, p) {
		s.left.Add(c.index, len(s.cells), c.column.typ, p)
		s.some = true
	}
	return nil
}

func (s *scanner) catch() {
	if v := recover(); v != nil {
		s.panic = v
	}
}

// value converts a value to p, which is zero, and reports whether it did.
func value(a *arena.Arena, c *column, src any, p unsafe.Pointer) bool {
	switch c.op {
	case asPointer:
		if src == nil {
			return true
		}
		q := c.key.New(a)
		*(*unsafe.Pointer)(p) = q
		return value(a, c.elem, src, q)
	case asNull:
		if src == nil {
			return true
		}
		*(*bool)(unsafe.Add(p, c.valid)) = true
		return value(a, c.elem, src, p)
	case asInt:
		return integer(c.kind, src, p)
	case asFloat:
		return float(c, src, p)
	case asString:
		return str(a, src, p)
	case asBytes:
		return bytes(a, c, src, p)
	case asTime:
		t, ok := src.(time.Time)
		*(*time.Time)(p) = t
		if l := t.Location(); ok && l != time.UTC && l != time.Local && a.SelfContained() {
			a.KeepAlive(l)
		}
		return ok
	case asBool:
		switch v := src.(type) {
		case bool:
			*(*bool)(p) = v
			return true
		case int64:
			*(*bool)(p) = v == 1
			return c.basic && v>>1 == 0
		}
	}
	return false
}

// integer converts a number, or its text, if it fits.
func integer(k reflect.Kind, src any, p unsafe.Pointer) bool {
	var digits string
	switch v := src.(type) {
	case int64:
		return arenaext.StoreInt(k, p, v)
	case string:
		digits = v
	case []byte:
		digits = text(v)
	}
	if digits == "" || k >= reflect.Uint && digits[0] < '0' {
		return false // not a number, or a sign, which only signed integers may have
	}
	v, err := strconv.ParseInt(digits, 10, 64)
	return err == nil && arenaext.StoreInt(k, p, v)
}

// float converts a number, or its text.
func float(c *column, src any, p unsafe.Pointer) bool {
	var digits string
	switch v := src.(type) {
	case float64:
		// Scan parses the shortest decimal that stands for v, which may round differently from v.
		return (c.kind == reflect.Float64 || float64(float32(v)) == v) && arenaext.StoreFloat(c.kind, p, v)
	case int64:
		return arenaext.StoreInt(c.kind, p, v)
	case string:
		digits = v
	case []byte:
		digits = text(v)
	}
	v, err := strconv.ParseFloat(digits, 8*int(c.typ.Size()))
	return err == nil && arenaext.StoreFloat(c.kind, p, v)
}

// str copies a string.
func str(a *arena.Arena, src any, p unsafe.Pointer) bool {
	switch v := src.(type) {
	case string:
		*(*string)(p) = a.AllocString(v)
	case []byte:
		*(*string)(p) = a.AllocBytesToString(v)
	default:
		return false
	}
	return true
}

// bytes copies bytes. A string or NULL fits only a []byte, not a type defined as one.
func bytes(a *arena.Arena, c *column, src any, p unsafe.Pointer) bool {
	switch v := src.(type) {
	case []byte:
		*(*[]byte)(p) = arena.CopySlice(a, v)
		return true
	case string:
		if c.basic {
			*(*[]byte)(p) = append(a.AllocBytesUninit(len(v))[:0], v...)
		}
		return c.basic
	}
	return src == nil && c.basic
}

// text returns b as a string for a call that doesn't keep it.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
