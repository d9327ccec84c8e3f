package arenatest_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	"github.com/harena-go/arena/internal/engine/asan"
	"github.com/harena-go/arena/internal/engine/guard"
	"github.com/harena-go/arena/internal/engine/race"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// faults reports whether f touches guarded memory.
func faults(f func()) (yes bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if err, ok := recover().(runtime.Error); ok {
			yes = strings.Contains(err.Error(), "invalid memory address")
		}
	}()
	f()
	return
}

var (
	sinkText  string
	sinkBytes []byte
	sinkInt   int
	sinkBool  bool
)

// Ways to read a string's bytes. A sanitizer would report those that it sees.
var reads = []struct {
	name string
	seen bool
	read func(s string)
}{
	{"index", false, func(s string) { sinkInt = int(s[len(s)/2]) }},
	{"range", false, func(s string) {
		for _, r := range s {
			sinkInt += int(r)
		}
	}},
	{"concatenation", false, func(s string) { sinkText = "x" + s }},
	{"comparison", false, func(s string) { sinkBool = s == strings.Repeat("x", len(s)) }},
	{"order", false, func(s string) { sinkBool = s < strings.Repeat("d", len(s)) }},
	{"switch", false, func(s string) {
		switch s[:20] {
		case "delta, epsilon, zeta":
			sinkInt++
		}
	}},
	{"map look-up", false, func(s string) { sinkInt = map[string]int{strings.Repeat("x", len(s)): 1}[s] }},
	{"map store", false, func(s string) { (map[string]int{})[s]++ }},
	{"strings.Contains", false, func(s string) { sinkBool = strings.Contains(s, "zeta") }},
	{"strings.Clone", true, func(s string) { sinkText = strings.Clone(s) }},
	{"bytes", true, func(s string) { sinkBytes = []byte(s) }},
	{"Sprintf", true, func(s string) { sinkText = fmt.Sprintf("%s and %q", s, s) }},
}

// TestDeadStrings: any read of a dead string faults, in a default or in a self-contained arena, small or large, also
// after the heap was dumped to find holders. No read of a live string does.
func TestDeadStrings(t *testing.T) {
	if guard.PageSize == 0 {
		t.Skip("memory can't be guarded here")
	}
	for i, r := range reads {
		testkit.Run(t, r.name, func(t *testing.T) {
			if r.seen && (race.Instrumented || asan.On) {
				t.Skip("the sanitizer sees it")
			}
			for k, repeat := range []int{1, 1000} { // small in one of the arenas and large in the other, in turn
				opts := [][]arena.Option{nil, {arena.WithNoScan()}}[(i+k)%2]
				if opts != nil && asan.On {
					continue // whose red zones leave no whole pages
				}
				a := arenatest.New(t, opts...)
				s := a.AllocString(strings.Repeat("alpha, beta, gamma! ", repeat))
				if faults(func() { r.read(s) }) {
					t.Fatal("a live string can't be read")
				}
				a.Reset()
				if !faults(func() { r.read(s) }) {
					t.Errorf("%d bytes can be read when they are dead", len(s))
				}
				s = ""
			}
		})
	}
}

// TestDeadValues: values without pointers are guarded too, at a Rewind and at the end of a child.
func TestDeadValues(t *testing.T) {
	if guard.PageSize == 0 || race.Instrumented || asan.On {
		t.Skip("memory can't be guarded here, or the sanitizer sees it")
	}
	a := arenatest.New(t)
	before := arena.NewOf(a, 1)
	m := a.Mark()
	after := arena.NewOf(a, 2)
	a.Rewind(m)
	if faults(func() { sinkInt = *before }) || !faults(func() { sinkInt = *after }) {
		t.Error("the Rewind hasn't made dead what came after the mark, and nothing else")
	}
	child := a.Child()
	floats := arena.MakeSlice[float64](child, 100, 100)
	child.Reset()
	if !faults(func() { sinkInt = int(floats[50]) }) {
		t.Error("a child's values can be read after its Reset")
	}
	kept := arena.NewOf(a, 3)
	a.Free()
	if faults(func() { sinkInt = *kept }) || sinkInt != 3 {
		t.Error("Free has made values dead")
	}
}

// TestDeadInSystemCall: the system returns an error because it can't read the memory.
func TestDeadInSystemCall(t *testing.T) {
	if guard.PageSize == 0 || race.Instrumented || asan.On {
		t.Skip("memory can't be guarded here, or the sanitizer sees it")
	}
	a := arenatest.New(t)
	b := arena.CopySlice(a, []byte("a line\n"))
	a.Reset()
	f, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(b); !errors.Is(err, syscall.EFAULT) {
		t.Errorf("%v, want a bad address", err)
	}
}

// TestDeadMany: values beyond the limit of pages of their own are unchanged, and reading them doesn't fault.
func TestDeadMany(t *testing.T) {
	if guard.PageSize == 0 || race.Instrumented || asan.On {
		t.Skip("memory can't be guarded here, or the sanitizer sees it")
	}
	a := arenatest.New(t)
	for range 3 {
		var all [1000]string
		for i := range all {
			all[i] = a.Sprintf("number %d", i)
		}
		a.Reset()
		guarded := 0
		for i := range all {
			if faults(func() { sinkInt = int(all[i][0]) }) {
				guarded++
			}
		}
		if guarded < 200 || guarded > 300 {
			t.Errorf("%d of %d are guarded, want some 256 in each life", guarded, len(all))
		}
	}
}

// TestOneReport: a fault of the test is reported once, with the touched value, the line, and the holder. Nothing is
// reported about an end that the test hasn't reached. The same holds for several arenas, if one has a name.
func TestOneReport(t *testing.T) {
	if guard.PageSize == 0 || asan.On {
		t.Skip("memory can't be guarded here, or the sanitizer sees it")
	}
	how := os.Getenv(variable)
	if how == "" {
		for how, want := range map[string][]string{
			"string": {"touches a dead string (8 bytes) of arena \"names\"", "Held by:", here(t, "// "+"the string died"), here(t, "// "+"the name")},
			"clone":  {"touches a dead string (5 bytes)", "Held by:"},
			"node":   {"follows a pointer in a dead value of arena \"names\"", "With it died:\n      ", here(t, "// "+"the node died"), here(t, "// "+"the name's node")},
		} {
			if how == "node" && race.Instrumented {
				continue // the sanitizer sees it
			}
			want = append(want, "what arenatest.Hold was given") // also with -race, as the test is at its end
			out := child(t.Name(), how)
			for _, part := range append(want, "panic: runtime error: invalid memory address", "Held ") {
				if !strings.Contains(out, part) {
					t.Errorf("%s: no %q in\n%s", how, part, out)
				}
			}
			if at := here(t, "// touched as "+how); !regexp.MustCompile(`ARENA FAULT: \S*` + at + " (touches|follows)").MatchString(out) {
				t.Errorf("%s: not at %s:\n%s", how, at, out)
			}
			for _, other := range []string{"ARENA NOTE", "not any more at the end", "arenatest: the program", "The test has touched", "unknown"} {
				if strings.Contains(out, other) {
					t.Errorf("%s: %q, too, in\n%s", how, other, out)
				}
			}
			if n := strings.Count(out, "ARENA FAULT"); n != 1 {
				t.Errorf("%s: %d reports of the fault", how, n)
			}
		}
		return
	}
	arenatest.NewPool(t)
	a := arenatest.New(t, arena.WithName("names"))
	arenatest.New(t)
	switch how {
	case "string":
		l := label(a.AllocString("computed")) // the name
		arenatest.Hold(t, &l)
		a.Reset()                  // the string died
		sinkText = "s" + string(l) // touched as string
	case "clone":
		n := &node{name: a.AllocString("clone")}
		arenatest.Hold(t, n)
		a.Reset()
		sinkText = arena.DeepClone(n).name // touched as clone
	case "node":
		s := &server{last: arena.NewOf(a, node{left: arena.New[node](a)})} // the name's node
		arenatest.Hold(t, s)
		a.Reset()                   // the node died
		sinkText = s.last.left.name // touched as node
	}
}

// TestWhatElseIsHeld: further held values have a line each when a test faults.
func TestWhatElseIsHeld(t *testing.T) {
	if guard.PageSize == 0 || asan.On {
		t.Skip("memory can't be guarded here, or the sanitizer sees it")
	}
	if os.Getenv(variable) == "" {
		out := child(t.Name(), "x")
		want := `arenatest_test.node \(32 bytes\) in arena "` + t.Name() + `", allocated at .*` + here(t, "// "+"two nodes") + `, reclaimed at .*` + here(t, "// "+"all of it") + ` \(2 times\)\n`
		if unsafe.Sizeof(uintptr(0)) == 4 {
			want = strings.Replace(want, "32 bytes", "16 bytes", 1)
		}
		if !strings.Contains(out, "this was held, too, ") || !regexp.MustCompile(want).MatchString(out) || strings.Count(out, "ARENA ") != 1 {
			t.Errorf("no line like %s, or more than one report, in\n%s", want, out)
		}
		return
	}
	a := arenatest.New(t)
	nodes := make([]*node, 2)
	for i := range nodes {
		nodes[i] = arena.New[node](a) // two nodes
	}
	arenatest.Hold(t, nodes)
	s := a.AllocString("touched")
	a.Reset() // all of it
	sinkText = "s" + s
}

// TestOtherPanics: notes before a panic that isn't about a dead value don't claim that the reference is gone at the
// end.
func TestOtherPanics(t *testing.T) {
	if os.Getenv(variable) == "" {
		out := child(t.Name(), "nil")
		if !strings.Contains(out, "ARENA NOTE: arenatest_test.node") || !strings.Contains(out, "or when the test panicked") {
			t.Errorf("no true note in\n%s", out)
		}
		for _, wrong := range []string{"ARENA FAULT", "at the end", "The test has touched", "arenatest: the program"} {
			if strings.Contains(out, wrong) {
				t.Errorf("%q in\n%s", wrong, out)
			}
		}
		return
	}
	a := arenatest.New(t)
	s := &server{last: arena.New[node](a)}
	arenatest.Hold(t, s)
	a.Reset()
	var none *server
	sinkBool = none.last == s.last
}
