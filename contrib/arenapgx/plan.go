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

// A Mode changes how columns find their fields, or where rows lie. Modes add up.
type Mode int

const (
	// Lax allows a struct to have fields without a column, as pgx.RowToStructByNameLax does.
	Lax Mode = 1 << iota

	// ByPos matches columns and fields by their order, as pgx.RowToStructByPos does.
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

// A plan says how the rows of one result are read into values of one type. It never changes and belongs to no
// connection. It fits other results if their columns are the same, and if their connection would scan these
// columns in the same way.
type plan struct {
	mode    Mode
	names   []pgconn.FieldDescription // only name, OID and format count
	columns []column
	err     error // that of pgx: the columns don't fit the type

	// What pgx's scan plans depend on, which a connection may change.
	wrappers []pgtype.TryWrapScanPlanFunc
	needs    []need
}

// A need is a type of the server that a connection has to know by this OID, nil if it must know none.
type need struct {
	oid    uint32
	target reflect.Type // into which it is scanned
	server *pgtype.Type
}

// plans are those of each type of Go that rows were read into.
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

// fits reports whether a result with these fields can be read by the plan.
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

// serverType returns what pgx takes for the type of the server with an OID, when it scans into a t.
func serverType(types *pgtype.Map, oid uint32, t reflect.Type) *pgtype.Type {
	if s, ok := types.TypeForOID(oid); ok {
		return s
	}
	s, _ := types.TypeForValue(reflect.Zero(reflect.PointerTo(t)).Interface())
	return s
}

// sameType reports whether pgx scans values of two types of the server, which two connections know, in the same way.
// Programs register types for each connection, so that the pointers differ.
func sameType(x, y *pgtype.Type) bool {
	if x == y || x == nil || y == nil {
		return x == y
	}
	return x.OID == y.OID && sameCodec(x.Codec, y.Codec)
}

// sameCodec compares the settings of pgtype's codecs on which scan plans depend. Others must be the same value.
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

// known reports whether a codec is one of pgtype, not one of another package, which may be made of one.
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

// makePlan finds out which columns belong to which fields from pgx itself: it lets pgx scan a row that only notes
// where its values would go.
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
