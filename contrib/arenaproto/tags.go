package arenaproto

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// This file holds how plans of structs are made from the tags of their fields.

// A structCompiler makes plans of structs that refer to each other.
type structCompiler struct {
	plans map[reflect.Type]*plan
	list  []*plan
}

func (c *structCompiler) plan(t reflect.Type) (*plan, error) {
	if pl := c.plans[t]; pl != nil {
		return pl, nil
	}
	pl := &plan{typ: t, known: map[protoreflect.FieldNumber]bool{}}
	c.plans[t] = pl
	c.list = append(c.list, pl)
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Name == "XXX_unrecognized" && f.Type == reflect.TypeFor[[]byte]() {
			pl.unknown, pl.bytes = true, f.Offset
		}
		if err := c.field(pl, t, f); err != nil {
			return nil, fmt.Errorf("arenaproto: field %s of %v: %w", f.Name, t, err)
		}
	}
	fields := pl.ops
	pl.ops = nil
	pl.addAll(fields)
	return pl, nil
}

// field plans a field, if it has a tag.
func (c *structCompiler) field(pl *plan, t reflect.Type, sf reflect.StructField) error {
	if sf.Tag.Get("protobuf_oneof") != "" {
		return c.oneof(pl, t, sf)
	}
	tag := parseTag(sf.Tag.Get("protobuf"))
	if tag.num == 0 {
		return nil
	}
	f := &op{num: tag.num, field: sf.Name, off: sf.Offset}
	if tag.required && len(pl.ops) < 64 {
		f.required = 1 << len(pl.ops)
		pl.required |= f.required
	}
	return c.enter(pl, f, tag, sf.Type, sf.Tag)
}

// enter plans a field of a Go type, to be entered into the tables.
func (c *structCompiler) enter(pl *plan, f *op, tag structTag, t reflect.Type, tags reflect.StructTag) error {
	pl.known[f.num] = true
	pl.ops = append(pl.ops, f)
	return c.fill(f, tag, t, tags)
}

// oneof plans the fields that an interface can hold.
func (c *structCompiler) oneof(pl *plan, t reflect.Type, sf reflect.StructField) error {
	m, ok := reflect.New(t).Interface().(interface{ XXX_OneofWrappers() []any })
	if !ok || sf.Type.Kind() != reflect.Interface || !mem.Trusted {
		return errors.New("there is no method XXX_OneofWrappers")
	}
	for _, w := range m.XXX_OneofWrappers() {
		wt := reflect.TypeOf(w)
		if !wt.Implements(sf.Type) {
			continue
		}
		wf := wt.Elem().Field(0)
		tag := parseTag(wf.Tag.Get("protobuf"))
		f := &op{num: tag.num, field: wf.Name, off: sf.Offset}
		if tag.num == 0 || !f.wrap(sf.Type, wt.Elem()) {
			return fmt.Errorf("type %v doesn't fit", wt)
		}
		if err := c.enter(pl, f, tag, wf.Type, wf.Tag); err != nil {
			return err
		}
	}
	return nil
}

// A structTag is what a field's tag says.
type structTag struct {
	encoding string
	num      protoreflect.FieldNumber
	required bool
	time     bool // time.Time and time.Duration for their messages
}

func parseTag(s string) (t structTag) {
	parts := strings.Split(s, ",")
	if n, ok := tagNumber(s); ok && len(parts) > 2 {
		t = structTag{encoding: parts[0], num: n, required: parts[2] == "req"}
	}
	for _, p := range parts {
		t.time = t.time || p == "stdtime" || p == "stdduration"
	}
	return t
}

// fill fills in what is done with a value of a Go type.
func (c *structCompiler) fill(f *op, tag structTag, t reflect.Type, tags reflect.StructTag) error {
	if t.Kind() == reflect.Map {
		return c.fillMap(f, t, tags)
	}
	if f.custom = customOf(t, tag); f.custom != nil {
		f.kind = kindStruct
		return nil
	}
	list := t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8
	e := t
	if list {
		e = t.Elem()
		f.elem = arena.KeyOf(e)
	}
	pointer := e.Kind() == reflect.Pointer
	if pointer {
		e = e.Elem()
	}
	f.custom = customOf(e, tag)
	if f.custom == nil && (e.Kind() != reflect.Struct || tag.encoding != "bytes") {
		return c.fillScalar(f, tag, e, list, pointer)
	}
	f.block, f.bytes = arena.KeyOf(e), e.Size()
	if f.custom == nil {
		var err error
		if f.sub, err = c.plan(e); err != nil {
			return err
		}
	}
	switch {
	case list && (!pointer || f.custom != nil):
		f.kind, f.pointers = kindStructs, pointer
	case list:
		f.kind = kindMessages
	case !pointer:
		f.kind = kindStruct
	case f.custom != nil:
		return f.box(kindStruct, e)
	default:
		f.kind = kindMessage
	}
	return nil
}

// box makes a value a pointer's.
func (f *op) box(k kind, t reflect.Type) error {
	if f.indirect != direct {
		return fmt.Errorf("a pointer to %v in a oneof isn't supported", t)
	}
	f.kind, f.indirect, f.at = k, boxed, arena.KeyOf(t)
	return nil
}

// encodings are the kinds of values by the tag's first word, and the Kinds of Go types that they fit.
var encodings = map[string]map[reflect.Kind]kind{
	"varint": {reflect.Bool: kindBool, reflect.Int32: kindInt32, reflect.Uint32: kindInt32, reflect.Int64: kindInt64, reflect.Uint64: kindInt64,
		reflect.Int: kindInt64, reflect.Uint: kindInt64},
	"zigzag32": {reflect.Int32: kindSint32},
	"zigzag64": {reflect.Int64: kindSint64},
	"fixed32":  {reflect.Int32: kindFixed32, reflect.Uint32: kindFixed32, reflect.Float32: kindFixed32},
	"fixed64":  {reflect.Int64: kindFixed64, reflect.Uint64: kindFixed64, reflect.Float64: kindFixed64},
	"bytes":    {reflect.String: kindString, reflect.Slice: kindBytes},
}

// defaults are the kinds of values that the tags of Kubernetes call bytes, though they are numbers.
var defaults = map[reflect.Kind]kind{reflect.Bool: kindBool, reflect.Int32: kindInt32, reflect.Uint32: kindInt32, reflect.Int64: kindInt64,
	reflect.Uint64: kindInt64, reflect.Int: kindInt64, reflect.Uint: kindInt64, reflect.Float32: kindFixed32, reflect.Float64: kindFixed64}

func (c *structCompiler) fillScalar(f *op, tag structTag, e reflect.Type, list, pointer bool) error {
	k, ok := encodings[tag.encoding][e.Kind()]
	if !ok && tag.encoding == "bytes" {
		k, ok = defaults[e.Kind()]
	}
	if !ok || e.Kind() == reflect.Slice && e.Elem().Kind() != reflect.Uint8 || list && pointer || k == kindInt64 && e.Size() != 8 {
		return fmt.Errorf("type %v doesn't fit the tag's %q", e, tag.encoding)
	}
	f.kind, f.scalar, f.size, f.empty = k, k, uint8(e.Size()), true
	if list {
		f.kind = listKinds[k]
		if f.kind == 0 {
			f.kind = kindVarints
		}
		return nil
	}
	if pointer {
		return f.box(k, e)
	}
	return nil
}

// listKinds are the kinds of lists that aren't of varints.
var listKinds = map[kind]kind{kindString: kindStrings, kindBytes: kindByteses, kindFixed32: kindFixeds, kindFixed64: kindFixeds}

// fillMap plans a map, by the tags for its keys and values.
func (c *structCompiler) fillMap(f *op, t reflect.Type, tags reflect.StructTag) error {
	key, val := parseTag(tags.Get("protobuf_key")), parseTag(tags.Get("protobuf_val"))
	if key.num == 0 && val.num == 0 { // Kubernetes leaves them out
		key.encoding, val.encoding = "bytes", "bytes"
	} else if key.num != 1 || val.num != 2 {
		return errors.New("the tags protobuf_key and protobuf_val don't fit a map")
	}
	m := newMapPlan(t)
	k := &op{num: 1, field: "key"}
	if err := c.fillScalar(k, key, t.Key(), false, false); err != nil {
		return err
	}
	if err := c.fill(m.value, val, t.Elem(), tags); err != nil {
		return err
	}
	m.cell.add(k)
	m.cell.add(m.value)
	f.kind, f.entry = kindMap, m
	return nil
}
