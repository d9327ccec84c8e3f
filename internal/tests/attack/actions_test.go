package attack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file derives all exported calls as actions that can be done any number of times: methods by reflection, of the
// types in receivers, and functions from a table. It makes arenas of all kinds, and large ones. Other files say which
// costs must not grow then.

// A kind of arena is how one is made. What keeps it from being a part of something that was
// dropped is in the arena itself.
type makes struct {
	name string
	opts []arena.Option
	in   func(opts []arena.Option) *arena.Arena // or nil, which is NewArena
}

func (k makes) options() []arena.Option {
	return append([]arena.Option{arena.WithName(k.name), arena.OnEscape(func(arena.Escape) {})}, k.opts...)
}

func (k makes) arena() *arena.Arena {
	if k.in == nil {
		return arena.NewArena(k.options()...)
	}
	return k.in(k.options())
}

const (
	limited            = "limited"
	selfContainedLocal = "self-contained local"
)

// made are all kinds of arenas, those first that tests have in their short form, too.
var made = []makes{
	{name: "plain"},
	{name: "self-contained", opts: []arena.Option{arena.WithNoScan()}},
	{name: limited, opts: []arena.Option{arena.WithLimit(most)}},
	{name: "pooled", in: func(o []arena.Option) *arena.Arena { return poolOf(o).GetKeyed("a") }},
	{name: "checked", opts: []arena.Option{arena.WithChecks(arena.CheckResets)}},

	{name: "observed", in: observed},
	{name: "child", in: func(o []arena.Option) *arena.Arena { return arena.NewArena(o...).Child() }},
	{name: "local", in: func(o []arena.Option) *arena.Arena { return arena.NewShared(o...).Local() }},
	{name: selfContainedLocal, opts: []arena.Option{arena.WithNoScan()},
		in: func(o []arena.Option) *arena.Arena { return arena.NewShared(o...).Local() }},
	{name: "checked objects", opts: []arena.Option{arena.WithChecks(arena.CheckObjects)}},
	{name: "checked self-contained", opts: []arena.Option{arena.WithChecks(arena.CheckResets), arena.WithNoScan()}},
	{name: "scrubbed", opts: []arena.Option{arena.WithScrub()}},
}

// long reports whether tests have their long form.
var long = os.Getenv("HARENA_LONG") != ""

// few returns the first kinds of arenas, or all in the long form.
func few() []makes {
	switch {
	case long:
		return made
	case testing.Short():
		return made[:2]
	}
	return made[:5]
}

// needsOrder skips a test of time and memory in builds that are about neither.
func needsOrder(t *testing.T) {
	t.Helper()
	if testkit.Sanitized {
		t.Skip("sanitizers take time and memory as they like")
	}
}

func poolOf(opts []arena.Option, more ...arena.PoolOption) *arena.Pool {
	for _, o := range opts {
		more = append(more, o)
	}
	return arena.NewPool(append(more, arena.WithReuse(), arena.WithPoolLimit(most))...)
}

// lasting is the kind of arena of a Pool without reuse.
var lasting = makes{name: "lasting", in: func(o []arena.Option) *arena.Arena { return lastingOf(o).GetKeyed("a") }}

// lastingOf is poolOf for a Pool without reuse. The second of options is OnEscape, which needs it.
func lastingOf(opts []arena.Option) *arena.Pool {
	more := []arena.PoolOption{arena.WithPoolLimit(most)}
	for i, o := range opts {
		if i != 1 {
			more = append(more, o)
		}
	}
	return arena.NewPool(more...)
}

// observed returns an observed arena of a pool that isn't one of the few that are checked, too.
func observed(opts []arena.Option) *arena.Arena {
	_, a := lendObserved(opts)
	return a
}

func lendObserved(opts []arena.Option) (*arena.Pool, *arena.Arena) {
	for {
		p := poolOf(opts, arena.WithObserveRate(1))
		if a := p.Get(); p.Stats().Checked == 0 {
			return p, a
		}
	}
}

// An action is an exported call on one thing.
type action struct {
	name string // "arena.Arena.Alloc"
	// whole says that it is about all of the thing, so that it may take time in proportion.
	whole bool
	do    func(i int)
}

// wholes are the methods that are about all there is in something, of all types or of one.
var wholes = strings.Fields("All Backward Values Keys Segments Clone Format MarshalJSON UnmarshalJSON Equal Clear Sort SortStable String " +
	"WriteTo Owns CloneOut Keep Slice.Insert Slice.Delete Slice.Clip Arena.Reset Shared.Reset Shared.Free Shared.Stats Pool.Stats")

// apart are calls that end their receiver, or make the GC run: the tests concerned have them elsewhere.
var apart = map[string]bool{"arena.Arena.Free": true, "arena.Arena.Reset": true, "arena.Shared.Free": true, "arena.FindEscapes": true}

// elsewhere are functions that have nothing to do with the arena of an action, and take time in proportion to the
// remains of other tests.
var elsewhere = map[string]bool{"arena.Pools": true, "arena.NewPool": true, "arena.NewShared": true, "arena.NewArena": true}

// isOption reports whether a function returns an option: kinds of arenas have them.
func isOption(name string) bool {
	return strings.HasPrefix(name, "arena.With") || name == "arena.OnEscape"
}

// actionsOf returns the actions of a thing of n entries in an arena.
func actionsOf(name string, v any, a *arena.Arena) (all []action) {
	for _, k := range kindsOf(name, reflect.TypeOf(v)) {
		all = append(all, action{k.name, k.whole, k.in(reflect.ValueOf(v), a)})
	}
	return all
}

// An actionKind makes an action of a thing in an arena.
type actionKind struct {
	name  string
	whole bool
	in    func(v reflect.Value, a *arena.Arena) func(i int)
}

// kindsOf returns those for things of a type, sorted by name.
func kindsOf(name string, t reflect.Type) (all []actionKind) {
	for i := range t.NumMethod() {
		m := t.Method(i)
		full := name + "." + m.Name
		typ := strings.TrimPrefix(strings.TrimPrefix(full, "arena."), "collections.")
		k := actionKind{name: full, whole: slices.Contains(wholes, m.Name) || slices.Contains(wholes, typ)}
		switch {
		case apart[full]:
			continue
		case special[full] != nil:
			k.in = func(_ reflect.Value, a *arena.Arena) func(int) { return special[full](a) }
		case m.Name == "Format": // package fmt calls it
			k.in = func(v reflect.Value, _ *arena.Arena) func(int) {
				return func(int) { fmt.Fprint(io.Discard, v.Interface()) }
			}
		default:
			k.in = func(v reflect.Value, a *arena.Arena) func(int) { return method(v, i, a) }
		}
		all = append(all, k)
	}
	if name == "arena.Arena" {
		for name, in := range special {
			if strings.Count(name, ".") == 1 || strings.HasPrefix(name, "arena.Type") {
				all = append(all, actionKind{name, slices.Contains(wholes, strings.TrimPrefix(name, "arena.")),
					func(_ reflect.Value, a *arena.Arena) func(int) { return in(a) }})
			}
		}
	}
	slices.SortFunc(all, func(a, b actionKind) int { return strings.Compare(a.name, b.name) })
	return all
}

// keyNames are strings that are different.
var keyNames = func() (all [1 << 14]string) {
	for i := range all {
		all[i] = fmt.Sprint("key", i)
	}
	return all
}()

// special are functions, and methods for which no arguments can be made up by their types.
var special = map[string]func(a *arena.Arena) func(i int){
	"arena.Arena.Rewind": once(func(a *arena.Arena) {
		m := a.Mark()
		a.AllocBytes(24)
		a.Rewind(m)
	}),
	"arena.Arena.Child": once(func(a *arena.Arena) {
		c := a.Child()
		c.AllocBytes(24)
		c.Free()
	}),
	"arena.Arena.Owns":             once(func(a *arena.Arena) { a.Owns(unsafe.Pointer(&statics)) }),
	"arena.Arena.AllocBytes":       once(func(a *arena.Arena) { a.AllocBytes(24) }),
	"arena.Arena.AllocBytesUninit": once(func(a *arena.Arena) { a.AllocBytesUninit(24) }),
	"arena.Pool.Put": func(*arena.Arena) func(int) {
		p := arena.NewPool(arena.WithReuse())
		return func(int) { p.Put(p.Get()) }
	},

	"arena.New":     once(func(a *arena.Arena) { arena.New[[3]uint64](a); arena.New[*int](a) }),
	"arena.NewOf":   once(func(a *arena.Arena) { arena.NewOf(a, [3]uint64{}); arena.NewOf(a, &statics[0]) }),
	"arena.NewFunc": once(func(a *arena.Arena) { arena.NewFunc(a, func(p *string) { *p = "x" }) }),
	"arena.Box":     once(func(a *arena.Arena) { arena.Box(a, "x") }),
	"arena.For":     once(func(a *arena.Arena) { arena.For[string](a).New() }),
	"arena.MakeSlice": once(func(a *arena.Arena) {
		arena.MakeSlice[byte](a, 24, 24)
		arena.MakeSlice[string](a, 3, 3)
	}),
	"arena.MakeSliceUninit": once(func(a *arena.Arena) { arena.MakeSliceUninit[byte](a, 24, 24) }),
	"arena.Collect":         once(func(a *arena.Arena) { arena.Collect(a, slices.Values(statics[:9])) }),
	"arena.CopySlice":       once(func(a *arena.Arena) { arena.CopySlice(a, statics[:9]) }),
	"arena.Append": func(a *arena.Arena) func(int) {
		var s []*uint64
		return func(int) { s = arena.Append(a, s, &statics[0]) }
	},
	"arena.AppendSeq": func(a *arena.Arena) func(int) {
		var s []uint64
		return func(int) { s = arena.AppendSeq(a, s, slices.Values(statics[:3])) }
	},
	"arena.Grow":               once(func(a *arena.Arena) { arena.Grow(a, []uint64(nil), 3) }),
	"arena.Clone":              once(func(a *arena.Arena) { arena.Clone(a.AllocString("text")) }),
	"arena.CloneOut":           once(func(a *arena.Arena) { arena.CloneOut(a, a.AllocString("text")) }),
	"arena.DeepClone":          once(func(a *arena.Arena) { arena.DeepClone(arena.NewOf(a, &statics[0])) }),
	"arena.Keep":               once(func(a *arena.Arena) { arena.Keep(a, "key", a.AllocString("text")) }),
	"arena.Concat":             once(func(a *arena.Arena) { arena.Concat(a, "a", "b") }),
	"arena.Join":               once(func(a *arena.Arena) { arena.Join(a, []string{"a", "b"}, ", ") }),
	"arena.NewContext":         once(func(a *arena.Arena) { arena.NewContext(context.Background(), a) }),
	"arena.FromContext":        once(func(a *arena.Arena) { arena.FromContext(arena.NewContext(context.Background(), a)) }),
	"arena.RecoverLimit":       refused,
	"arena.ReportFault":        once(func(*arena.Arena) { arena.ReportFault(nil) }),
	"arena.KeyOf":              once(func(a *arena.Arena) { arena.KeyOf(reflect.TypeFor[string]()) }),
	"arena.TypeKey.New":        once(func(a *arena.Arena) { arena.KeyOf(reflect.TypeFor[string]()).New(a) }),
	"arena.TypeKey.MakeSlice":  once(func(a *arena.Arena) { arena.KeyOf(reflect.TypeFor[string]()).MakeSlice(a, 3) }),
	"arena.TypeKey.For":        once(func(a *arena.Arena) { arena.KeyOf(reflect.TypeFor[string]()).For(a) }),
	"arena.TypeKey.Type":       once(func(a *arena.Arena) { arena.KeyOf(reflect.TypeFor[string]()).Type() }),
	"arena.TypeAllocator.Size": byType(func(t arena.TypeAllocator) { t.Size() }),
	"arena.TypeAllocator.New":  byType(func(t arena.TypeAllocator) { t.New() }),
	"arena.TypeAllocator.NewN": byType(func(t arena.TypeAllocator) { t.NewN(3) }),
	"arena.TypeAllocator.Grow": byType(func(t arena.TypeAllocator) { t.Grow(nil, 0, 0, 3) }),
	"arena.TypeAllocator.Trim": byType(func(t arena.TypeAllocator) { t.Trim(t.NewN(3), 2, 3) }),

	"arena.NewArena": once(func(*arena.Arena) { arena.NewArena().AllocBytes(24) }),
	"arena.NewPool":  once(func(*arena.Arena) { arena.NewPool(arena.WithReuse()).Get() }),
	"arena.NewShared": once(func(*arena.Arena) {
		s := arena.NewShared()
		s.Local().AllocBytes(24)
		s.Free()
	}),
	"arena.Pools": once(func(*arena.Arena) { arena.Pools() }),

	"collections.NewMap":       small("Map"),
	"collections.NewSet":       small("Set"),
	"collections.NewSlice":     small("Slice"),
	"collections.NewDeque":     small("Deque"),
	"collections.NewList":      small("List"),
	"collections.NewBuffer":    small("Buffer"),
	"collections.NewInterner":  small("Interner"),
	"collections.NewSegmented": small("Segmented"),
	"collections.NewSlots":     small("Slots"),
}

func once(f func(a *arena.Arena)) func(a *arena.Arena) func(i int) {
	return func(a *arena.Arena) func(i int) { return func(int) { f(a) } }
}

func byType(f func(t arena.TypeAllocator)) func(a *arena.Arena) func(i int) {
	return once(func(a *arena.Arena) { f(arena.KeyOf(reflect.TypeFor[*int]()).For(a)) })
}

func small(name string) func(a *arena.Arena) func(i int) {
	return once(func(a *arena.Arena) { receivers["collections."+name](a) })
}

const most = 1<<30 - 1 // a limit that nothing reaches but refused: the largest request of 32-bit machines

// refused asks for more than the limit of an arena allows, if it has one.
func refused(a *arena.Arena) func(i int) {
	if a.Stats().Name != limited {
		return func(int) {}
	}
	return func(int) {
		var err error
		func() {
			defer arena.RecoverLimit(&err)
			a.AllocBytes(1)
			a.AllocBytes(most)
		}()
		if !errors.As(err, new(*arena.LimitError)) {
			panic(fmt.Sprint("no LimitError: ", err))
		}
	}
}

// A filling puts one thing more into something, any number of times in one life.
type filling struct {
	name string
	in   func(a *arena.Arena) func(i int)
}

// fillings are the things that an arena may have many times.
var fillings = []filling{
	{"values", once(func(a *arena.Arena) { arena.New[[4]uint64](a); arena.New[node](a) })},
	{"big values", once(func(a *arena.Arena) { a.AllocBytes(5 << 10) })},
	{"types", func(a *arena.Arena) func(int) {
		return func(i int) { arena.KeyOf(types()[i]).New(a) }
	}},
	{"marks", once(func(a *arena.Arena) { a.AllocBytes(8); a.Mark() })},
	{"kept values", once(func(a *arena.Arena) { a.KeepAlive(new([64]byte)) })},
	{"children", once(func(a *arena.Arena) { a.Child().AllocBytes(24) })},
	{"ended children", once(func(a *arena.Arena) { c := a.Child(); c.AllocBytes(24); c.Free() })},
	{"nested children", func(a *arena.Arena) func(int) {
		return func(int) { a = a.Child(); arena.New[*int](a); a.AllocBytes(24) }
	}},
	{"attempts", once(func(a *arena.Arena) { m := a.Mark(); a.AllocBytes(24); arena.New[*int](a); a.KeepAlive(a); a.Rewind(m) })},
	{"attempts with types", attemptsOfTypes},
	{"new slices", once(func(a *arena.Arena) { times(8, func(int) { arena.Append(a, nil, &statics[0]) }) })},
	{"slices", func(a *arena.Arena) func(int) {
		var all [50][]*uint64
		return func(i int) { s := &all[i%len(all)]; *s = arena.Append(a, *s, &statics[0]) }
	}},
}

// fillingsOf returns the fillings of a thing.
func fillingsOf(v any, a *arena.Arena) (all []filling) {
	one := func(name string, f func(i int)) {
		all = append(all, filling{name, func(*arena.Arena) func(int) { return f }})
	}
	switch v := v.(type) {
	case *arena.Arena:
		return fillings
	case *arena.Pool:
		one("leases", func(int) { b := v.Get(); b.AllocBytes(24); a.KeepAlive(b) })
		one("keys", func(i int) { b := v.GetKeyed(keyNames[i%1000]); b.AllocBytes(24); v.Put(b) })
	case *arena.Shared:
		one("locals", func(int) { b := v.Local(); b.AllocBytes(24); a.KeepAlive(b) })
	case *collections.Map[string, float64]:
		one("entries", func(i int) { v.Set(keyNames[i], 1) })
	case *collections.Set[string]:
		one("entries", func(i int) { v.Add(keyNames[i]) })
	case *collections.Slice[float64]:
		one("entries", func(i int) { v.Append(1) })
	case *collections.Deque[float64]:
		one("entries", func(i int) { v.PushBack(1) })
	case *collections.List[float64]:
		one("entries", func(i int) { v.PushBack(1) })
	case *collections.Segmented[float64]:
		one("entries", func(i int) { v.Push(1) })
	case *collections.Slots[float64]:
		one("entries", func(i int) { v.New() })
	case *collections.Interner:
		one("entries", func(i int) { v.Intern(keyNames[i]) })
	case *collections.Buffer:
		one("entries", func(i int) { v.WriteString("text") })
	}
	return all
}

// newThing returns a new value of a type in receivers: an arena of a kind, something in one, or a maker of arenas.
func (k makes) newThing(name string) (v any, a *arena.Arena) {
	a = k.arena()
	switch name {
	case "arena.Pool":
		return poolOf(k.options()), a
	case "arena.Shared":
		return arena.NewShared(k.options()...), a
	}
	return receivers[name](a), a
}

// concerns reports whether the kind of arena makes a difference to a type.
func (k makes) concerns(name string) bool {
	switch name {
	case "arena.Arena":
		return true
	case "arena.Pool", "arena.Shared":
		return k.in == nil
	}
	return long || k.name == made[0].name
}

// TestEveryAction: each exported call is an action, and works.
func TestEveryAction(t *testing.T) {
	done := map[string]bool{}
	k := makes{name: limited, opts: []arena.Option{arena.WithLimit(most)}}
	for name := range receivers {
		v, a := k.newThing(name)
		for i := range actionsOf(name, v, a) {
			v, a := k.newThing(name)
			for _, f := range fillingsOf(v, a) {
				times(20, f.in(a))
			}
			d := actionsOf(name, v, a)[i]
			done[d.name] = true
			if v := caught(func() { times(3, d.do) }); v != nil {
				t.Errorf("%s: %v", d.name, v)
			}
		}
	}
	for _, e := range exportedNames(t) {
		generic := strings.Replace(e.name, "arena.Arena.", "arena.", 1) // the method does the same as the function
		if e.call && !done[e.name] && !done[generic] && !apart[e.name] && !isOption(e.name) {
			t.Errorf("%s isn't done: add it to special, or its type to receivers", e.name)
		}
	}
}

// types returns types of one word with pointers, as many as a thing is large. The caches of the process know them.
var types = sync.OnceValue(func() []reflect.Type {
	_, _, large := sizes()
	all := []reflect.Type{reflect.TypeFor[*node]()}
	for i := 0; len(all) < large; i++ {
		t := all[i]
		all = append(all, reflect.PointerTo(t), reflect.ChanOf(reflect.RecvDir, t), reflect.MapOf(reflect.TypeFor[int8](), t),
			reflect.FuncOf([]reflect.Type{t}, nil, false))
	}
	a := arena.NewArena()
	for _, t := range all {
		arena.KeyOf(t).New(a)
	}
	return all
})
