package arenapgx

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/harena-go/arena/arenaext"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// A Mode changes how columns are matched with fields, or where rows are allocated. Modes can be combined.
type Mode int

const (
	// Lax allows a struct to have fields without a column, as pgx.RowToStructByNameLax does.
	Lax Mode = 1 << iota

	// ByPos matches columns and fields by their order, as pgx.RowToStructByPos does.
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

// A plan says how the rows of one result are read into values of one type. It never changes and belongs to no
// connection. It fits other results with the same columns if their connection would scan them in the same way.
type plan struct {
	mode    Mode
	names   []pgconn.FieldDescription // only name, OID and format count
	columns []column
	err     error // that of pgx: the columns don't fit the type

	// A connection may change these, on which pgx's scan plans depend.
	wrappers []pgtype.TryWrapScanPlanFunc
	needs    []need
}

// A need is the server type that a connection must have under this OID; nil means none.
type need struct {
	oid    uint32
	target reflect.Type // into which it is scanned
	server *pgtype.Type
}

// plans has the plans of each Go type.
var plans arenaext.RowPlans[plan]

// planOf returns the plan for reading the rows of a result into values of type T.
func planOf[T any](rows pgx.Rows, mode Mode) *plan {
	fields, types := rows.FieldDescriptions(), rows.TypeMap()
	if types == nil { // rows that aren't pgx's own
		return makePlan[T](fields, types, mode)
	}
	t := reflect.TypeFor[T]()
	for _, p := range plans.Of(t) {
		if p.mode == mode && p.fits(fields, types) {
			return p
		}
	}
	p := makePlan[T](fields, types, mode)
	plans.Add(t, p)
	return p
}

// fits reports whether the plan can read a result with these fields.
func (p *plan) fits(fields []pgconn.FieldDescription, types *pgtype.Map) bool {
	if len(fields) != len(p.names) {
		return false
	}
	for i := range fields {
		f, g := &fields[i], &p.names[i]
		if f.DataTypeOID != g.DataTypeOID || f.Format != g.Format || f.Name != g.Name {
			return false
		}
	}
	if !sameFuncs(types.TryWrapScanPlanFuncs, p.wrappers) {
		return false
	}
	for _, n := range p.needs {
		if !sameType(serverType(types, n.oid, n.target), n.server) {
			return false
		}
	}
	return true
}

// sameFuncs reports whether two lists have the same functions: the same code, and the same closures.
func sameFuncs(x, y []pgtype.TryWrapScanPlanFunc) bool {
	return slices.EqualFunc(x, y, func(f, g pgtype.TryWrapScanPlanFunc) bool {
		return *(*unsafe.Pointer)(unsafe.Pointer(&f)) == *(*unsafe.Pointer)(unsafe.Pointer(&g))
	})
}

// serverType returns the server type that pgx assumes for an OID when it scans into a t.
func serverType(types *pgtype.Map, oid uint32, t reflect.Type) *pgtype.Type {
	if s, ok := types.TypeForOID(oid); ok {
		return s
	}
	s, _ := types.TypeForValue(reflect.Zero(reflect.PointerTo(t)).Interface())
	return s
}

// sameType reports whether pgx scans values of two server types, of two connections, in the same way. Programs register
// types for each connection, so the pointers differ.
func sameType(x, y *pgtype.Type) bool {
	if x == y || x == nil || y == nil {
		return x == y
	}
	return x.OID == y.OID && sameCodec(x.Codec, y.Codec)
}

// sameCodec compares the settings of pgtype's codecs on which scan plans depend. Other codecs must be equal.
func sameCodec(x, y pgtype.Codec) bool {
	if reflect.TypeOf(x) != reflect.TypeOf(y) {
		return false
	}
	switch c := x.(type) {
	case *pgtype.TimestamptzCodec:
		return c.ScanLocation == y.(*pgtype.TimestamptzCodec).ScanLocation
	case *pgtype.TimestampCodec:
		return c.ScanLocation == y.(*pgtype.TimestampCodec).ScanLocation
	case *pgtype.JSONCodec:
		return original(c.Unmarshal) == original(y.(*pgtype.JSONCodec).Unmarshal)
	case *pgtype.JSONBCodec:
		return original(c.Unmarshal) == original(y.(*pgtype.JSONBCodec).Unmarshal)
	case *pgtype.ArrayCodec:
		return sameType(c.ElementType, y.(*pgtype.ArrayCodec).ElementType)
	case *pgtype.TextFormatOnlyCodec:
		return sameCodec(c.Codec, y.(*pgtype.TextFormatOnlyCodec).Codec)
	}
	return known(x) || reflect.ValueOf(x).Comparable() && x == y
}

// known reports whether a codec is pgtype's, not another package's, which may embed one.
func known(c pgtype.Codec) bool {
	if f, ok := c.(*pgtype.TextFormatOnlyCodec); ok {
		return known(f.Codec)
	}
	t := reflect.TypeOf(c)
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t != nil && t.PkgPath() == pgtypes
}

// makePlan learns from pgx which columns belong to which fields: it lets pgx scan a row that only records the targets.
func makePlan[T any](fields []pgconn.FieldDescription, types *pgtype.Map, mode Mode) *plan {
	p := &plan{mode: mode, names: slices.Clone(fields)}
	if types != nil {
		p.wrappers = slices.Clone(types.TryWrapScanPlanFuncs)
	}
	row := &noted{fields: p.names}
	scan := pgx.RowToAddrOfStructByName[T]
	switch {
	case reflect.TypeFor[T]().Kind() != reflect.Struct:
		scan = pgx.RowToAddrOf[T]
	case mode&ByPos != 0:
		scan = pgx.RowToAddrOfStructByPos[T]
	case mode&Lax != 0:
		scan = pgx.RowToAddrOfStructByNameLax[T]
	}
	var v *T
	if v, p.err = scan(row); p.err != nil {
		return p
	}
	for i, target := range row.targets {
		at := reflect.ValueOf(target)
		c := column{typ: at.Type().Elem()}
		if types != nil && len(row.targets) == len(fields) {
			m := maker{types: types, oid: fields[i].DataTypeOID, format: fields[i].Format, mode: mode}
			c = m.column(at.Type().Elem())
			p.needs = append(p.needs, m.needs...)
		}
		c.offset = at.Pointer() - uintptr(unsafe.Pointer(v))
		p.columns = append(p.columns, c)
	}
	return p
}

// noted is a row without values.
type noted struct {
	fields  []pgconn.FieldDescription
	targets []any
}

func (n *noted) FieldDescriptions() []pgconn.FieldDescription { return n.fields }
func (n *noted) RawValues() [][]byte                          { return make([][]byte, len(n.fields)) }
func (n *noted) Values() ([]any, error)                       { return nil, nil }

func (n *noted) Scan(targets ...any) error {
	n.targets = targets
	return nil
}
