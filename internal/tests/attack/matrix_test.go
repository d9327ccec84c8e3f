package attack

import (
	"maps"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// This file combines all options of Pools, all forms of allocation, and all ways to end a life. Each form is alone in
// its arena: random programs fill arenas with everything, so that they hardly ever meet a chunk with an empty end. A
// wrong address shows in builds that check pointer arithmetic, as -race does; the rest shows everywhere.

// poolOptions are all options of Pools, but for OnEscape, which the test sets.
var poolOptions = map[string]arena.PoolOption{
	"WithGuardRate":            arena.WithGuardRate(1),
	"WithCheckRate":            arena.WithCheckRate(1),
	"WithObserveRate":          arena.WithObserveRate(1),
	"WithNoScan":               arena.WithNoScan(),
	"WithScrub":                arena.WithScrub(),
	"WithLimit":                arena.WithLimit(1 << 20),
	"WithPoolLimit":            arena.WithPoolLimit(16 << 20),
	"WithMaxRetained":          arena.WithMaxRetained(0),
	"WithChunkSize":            arena.WithChunkSize(512),
	"WithMaxChunkSize":         arena.WithMaxChunkSize(512),
	"WithChecks(CheckResets)":  arena.WithChecks(arena.CheckResets),
	"WithChecks(CheckObjects)": arena.WithChecks(arena.CheckObjects),
	"WithName":                 arena.WithName("name"),
}

// combinations are the keys of poolOptions: none, each alone, each with a guard rate, and in the long form each two.
func combinations() (all [][]string) {
	all = append(all, nil)
	names := slices.Sorted(maps.Keys(poolOptions))
	for i, name := range names {
		all = append(all, []string{name})
		for _, second := range names[i+1:] {
			if long || name == "WithGuardRate" || second == "WithGuardRate" {
				all = append(all, []string{name, second})
			}
		}
	}
	return all
}

// shapes are types that differ in their size, and in where their pointers are.
var shapes = []reflect.Type{
	reflect.TypeFor[byte](), reflect.TypeFor[[3]uint64](), reflect.TypeFor[*int](), reflect.TypeFor[string](),
	reflect.TypeFor[testkit.Late](), reflect.TypeFor[testkit.Odd](), reflect.TypeFor[testkit.Large](),
}

// allocations returns all forms of allocation in an arena: each action, and each way to allocate values of each shape.
func allocations(a *arena.Arena) (all []action) {
	all = slices.DeleteFunc(actionsOf("arena.Arena", a, a), func(d action) bool { return elsewhere[d.name] })
	for _, typ := range shapes {
		k := arena.KeyOf(typ)
		all = append(all,
			action{typ.String(), false, func(int) { k.New(a) }},
			action{"[]" + typ.String(), false, func(int) { k.MakeSlice(a, 3) }},
			action{"large []" + typ.String(), false, func(int) { k.MakeSlice(a, 1+5000/int(typ.Size())) }},
			action{"growing []" + typ.String(), false, func(int) {
				p, n := k.For(a).Grow(nil, 0, 0, 1)
				p, n = k.For(a).Grow(p, n, n, 9)
				k.For(a).Trim(p, 5, n)
			}})
	}
	return all
}

// endings are all ways to end a life of an arena of a Pool, in which work allocates.
var endings = map[string]func(p *arena.Pool, work func(a *arena.Arena)){
	"Put":   func(p *arena.Pool, work func(*arena.Arena)) { a := p.Get(); work(a); p.Put(a) },
	"Free":  func(p *arena.Pool, work func(*arena.Arena)) { a := p.Get(); work(a); a.Free() },
	"Reset": func(p *arena.Pool, work func(*arena.Arena)) { a := p.Get(); work(a); a.Reset(); work(a); p.Put(a) },
	"Rewind": func(p *arena.Pool, work func(*arena.Arena)) {
		a := p.Get()
		m := a.Mark()
		work(a)
		a.Rewind(m)
		p.Put(a)
	},
	"child's Free": func(p *arena.Pool, work func(*arena.Arena)) {
		a := p.Get()
		c := a.Child()
		work(c)
		c.Free()
		p.Put(a)
	},
	"child's Reset": func(p *arena.Pool, work func(*arena.Arena)) {
		a := p.Get()
		c := a.Child()
		work(c)
		c.Reset()
		p.Put(a)
	},
	"parent's Put": func(p *arena.Pool, work func(*arena.Arena)) { a := p.Get(); work(a.Child()); p.Put(a) },
	"Do":           func(p *arena.Pool, work func(*arena.Arena)) { p.Do(func(a *arena.Arena) error { work(a); return nil }) },
	"Do and Free": func(p *arena.Pool, work func(*arena.Arena)) {
		p.Do(func(a *arena.Arena) error { work(a); a.Free(); return nil })
	},
	"panic": func(p *arena.Pool, work func(*arena.Arena)) {
		if v := caught(func() { p.Do(func(a *arena.Arena) error { work(a); panic("ends it") }) }); v != "ends it" {
			panic(v)
		}
	},
	"loss": func(p *arena.Pool, work func(*arena.Arena)) { work(p.Get()) },
}

// TestMatrix: no combination ends the process, panics, is reported as an escape, or leaves counters that are wrong.
func TestMatrix(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(false)) // as Get of a Pool with a guard rate sets it
	forms := allocations(arena.NewArena())
	for _, names := range combinations() {
		t.Run(strings.Join(names, ","), func(t *testing.T) {
			opts := []arena.PoolOption{arena.OnEscape(func(e arena.Escape) { t.Error(e) })}
			for _, name := range names {
				opts = append(opts, poolOptions[name])
			}
			p, lives := arena.NewPool(opts...), 0
			for _, ending := range slices.Sorted(maps.Keys(endings)) {
				for i := range forms {
					if lives++; testing.Short() && lives%4 > 0 {
						continue
					}
					if v := caught(func() {
						endings[ending](p, func(a *arena.Arena) { times(2, allocations(a)[i].do) })
					}); v != nil {
						t.Fatalf("%s, then %s: %v", forms[i].name, ending, v)
					}
				}
			}
			if err := arenakit.CheckPoolBooks(p); err != nil {
				t.Error(err)
			}
			arena.FindEscapes()
			runtime.KeepAlive(p)
		})
	}
}

// TestMatrixIsWhole: the matrix has all options of Pools.
func TestMatrixIsWhole(t *testing.T) {
	for _, e := range exportedNames(t) {
		name := strings.TrimPrefix(e.name, "arena.")
		has := slices.ContainsFunc(slices.Collect(maps.Keys(poolOptions)), func(s string) bool { return strings.HasPrefix(s, name) })
		if isOption(e.name) && !has && name != "OnEscape" {
			t.Errorf("%s isn't in poolOptions", e.name)
		}
	}
}
