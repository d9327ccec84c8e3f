package arenaproto

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// This file guards against the day when the official runtime keeps messages in another way. Before
// a plan is used, an input for each of its fields is decoded by both; if the results differ
// in anything, all messages of the type are left to that runtime from then on.

// prove compares all plans with the official runtime.
func (c *compiler) prove() {
	for _, pl := range c.list {
		if pl.official == "" {
			pl.official = pl.prove()
		}
	}
}

// prove returns what differs, or "".
func (pl *plan) prove() string {
	unknown := protowire.MaxValidNumber
	for pl.known[unknown] {
		unknown--
	}
	if !pl.extensible && !pl.agrees(protowire.AppendVarint(protowire.AppendTag(nil, unknown, protowire.VarintType), 1)) {
		return "this version of the runtime keeps unknown fields in another way"
	}
	for _, f := range pl.ops {
		if f.kind == kindForeign || f.sub != nil && f.sub.official != "" {
			continue
		}
		for _, b := range probes(f) {
			if !pl.agrees(b) {
				return fmt.Sprintf("this version of the runtime keeps field %s in another way", f.field)
			}
		}
	}
	return ""
}

// probes returns inputs for a field. A list gets several elements, and text is also wrong.
func probes(f *op) [][]byte {
	once := slices.Clip(protowire.AppendVarint(nil, uint64(f.tag)))
	switch f.kind {
	case kindString:
		return [][]byte{append(once, "\x03a\xc3\xa9"...), append(once, 0), append(once, 1, 0xff)}
	case kindStrings:
		text := slices.Clip(append(once, "\x03a\xc3\xa9"...))
		return [][]byte{append(text, text...), append(append(text, once...), 1, 0xff)}
	case kindPacked:
		return [][]byte{packedProbe(f, once)}
	case kindMap:
		return mapProbes(f, once)
	case kindLazy:
		return probes(f.inner)
	}
	value := slices.Clip(append(once, scalarProbe(f)...))
	switch f.kind {
	case kindMessages, kindGroups, kindByteses, kindVarints, kindFixeds:
		return [][]byte{append(value, value...)}
	}
	return [][]byte{value, append(value, value...)}
}

// scalarProbe returns a value for a field, without a tag. The message in it is empty.
func scalarProbe(f *op) []byte {
	switch f.tag & 7 {
	case wireVarint:
		if f.scalar == kindBool {
			return []byte{1}
		}
		return protowire.AppendVarint(nil, math.MaxUint32-76)
	case wireFixed64:
		return []byte("\x01\x02\x03\x04\x05\x06\x07\x08")
	case wireFixed32:
		return []byte("\x01\x02\x03\x04")
	case wireGroup:
		return protowire.AppendTag(nil, f.num, protowire.EndGroupType)
	}
	if f.kind == kindBytes || f.kind == kindByteses {
		return []byte("\x02\x00\xff")
	}
	return []byte{0}
}

func packedProbe(f *op, once []byte) []byte {
	g := *f
	g.tag = f.tag&^7 | wireOf(f.scalar)
	v := slices.Clip(scalarProbe(&g))
	return protowire.AppendBytes(once, append(v, v...))
}

// mapProbes returns an entry of a map, and an empty one.
func mapProbes(f *op, once []byte) [][]byte {
	var entry []byte
	for _, g := range f.entry.cell.ops {
		entry = append(entry, probes(g)[0]...)
	}
	return [][]byte{protowire.AppendBytes(once, entry), append(once, 0)}
}

// agrees says whether a plan and the official runtime make the same of b.
func (pl *plan) agrees(b []byte) (same bool) {
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	ours, theirs := reflect.New(pl.typ), reflect.New(pl.typ).Interface().(proto.Message)
	d := decoder{depth: protowire.DefaultRecursionLimit}
	in := d.input(b, false)
	ok := d.message(pl, ours.UnsafePointer(), in, 0, 0) >= 0
	o := proto.UnmarshalOptions{AllowPartial: true, NoLazyDecoding: true}
	if err := o.Unmarshal(b, theirs); err != nil || !ok {
		return err != nil && !ok
	}
	return identical(ours.Interface().(proto.Message), theirs)
}

// identical says whether two messages are equal, and written in the same way.
func identical(m, n proto.Message) bool {
	o := proto.MarshalOptions{AllowPartial: true, Deterministic: true}
	x, err := o.Marshal(m)
	y, err2 := o.Marshal(n)
	return proto.Equal(m, n) && bytes.Equal(x, y) && (err == nil) == (err2 == nil)
}
