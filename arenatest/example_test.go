package arenatest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
)

// A printer is a test that prints the first line of each failure.
type printer struct{ double }

func (p *printer) Error(args ...any) {
	first, _, _ := strings.Cut(strings.TrimSpace(fmt.Sprint(args...)), "\n")
	fmt.Println("FAIL:", first)
}

func (p *printer) Errorf(format string, args ...any) { p.Error(fmt.Sprintf(format, args...)) }

// exampleTest returns what go test hands to a test, and a function that ends it.
func exampleTest() (t *printer, end func()) {
	t = &printer{double{name: "TestParse", dir: filepath.Join(os.TempDir(), "no such directory")}}
	return t, t.end
}

// A Word is the result of this package's functions under test.
type Word struct{ Text, Translation [8]byte }

// Dictionary outlives all tests.
var Dictionary = map[string]*Word{}

// Learn keeps a value allocated from the arena, which is a bug.
func Learn(a *arena.Arena, text string) {
	w := arena.New[Word](a)
	copy(w.Text[:], text)
	Dictionary[text] = w
}

func ExampleNew() {
	t, end := exampleTest() // in a real test, t is a parameter
	Learn(arenatest.New(t), "hen")
	end()
	// Output: FAIL: ARENA ESCAPE: arenatest_test.Word (16 bytes) in arena "TestParse" is still referenced, 3 GC cycles after it was reclaimed
}

// In a self-contained arena a pointer to the heap is a bug, too.
func ExampleNew_selfContained() {
	type node struct{ name []string }
	t, end := exampleTest()
	a := arenatest.New(t, arena.WithNoScan())
	n := arena.New[node](a)
	words := strings.Fields("a slice of the heap")
	n.name = words
	end()
	runtime.KeepAlive(words) // or else the GC might have freed them by now
	// Output: FAIL: ARENA POINTER: arenatest_test.node.name in self-contained arena "TestParse" points to the array of a []string of length 5 on the Go heap, which the GC may free
}

func ExampleNewPool() {
	t, end := exampleTest()
	pool := arenatest.NewPool(t)
	pool.Put(pool.Get())
	pool.Get() // and forgotten
	end()
	// Output: FAIL: an arena of pool "TestParse" was neither put back nor freed
}

// Reuse is turned on for one route after the other.
func ExampleNewPool_keys() {
	serve := func(pool *arena.Pool) {
		pool.Do(func(*arena.Arena) error { return nil })
		pool.DoKeyed("PUT /word", func(a *arena.Arena) error {
			Learn(a, "owl")
			return nil
		})
	}
	t, end := exampleTest()
	serve(arenatest.NewPool(t, arena.WithReuse("GET /word")))
	end()
	fmt.Println("GET /word keeps nothing")
	t, end = exampleTest()
	serve(arenatest.NewPool(t, arena.WithReuse("GET /word", "PUT /word")))
	end()
	// Output:
	// GET /word keeps nothing
	// FAIL: ARENA ESCAPE: arenatest_test.Word (16 bytes) in arena "TestParse" with key "PUT /word" is still referenced, 3 GC cycles after it was reclaimed
}

func ExampleNewShared() {
	t, end := exampleTest()
	shared := arenatest.NewShared(t, arena.WithName("words"))
	Learn(shared.Local(), "egg")
	end()
	// Output: FAIL: ARENA ESCAPE: arenatest_test.Word (16 bytes) in arena "words" is still referenced, 3 GC cycles after it was reclaimed
}

// Which of two steps lets something escape?
func ExampleVerify() {
	t, end := exampleTest()
	a := arenatest.New(t)
	arena.New[Word](a)
	a.Reset()
	arenatest.Verify(t)
	fmt.Println("the first step is correct")
	Learn(a, "nest")
	a.Reset()
	arenatest.Verify(t)
	end()
	// Output:
	// the first step is correct
	// FAIL: ARENA ESCAPE: arenatest_test.Word (16 bytes) in arena "TestParse" is still referenced, 3 GC cycles after it was reclaimed
}

// A package's TestMain, with which all of its arenas are checked.
func ExampleMain() {
	TestMain := func(m *testing.M) int {
		return arenatest.Main(m) // for os.Exit
	}
	_ = TestMain
	// Output:
}

// A shelf keeps values that a request took from an arena.
type shelf struct{ names map[string]bool }

func ExampleHold() {
	t, end := exampleTest()
	pool := arenatest.NewPool(t)
	s := &shelf{map[string]bool{}}
	arenatest.Hold(t, s) // or else its contents couldn't be checked at the end
	pool.Do(func(a *arena.Arena) error {
		s.names[a.AllocString("ada")] = true
		return nil
	})
	end()
	// Output: FAIL: ARENA ESCAPE: string (3 bytes) in arena "TestParse" is still referenced, 3 GC cycles after it was reclaimed
}

func ExampleNoLooks() {
	t, end := exampleTest()
	pool := arenatest.NewPool(t, arenatest.NoLooks())
	pool.Do(func(a *arena.Arena) error { // code that may leave memory in a sync.Pool
		a.Sprintf("page %d", 1)
		return nil
	})
	end()
	fmt.Println("passed")
	// Output: passed
}

func ExampleStrict() {
	t, end := exampleTest()
	a := arenatest.New(t, arenatest.Strict())
	Learn(a, "hen")
	a.Reset()
	delete(Dictionary, "hen") // too late
	end()
	// Output: FAIL: ARENA ESCAPE: arenatest_test.Word (16 bytes) in arena "TestParse" is still referenced, 3 GC cycles after it was reclaimed
}
