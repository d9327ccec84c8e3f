package arenaproto

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto/internal/testpb/three"
	"github.com/harena-go/arena/contrib/arenaproto/internal/testpb/two"
	"github.com/harena-go/arena/internal/tests/testkit"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// This file tests the cost of an input: its own, and that of later inputs.

// least returns the shortest of some times that f takes, of fewer if that takes long.
func least(runs int, f func()) time.Duration {
	best := time.Duration(1 << 62)
	for end := time.Now().Add(time.Second); runs > 0 && time.Now().Before(end); runs-- {
		best = min(best, testkit.Took(f))
	}
	return best
}

// A hostile input is of a kind that may have any length.
type hostile struct {
	name string
	m    proto.Message
	make func(n int) []byte
}

// hostiles are of all kinds: each field again and again, alone and in turn with others, and nested.
func hostiles() (all []hostile) {
	repeat := func(name string, m proto.Message, b []byte) {
		all = append(all, hostile{name, m, func(n int) []byte { return bytes.Repeat(b, 1+n/len(b)) }})
	}
	between := map[string][]byte{"list": append(protowire.AppendTag(nil, numberOf("many_int32"), protowire.VarintType), 1),
		"unknown": number(99999, 1), "odd unknown": append([]byte("\xf8\xff\x80\x00"), 1), "extension": number(1000, 1)}
	w := wireMaker{rand.New(rand.NewPCG(1, 9)), false}
	for _, m := range []proto.Message{&two.All{}, &three.All{}, types[2]} {
		md := m.ProtoReflect().Descriptor()
		for i := range md.Fields().Len() {
			fd := md.Fields().Get(i)
			name := string(fd.FullName())
			b := w.field(nil, fd, 2)
			repeat(name, m, b)
			for k, c := range between {
				repeat(name+" and "+k, m, append(bytes.Clone(b), c...))
			}
			if fd.IsMap() {
				all = append(all, hostile{name + ", different keys", m, func(n int) (b []byte) {
					for len(b) < n {
						b = w.field(b, fd, 2)
					}
					return b
				}})
			}
		}
	}
	all = append(all, hostile{"nested", &three.Node{}, func(n int) []byte { return nested(4, n/10) }},
		hostile{"nested lists", &three.Node{}, func(n int) []byte { return nested(3, n/10) }},
		hostile{"groups", &two.All{}, func(n int) []byte { return []byte(strings.Repeat("\xe3\x12", n/10) + strings.Repeat("\xe4\x12", n/10)) }},
		hostile{"a long text", &three.Node{}, func(n int) []byte { return field(1, strings.Repeat("ü", n)) }})
	return all
}

// TestGrowth: a hostile input of 32 times the length takes up to three times as long for each doubling of it. Twice is
// usual. Over five of them it matters little at which one the input no longer fits into a cache, which takes
// more than three times as long by itself. Quadratic would be 1,024 times.
func TestGrowth(t *testing.T) {
	const n, times, most = 2_500, 32, 3 * 3 * 3 * 3 * 3
	a := arena.NewArena()
	for k, h := range hostiles() {
		if testing.Short() && k%10 > 0 {
			continue
		}
		cost := func(n int) time.Duration {
			b := h.make(n)
			return least(3, func() {
				a.Reset()
				_ = Unmarshal(a, b, h.m.ProtoReflect().New().Interface())
			})
		}
		testkit.WithinTimes(t, most, h.name, func() (short, long time.Duration) { return cost(n), cost(n * times) })
	}
}

// FuzzSequence: small messages cost no more after a large one, which is made of an input again and again, than they did
// before.
func FuzzSequence(f *testing.F) {
	for seed := range 12 {
		w := wireMaker{rand.New(rand.NewPCG(uint64(seed), 6)), seed%2 == 0}
		n := w.IntN(len(types))
		md := types[n].ProtoReflect().Descriptor()
		f.Add(uint8(n), w.message(md, 3), w.message(md, 2))
	}
	f.Fuzz(func(t *testing.T, typ uint8, large, small []byte) {
		if len(large) == 0 || len(large) > 1<<12 || len(small) > 1<<10 {
			return
		}
		m := types[int(typ)%len(types)]
		large = bytes.Repeat(large, 1+(1<<18)/len(large))
		vs := variants()
		cost := func() (d time.Duration) {
			for i := range vs {
				d += least(30, func() {
					vs[i].arena.Reset()
					_ = UnmarshalOptions{AliasBuffer: vs[i].alias}.Unmarshal(vs[i].arena, small, vs[i].message(m))
				})
			}
			return d
		}
		before, after := cost(), time.Duration(0)
		for range 4 { // another program may have the processor
			for _, b := range [][]byte{large, small} {
				if err := differ(vs, m, b, UnmarshalOptions{NoLazyDecoding: true}); err != nil {
					t.Fatalf("%.2000s", err.Error())
				}
			}
			if after = cost(); after < 3*before+2*time.Microsecond {
				return
			}
		}
		t.Errorf("%T: %v before a large message, %v after it", m, before, after)
	})
}
