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
	"WithReuse":                arena.WithReuse(),
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

// allocations are all forms of allocation: each action, each way to allocate values of each shape, each collection that
// grows, and calls that give back a part of their allocation.
func allocations() (all []filling) {
	for _, k := range kindsOf("arena.Arena", reflect.TypeFor[*arena.Arena]()) {
		if !elsewhere[k.name] {
			all = append(all, filling{k.name, func(a *arena.Arena) func(int) { return k.in(reflect.ValueOf(a), a) }})
		}
	}
	add := func(name string, f func(a *arena.Arena)) { all = append(all, filling{name, once(f)}) }
	for _, typ := range shapes {
		k := arena.KeyOf(typ)
		add(typ.String(), func(a *arena.Arena) { k.New(a) })
		add("[]"+typ.String(), func(a *arena.Arena) { k.MakeSlice(a, 3) })
		add("large []"+typ.String(), func(a *arena.Arena) { k.MakeSlice(a, 1+5000/int(typ.Size())) })
		add("growing []"+typ.String(), func(a *arena.Arena) {
			p, n := k.For(a).Grow(nil, 0, 0, 1)
			p, n = k.For(a).Grow(p, n, n, 9)
			k.For(a).Trim(p, 5, n)
		})
	}
	for _, name := range slices.Sorted(maps.Keys(receivers)) {
		if strings.HasPrefix(name, "collections.") {
			add("growing "+name, func(a *arena.Arena) {
				for _, f := range fillingsOf(receivers[name](a), a) {
					times(50, f.in(a))
				}
			})
		}
	}
	add("long Sprintf", func(a *arena.Arena) { a.Sprintf("%0300d", 1) })
	add("empty Sprintf", func(a *arena.Arena) { a.Sprintf("") })
	add("nested Sprintf", func(a *arena.Arena) { a.Sprintf("%s", allocates{a}) })
	add("marked Sprintf", func(a *arena.Arena) { a.AllocBytes(3); a.Mark(); a.Sprintf("%d", 1) })
	add("long Text", func(a *arena.Arena) {
		t := a.Text()
		times(60+a.UsedBytes()%50, func(i int) { t.Int(i).Str(", ") })
		_ = t.String()
	})
	add("shorter Realloc", func(a *arena.Arena) { a.Realloc(a.Alloc(100, 8), 100, 20, 8) })
	add("longer Realloc", func(a *arena.Arena) { a.Realloc(a.Alloc(20, 8), 20, 100, 8) })
	add("Reserve", func(a *arena.Arena) { a.AllocBytes(1); a.Reserve(20_000) })
	add("ReadAll of less", func(a *arena.Arena) { a.ReadAll(strings.NewReader("less"), 100) })
	add("ReadAll of more", func(a *arena.Arena) { a.ReadAll(strings.NewReader("more than this"), 5) })
	return all
}

// allocates allocates when it is formatted.
type allocates struct{ a *arena.Arena }

func (s allocates) String() string {
	arena.MakeSlice[*int](s.a, 3, 3)
	return s.a.Sprintf("%d", len(s.a.AllocBytes(10)))
}

// endings are all ways to end a life of an arena of a Pool, in which work allocates.
var endings = map[string]func(p *arena.Pool, work func(a *arena.Arena)){
	"Put":  func(p *arena.Pool, work func(*arena.Arena)) { a := p.Get(); work(a); p.Put(a) },
	"Free": func(p *arena.Pool, work func(*arena.Arena)) { a := p.Get(); work(a); a.Free() },
	"Reset": func(p *arena.Pool, work func(*arena.Arena)) {
		a := p.Get()
		work(a)
		a.Reset()
		clear(a.AllocBytes(5000)) // where the first life has reserved and not used memory, that is used now
		work(a)
		p.Put(a)
	},
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
	forms := allocations()
	for _, names := range combinations() {
		t.Run(strings.Join(names, ","), func(t *testing.T) {
			opts := []arena.PoolOption{arena.OnEscape(func(e arena.Escape) { t.Error(e) })}
			for _, name := range names {
				opts = append(opts, poolOptions[name])
			}
			p, lives := arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, opts...)...), 0
			for _, ending := range slices.Sorted(maps.Keys(endings)) {
				for _, form := range forms {
					if lives++; testing.Short() && lives%4 > 0 {
						continue
					}
					if v := caught(func() {
						endings[ending](p, func(a *arena.Arena) {
							times(2, form.in(a))
							if s := a.Stats(); s.Used+s.Wasted+s.Retained > s.Reserved {
								t.Errorf("%s: %v", form.name, s)
							}
						})
					}); v != nil {
						t.Fatalf("%s, then %s: %v", form.name, ending, v)
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
