package attack

import (
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/harena-go/arena"
	samples "github.com/harena-go/arena/internal/diagnose/profile"
	"github.com/harena-go/arena/internal/engine/asan"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// TestProfileSums: the bytes in the profile of an observed arena are those that the arena counts as used, for each
// exported call that allocates. Every allocation is sampled, so that the sums are equal and not just on average.
func TestProfileSums(t *testing.T) {
	if asan.On {
		t.Skip("red zones are counted by the profile alone")
	}
	ends := strings.Fields("arena.Arena.Rewind arena.Arena.Child") // they reclaim memory that was allocated
	for _, k := range []makes{made[0], made[1], made[2], {name: "small chunks", opts: []arena.Option{arena.WithChunkSize(256), arena.WithMaxChunkSize(256)}}} {
		for _, d := range allocations() {
			if slices.Contains(ends, d.name) {
				continue
			}
			p, a := lendObserved(k.options())
			sampleAll(a)
			times(20, d.in(a))
			used := a.Stats().Used
			p.Put(a)
			sites, _, _ := samples.Pools.Sites(p)
			sum := 0.0
			for _, s := range sites {
				if sum += s.Bytes; s.Samples == 0 {
					t.Errorf("%s, %s: a stack without samples", k.name, d.name)
				}
			}
			if math.Abs(sum-float64(used)) > 1 {
				t.Errorf("%s, %s: the profile has %.0f bytes, the arena %d", k.name, d.name, sum, used)
			}
		}
	}
}

// sampleAll has each allocation of an observed arena sampled.
func sampleAll(a *arena.Arena) {
	s := testkit.Field[atomic.Pointer[samples.Sampler]](a, "account.lease.sampler").Load()
	*testkit.Field[float64](s, "every") = 1e-6
	*testkit.Field[int64](s, "left") = 0
}
