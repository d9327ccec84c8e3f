package arenaproto

import (
	"bytes"
	"sync"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	"github.com/harena-go/arena/contrib/arenaproto/internal/compile"
	"github.com/harena-go/arena/contrib/arenaproto/internal/testpb/opaque"
	"github.com/harena-go/arena/contrib/arenaproto/internal/testpb/three"
	"github.com/harena-go/arena/contrib/arenaproto/internal/testpb/two"
	"google.golang.org/protobuf/proto"
)

// within reports whether p points into b.
func within(b []byte, p *byte) bool {
	d := uintptr(unsafe.Pointer(p)) - uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return d < uintptr(len(b))
}

// TestAlias: with AliasBuffer strings, bytes and unknown fields are parts of the input, and else none is. Appending to
// them changes nothing else.
func TestAlias(t *testing.T) {
	a := arena.NewArena()
	b := bytes.Join([][]byte{field(14, "text"), field(15, "bytes"), field(numberOf("many_string"), "a"), field(numberOf("many_bytes"), "b"), field(9999, "unknown")}, nil)
	for _, alias := range []bool{true, false} {
		for _, a := range []*arena.Arena{a, nil} {
			before := bytes.Clone(b)
			m := &three.All{}
			if err := (UnmarshalOptions{AliasBuffer: alias}).Unmarshal(a, b, m); err != nil {
				t.Fatal(err)
			}
			for what, p := range map[string]*byte{"string": unsafe.StringData(m.OneString), "bytes": unsafe.SliceData(m.OneBytes),
				"listed string": unsafe.StringData(m.ManyString[0]), "listed bytes": unsafe.SliceData(m.ManyBytes[0]),
				"unknown field": unsafe.SliceData([]byte(m.ProtoReflect().GetUnknown()))} {
				if within(b, p) != alias {
					t.Errorf("alias %v: %s in the input: %v", alias, what, !alias)
				}
				if a != nil && a.Owns(unsafe.Pointer(p)) == alias {
					t.Errorf("alias %v: %s in the arena: %v", alias, what, alias)
				}
			}
			want := proto.Clone(m)
			_ = append(m.OneBytes, "much more"...)
			_ = append(m.ProtoReflect().GetUnknown(), "and more"...)
			if !compile.Identical(m, want) || !bytes.Equal(b, before) {
				t.Errorf("alias %v: an append has changed something", alias)
			}
		}
	}
}

// TestPlacement: all of a message without maps is in the arena.
func TestPlacement(t *testing.T) {
	a := arena.NewArena()
	m, err := New[three.Node](a, bytes.Join([][]byte{field(1, "name"), field(3, "\x0a\x01x"), field(3, ""), field(4, "\x0a\x01y")}, nil))
	if err != nil {
		t.Fatal(err)
	}
	for what, p := range map[string]unsafe.Pointer{"message": unsafe.Pointer(m), "list": unsafe.Pointer(unsafe.SliceData(m.Nodes)),
		"element": unsafe.Pointer(m.Nodes[1]), "submessage": unsafe.Pointer(m.Next), "string": unsafe.Pointer(unsafe.StringData(m.Nodes[0].Name))} {
		if !a.Owns(p) {
			t.Errorf("the %s isn't in the arena", what)
		}
	}
	if len(m.Nodes) != 2 || cap(m.Nodes) != 2 {
		t.Errorf("length %d, capacity %d", len(m.Nodes), cap(m.Nodes))
	}
}

// TestConcurrent: plans are made and used by many goroutines at once.
func TestConcurrent(t *testing.T) {
	forget()
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			a := arena.NewArena()
			for i, m := range []proto.Message{&two.All{}, &three.All{}, &opaque.All{}, &two.Holder{}} {
				w := wireMaker{newRand(i), false}
				b := w.message(m.ProtoReflect().Descriptor(), 3)
				if err := differ([]variant{{"arena", a, g%2 == 0, false}}, m, b, UnmarshalOptions{AllowPartial: true, NoLazyDecoding: true}); err != nil {
					t.Error(err)
				}
				if err := UnmarshalStruct(a, richWire(), new(rich)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// TestNil: a nil message, or a nil pointer to one, panics or fails as with the official runtime.
func TestNil(t *testing.T) {
	for _, m := range []proto.Message{nil, (*three.All)(nil)} {
		result := func(f func() error) (panicked bool, err error) {
			defer func() { panicked = recover() != nil }()
			return false, f()
		}
		p1, err1 := result(func() error { return proto.Unmarshal([]byte{8, 1}, m) })
		p2, err2 := result(func() error { return Unmarshal(arena.NewArena(), []byte{8, 1}, m) })
		if p1 != p2 || (err1 == nil) != (err2 == nil) {
			t.Errorf("%v, %v instead of %v, %v", p2, err2, p1, err1)
		}
	}
}

// TestChecked: in checked arenas messages are the same, and values kept by the decoder aren't reported as escapes.
func TestChecked(t *testing.T) {
	a, c := arenatest.New(t), arenatest.New(t, arena.WithNoScan())
	vs := []variant{{"checked", a, false, true}, {"alias", a, true, false}, {"contained", c, false, true}}
	for seed := range 200 {
		w := wireMaker{newRand(seed), seed%2 == 0}
		m := types[seed%len(types)]
		if err := differ(vs, m, w.message(m.ProtoReflect().Descriptor(), 4), w.options()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	for range 3 {
		a.Reset()
		if err := UnmarshalStruct(a, bytes.Repeat(richWire(), 20), arena.New[rich](a)); err != nil {
			t.Fatal(err)
		}
		var m three.All // merged to, which takes a mark
		for range 2 {
			if err := (UnmarshalOptions{Merge: true}).Unmarshal(a, bytes.Repeat(field(numberOf("many_string"), "text"), 300), &m); err != nil {
				t.Fatal(err)
			}
		}
	}
}
