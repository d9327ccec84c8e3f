package arenavet_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/harena-go/arena/arenavet"
)

// This file generates right programs: each form of lending an arena, with each kind of result and each flow of control.
//
// A flow has words in capitals: MAKE makes v in the arena a, MAKEINB in b, FAIL(err) leaves with an error, DONE with a
// copy of v and HIT with a cache's entry; RESULT, ZERO, COPY and CACHE are the result's type, its zero value, a copy of
// v and a cache of such copies.

// A lending is a form of lending an arena: the code around a flow, and the statements that leave it.
type lending struct {
	name, before, after, fail, done string
}

const signature = "func NAME(p *pools, names []string, name string, data []byte, rows any) (out RESULT, err error) {\n"

var lendings = []lending{
	{"Do", signature + "err = p.pool.Do(func(a *arena.Arena) error {\n", "})\nreturn out, err\n}\n",
		"return $1", "out = COPY\nreturn nil"},
	{"DoError", signature + "if err := p.pool.Do(func(a *arena.Arena) error {\n",
		"}); err != nil {\nreturn ZERO, fmt.Errorf(\"%s: %w\", name, err)\n}\nreturn out, nil\n}\n",
		"return $1", "out = COPY\nreturn nil"},
	{"DoVariable", signature + "var found RESULT\nwork := func(a *arena.Arena) error {\n",
		"}\nif err = p.pool.DoKeyed(\"x\", work); err != nil {\nreturn ZERO, err\n}\nreturn found, nil\n}\n",
		"return $1", "found = COPY\nreturn nil"},
	{"DeferPut", signature + "a := p.pool.Get()\ndefer p.pool.Put(a)\n", "}\n", "return ZERO, $1", "return COPY, nil"},
	{"DeferLiteral", signature + "a := p.pool.Get()\ndefer func() {\np.pool.Put(a)\nif err != nil {\nerr = fmt.Errorf(\"%s: %w\", name, err)\n}\n}()\n",
		"}\n", "return ZERO, $1", "return COPY, nil"},
	{"Put", signature + "a := p.pool.Get()\n", "}\n",
		"failed := $1\np.pool.Put(a)\nreturn ZERO, failed", "out = COPY\np.pool.Put(a)\nreturn out, nil"},
	{"Release", signature + "a, release := p.get()\ndefer release()\n", "}\n", "return ZERO, $1", "return COPY, nil"},
	{"DeferFree", signature + "a := arena.NewArena()\ndefer a.Free()\n", "}\n", "return ZERO, $1", "return v, nil"},
	{"Free", signature + "a := arena.NewArena()\n", "}\n", "a.Free()\nreturn ZERO, $1", "a.Free()\nreturn v, nil"},
	{"FreeInDo", signature + "err = p.pool.Do(func(a *arena.Arena) error {\n", "})\nreturn out, err\n}\n",
		"return $1", "if len(names) > 3 {\na.Free()\nout = v\nreturn nil\n}\nout = COPY\nreturn nil"},
	{"Nobody", signature + "a := arena.NewArena()\n", "}\n", "return ZERO, $1", "return v, nil"},
	{"Field", signature + "a := p.own\ndefer p.own.Reset()\n", "}\n", "return ZERO, $1", "return COPY, nil"},
	{"FieldFirst", signature + "p.own.Reset()\na := p.own\n", "}\n", "return ZERO, $1", "return COPY, nil"},
	{"Child", signature + "a := p.own.Child()\ndefer a.Free()\n", "}\n", "return ZERO, $1", "return COPY, nil"},
	{"Mark", signature + "a := p.own\nm := a.Mark()\ndefer a.Rewind(m)\n", "}\n", "return ZERO, $1", "return COPY, nil"},
	{"With", signature + "return with(p.pool, func(a *arena.Arena) (RESULT, error) {\n", "})\n}\n", "return ZERO, $1", "return COPY, nil"},
	{"WithDo", signature + "return withDo(p.pool, func(a *arena.Arena) (RESULT, error) {\n", "})\n}\n",
		"return ZERO, $1", "return COPY, nil"},
	{"WithCopy", signature + "return withCopy(p.pool, func(a *arena.Arena) (RESULT, error) {\n", "})\n}\n",
		"return ZERO, $1", "return v, nil"},
	{"WithDoCopy", signature + "return withDoCopy(p.pool, func(a *arena.Arena) (RESULT, error) {\n", "})\n}\n",
		"return ZERO, $1", "return v, nil"},
	{"WithMethod", signature + "err = p.with(func(a *arena.Arena) (err error) {\n", "})\nreturn out, err\n}\n",
		"return $1", "out = COPY\nreturn nil"},
	{"Context", signature + "a := arena.FromContext(p.ctx)\n", "}\n", "return ZERO, $1", "return v, nil"},
	{"Parameter", "func inNAME(a *arena.Arena, p *pools, names []string, name string, data []byte, rows any) (out RESULT, err error) {\n",
		"}\n" + signature + "a := p.pool.Get()\ndefer p.pool.Put(a)\nv, err := inNAME(a, p, names, name, data, rows)\nif err != nil {\n" +
			"return ZERO, err\n}\nreturn COPY, nil\n}\n", "return ZERO, $1", "return v, nil"},
}

// A result is a value that a program makes in an arena.
type result struct {
	name, typ, zero, make, copied string
}

var results = []result{
	{"String", "string", `""`, "v := a.AllocString(name)", "strings.Clone(v)"},
	{"Bytes", "[]byte", "nil", "v := a.AllocBytes(len(name))\ncopy(v, name)", "bytes.Clone(v)"},
	{"Number", "int", "0", "tags := arena.Append(a, nil, name)\nv := len(tags)", "v"},
	{"Pointer", "*row", "nil", "v := arena.NewOf(a, row{Name: a.AllocString(name)})", "arena.DeepClone(v)"},
	{"PointerOut", "*row", "nil", "v := arena.New[row](a)\nv.Name = a.Sprintf(\"%s\", name)", "arena.CloneOut(a, v)"},
	{"Struct", "row", "row{}", "v := row{Name: a.AllocString(name), Tags: arena.Append(a, nil, name)}", "arena.DeepClone(v)"},
	{"Fields", "row", "row{}", "x := arena.NewOf(a, row{Name: a.AllocString(name)})\nv := *x",
		"row{Name: strings.Clone(v.Name), ID: v.ID}"},
	{"Parsed", "*row", "nil", "v, err := parse(a, name)\nif err != nil {\nFAIL(err)\n}", "arena.DeepClone(v)"},
	{"Filled", "row", "row{}", "var v row\nif err := fill(a, &v, name); err != nil {\nFAIL(err)\n}", "arena.DeepClone(v)"},
	{"Decoded", "row", "row{}", "var v row\nif err := arenajson.Unmarshal(a, data, &v); err != nil {\nFAIL(err)\n}", "v.clone()"},
	{"Slice", "[]string", "nil", "v := arena.MakeSlice[string](a, 0, 4)\nfor _, n := range names {\nv = arena.Append(a, v, a.AllocString(n))\n}",
		"arena.DeepClone(v)"},
	{"Pointers", "[]*row", "nil", "var v []*row\nfor _, n := range names {\nif n == \"\" {\ncontinue\n}\nv = append(v, arena.NewOf(a, row{Name: n}))\n}",
		"rowsOf(v)"},
	{"Map", "map[string]*row", "nil", "v := map[string]*row{}\nfor _, n := range names {\nv[a.AllocString(n)] = arena.New[row](a)\n}",
		"mapOf(v)"},
	{"Interface", "named", "nil", "var v named = arena.NewOf(a, row{Name: a.AllocString(name)})",
		"&row{Name: strings.Clone(v.GetName())}"},
}

// flows of control.
var flows = []struct{ name, text string }{
	{"Straight", "MAKE\nDONE\n"},
	{"Early", "if name == \"\" {\nFAIL(errNone)\n}\nMAKE\nif size(v) > 100 {\nFAIL(fmt.Errorf(\"%v is too large\", v))\n}\nDONE\n"},
	{"Switch", "switch len(name) {\ncase 0:\nFAIL(errNone)\ncase 1:\nMAKE\nDONE\ndefault:\nMAKE\nDONE\n}\n"},
	{"Loop", "for _, name := range names {\nMAKE\nif size(v) > len(name) {\nDONE\n}\n}\nFAIL(errNone)\n"},
	{"Each", "for o, err := range arenapgx.Each[row](a, rows) {\nif err != nil {\nFAIL(err)\n}\nif o.Name == name {\nMAKE\nDONE\n}\n}\nFAIL(errNone)\n"},
	{"EachSum", "sums := map[string]int{}\nfor o, err := range arenapgx.Each[row](a, rows) {\nif err != nil {\nFAIL(fmt.Errorf(\"rows: %w\", err))\n}\n" +
		"sums[strings.Clone(o.Name)] += o.ID\n}\np.sums = sums\nMAKE\nDONE\n"},
	{"Collect", "list, err := arenapgx.Collect[row](a, rows)\nif err != nil {\nFAIL(err)\n}\nfor i := range list {\nif list[i].Name == name {\nMAKE\nDONE\n}\n}\n" +
		"FAIL(fmt.Errorf(\"%s isn't there\", name))\n"},
	{"One", "one, err := arenapgx.CollectOne[row](a, rows)\nif err != nil {\nFAIL(err)\n}\nif name := one.Name; name != \"\" {\nMAKE\nDONE\n}\nFAIL(errNone)\n"},
	{"Scratch", "c := a.Child()\ndefer c.Free()\nn := 0\nfor _, x := range names {\ns := c.AllocString(x)\nn += len(s)\nc.Reset()\n}\n" +
		"if n == 0 {\nFAIL(errNone)\n}\nMAKE\nDONE\n"},
	{"Rewound", "n := 0\nfor _, x := range names {\nm := a.Mark()\nn += len(a.AllocString(x))\na.Rewind(m)\n}\nif n == 0 {\nFAIL(errNone)\n}\nMAKE\nDONE\n"},
	{"Wait", "MAKE\nvar wg sync.WaitGroup\nsizes := make([]int, 2)\nfor i := range sizes {\nwg.Go(func() { sizes[i] = size(v) })\n}\nwg.Wait()\nDONE\n"},
	{"Received", "MAKE\nfailed := make(chan error, 1)\ngo func() { failed <- check(v) }()\nif err := <-failed; err != nil {\nFAIL(err)\n}\nDONE\n"},
	{"Sent", "MAKE\np.sent <- sent{name: name, v: COPY}\nDONE\n"},
	{"OnHeap", "hot, b := len(names) > 10, a\nif hot {\nb = nil\n}\nMAKEINB\nif hot {\np.kept = v\n}\nDONE\n"},
	{"OnHeapElse", "b := a\nif p.ctx == nil {\nb = nil\n}\nMAKEINB\nif p.ctx != nil {\nslog.Info(\"made\", \"v\", v)\n}\nDONE\n"},
	{"Sorted", "set := map[string]RESULT{}\nfor _, n := range names {\nMAKE\nset[n] = v\n}\np.names = slices.Sorted(maps.Keys(set))\nMAKE\nDONE\n"},
	{"Keys", "set := map[string]RESULT{}\nfor _, n := range names {\nMAKE\nset[n] = v\n}\nfor k := range maps.Keys(set) {\np.names = append(p.names, k)\n}\n" +
		"for k := range set {\np.names = append(p.names, k)\n}\nMAKE\nDONE\n"},
	{"SortedSlice", "list := arena.CopySlice(a, names)\nslices.Sort(list)\nif i, ok := slices.BinarySearch(list, name); ok && len(list[i]) > 0 {\nname := list[i]\n_ = name\nMAKE\nDONE\n}\nFAIL(errNone)\n"},
	{"Cache", "p.mu.Lock()\nold, ok := CACHE[name]\np.mu.Unlock()\nif ok {\nHIT\n}\nMAKE\np.mu.Lock()\ndefer p.mu.Unlock()\nCACHE[strings.Clone(name)] = COPY\nDONE\n"},
	{"SyncMap", "if old, ok := p.all.Load(name); ok {\nold := old.(RESULT)\nHIT\n}\nMAKE\np.all.Store(strings.Clone(name), COPY)\nDONE\n"},
	{"Builder", "MAKE\nvar b strings.Builder\nfmt.Fprintf(&b, \"%v\", v)\np.last = b.String()\nDONE\n"},
	{"Errors", "var errs []error\nfor _, n := range names {\nif err := check(a.AllocString(n)); err != nil {\nerrs = append(errs, err)\n}\n}\n" +
		"if err := errors.Join(errs...); err != nil {\nFAIL(err)\n}\nMAKE\nDONE\n"},
	{"Visitor", "if err := p.visit(a, func(n string) error {\nif n == name {\nreturn errNone\n}\np.names = append(p.names, strings.Clone(n))\nreturn nil\n}); err != nil {\n" +
		"FAIL(err)\n}\nMAKE\nDONE\n"},
	{"Local", "last := map[string]RESULT{}\nlist := []RESULT{}\nfor _, name := range names {\nif _, ok := last[name]; ok {\ncontinue\n}\nMAKE\nlast[a.AllocString(name)] = v\n" +
		"list = append(list, v)\n}\nif len(last) != len(list) {\nFAIL(errNone)\n}\nMAKE\nDONE\n"},
	{"Undone", "MAKE\np.kept = v\ndefer func() { p.kept = nil }()\nif err := p.check(); err != nil {\nFAIL(err)\n}\nDONE\n"},
}

const rightHelpers = `package p

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/contrib/arenapgx"
)

var errNone = errors.New("none")

var _ = bytes.Clone
var _ = slog.Info
var _ = maps.Keys[map[int]int]
var _ = slices.Sort[[]int]
var _ = arenajson.Unmarshal
var _ = arenapgx.Each[row]

type named interface{ GetName() string }

type row struct {
	ID   int
	Name string
	Tags []string
}

func (r *row) GetName() string { return r.Name }

func (r row) clone() row {
	return row{r.ID, strings.Clone(r.Name), arena.DeepClone(r.Tags)}
}

type sent struct {
	name string
	v    any
}

type pools struct {
	pool  *arena.Pool
	own   *arena.Arena
	ctx   context.Context
	mu    sync.Mutex
	all   sync.Map
	names []string
	last  string
	kept  any
	sums  map[string]int
	sent  chan sent
}

func (p *pools) get() (*arena.Arena, func()) {
	a := p.pool.Get()
	return a, func() { p.pool.Put(a) }
}

func (p *pools) with(f func(a *arena.Arena) error) error {
	a := p.pool.Get()
	defer p.pool.Put(a)
	return f(a)
}

func (p *pools) check() error {
	if p.last == "" {
		return errNone
	}
	return nil
}

func (p *pools) visit(a *arena.Arena, f func(string) error) error {
	for _, n := range p.names {
		if err := f(a.AllocString(n)); err != nil {
			return fmt.Errorf("%s: %w", n, err)
		}
	}
	return nil
}

func with[T any](p *arena.Pool, f func(a *arena.Arena) (T, error)) (T, error) {
	a := p.Get()
	defer p.Put(a)
	return f(a)
}

func withDo[T any](p *arena.Pool, f func(a *arena.Arena) (T, error)) (out T, err error) {
	err = p.Do(func(a *arena.Arena) (err error) {
		out, err = f(a)
		return err
	})
	return out, err
}

func withCopy[T any](p *arena.Pool, f func(a *arena.Arena) (T, error)) (T, error) {
	a := p.Get()
	defer p.Put(a)
	v, err := f(a)
	return arena.DeepClone(v), err
}

func withDoCopy[T any](p *arena.Pool, f func(a *arena.Arena) (T, error)) (out T, err error) {
	err = p.Do(func(a *arena.Arena) error {
		v, err := f(a)
		if err != nil {
			return err
		}
		out = arena.DeepClone(v)
		return nil
	})
	return out, err
}

func parse(a *arena.Arena, name string) (*row, error) {
	if name == "" {
		return nil, errNone
	}
	r := arena.New[row](a)
	r.Name = a.AllocString(name)
	for part := range strings.SplitSeq(name, ",") {
		r.Tags = arena.Append(a, r.Tags, a.AllocString(part))
	}
	return r, nil
}

func fill(a *arena.Arena, r *row, name string) error {
	r.Name = a.AllocString(name)
	if len(r.Tags) > 3 {
		return fmt.Errorf("%s has too many tags", r.Name)
	}
	return nil
}

func size(v any) int { return len(fmt.Sprint(v)) }

func check(v any) error {
	if size(v) == 0 {
		return errNone
	}
	return nil
}

func rowsOf(list []*row) []*row {
	out := make([]*row, 0, len(list))
	for _, r := range list {
		out = append(out, arena.DeepClone(r))
	}
	return out
}

func mapOf(m map[string]*row) map[string]*row {
	out := make(map[string]*row, len(m))
	for k, r := range m {
		out[strings.Clone(k)] = arena.DeepClone(r)
	}
	return out
}
`

const lastingPools = `
func newPools() *pools {
	pool := arena.NewPool(arena.WithLimit(1 << 20))
	return &pools{pool: pool, own: pool.Get(), ctx: arena.NewContext(context.Background(), pool.Get())}
}
`

var theArena = regexp.MustCompile(`\ba\b`)

var failing = regexp.MustCompile(`FAIL\((.*)\)\n`)

// rightProgram returns programs of the n-th form of lending, and their callers: every fourth, or all in the long form
// of the tests. If no Pool reuses memory values are kept without copies.
func rightProgram(n int, lasting bool) string {
	var b strings.Builder
	b.WriteString(rightHelpers)
	if lasting {
		b.WriteString(lastingPools)
	}
	l, all := lendings[n], os.Getenv("HARENA_LONG") != ""
	for i, r := range results {
		copied := r.copied
		if lasting {
			copied = "v"
		}
		fmt.Fprintf(&b, "\nvar cache%s = map[string]%s{}\nvar last%[1]s %[2]s\n", r.name, r.typ)
		for j, flow := range flows {
			if !all && (n+i+j)%4 != 0 {
				continue
			}
			text := strings.NewReplacer("MAKEINB", theArena.ReplaceAllString(r.make, "b"), "MAKE", r.make).Replace(l.before + flow.text + l.after)
			text = failing.ReplaceAllString(text, l.fail+"\n")
			done := l.done
			text = strings.NewReplacer("DONE", done, "HIT", strings.NewReplacer("COPY", "old", "= v", "= old", "return v", "return old").Replace(done)).Replace(text)
			text = strings.NewReplacer("NAME", r.name+flow.name, "RESULT", r.typ, "ZERO", r.zero, "COPY", copied,
				"CACHE", "cache"+r.name).Replace(text)
			b.WriteString("\n" + text)
			fmt.Fprintf(&b, "\nfunc Use%s%s(p *pools, names []string, data []byte) {\n\tv, err := %[1]s%[2]s(p, names, \"x\", data, nil)\n"+
				"\tif err != nil {\n\t\tslog.Error(\"none\", \"err\", err)\n\t\treturn\n\t}\n", r.name, flow.name)
			if l.name != "Context" {
				fmt.Fprintf(&b, "\tlast%s = v\n\tp.sent <- sent{v: v}\n", r.name)
			}
			b.WriteString("\tp.last = fmt.Sprint(v)\n}\n")
		}
	}
	return b.String()
}

// workers returns programs whose workers, started in a loop, receive jobs, each with its own arena.
func workers() string {
	var b strings.Builder
	b.WriteString(rightHelpers)
	jobs := []struct{ typ, arena, made string }{
		{"*arena.Arena", "j", "p.pool.Get()"},
		{"job", "j.a", "job{p.pool.Get(), n}"},
		{"*job", "j.a", "&job{a: p.pool.Get(), name: n}"},
		{"order", "j.job.a", "order{job: &job{p.pool.Get(), n}}"},
	}
	receives := []string{
		"for j := range JOBS {\nUSE\n}",
		"for {\nj, ok := <-JOBS\nif !ok {\nreturn\n}\nUSE\n}",
		"for {\nselect {\ncase j := <-JOBS:\nUSE\ncase <-p.ctx.Done():\nreturn\n}\n}",
	}
	starts := []struct{ text, jobs, more string }{
		{"go func() {\ndefer wg.Done()\nRECEIVE\n}()", "jobs", ""},
		{"wg.Go(func() {\nRECEIVE\n})", "jobs", ""},
		{"wg.Go(func() {\nRECEIVE\n})", "q.jobs", ""},
		{"go workNAME(p, jobs)", "jobs", "\nfunc workNAME(p *pools, jobs chan TYPE) {\nRECEIVE\n}\n"},
		{"go q.work(p)", "q.jobs", "\nfunc (q *queueNAME) work(p *pools) {\nRECEIVE\n}\n"},
	}
	b.WriteString("\ntype job struct {\n\ta *arena.Arena\n\tname string\n}\n\ntype order struct{ job *job }\n")
	for i, job := range jobs {
		for j, receive := range receives {
			for k, start := range starts {
				text := "\ntype queueNAME struct{ jobs chan TYPE }\n" + start.more +
					"\nfunc RunNAME(p *pools, q *queueNAME, names []string) {\njobs := q.jobs\nvar wg sync.WaitGroup\n" +
					"for range 4 {\n" + start.text + "\n}\nfor _, n := range names {\np.last = n\nq.jobs <- MADE\n}\nclose(jobs)\nwg.Wait()\n}\n"
				text = strings.NewReplacer("RECEIVE", receive).Replace(text)
				text = strings.ReplaceAll(text, "USE", "v := arena.NewOf(ARENA, row{Name: ARENA.AllocString(\"x\")})\np.sent <- sent{name: strings.Clone(v.Name)}\np.pool.Put(ARENA)")
				b.WriteString(strings.NewReplacer("NAME", fmt.Sprint(i, "_", j, "_", k), "TYPE", job.typ, "ARENA", job.arena, "MADE", job.made,
					"JOBS", start.jobs).Replace(text))
			}
		}
	}
	return b.String()
}

// TestRightPrograms: right programs have no findings.
func TestRightPrograms(t *testing.T) {
	for n, l := range lendings {
		t.Run(l.name, func(t *testing.T) { isRight(t, rightProgram(n, false)) })
		t.Run(l.name+"WithoutReuse", func(t *testing.T) { isRight(t, rightProgram(n, true)) })
	}
	t.Run("workers", func(t *testing.T) { isRight(t, workers()) })
}

func isRight(t *testing.T, text string) {
	s := generate(t, text)
	lines := strings.Split(text, "\n")
	for _, d := range s.analyze(t, arenavet.All) {
		at := s.fset.Position(d.Pos).Line
		n := at - 1
		for ; n > 0 && !strings.HasPrefix(lines[n], "func "); n-- {
		}
		name, _, _ := strings.Cut(lines[n], "(p")
		t.Errorf("%s: %q in line %d: %s: %s", name, lines[at-1], at-n, d.Category, d.Message)
	}
}
