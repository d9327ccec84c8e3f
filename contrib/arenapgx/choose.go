package arenapgx

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
	"github.com/jackc/pgx/v5/pgtype"
)

// This file chooses how a column is read. It doesn't repeat pgx's rules, which depend on the types of both sides, on
// their methods, and on the connection's registered types. It gets pgx's scan plan and checks whether there is a faster
// way for that plan here. Plans of packages other than pgtype, and plans that another version of pgx has renamed, are
// left to pgx.

// A maker makes the columns of one server type, in one format, on one connection.
type maker struct {
	types  *pgtype.Map
	oid    uint32
	format int16
	mode   Mode
	needs  []need // of the plan
}

// pgtypes is the package whose scan plans are known.
var pgtypes = reflect.TypeFor[pgtype.Map]().PkgPath()

// column returns how values are read into a t.
func (m *maker) column(t reflect.Type) column {
	s := m.types.PlanScan(m.oid, m.format, reflect.New(t).Interface())
	c := m.choose(reflect.ValueOf(s), t, false)
	if c.op == viaPgx {
		m.needs = nil
		return column{typ: t}
	}
	plain := c.op == asString && t == reflect.TypeFor[string]() || c.op == asBytes && t == reflect.TypeFor[[]byte]()
	if !plain || m.format != pgtype.TextFormatCode || m.oid == pgtype.ByteaOID { // otherwise pgx ignores the type
		m.needs = append(m.needs, need{m.oid, t, serverType(m.types, m.oid, t)})
	}
	return c
}

// choose returns the column that does the same as pgx's scan plan for a t. wrapped is true if pgx's wrapper has the
// methods that the plan calls; otherwise t has them.
func (m *maker) choose(scan reflect.Value, t reflect.Type, wrapped bool) column {
	for scan.Kind() == reflect.Interface || scan.Kind() == reflect.Pointer {
		scan = scan.Elem()
	}
	c := column{typ: t, kind: t.Kind()}
	if !scan.IsValid() || scan.Type().PkgPath() != pgtypes {
		return c
	}
	name, _, _ := strings.Cut(scan.Type().Name(), "[")
	switch name {
	case "pointerPointerScanPlan":
		return m.inside(c, asPointer, m.choose(scan.FieldByName("next"), t.Elem(), false))
	case "jsonPointerScanPlan":
		c.null = "null"
		return m.inside(c, asPointer, m.choose(scan.FieldByName("next"), t.Elem(), false))
	case "wrapPtrSliceScanPlan", "wrapPtrSliceReflectScanPlan":
		return m.slice(c)
	case "scanPlanCodecSQLScanner":
		return m.null(c)
	case "underlyingTypeScanPlan":
		return m.choose(scan.FieldByName("next"), t, wrapped)
	}
	if strings.HasPrefix(name, "wrap") {
		return m.choose(scan.FieldByName("next"), t, true)
	}
	leaf := leaves[name]
	if strings.HasSuffix(name, "Scanner") && !wrapped {
		return m.nullable(c, leaf)
	}
	return m.leaf(c, leaf)
}

// leaves has pgx's plans that read a single value, by name.
var leaves = map[string]op{
	"scanPlanString":               asString,
	"scanPlanTextAnyToString":      asString,
	"scanPlanAnyToString":          asString,
	"scanPlanTextAnyToTextScanner": asString,

	"scanPlanAnyTextToBytes":     asBytes,
	"scanPlanAnyToNewByteSlice":  asBytes,
	"scanPlanBinaryBytesToBytes": asBytes,
	"scanPlanJSONToByteSlice":    asBytes,
	"scanPlanTextByteaToBytes":   asHexBytes,

	"scanPlanBinaryInt2ToInt64Scanner": asInt2,
	"scanPlanBinaryInt4ToInt64Scanner": asInt4,
	"scanPlanBinaryInt8ToInt64Scanner": asInt8,

	"scanPlanBinaryFloat4ToFloat32":        asFloat4,
	"scanPlanBinaryFloat4ToFloat64Scanner": asFloat4,
	"scanPlanBinaryFloat8ToFloat64":        asFloat8,
	"scanPlanBinaryFloat8ToFloat64Scanner": asFloat8,
	"scanPlanTextAnyToFloat32":             asTextFloat,
	"scanPlanTextAnyToFloat64":             asTextFloat,

	"scanPlanBinaryBoolToBool":        asBool,
	"scanPlanBinaryBoolToBoolScanner": asBool,
	"scanPlanTextAnyToBool":           asTextBool,

	"scanPlanBinaryUUIDToUUIDScanner": asUUID,
	"scanPlanBinaryUUIDToTextScanner": asUUIDText,

	"scanPlanBinaryTimestamptzToTimestamptzScanner": asTimestamptz,
	"scanPlanBinaryTimestampToTimestampScanner":     asTimestamp,
	"scanPlanBinaryDateToDateScanner":               asDate,

	"scanPlanBinaryNumericToNumericScanner": asNumeric,
	"scanPlanBinaryNumericToFloat64Scanner": asNumericFloat,
	"scanPlanBinaryNumericToInt64Scanner":   asNumericInt,
	"scanPlanBinaryNumericToTextScanner":    asNumericText,

	"scanPlanJSONToJSONUnmarshal": asJSON,
}

// Integers have a plan for each pair of types.
func init() {
	for to := range strings.FieldsSeq("Int Int8 Int16 Int32 Int64 Uint Uint8 Uint16 Uint32 Uint64") {
		leaves["scanPlanBinaryInt2To"+to] = asInt2
		leaves["scanPlanBinaryInt4To"+to] = asInt4
		leaves["scanPlanBinaryInt8To"+to] = asInt8
		leaves["scanPlanTextAnyTo"+to] = asTextInt
	}
}

// leaf completes c for a single value, or leaves it to pgx if c's kind doesn't fit.
func (m *maker) leaf(c column, leaf op) column {
	isTime := c.typ == reflect.TypeFor[time.Time]()
	switch leaf {
	case asInt2, asInt4, asInt8:
		if !arenaext.IsInt(c.kind) && !arenaext.IsFloat(c.kind) {
			return c
		}
	case asTextInt, asNumericInt:
		if !arenaext.IsInt(c.kind) {
			return c
		}
	case asFloat4, asFloat8, asTextFloat, asNumericFloat:
		if !arenaext.IsFloat(c.kind) {
			return c
		}
	case asBool, asTextBool:
		if c.kind != reflect.Bool {
			return c
		}
	case asString, asUUIDText, asNumericText:
		if c.kind != reflect.String {
			return c
		}
	case asBytes, asHexBytes:
		if c.kind != reflect.Slice || c.typ.Elem().Kind() != reflect.Uint8 {
			return c
		}
	case asUUID:
		if c.kind != reflect.Array || c.typ.Len() != 16 || c.typ.Elem().Kind() != reflect.Uint8 {
			return c
		}
	case asTimestamptz:
		if codec, ok := m.codec().(*pgtype.TimestamptzCodec); !ok || !isTime {
			return c
		} else {
			c.loc = codec.ScanLocation
		}
	case asTimestamp:
		if codec, ok := m.codec().(*pgtype.TimestampCodec); !ok || !isTime || codec.ScanLocation != nil {
			return c
		}
	case asDate:
		if !isTime {
			return c
		}
	case asJSON:
		switch codec := m.codec().(type) {
		case *pgtype.JSONCodec:
			if !original(codec.Unmarshal) {
				return c
			}
		case *pgtype.JSONBCodec:
			if !original(codec.Unmarshal) || m.format != pgtype.TextFormatCode {
				return c
			}
		default:
			return c
		}
		c.apart = m.mode&Batch != 0
	case asNumeric:
		return c
	}
	c.op = leaf
	return c
}

// codec returns the codec of the server type, or nil.
func (m *maker) codec() pgtype.Codec {
	if t, ok := m.types.TypeForOID(m.oid); ok {
		return t.Codec
	}
	return nil
}

// original reports whether encoding/json reads JSON, as it does unless a program registers another codec.
func original(unmarshal func([]byte, any) error) bool {
	return reflect.ValueOf(unmarshal).Pointer() == reflect.ValueOf(json.Unmarshal).Pointer()
}

// inside completes c for a value that contains another one.
func (m *maker) inside(c column, as op, elem column) column {
	if elem.op != viaPgx {
		c.op, c.elem, c.key = as, &elem, arena.KeyOf(elem.typ)
	}
	return c
}

// slice completes c for an array.
func (m *maker) slice(c column) column {
	codec, ok := m.codec().(*pgtype.ArrayCodec)
	if !ok || m.format != pgtype.BinaryFormatCode {
		return c
	}
	t := c.typ.Elem()
	e := maker{types: m.types, oid: codec.ElementType.OID, format: m.format, mode: m.mode}
	scan := codec.ElementType.Codec.PlanScan(e.types, e.oid, e.format, reflect.New(t).Interface())
	if scan == nil {
		scan = e.types.PlanScan(e.oid, e.format, reflect.New(t).Interface())
	}
	if known, ok := e.types.TypeForOID(e.oid); !ok || known != codec.ElementType {
		return c // another type is registered under the element's OID
	}
	m.needs = append(m.needs, need{e.oid, t, codec.ElementType})
	return m.inside(c, asSlice, e.choose(reflect.ValueOf(scan), t, false))
}

// nullables are the types of pgtype with the fields of sql.Null: a value, and Valid.
var nullables = map[reflect.Type]bool{
	reflect.TypeFor[pgtype.Bool]():   true,
	reflect.TypeFor[pgtype.Int2]():   true,
	reflect.TypeFor[pgtype.Int4]():   true,
	reflect.TypeFor[pgtype.Int8]():   true,
	reflect.TypeFor[pgtype.Float4](): true,
	reflect.TypeFor[pgtype.Float8](): true,
	reflect.TypeFor[pgtype.Text]():   true,
	reflect.TypeFor[pgtype.UUID]():   true,
}

// nullable completes c for a type of pgtype whose own methods pgx's plan calls.
func (m *maker) nullable(c column, leaf op) column {
	if leaf == asNumeric && c.typ == reflect.TypeFor[pgtype.Numeric]() {
		c.op = asNumeric
		return c
	}
	if leaf == viaPgx || !nullables[c.typ] {
		return c
	}
	t := c.typ.Field(0).Type
	c.valid = c.typ.Field(1).Offset
	return m.inside(c, asNull, m.leaf(column{typ: t, kind: t.Kind()}, leaf))
}

// null completes c for sql.Null and similar types, to which pgx passes a driver.Value. It does so only where
// converting that value gives the same result as scanning into the field.
func (m *maker) null(c column) column {
	if c.typ.PkgPath() != "database/sql" || !strings.HasPrefix(c.typ.Name(), "Null") || c.kind != reflect.Struct ||
		!known(m.codec()) {
		return c
	}
	t := c.typ.Field(0).Type
	e := m.choose(reflect.ValueOf(m.types.PlanScan(m.oid, m.format, reflect.New(t).Interface())), t, false)
	_, text := m.codec().(pgtype.TextCodec)
	switch e.op {
	case asInt2, asInt4, asInt8, asTextInt:
		if !arenaext.IsInt(e.kind) {
			return c
		}
	case asFloat8, asNumericFloat:
		if e.kind != reflect.Float64 {
			return c
		}
	case asString:
		if !text {
			return c
		}
	case asBytes:
		if m.oid != pgtype.ByteaOID && (!text || t != reflect.TypeFor[[]byte]()) {
			return c
		}
	case asFloat4, asBool, asTextBool, asUUIDText, asTimestamptz, asTimestamp, asDate:
	default:
		return c
	}
	c.valid = c.typ.Field(1).Offset
	return m.inside(c, asNull, e)
}
