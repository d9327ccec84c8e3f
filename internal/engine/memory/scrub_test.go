package memory_test

import (
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// secrets allocates in each of the ways, and returns the bytes of all of it, which are not zero.
func secrets(a *arena.Arena) (all [][]byte) {
	add := func(p unsafe.Pointer, n int) {
		b := testkit.BytesAt(p, n)
		for i := range b {
			b[i] |= 1
		}
		all = append(all, b)
	}
	for range 20 {
		add(unsafe.Pointer(arena.NewOf(a, [3]uint64{1, 2, 3})), 24)
		add(a.Alloc(100, 64), 100)
		s := a.AllocString("a password that nobody may see")
		all = append(all, testkit.BytesAt(unsafe.Pointer(unsafe.StringData(s)), len(s)))
		pointers := arena.Append(a, nil, &testkit.Decoy, &testkit.Decoy)
		all = append(all, testkit.BytesOf(pointers))
		e := arena.NewOf(a, struct {
			p *int
			n int
		}{&testkit.Decoy, 7})
		all = append(all, testkit.BytesAt(unsafe.Pointer(e), int(unsafe.Sizeof(*e))))
	}
	add(unsafe.Pointer(unsafe.SliceData(a.AllocBytes(100_000))), 100_000)
	return all
}

// TestFreeScrubs: with WithScrub, all values are zero after Free, and can be read, in any member of a family and with
// any checks.
func TestFreeScrubs(t *testing.T) {
	families := map[string]func(opts []arena.Option) (in []*arena.Arena, free func()){
		"arena": func(opts []arena.Option) ([]*arena.Arena, func()) {
			a := arena.NewArena(opts...)
			return []*arena.Arena{a}, a.Free
		},
		"children": func(opts []arena.Option) ([]*arena.Arena, func()) {
			a := arena.NewArena(opts...)
			c := a.Child()
			return []*arena.Arena{a, c, c.Child(), a.Child()}, a.Free
		},
		"child": func(opts []arena.Option) ([]*arena.Arena, func()) {
			c := arena.NewArena(opts...).Child()
			return []*arena.Arena{c, c.Child()}, c.Free
		},
		"Shared": func(opts []arena.Option) ([]*arena.Arena, func()) {
			s := arena.NewShared(opts...)
			a := s.Local()
			c := a.Child()
			return []*arena.Arena{a, c, c.Child(), s.Local()}, s.Free
		},
		"local": func(opts []arena.Option) ([]*arena.Arena, func()) {
			a := arena.NewShared(opts...).Local()
			return []*arena.Arena{a, a.Child()}, a.Free
		},
		"Pool": func(opts []arena.Option) ([]*arena.Arena, func()) {
			a := arena.NewPool(arenakit.PoolOptions(opts)...).Get()
			return []*arena.Arena{a, a.Child()}, a.Free
		},
	}
	for name, make := range families {
		for _, noScan := range []bool{false, true} {
			for _, c := range []arena.Checks{0, arena.CheckResets, arena.CheckObjects} {
				opts := arenakit.Checked(c, arena.WithScrub())
				if noScan {
					opts = append(opts, arena.WithNoScan())
				}
				in, free := make(opts)
				var all [][]byte
				for _, a := range in {
					all = append(all, secrets(a)...)
					m := a.Mark()
					secrets(a)
					a.Rewind(m)
					all = append(all, secrets(a)...)
				}
				free()
				for i, b := range all {
					if !testkit.AllZero(b) {
						t.Errorf("%s, self-contained %v, checks %d: of %d values, number %d of %d bytes is %.30x...", name, noScan, c, len(all), i, len(b), b)
						break
					}
				}
			}
		}
	}
}
