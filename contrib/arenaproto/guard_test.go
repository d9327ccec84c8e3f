package arenaproto

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto/internal/compile"
	"github.com/harena-go/arena/contrib/arenaproto/internal/decode"
	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
	"github.com/harena-go/arena/contrib/arenaproto/internal/plan"
	"github.com/harena-go/arena/contrib/arenaproto/internal/testpb/opaque"
	"github.com/harena-go/arena/contrib/arenaproto/internal/testpb/three"
	"github.com/harena-go/arena/contrib/arenaproto/internal/testpb/two"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// forget drops all plans.
func forget() {
	compile.Plans.Clear()
	for i := range recents {
		recents[i].Store(nil)
	}
}

// TestDrift: if a type were laid out in another way than the plan takes it to be, the official
// runtime would decode it.
func TestDrift(t *testing.T) {
	defer func() { compile.Tamper = nil; forget() }()
	find := func(pl *plan.Plan, field string) (ops []*plan.Op) {
		for _, f := range pl.Ops {
			if f.Field == field {
				ops = append(ops, f)
			}
		}
		if len(ops) == 0 {
			t.Fatalf("no field %s", field)
		}
		return ops
	}
	swap := func(x, y string) func(pl *plan.Plan) {
		return func(pl *plan.Plan) {
			f, g := find(pl, x), find(pl, y)
			f[0].Off, g[0].Off = g[0].Off, f[0].Off
		}
	}
	for _, test := range []struct {
		name   string
		m      proto.Message
		tamper func(pl *plan.Plan)
	}{
		{"numbers swapped", &three.All{}, swap("one_int32", "one_sint32")},
		{"strings swapped", &two.All{}, swap("one_string", "far")},
		{"lists swapped", &three.All{}, swap("many_int32", "loose_int32")},
		{"presence bit", &opaque.All{}, func(pl *plan.Plan) { find(pl, "one_int64")[0].Bit++ }},
		{"no presence bit", &opaque.All{}, func(pl *plan.Plan) { find(pl, "one_string")[0].Present = false }},
		{"lazy bit", &opaque.All{}, func(pl *plan.Plan) { find(pl, "one_lazy")[0].Bit-- }},
		{"UTF-8", &three.All{}, func(pl *plan.Plan) { find(pl, "one_string")[0].Check = false }},
		{"no UTF-8", &two.All{}, func(pl *plan.Plan) { find(pl, "many_string")[0].Check = true }},
		{"zigzag", &three.All{}, func(pl *plan.Plan) { find(pl, "one_sint64")[0].Kind = plan.KindInt64 }},
		{"packed", &three.All{}, func(pl *plan.Plan) {
			for _, f := range find(pl, "many_sint32") {
				f.Scalar = plan.KindInt32
			}
		}},
		{"oneof", &three.All{}, func(pl *plan.Plan) { f := find(pl, "choice_int32")[0]; f.Word = find(pl, "choice_uint32")[0].Word }},
		{"map", &three.All{}, func(pl *plan.Plan) { find(pl, "of_sint32")[0].Entry.Value.Kind = plan.KindInt32 }},
		{"unknown fields", &three.All{}, func(pl *plan.Plan) { pl.Unknown = false }},
	} {
		forget()
		typ := reflect.TypeOf(test.m).Elem()
		compile.Tamper = func(pl *plan.Plan) {
			if pl.Typ == typ {
				test.tamper(pl)
			}
		}
		r := Explain(test.m)
		if len(r.Left) == 0 || !strings.Contains(r.String(), "in another way") {
			t.Errorf("%s: not noticed: %v", test.name, r)
		}
		vs := variants()
		if err := differ(vs, test.m, []byte("\x18\x05\x72\x01x\x28\x07"), UnmarshalOptions{NoLazyDecoding: true}); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestForeign: fields left to the official runtime, in any place, have the same values as there.
func TestForeign(t *testing.T) {
	defer func() { compile.Tamper = nil; forget() }()
	for _, foreign := range []any{three.Node{}, opaque.Node{}, two.Node{}} {
		forget()
		compile.Tamper = func(pl *plan.Plan) {
			if pl.Typ == reflect.TypeOf(foreign) {
				pl.Official = "a test wants it so"
			}
		}
		vs := variants()
		for seed := range 600 {
			w := wireMaker{newRand(seed), seed%2 == 0}
			m := []proto.Message{&three.All{}, &opaque.All{}, &two.All{}}[seed%3]
			if err := differ(vs, m, w.message(m.ProtoReflect().Descriptor(), 3), w.options()); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if r := Explain(&two.Holder{}).String() + Explain(&three.All{}).String() + Explain(&opaque.All{}).String(); !strings.Contains(r, "many_node is left") {
			t.Error(r)
		}
	}
}

// TestPending: a message that the official runtime has decoded in part can be merged to.
func TestPending(t *testing.T) {
	a := arena.NewArena()
	for seed := range 2000 {
		w := wireMaker{newRand(seed), false}
		fields := (&opaque.All{}).ProtoReflect().Descriptor().Fields()
		x := w.field(w.field(nil, fields.ByNumber(302), 3), fields.ByNumber(303), 3)
		y := w.field(w.field(w.message((&opaque.All{}).ProtoReflect().Descriptor(), 3), fields.ByNumber(302), 3), fields.ByNumber(303), 3)
		got, want := &opaque.All{}, &opaque.All{}
		for _, m := range []*opaque.All{got, want} {
			if err := proto.Unmarshal(x, m); err != nil {
				t.Fatal(err)
			}
		}
		o := UnmarshalOptions{Merge: true, NoLazyDecoding: seed%4 == 0}
		if err, wantErr := o.Unmarshal(a, y, got), o.official().Unmarshal(y, want); !sameError(err, wantErr) || !compile.Identical(got, want) {
			t.Fatalf("seed %d: %v, %v instead of %v, %v", seed, got, err, want, wantErr)
		}
		a.Reset()
	}
}

// TestOverlooked: where the official runtime overlooks that a required field is missing, it isn't missed here.
func TestOverlooked(t *testing.T) {
	good := append(number(1, 1), field(2, "b")...)
	entry := append(append(number(1, 7), field(2, string(good))...), field(2, string(field(3, "")))...)
	b := append(good, field(4, string(entry))...)
	want := &two.Required{}
	if err := proto.Unmarshal(b, want); err != nil || proto.CheckInitialized(want) == nil {
		t.Skip("this version of the runtime doesn't overlook it")
	}
	for _, o := range []UnmarshalOptions{{}, {Merge: true}} {
		if err := differ(variants(), &two.Required{}, b, o); err != nil {
			t.Error(err)
		}
	}
}

// TestBigEndian: numbers of fixed size are right if they are read one by one, as on big-endian machines. The
// machine itself doesn't change.
func TestBigEndian(t *testing.T) {
	defer func(was bool) { decode.LittleEndian = was }(decode.LittleEndian)
	decode.LittleEndian = false
	b := append(field(30, "12345678abcdefgh"), field(31, "12341234")...)
	for n := protowire.Number(1); n < 100; n++ {
		b = append(b, field(n, "\x01\x02\x03\x04\x05\x06\x07\x08")...)
	}
	for _, m := range types {
		if err := differ(variants(), m, b, UnmarshalOptions{AllowPartial: true}); err != nil {
			t.Error(err)
		}
	}
}

// TestUntrusted: if interfaces were laid out in another way, the official runtime would decode everything.
func TestUntrusted(t *testing.T) {
	defer func() { mem.Trusted = true; forget() }()
	if !mem.Trusted {
		t.Fatal("the layout of interfaces of this toolchain isn't known")
	}
	mem.Trusted = false
	forget()
	if r := Explain(&three.All{}); r.Decoded != 0 || len(r.Left) != 1 {
		t.Error(r)
	}
	w := wireMaker{newRand(1), false}
	for _, m := range types {
		if err := differ(variants(), m, w.message(m.ProtoReflect().Descriptor(), 3), UnmarshalOptions{NoLazyDecoding: true}); err != nil {
			t.Error(err)
		}
	}
}

// TestExplain: the tests' types have no fields left without need.
func TestExplain(t *testing.T) {
	for _, m := range []proto.Message{&three.All{}, &opaque.All{}, &three.Node{}} {
		if r := Explain(m); len(r.Left) > 0 || r.Decoded == 0 {
			t.Errorf("%v", r)
		}
	}
	if r := Explain((*two.Holder)(nil)); r.Decoded < 4 || len(r.Left) != 1 || r.Left[0].Message != "arena.test.two.All" || !strings.Contains(r.String(), "extensions") {
		t.Errorf("%v", r)
	}
}

// TestClone: a clone shares nothing with the arena.
func TestClone(t *testing.T) {
	a := arena.NewArena()
	for seed := range 2000 {
		w := wireMaker{newRand(seed), false}
		m := types[w.IntN(len(types))]
		b := w.message(m.ProtoReflect().Descriptor(), 4)
		o := UnmarshalOptions{AllowPartial: true}
		want, got := m.ProtoReflect().New().Interface(), m.ProtoReflect().New().Interface()
		if o.official().Unmarshal(b, want) != nil {
			continue
		}
		if err := o.Unmarshal(a, b, got); err != nil {
			t.Fatal(err)
		}
		c := Clone(got)
		scribble(a, len(b))
		if !compile.Identical(c, want) {
			t.Fatalf("seed %d: %v instead of %v", seed, c, want)
		}
	}
	if c := Clone((*three.All)(nil)); c != nil {
		t.Error("a clone of a nil pointer")
	}
	if c := Clone[proto.Message](nil); c != nil {
		t.Error("a clone of nil")
	}
}

// TestMergeIn: CloneIn and Merge do the same as proto.Clone and proto.Merge, in all kinds of arenas, and the copy
// shares no memory with the original.
func TestMergeIn(t *testing.T) {
	vs := variants()
	source := arena.NewArena()
	for seed := range 3000 {
		w := wireMaker{newRand(seed), false}
		m := types[w.IntN(len(types))]
		o := UnmarshalOptions{AllowPartial: true, NoLazyDecoding: true}
		x, y := m.ProtoReflect().New().Interface(), m.ProtoReflect().New().Interface()
		first, second := w.message(m.ProtoReflect().Descriptor(), 4), w.message(m.ProtoReflect().Descriptor(), 4)
		if o.Unmarshal(nil, first, x) != nil || o.Unmarshal(source, second, y) != nil {
			continue
		}
		want := Clone(x)
		proto.Merge(want, Clone(y))
		got := make([]proto.Message, len(vs))
		for i := range vs {
			vs[i].arena.Reset()
			got[i] = vs[i].message(m)
			if err := errors.Join(Merge(vs[i].arena, got[i], x), Merge(vs[i].arena, got[i], y)); err != nil {
				t.Fatalf("seed %d: %s: %v", seed, vs[i].name, err)
			}
			if i+1 < len(vs) && vs[i].arena == vs[i+1].arena && vs[i].arena != nil && !proto.Equal(got[i], want) {
				t.Fatalf("seed %d: %s: %v instead of %v", seed, vs[i].name, got[i], want)
			}
		}
		scribble(source, len(second))
		for i := range vs {
			last := i+1 == len(vs) || vs[i].arena != vs[i+1].arena // the next one resets the arena
			if (last || vs[i].arena == nil) && !proto.Equal(got[i], want) {
				t.Fatalf("seed %d: %s: %v instead of %v", seed, vs[i].name, got[i], want)
			}
		}
	}
}

// TestCloneIn: nil messages, errors, and panics.
func TestCloneIn(t *testing.T) {
	if c, err := CloneIn[three.All](nil, nil); c != nil || err != nil {
		t.Error(c, err)
	}
	a := arena.NewArena(arena.WithLimit(100))
	var limit *arena.LimitError
	if c, err := CloneIn(a, &three.All{OneString: strings.Repeat("x", 100)}); c != nil || !errors.As(err, &limit) {
		t.Error(c, err)
	}
	if c, err := CloneIn(a, &three.All{OneString: "\xff"}); c != nil || err == nil {
		t.Error(c, err)
	}
	c, err := CloneIn(a, &two.Required{})
	if err != nil || !a.Owns(unsafe.Pointer(c)) {
		t.Error("a message that lacks a required field isn't copied:", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("messages of two types were merged")
		}
	}()
	_ = Merge(nil, &three.All{}, &two.All{})
}

// scribble resets an arena and overwrites its contents.
func scribble(a *arena.Arena, n int) {
	a.Reset()
	for range 1 + n/512 {
		b := a.AllocBytesUninit(4096)
		for i := range b {
			b[i] = '#'
		}
	}
	a.Reset()
}

// TestAppendMarshal: the result equals that of proto.Marshal.
func TestAppendMarshal(t *testing.T) {
	a := arena.NewArena()
	m := &three.All{OneString: "x", ManyInt32: []int32{1, 2, 3}, OneNode: &three.Node{Name: "n"}}
	want, _ := proto.Marshal(m)
	for _, a := range []*arena.Arena{nil, a} {
		got, err := AppendMarshal(a, m)
		if err != nil || string(got) != string(want) || cap(got) != len(want) || a != nil && !a.Owns(ptr(got)) {
			t.Errorf("%x %v", got, err)
		}
	}
	if _, err := AppendMarshal(a, &two.Required{}); err == nil {
		t.Error("no error for a required field")
	}
	if b, err := AppendMarshal(a, &two.Required{}, proto.MarshalOptions{AllowPartial: true}); err != nil {
		t.Errorf("%x %v", b, err)
	}
	if b, err := AppendMarshal(a, &three.All{}); err != nil || len(b) != 0 {
		t.Errorf("%x %v", b, err)
	}
	if n := testing.AllocsPerRun(100, func() { a.Reset(); _, _ = AppendMarshal(a, m) }); n > 0 && !compile.RaceEnabled {
		t.Errorf("%v allocations", n)
	}
	if _, err := AppendMarshal(arena.NewArena(arena.WithLimit(8)), m); err == nil {
		t.Error("no error beyond the limit")
	}
}
