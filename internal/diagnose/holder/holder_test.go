package holder_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/harena-go/arena/internal/diagnose/holder"
	"github.com/harena-go/arena/internal/diagnose/holder/search"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// rangeOf returns the addresses of a slice's elements, as numbers.
func rangeOf(b []byte) holder.Range {
	p := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return holder.Range{Start: p, End: p + uintptr(len(b))}
}

func TestMain(m *testing.M) {
	runtime.MemProfileRate = 1
	os.Exit(m.Run())
}

// named is set if variables must have their names and types.
var named = os.Getenv("HOLDER_TEST_NAMED") != ""

// plant makes b's memory and plants it.
//
//go:noinline
func plant(p planting) (holder.Range, func()) {
	b := make([]byte, 1000)
	return rangeOf(b), p.plant(b)
}

// leadsToPlanted reports whether a path ends at plant's memory. Another object may be there by now, to which an old
// word on a stack seems to point.
func leadsToPlanted(p holder.Path) bool {
	text := fmt.Sprint(p)
	end := text[strings.LastIndex(text, "the escaped value"):]
	return !strings.Contains(end, "allocated by") || strings.Contains(end, "holder_test.plant")
}

// TestFind plants all kinds of holder, searches one dump for all, and checks that the targets have no holders once that
// was undone.
//
// A word left on a stack by an earlier call may point to a planted object. It does so by chance, and not three times.
func TestFind(t *testing.T) {
	for _, p := range [][]planting{plantings, alone} {
		wrong := findAll(t, p)
		for try := 0; try < 2 && byChance(wrong); try++ {
			t.Logf("tried again, because of\n%v", wrong)
			wrong = findAll(t, p)
		}
		for _, w := range wrong {
			t.Error(w)
		}
	}
}

// A mistake is a wrong result of Find for a planting.
type mistake struct {
	what string
	got  []holder.Path
}

func (m mistake) String() string { return fmt.Sprintf("%s:\n%v", m.what, m.got) }

// byChance reports whether there are mistakes, all of them by words on stacks.
func byChance(wrong []mistake) bool {
	return len(wrong) > 0 && !slices.ContainsFunc(wrong, func(m mistake) bool {
		return len(m.got) == 0 || m.got[0].Steps[0].Kind != search.StackWord
	})
}

func findAll(t *testing.T, plantings []planting) (wrong []mistake) {
	t.Helper()
	targets := make([][]holder.Range, len(plantings))
	undo := make([]func(), len(plantings))
	for i, p := range plantings {
		targets[i] = make([]holder.Range, 1)
		targets[i][0], undo[i] = plant(p)
	}
	all, err := holder.FindEach(targets, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range plantings {
		if !anyMatches(all[i], p.want) {
			wrong = append(wrong, mistake{fmt.Sprintf("%s: want steps with %q, got", p.name, p.want), all[i]})
		}
		undo[i]()
	}
	for try := 0; ; try++ {
		letWait()
		if all, err = holder.FindEach(targets, nil); err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(all, func(paths []holder.Path) bool { return slices.ContainsFunc(paths, leadsToPlanted) })
		if i < 0 {
			return wrong
		}
		if try == 20 {
			return append(wrong, mistake{plantings[i].name + ": nobody holds it any more, but Find says", all[i]})
		}
	}
}

func find(t *testing.T, target holder.Range) []holder.Path {
	t.Helper()
	paths, err := holder.Find([]holder.Range{target}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// anyMatches reports whether one of the paths has all steps.
func anyMatches(paths []holder.Path, want []string) bool {
	return slices.ContainsFunc(paths, func(p holder.Path) bool {
		last := len(p.Steps) - 1
		want := want
		if optional, ok := strings.CutPrefix(want[len(want)-1], "?"); ok {
			want = append(want[:len(want)-1:len(want)-1], optional)[:min(len(want), last)]
		}
		if last != len(want) || p.Steps[last].Kind != search.Target {
			return false
		}
		for i, w := range want {
			if !stepMatches(p.Steps[i].String(), w) {
				return false
			}
		}
		return true
	})
}

// stepMatches reports whether a step's text has all parts. Of alternatives in a
// part the second is for programs without names.
func stepMatches(text, want string) bool {
	for _, part := range strings.Split(want, ";") {
		with, without, both := strings.Cut(part, "|")
		if name, ok := strings.CutPrefix(part, "global held"); ok {
			with, without, both = "holder_test.held"+name, "used by github.com/harena-go/arena/internal/diagnose/holder_test.", true
		}
		if !strings.Contains(text, with) && (named || !both || !strings.Contains(text, without)) {
			return false
		}
	}
	return true
}

// TestFindWithNames runs TestFind in a program that has a symbol table.
func TestFindWithNames(t *testing.T) {
	testkit.NeedsGo(t)
	program := filepath.Join(t.TempDir(), "named.test")
	if out, err := exec.Command("go", "test", "-c", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := exec.Command(program, "-test.run=^TestFind$", "-test.gocoverdir="+os.Getenv("GOCOVERDIR"))
	c.Env = append(os.Environ(), "HOLDER_TEST_NAMED=1")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestFindIgnores: pointers in ignored ranges and in the targets don't count.
func TestFindIgnores(t *testing.T) {
	type block struct {
		self *block
		body [100]byte
	}
	heldNode, heldAny = nil, nil
	target, ignored := func() (target, ignored holder.Range) {
		b := new(block)
		b.self = b
		heldNode = &node{body: b.body[:]}
		start, holding := uintptr(unsafe.Pointer(b)), uintptr(unsafe.Pointer(heldNode))
		return holder.Range{Start: start, End: start + unsafe.Sizeof(*b)},
			holder.Range{Start: holding, End: holding + unsafe.Sizeof(*heldNode)}
	}()
	if paths := find(t, target); len(paths) != 1 {
		t.Errorf("want one path, got %v", paths)
	}
	paths, err := holder.Find([]holder.Range{target}, []holder.Range{ignored})
	if len(paths) > 0 || err != nil {
		t.Errorf("with the holder ignored: %v, %v", paths, err)
	}
	heldNode = nil
}

// TestFindSeveral: different holders are all reported, and one of many alike.
func TestFindSeveral(t *testing.T) {
	target := func() holder.Range {
		b := make([]byte, 100)
		heldSlice = b
		heldNodes = make([]*node, 1000)
		for i := range heldNodes {
			heldNodes[i] = &node{body: b}
		}
		heldAny = &square{b}
		return rangeOf(b)
	}()
	paths := find(t, target)
	if len(paths) != 3 || len(paths[0].Steps) != 2 {
		t.Errorf("want three paths, the shortest first, got %v", paths)
	}
	heldSlice, heldNodes, heldAny = nil, nil, nil
}

// TestFindInLargeHeap searches among many objects, which are also the steps of the longest possible path.
func TestFindInLargeHeap(t *testing.T) {
	n := 100_000
	if os.Getenv("HARENA_LONG") != "" {
		n = 1_000_000
	}
	target := func() holder.Range {
		b := make([]byte, 100)
		list := &node{body: b}
		for i := range n {
			list = &node{id: i, next: list}
		}
		heldNode = list
		return rangeOf(b)
	}()
	start := time.Now()
	paths := find(t, target)
	t.Logf("%d objects: %v", n, time.Since(start))
	if len(paths) != 1 || !strings.Contains(paths[0].String(), fmt.Sprintf("... %d more objects ...", n-10)) {
		t.Errorf("got %v", paths)
	}
	heldNode = nil
}
