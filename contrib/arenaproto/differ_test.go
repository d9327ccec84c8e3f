package arenaproto

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto/internal/compile"
	"github.com/harena-go/arena/contrib/arenaproto/internal/testpb/opaque"
	"github.com/harena-go/arena/contrib/arenaproto/internal/testpb/three"
	"github.com/harena-go/arena/contrib/arenaproto/internal/testpb/two"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/structpb"
)

// types are the messages that tests use.
var types = []proto.Message{&two.All{}, &three.All{}, &opaque.All{}, &two.Holder{}, &two.Required{}, &structpb.Struct{},
	&descriptorpb.FileDescriptorSet{}, &two.Node{}, &opaque.Node{}}

// A variant is a way to decode.
type variant struct {
	name   string
	arena  *arena.Arena
	alias  bool
	inside bool // the message itself is in the arena too
}

func variants() []variant {
	a, c := arena.NewArena(), arena.NewArena(arena.WithNoScan())
	return []variant{{"nil", nil, false, false}, {"batch", nil, true, false}, {"arena", a, false, false}, {"alias", a, true, true}, {"contained", c, false, false}, {"inside", c, true, true}}
}

// message returns a new message of a type, where the variant wants it.
func (v *variant) message(m proto.Message) proto.Message {
	if v.inside {
		t := reflect.TypeOf(m).Elem()
		return reflect.NewAt(t, arena.KeyOf(t).New(v.arena)).Interface().(proto.Message)
	}
	return m.ProtoReflect().New().Interface()
}

// differ decodes b by both runtimes in all variants, and returns the differences.
func differ(vs []variant, m proto.Message, b []byte, o UnmarshalOptions) error {
	want := m.ProtoReflect().New().Interface()
	wantErr := o.official().Unmarshal(b, want)
	for i := range vs {
		v := &vs[i]
		v.arena.Reset()
		o.AliasBuffer, o.Batch = v.alias && v.arena != nil, v.alias && v.arena == nil
		got := v.message(m)
		err := o.Unmarshal(v.arena, b, got)
		switch {
		case !sameError(err, wantErr):
			return fmt.Errorf("%s: %T from %x: error %v instead of %v", v.name, m, b, err, wantErr)
		case err == nil && !compile.Identical(got, want):
			return fmt.Errorf("%s: %T from %x:\n%v\ninstead of\n%v", v.name, m, b, got, want)
		}
	}
	return nil
}

// sameError compares errors. Which required field is missing depends on the order of maps.
func sameError(err, want error) bool {
	if err == nil || want == nil {
		return err == want
	}
	return err.Error() == want.Error() || strings.Contains(err.Error(), "required field") && strings.Contains(want.Error(), "required field")
}

// A wireMaker makes inputs by chance: mostly good ones, of the fields that a type has.
type wireMaker struct {
	*rand.Rand
	wild bool // with malformed or unusual parts
}

func (w wireMaker) varint(b []byte, v uint64) []byte {
	if !w.wild || w.IntN(20) > 0 {
		return protowire.AppendVarint(b, v)
	}
	n := protowire.SizeVarint(v)
	b = protowire.AppendVarint(b, v)
	for ; n < 9 && w.IntN(3) > 0; n++ {
		b[len(b)-1] |= 0x80
		b = append(b, 0)
	}
	return b
}

func (w wireMaker) number() uint64 {
	switch w.IntN(4) {
	case 0:
		return w.Uint64N(128)
	case 1:
		return w.Uint64N(1 << 14)
	case 2:
		return -w.Uint64N(100)
	}
	return w.Uint64() >> w.IntN(64)
}

func (w wireMaker) text() []byte {
	b := []byte("The quick brown fox jumps over the lazy dog, größer als 漢字 \U0001F600 und mehr")
	i := 0
	if w.IntN(3) > 0 || !w.wild {
		return b[:w.IntN(40)]
	}
	i = w.IntN(len(b))
	return b[i : i+w.IntN(len(b)-i)]
}

// message returns an input for a type.
func (w wireMaker) message(md protoreflect.MessageDescriptor, depth int) (b []byte) {
	fields := md.Fields()
	for range w.IntN(6) {
		if fields.Len() == 0 || w.wild && w.IntN(12) == 0 {
			b = w.stray(b)
			continue
		}
		fd := fields.Get(w.IntN(fields.Len()))
		for n := 1 + w.IntN(3)*w.IntN(2); n > 0; n-- {
			b = w.field(b, fd, depth)
		}
	}
	return b
}

// stray appends a field with any number and type.
func (w wireMaker) stray(b []byte) []byte {
	num := protowire.Number([]int{1, 2, 17, 99, 300, 301, 1000, 1001, 1002, 1003, 5000, 1<<29 - 1}[w.IntN(12)])
	switch typ := protowire.Type(w.IntN(6)); typ {
	case protowire.VarintType:
		return w.varint(w.varint(b, uint64(num)<<3), w.number())
	case protowire.Fixed64Type:
		return append(w.varint(b, uint64(num)<<3|1), "12345678"...)
	case protowire.Fixed32Type:
		return append(w.varint(b, uint64(num)<<3|5), "1234"...)
	case protowire.BytesType:
		return protowire.AppendBytes(w.varint(b, uint64(num)<<3|2), w.text())
	default:
		b = protowire.AppendTag(b, num, protowire.StartGroupType)
		if w.IntN(3) > 0 {
			b = w.stray(b)
		}
		return protowire.AppendTag(b, num, protowire.EndGroupType)
	}
}

func (w wireMaker) field(b []byte, fd protoreflect.FieldDescriptor, depth int) []byte {
	if k := fd.Kind(); fd.IsList() && fd.Message() == nil && k != protoreflect.StringKind && k != protoreflect.BytesKind && w.IntN(2) == 0 {
		var p []byte
		for range w.IntN(20) {
			p, _ = w.scalar(p, k)
		}
		return protowire.AppendBytes(w.varint(b, uint64(fd.Number())<<3|2), p)
	}
	if fd.Message() == nil {
		v, typ := w.scalar(nil, fd.Kind())
		return append(w.varint(b, uint64(fd.Number())<<3|uint64(typ)), v...)
	}
	var body []byte
	if depth > 0 {
		body = w.message(fd.Message(), depth-1)
	}
	if fd.Kind() == protoreflect.GroupKind {
		b = append(w.varint(b, uint64(fd.Number())<<3|3), body...)
		return w.varint(b, uint64(fd.Number())<<3|4)
	}
	b = w.varint(b, uint64(fd.Number())<<3|2)
	return append(w.varint(b, uint64(len(body))), body...)
}

func (w wireMaker) scalar(b []byte, k protoreflect.Kind) ([]byte, protowire.Type) {
	switch k {
	case protoreflect.StringKind, protoreflect.BytesKind:
		t := w.text()
		return append(w.varint(b, uint64(len(t))), t...), protowire.BytesType
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return protowire.AppendFixed32(b, uint32(w.number())), protowire.Fixed32Type
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return protowire.AppendFixed64(b, w.number()), protowire.Fixed64Type
	}
	return w.varint(b, w.number()), protowire.VarintType
}

// options returns some by chance.
func (w wireMaker) options() UnmarshalOptions {
	o := UnmarshalOptions{AllowPartial: w.IntN(2) == 0, DiscardUnknown: w.IntN(4) == 0, NoLazyDecoding: true}
	if w.IntN(4) == 0 {
		o.RecursionLimit = 1 + w.IntN(5)
	}
	return o
}

// TestDiffer: the result of any input is that of the official runtime.
func TestDiffer(t *testing.T) {
	from, n := 0, 20000
	if testing.Short() {
		n = 1000
	}
	if s := os.Getenv("ARENAPROTO_DIFFER"); s != "" { // seeds from:to, for long runs
		if _, err := fmt.Sscanf(s, "%d:%d", &from, &n); err != nil {
			t.Fatal(err)
		}
	}
	vs := variants()
	for seed := from; seed < n; seed++ {
		w := wireMaker{rand.New(rand.NewPCG(uint64(seed), 1)), seed%3 > 0}
		m := types[w.IntN(len(types))]
		b := w.message(m.ProtoReflect().Descriptor(), 1+w.IntN(5))
		if w.wild && w.IntN(3) == 0 && len(b) > 0 {
			b[w.IntN(len(b))] = byte(w.Uint32())
		}
		if err := differ(vs, m, b, w.options()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// TestReal: the same for messages that a program has made.
func TestReal(t *testing.T) {
	s, err := structpb.NewStruct(map[string]any{"a": 1, "b": []any{"x", nil, true, map[string]any{"ü": 2.5}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []proto.Message{s, protodesc.ToFileDescriptorProto(descriptorpb.File_google_protobuf_descriptor_proto)} {
		b, err := proto.Marshal(m)
		if err = errors.Join(err, differ(variants(), m, b, UnmarshalOptions{})); err != nil {
			t.Error(err)
		}
	}
}

// TestPrefixes: the same for all beginnings of good inputs.
func TestPrefixes(t *testing.T) {
	vs := variants()
	for seed := range 60 {
		w := wireMaker{rand.New(rand.NewPCG(uint64(seed), 2)), seed%2 == 0}
		m := types[seed%len(types)]
		b := w.message(m.ProtoReflect().Descriptor(), 4)
		for i := range min(len(b), 400) {
			if err := differ(vs, m, b[:i:i], UnmarshalOptions{NoLazyDecoding: true}); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
	}
}

// TestMerge: two inputs are merged as by the official runtime, even if the second is malformed; without Merge, what the
// message has is reset first.
func TestMerge(t *testing.T) {
	vs := variants()
	for seed := range 3000 {
		w := wireMaker{rand.New(rand.NewPCG(uint64(seed), 3)), seed%3 == 0}
		m := types[w.IntN(len(types))]
		x, y := w.message(m.ProtoReflect().Descriptor(), 3), w.message(m.ProtoReflect().Descriptor(), 3)
		o := UnmarshalOptions{Merge: seed%4 > 0, AllowPartial: true, NoLazyDecoding: seed%8 > 0}
		want := m.ProtoReflect().New().Interface()
		if o.official().Unmarshal(x, want) != nil {
			continue
		}
		wantErr := o.official().Unmarshal(y, want)
		for i := range vs {
			v := &vs[i]
			v.arena.Reset()
			got := v.message(m)
			if err := o.Unmarshal(v.arena, x, got); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			err := o.Unmarshal(v.arena, y, got)
			if !sameError(err, wantErr) || err == nil && !compile.Identical(got, want) {
				t.Fatalf("seed %d: %s: %T from %x and %x: error %v instead of %v\n%v\ninstead of\n%v", seed, v.name, m, x, y, err, wantErr, got, want)
			}
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	for seed := range 200 {
		w := wireMaker{rand.New(rand.NewPCG(uint64(seed), 4)), seed%2 == 0}
		n := w.IntN(len(types))
		f.Add(uint8(n), uint8(w.Uint32()), w.message(types[n].ProtoReflect().Descriptor(), 3))
	}
	vs := variants() // a process runs one input after the other
	f.Fuzz(func(t *testing.T, typ, how uint8, b []byte) {
		o := UnmarshalOptions{AllowPartial: how&1 != 0, DiscardUnknown: how&2 != 0, RecursionLimit: int(how >> 2 & 7), NoLazyDecoding: true}
		if err := differ(vs, types[int(typ)%len(types)], b, o); err != nil {
			t.Fatal(err)
		}
	})
}
