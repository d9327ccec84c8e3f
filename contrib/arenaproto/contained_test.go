package arenaproto

import (
	"reflect"
	"runtime"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	"github.com/harena-go/arena/contrib/arenaproto/internal/compile"
	"github.com/harena-go/arena/contrib/arenaproto/internal/testpb/opaque"
	"github.com/harena-go/arena/contrib/arenaproto/internal/testpb/three"
	"github.com/harena-go/arena/contrib/arenaproto/internal/testpb/two"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/structpb"
)

// contained are types, some of them with parts that can't be in a self-contained arena.
var contained = []proto.Message{&three.All{}, &opaque.All{}, &structpb.Struct{}, &two.Holder{}, &two.All{}, &descriptorpb.FileDescriptorSet{}}

// TestSelfContained: messages in a self-contained arena don't change while the garbage collector runs, with
// their maps, extensions and values of the official runtime.
func TestSelfContained(t *testing.T) {
	a := arena.NewArena(arena.WithNoScan())
	for life := range 3 {
		var got, want []proto.Message
		for seed := range 300 {
			w := wireMaker{newRand(seed), false}
			m := contained[seed%len(contained)]
			b := w.message(m.ProtoReflect().Descriptor(), 4)
			o := UnmarshalOptions{AllowPartial: true, AliasBuffer: seed%2 == 0}
			x := m.ProtoReflect().New().Interface()
			if o.official().Unmarshal(b, x) != nil {
				continue
			}
			v := variant{arena: a, inside: seed%3 > 0}
			y := v.message(m)
			if err := o.Unmarshal(a, append([]byte(nil), b...), y); err != nil {
				t.Fatal(err)
			}
			got, want = append(got, y), append(want, x)
			if seed%20 == 0 {
				runtime.GC()
				garbage := make([][]byte, 300)
				for k := range garbage {
					garbage[k] = make([]byte, 16+k)
				}
			}
		}
		runtime.GC()
		for i := range got {
			if !compile.Identical(got[i], want[i]) {
				t.Fatalf("life %d: number %d is %v instead of %v", life, i, got[i], want[i])
			}
		}
		a.Reset()
	}
}

// TestNothingStrays: messages in a self-contained arena point to the Go heap only for values kept alive:
// arenatest examines each message.
func TestNothingStrays(t *testing.T) {
	a := arenatest.New(t, arena.WithNoScan())
	for seed := range 120 {
		w := wireMaker{newRand(seed), false}
		m := contained[seed%len(contained)]
		b := w.message(m.ProtoReflect().Descriptor(), 4)
		v := variant{arena: a, inside: true}
		y := v.message(m)
		if err := (UnmarshalOptions{AllowPartial: true, AliasBuffer: seed%2 == 0}).Unmarshal(a, b, y); err != nil {
			t.Fatal(err)
		}
		if _, ok := y.(*opaque.All); ok && seed%12 == 1 { // as if it could not be decoded here
			lazy := field(302, "\x0a\x01x") // which that runtime would decode later
			if err := new(UnmarshalOptions).leave(a, append(b, lazy...), y, reflect.ValueOf(y).UnsafePointer()); err != nil {
				t.Fatal(err)
			}
		}
		_ = proto.Equal(y, proto.Clone(y)) // to the official runtime, which notes the type in each message
	}
}
