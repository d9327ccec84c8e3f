package compile

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
	"github.com/harena-go/arena/contrib/arenaproto/internal/plan"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// This file makes plans of structs from the tags of their fields.

// A structCompiler makes plans of structs that refer to each other. They aren't messages of the official runtime,
// so their fields can't be left to it: a tag that doesn't fit is an error.
type structCompiler struct {
	plans map[reflect.Type]*plan.Plan
	list  []*plan.Plan
}

// plan returns the plan of a struct. It may not be complete yet.
func (c *structCompiler) plan(t reflect.Type) (*plan.Plan, error) {
	if pl := c.plans[t]; pl != nil {
		return pl, nil
	}
	// The plan is entered before its fields are planned, which may lead back to it.
	pl := &plan.Plan{Typ: t, Known: map[protoreflect.FieldNumber]bool{}}
	c.plans[t] = pl
	c.list = append(c.list, pl)
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Name == "XXX_unrecognized" && f.Type == reflect.TypeFor[[]byte]() {
			pl.Unknown, pl.UnknownAt = true, f.Offset
		}
		if err := c.field(pl, t, f); err != nil {
			return nil, fmt.Errorf("arenaproto: field %s of %v: %w", f.Name, t, err)
		}
	}
	// AddAll enters the ops again, sorted, with ops for packed lists.
	fields := pl.Ops
	pl.Ops = nil
	pl.AddAll(fields)
	return pl, nil
}

// field plans a field, if it has a tag. Required fields after the first 64 fields count as optional.
func (c *structCompiler) field(pl *plan.Plan, t reflect.Type, sf reflect.StructField) error {
	if sf.Tag.Get("protobuf_oneof") != "" {
		return c.oneof(pl, t, sf)
	}
	tag := parseTag(sf.Tag.Get("protobuf"))
	if tag.num == 0 {
		return nil
	}
	f := &plan.Op{Num: tag.num, Field: sf.Name, Off: sf.Offset}
	if tag.required && len(pl.Ops) < 64 {
		f.Required = 1 << len(pl.Ops)
		pl.Required |= f.Required
	}
	return c.enter(pl, f, tag, sf.Type, sf.Tag)
}

// enter plans a field of a Go type, and adds it to pl.Ops. tags has the other tags of the field.
func (c *structCompiler) enter(
	pl *plan.Plan, f *plan.Op, tag structTag, t reflect.Type, tags reflect.StructTag,
) error {
	pl.Known[f.Num] = true
	pl.Ops = append(pl.Ops, f)
	return c.fill(f, tag, t, tags)
}

// oneof plans the fields that an interface can hold, from the wrappers that the struct's method returns.
func (c *structCompiler) oneof(pl *plan.Plan, t reflect.Type, sf reflect.StructField) error {
	m, ok := reflect.New(t).Interface().(interface{ XXX_OneofWrappers() []any })
	if !ok || sf.Type.Kind() != reflect.Interface || !mem.Trusted {
		return errors.New("there is no method XXX_OneofWrappers")
	}
	// The method returns the wrappers of all oneofs of the struct. Those of this one fit its interface.
	for _, w := range m.XXX_OneofWrappers() {
		wt := reflect.TypeOf(w)
		if !wt.Implements(sf.Type) {
			continue
		}
		// A wrapper is a pointer to a struct of one field, which has the tag.
		wf := wt.Elem().Field(0)
		tag := parseTag(wf.Tag.Get("protobuf"))
		f := &plan.Op{Num: tag.num, Field: wf.Name, Off: sf.Offset}
		if tag.num == 0 || !hold(f, sf.Type, wt.Elem()) {
			return fmt.Errorf("type %v doesn't fit", wt)
		}
		if err := c.enter(pl, f, tag, wf.Type, wf.Tag); err != nil {
			return err
		}
	}
	return nil
}

// A structTag is a parsed tag of a field.
type structTag struct {
	encoding string                   // the first word, see encodings
	num      protoreflect.FieldNumber // 0 if there is no tag
	required bool
	time     bool // time.Time and time.Duration for their messages
}

// parseTag reads a tag such as "bytes,1,opt,name=metadata".
func parseTag(s string) (t structTag) {
	// The parts are encoding, number, label, and more in any order.
	parts := strings.Split(s, ",")
	if n, ok := tagNumber(s); ok && len(parts) > 2 {
		t = structTag{encoding: parts[0], num: n, required: parts[2] == "req"}
	}
	for _, p := range parts {
		t.time = t.time || p == "stdtime" || p == "stdduration"
	}
	return t
}

// fill fills in the op for a value of a Go type: a map, a value with a method of its own, a list, a pointer, a
// struct, or a scalar.
func (c *structCompiler) fill(f *plan.Op, tag structTag, t reflect.Type, tags reflect.StructTag) error {
	if t.Kind() == reflect.Map {
		return c.fillMap(f, t, tags)
	}
	// A slice or an array may have a method itself, such as a type for identifiers.
	if f.Custom = customOf(t, tag); f.Custom != nil {
		f.Kind = plan.KindStruct
		return nil
	}
	// e is the type of the value, without a list and a pointer around it.
	list := t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8
	e := t
	if list {
		e = t.Elem()
		f.Elem = arena.KeyOf(e)
	}
	pointer := e.Kind() == reflect.Pointer
	if pointer {
		e = e.Elem()
	}
	f.Custom = customOf(e, tag)
	if f.Custom == nil && (e.Kind() != reflect.Struct || tag.encoding != "bytes") {
		return c.fillScalar(f, tag, e, list, pointer)
	}
	// Now it is a message, or a value with a method.
	f.Block, f.Stride = arena.KeyOf(e), e.Size()
	if f.Custom == nil {
		var err error
		if f.Sub, err = c.plan(e); err != nil {
			return err
		}
	}
	// A list of pointers to messages is read as in official messages. Other lists have their values in place, or are
	// of pointers to values with methods.
	switch {
	case list && (!pointer || f.Custom != nil):
		f.Kind, f.Pointers = plan.KindStructs, pointer
	case list:
		f.Kind = plan.KindMessages
	case !pointer:
		f.Kind = plan.KindStruct
	case f.Custom != nil:
		return box(f, plan.KindStruct, e)
	default:
		f.Kind = plan.KindMessage
	}
	return nil
}

// box plans a value of type t that is the target of a pointer.
func box(f *plan.Op, k plan.Kind, t reflect.Type) error {
	if f.Indirect != plan.Direct {
		return fmt.Errorf("a pointer to %v in a oneof isn't supported", t)
	}
	f.Kind, f.Indirect, f.At = k, plan.Boxed, arena.KeyOf(t)
	return nil
}

// numbers has the kinds for numbers that are varints without zigzag.
var numbers = map[reflect.Kind]plan.Kind{
	reflect.Bool:  plan.KindBool,
	reflect.Int32: plan.KindInt32, reflect.Uint32: plan.KindInt32,
	reflect.Int64: plan.KindInt64, reflect.Uint64: plan.KindInt64,
	reflect.Int: plan.KindInt64, reflect.Uint: plan.KindInt64,
}

// encodings has the kinds for values, by the tag's first word and the Go kinds that fit it.
var encodings = map[string]map[reflect.Kind]plan.Kind{
	"varint":   numbers,
	"zigzag32": {reflect.Int32: plan.KindSint32},
	"zigzag64": {reflect.Int64: plan.KindSint64},
	"fixed32": {
		reflect.Int32: plan.KindFixed32, reflect.Uint32: plan.KindFixed32, reflect.Float32: plan.KindFixed32,
	},
	"fixed64": {
		reflect.Int64: plan.KindFixed64, reflect.Uint64: plan.KindFixed64, reflect.Float64: plan.KindFixed64,
	},
	"bytes": {reflect.String: plan.KindString, reflect.Slice: plan.KindBytes},
}

// kindOf returns the kind for a value. The tags of Kubernetes call all keys and values of maps bytes; numbers then
// have the usual encoding of their type.
func kindOf(encoding string, k reflect.Kind) (kind plan.Kind, ok bool) {
	if kind, ok = encodings[encoding][k]; ok || encoding != "bytes" {
		return kind, ok
	}
	switch k {
	case reflect.Float32:
		return plan.KindFixed32, true
	case reflect.Float64:
		return plan.KindFixed64, true
	}
	kind, ok = numbers[k]
	return kind, ok
}

// fillScalar plans a number, a string or bytes, a list of these, or a pointer to one. Int and uint fit only
// where they have 64 bits.
func (c *structCompiler) fillScalar(f *plan.Op, tag structTag, e reflect.Type, list, pointer bool) error {
	k, ok := kindOf(tag.encoding, e.Kind())
	if !ok || e.Kind() == reflect.Slice && e.Elem().Kind() != reflect.Uint8 || list && pointer ||
		k == plan.KindInt64 && e.Size() != 8 {
		return fmt.Errorf("type %v doesn't fit the tag's %q", e, tag.encoding)
	}
	// Empty bytes aren't nil, as with gogo/protobuf.
	f.Kind, f.Scalar, f.Size, f.Empty = k, k, uint8(e.Size()), true
	if list {
		f.Kind = listKinds[k]
		if f.Kind == 0 {
			f.Kind = plan.KindVarints
		}
		return nil
	}
	if pointer {
		return box(f, k, e)
	}
	return nil
}

// listKinds has the kinds of lists, by the kinds of their elements, except for lists of varints.
var listKinds = map[plan.Kind]plan.Kind{
	plan.KindString: plan.KindStrings, plan.KindBytes: plan.KindByteses,
	plan.KindFixed32: plan.KindFixeds, plan.KindFixed64: plan.KindFixeds,
}

// fillMap plans a map, by the tags for its keys and values.
func (c *structCompiler) fillMap(f *plan.Op, t reflect.Type, tags reflect.StructTag) error {
	key, val := parseTag(tags.Get("protobuf_key")), parseTag(tags.Get("protobuf_val"))
	if key.num == 0 && val.num == 0 { // Kubernetes leaves them out
		key.encoding, val.encoding = "bytes", "bytes"
	} else if key.num != 1 || val.num != 2 {
		return errors.New("the tags protobuf_key and protobuf_val don't fit a map")
	}
	// Keys are scalars. Values may be as fields, except maps and lists.
	m := plan.NewMapPlan(t)
	k := &plan.Op{Num: 1, Field: "key"}
	if err := c.fillScalar(k, key, t.Key(), false, false); err != nil {
		return err
	}
	if err := c.fill(m.Value, val, t.Elem(), tags); err != nil {
		return err
	}
	m.Cell.Add(k)
	m.Cell.Add(m.Value)
	// The entry is complete: its plan finds key and value by their tags.
	f.Kind, f.Entry = plan.KindMap, m
	return nil
}
