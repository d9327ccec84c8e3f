package arenaproto

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto/internal/testpb/opaque"
	"github.com/harena-go/arena/contrib/arenaproto/internal/testpb/three"
	"github.com/harena-go/arena/contrib/arenaproto/internal/testpb/two"
	"github.com/harena-go/arena/internal/tests/testkit"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// nested returns a message in which one field has another one of the type, and so on.
func nested(num protowire.Number, levels int) (b []byte) {
	for range levels {
		b = protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), b)
	}
	return b
}

// TestDepth: as many levels as the official runtime allows, and no more, also of groups, of maps, and of fields
// that are left to that runtime.
func TestDepth(t *testing.T) {
	vs := variants()
	groups := func(n int) []byte {
		tag := protowire.AppendTag(nil, 2, protowire.StartGroupType)
		end := protowire.AppendTag(nil, 2, protowire.EndGroupType)
		b := protowire.AppendTag(nil, 300, protowire.StartGroupType)
		b = append(append(b, bytes.Repeat(tag, n-1)...), bytes.Repeat(end, n-1)...)
		return protowire.AppendTag(b, 300, protowire.EndGroupType)
	}
	for _, n := range []int{1, 2, 9998, 9999, 10000, 10001} {
		for _, test := range []struct {
			m proto.Message
			b []byte
		}{
			{&three.Node{}, nested(4, n)}, {&opaque.Node{}, nested(4, n)}, {&three.Node{}, nested(3, n)}, {&two.All{}, groups(n)},
		} {
			if err := differ(vs, test.m, test.b, UnmarshalOptions{}); err != nil {
				t.Errorf("%d levels: %.200s", n, err.Error())
			}
		}
	}
	entry := []byte("\x12\x00")
	for limit := range 6 {
		for _, b := range [][]byte{
			protowire.AppendBytes(protowire.AppendTag(nil, 113, protowire.BytesType), entry),
			protowire.AppendTag(nil, 113, protowire.VarintType),
			append(protowire.AppendTag(nil, 113, protowire.VarintType), 0),
			protowire.AppendBytes(protowire.AppendTag(nil, 400, protowire.BytesType), append(protowire.AppendTag(nil, 113, protowire.VarintType), 0)),
			protowire.AppendBytes(protowire.AppendTag(nil, 1001, protowire.BytesType), nested(4, 2)),
		} {
			for _, m := range []proto.Message{&two.All{}, &three.All{}, &opaque.All{}} {
				if err := differ(vs, m, b, UnmarshalOptions{RecursionLimit: limit}); err != nil {
					t.Errorf("limit %d: %v", limit, err)
				}
			}
		}
	}
	if err := differ(vs, &three.Node{}, nil, UnmarshalOptions{RecursionLimit: -1}); err != nil {
		t.Error(err)
	}
}

// TestLengths: a length beyond the input is an error, and takes no memory; one that isn't whole numbers is an error in lists.
func TestLengths(t *testing.T) {
	vs := variants()
	md := (&three.All{}).ProtoReflect().Descriptor().Fields()
	for i := range md.Len() {
		var inputs [][]byte
		for n := range 10 {
			inputs = append(inputs, field(md.Get(i).Number(), strings.Repeat("\x01", n)))
		}
		for _, n := range []uint64{1, 127, 1 << 20, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1} {
			inputs = append(inputs, protowire.AppendVarint(protowire.AppendTag(nil, md.Get(i).Number(), protowire.BytesType), n))
		}
		for k, b := range inputs {
			for _, m := range []proto.Message{&two.All{}, &three.All{}, &opaque.All{}} {
				if err := differ(vs, m, b, UnmarshalOptions{NoLazyDecoding: k < 10}); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// used returns how many bytes an input takes in an arena and on the heap.
func used(t *testing.T, m proto.Message, b []byte) (inArena, onHeap int) {
	var before, after runtime.MemStats
	a := arena.NewArena()
	runtime.ReadMemStats(&before)
	if err := Unmarshal(a, b, m); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return a.UsedBytes(), int(after.TotalAlloc - before.TotalAlloc)
}

// TestBlowUp: memory is in proportion to the size of the input: no more than the official runtime allocates
// for it.
func TestBlowUp(t *testing.T) {
	const n = 1 << 10
	for name, b := range map[string][]byte{
		"empty messages": bytes.Repeat(protowire.AppendTag(nil, 3, protowire.BytesType), 1),
		"empty strings":  protowire.AppendTag(nil, numberOf("many_string"), protowire.BytesType),
		"empty entries":  protowire.AppendTag(nil, 101, protowire.BytesType),
		"numbers":        protowire.AppendTag(nil, numberOf("many_int32"), protowire.VarintType),
	} {
		b = bytes.Repeat(append(b, 0), n)
		var m proto.Message = &three.All{}
		if name == "empty messages" {
			m = &three.Node{}
		}
		_ = Unmarshal(nil, nil, m) // the plan
		inArena, onHeap := used(t, m, b)
		if inArena > 100*len(b) || onHeap > 300*len(b) {
			t.Errorf("%s: %d bytes take %d in the arena, %d on the heap", name, len(b), inArena, onHeap)
		}
	}
}

// TestAlternating: lists that come in many parts, and unknown fields between known ones, take linear time and memory.
func TestAlternating(t *testing.T) {
	pair := protowire.AppendTag(nil, numberOf("many_int32"), protowire.VarintType)
	pair = append(protowire.AppendTag(append(pair, 1), numberOf("many_uint32"), protowire.VarintType), 2)
	pair = append(protowire.AppendTag(pair, 99999, protowire.VarintType), 3)
	start := time.Now()
	b := bytes.Repeat(pair, 1<<16)
	m := &three.All{}
	a := arena.NewArena()
	if err := Unmarshal(a, b, m); err != nil {
		t.Fatal(err)
	}
	if len(m.ManyInt32) != 1<<16 || len(m.ManyUint32) != 1<<16 {
		t.Errorf("%d and %d elements", len(m.ManyInt32), len(m.ManyUint32))
	}
	if a.UsedBytes() > 20*len(b) || time.Since(start) > 20*time.Second {
		t.Errorf("%d bytes took %d and %v", len(b), a.UsedBytes(), time.Since(start))
	}
}

// TestLimit: a budget that doesn't suffice is an error, with any budget, and the arena can be used afterwards.
func TestLimit(t *testing.T) {
	b := bytes.Repeat(append(protowire.AppendTag(nil, 3, protowire.BytesType), 0), 512)
	failed := 0
	for limit := 256; limit < 200<<10; limit += limit/3 + 1 { // in which a Node that is kept alive has room
		for _, opt := range []arena.Option{arena.WithName("x"), arena.WithNoScan()} {
			a := arena.NewArena(arena.WithLimit(limit), opt)
			m := &three.Node{}
			err := Unmarshal(a, b, m)
			var limited *arena.LimitError
			if err != nil {
				failed++
				if !errors.As(err, &limited) {
					t.Fatalf("limit %d: %v", limit, err)
				}
			}
			a.Reset()
			if err := Unmarshal(a, nil, m); err != nil {
				t.Fatalf("limit %d: %v", limit, err)
			}
		}
	}
	if failed < 8 {
		t.Errorf("%d limits were exceeded", failed)
	}
	if _, err := New[three.Node](arena.NewArena(arena.WithLimit(16)), nil); err == nil {
		t.Error("no error of New")
	}
}

// TestFreed: a freed arena panics, as everywhere.
func TestFreed(t *testing.T) {
	a := arena.NewArena()
	a.Free()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	_ = Unmarshal(a, []byte("\x0a\x01x"), &three.Node{})
}

// TestAllocations: messages of any size, without large maps, aren't allocated on the heap.
func TestAllocations(t *testing.T) {
	a := arena.NewArena()
	all := &three.All{OneString: "x", MaybeInt32: proto.Int32(1), ManyString: []string{"a", "b"}, ManyBytes: [][]byte{{1}},
		LooseDouble: []float64{1, 2}, Choice: &three.All_ChoiceNode{ChoiceNode: &three.Node{Name: "n"}}, All: &three.All{}}
	long := proto.Clone(all).(*three.All)
	for range 200 {
		long.ManyNode = append(long.ManyNode, &three.Node{Name: "name", Next: &three.Node{Value: 5}})
	}
	for _, m := range []*three.All{all, long} {
		b, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(200, func() {
			a.Reset()
			if _, err := New[three.All](a, b); err != nil {
				t.Fatal(err)
			}
		}); n > 0 && testkit.Countable() {
			t.Errorf("%v allocations for %d bytes", n, len(b))
		}
	}
}
