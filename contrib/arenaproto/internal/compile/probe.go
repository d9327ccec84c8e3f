package compile

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/harena-go/arena/contrib/arenaproto/internal/decode"
	"github.com/harena-go/arena/contrib/arenaproto/internal/plan"
	"github.com/harena-go/arena/contrib/arenaproto/internal/wire"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// This file guards against future versions of the official runtime with another layout of messages. Before a plan
// is used, an input for each of its fields is decoded both by the plan and by that runtime. If any results differ,
// all messages of the type are left to the runtime from then on.

// prove compares all plans with the official runtime.
func (c *compiler) prove() {
	for _, pl := range c.list {
		if pl.Official == "" {
			pl.Official = provePlan(pl)
		}
	}
}

// provePlan returns a difference, or "". It tries an unknown field, with a number that the type doesn't have, and
// then all fields.
func provePlan(pl *plan.Plan) string {
	unknown := protowire.MaxValidNumber
	for pl.Known[unknown] {
		unknown--
	}
	field := append(protowire.AppendTag(nil, unknown, protowire.VarintType), 1)
	if !pl.Extensible && !agrees(pl, field) {
		return "this version of the runtime keeps unknown fields in another way"
	}
	// Fields left to the official runtime need no comparison.
	for _, f := range pl.Ops {
		if f.Kind == plan.KindForeign || f.Sub != nil && f.Sub.Official != "" {
			continue
		}
		for _, b := range probes(f) {
			if !agrees(pl, b) {
				return fmt.Sprintf("this version of the runtime keeps field %s in another way", f.Field)
			}
		}
	}
	return ""
}

// probes returns inputs for a field. A list gets several elements. Text that isn't UTF-8 is also tried, to compare
// errors. A message comes twice, since the second one is merged into the first.
func probes(f *plan.Op) [][]byte {
	// once is clipped, so each append makes a new input.
	once := slices.Clip(protowire.AppendVarint(nil, uint64(f.Tag)))
	switch f.Kind {
	case plan.KindString:
		return [][]byte{append(once, "\x03a\xc3\xa9"...), append(once, 0), append(once, 1, 0xff)}
	case plan.KindStrings:
		text := slices.Clip(append(once, "\x03a\xc3\xa9"...))
		return [][]byte{append(text, text...), append(append(text, once...), 1, 0xff)}
	case plan.KindPacked:
		return [][]byte{packedProbe(f, once)}
	case plan.KindMap:
		return mapProbes(f, once)
	case plan.KindLazy:
		return probes(f.Inner)
	}
	// One value, or two: a list then has both, other fields have the last one, and messages are merged.
	value := slices.Clip(append(once, scalarProbe(f)...))
	switch f.Kind {
	case plan.KindMessages, plan.KindGroups, plan.KindByteses, plan.KindVarints, plan.KindFixeds:
		return [][]byte{append(value, value...)}
	}
	return [][]byte{value, append(value, value...)}
}

// scalarProbe returns a value for a field, without a tag. The bytes of fixed
// numbers differ, so that a wrong size or order shows. A message is empty.
func scalarProbe(f *plan.Op) []byte {
	switch f.Tag & 7 {
	case wire.TypeVarint:
		if f.Scalar == plan.KindBool {
			return []byte{1}
		}
		return protowire.AppendVarint(nil, math.MaxUint32-76)
	case wire.TypeFixed64:
		return []byte("\x01\x02\x03\x04\x05\x06\x07\x08")
	case wire.TypeFixed32:
		return []byte("\x01\x02\x03\x04")
	case wire.TypeGroup:
		return protowire.AppendTag(nil, f.Num, protowire.EndGroupType)
	}
	if f.Kind == plan.KindBytes || f.Kind == plan.KindByteses {
		return []byte("\x02\x00\xff")
	}
	return []byte{0}
}

// packedProbe returns two elements of a packed list.
func packedProbe(f *plan.Op, once []byte) []byte {
	g := *f
	g.Tag = f.Tag&^7 | plan.WireOf(f.Scalar)
	v := slices.Clip(scalarProbe(&g))
	return protowire.AppendBytes(once, append(v, v...))
}

// mapProbes returns an entry of a map, and an empty one.
func mapProbes(f *plan.Op, once []byte) [][]byte {
	// The first probe of a key or of a value is a single valid one.
	var entry []byte
	for _, g := range f.Entry.Cell.Ops {
		entry = append(entry, probes(g)[0]...)
	}
	return [][]byte{protowire.AppendBytes(once, entry), append(once, 0)}
}

// agrees reports whether a plan and the official runtime decode b to the same message. A panic of either is a
// disagreement.
func agrees(pl *plan.Plan, b []byte) (same bool) {
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	// The plan decodes to the Go heap here: the message is the same with an arena.
	ours, theirs := reflect.New(pl.Typ), reflect.New(pl.Typ).Interface().(proto.Message)
	d := decode.Decoder{Depth: protowire.DefaultRecursionLimit}
	in := d.Input(b, false)
	ok := d.Message(pl, ours.UnsafePointer(), in, 0, 0) >= 0
	o := proto.UnmarshalOptions{AllowPartial: true, NoLazyDecoding: true}
	if err := o.Unmarshal(b, theirs); err != nil || !ok {
		return err != nil && !ok
	}
	return Identical(ours.Interface().(proto.Message), theirs)
}

// Identical reports whether two messages are equal, and have the same encoding: equality ignores the order of
// unknown fields.
func Identical(m, n proto.Message) bool {
	o := proto.MarshalOptions{AllowPartial: true, Deterministic: true}
	x, err := o.Marshal(m)
	y, err2 := o.Marshal(n)
	return proto.Equal(m, n) && bytes.Equal(x, y) && (err == nil) == (err2 == nil)
}
