// Package arenapprof writes a profile of the bytes allocated in arenas, by call stack, for go tool
// pprof. The heap's profile lacks them: it shows who made an arena's chunks, not who filled them.
//
//	pool := arena.NewPool(arena.WithObserveRate(256)) // one lease in 256 is observed
//
//	http.Handle("/debug/pprof/arena", arenapprof.Handler())
//
//	go tool pprof -sample_index=alloc_space http://localhost:6060/debug/pprof/arena
//
// Values are estimates from samples, scaled up from the observed arenas to all arenas of the pool.
// With 1,000 samples, a share is right to one or two percent. They include the allocations of
// arenas' children, and each byte that was allocated again after a Rewind or a Reset.
//
// alloc_objects and alloc_space cover all arenas since the pool was made, inuse_objects and
// inuse_space the lent ones. Stacks begin with the caller of package arena, and each sample
// has a label, pool.
package arenapprof

import (
	"cmp"
	"compress/gzip"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/diagnose/profile"
)

// Write writes the profile of some pools, or of all pools if none is given, in the compressed
// format of pprof. Pools without [arena.WithObserveRate] have no samples. It returns the error of
// w, if there is one.
func Write(w io.Writer, pools ...*arena.Pool) error {
	if len(pools) == 0 {
		pools = arena.Pools()
	}
	e := newEncoder()
	for _, p := range pools {
		sites, used, observed := profile.Pools.Sites(p)
		e.pool(p.Name(), sites, used, observed)
	}
	z := gzip.NewWriter(w)
	if _, err := z.Write(e.profile(time.Now())); err != nil {
		return err
	}
	return z.Close()
}

// Handler returns a handler that answers with the profile of all pools, or of those named by
// ?pool=. It answers all clients: the profile has stacks, but no values. Put it where the profiles
// of net/http/pprof are.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var pools []*arena.Pool
		if name := r.FormValue("pool"); name != "" {
			for _, p := range arena.Pools() {
				if p.Name() == name {
					pools = append(pools, p)
				}
			}
			if len(pools) == 0 {
				http.Error(w, "there is no such pool", http.StatusNotFound)
				return
			}
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", `attachment; filename="arena.pb.gz"`)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		Write(w, pools...)
	})
}

// pool adds the samples of a pool, given the bytes used by all of its arenas, and by the observed
// ones. The second depends on chance, as the number of observed arenas does, and the values of
// sites are wrong by the same factor.
func (e *encoder) pool(name string, sites []profile.Site, used, observed float64) {
	scale := 1.0
	if used > 0 && observed > 0 {
		scale = used / observed
	}
	slices.SortFunc(sites, func(a, b profile.Site) int { return -cmp.Compare(a.Bytes, b.Bytes) })
	for _, s := range sites {
		e.sample(name, s.Frames, [...]int64{int64(s.Objects * scale), int64(s.Bytes * scale),
			int64(s.LiveObjects * scale), int64(s.LiveBytes * scale)})
	}
}
