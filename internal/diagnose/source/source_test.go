package source

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// lines is a package whose lines say which variables they mention.
const lines = `package lines

import (
	"net/http"
	other "example.com/y/other/v2"
	. "example.com/dotted"
)

type T struct {
	a, b string
	inner struct{ c *T }
	next  *T
}

var one, two T // one two

var three = &T{ // four three
	a: four, // four three
} // four three

var four = "4" // four

const five = 5

func f(one *T, m map[string]*T) {
	one.a = ""
	two.a = "" // two.a
	two.inner.c.next = one // two.inner.c.next
	(two).inner.c = nil // two.inner.c
	three, one = one, &two // three two
	if x := two; x.a == four { // two four
		four := five
		_ = four
		m[g(three).a] = one // three
	}
	for range four { // four
		two.m() // two.m
	}
	defer func() { // two
		one.b = four // four
		func() {
			one.a = five
		}()
		_ = two.b // two.b
	}(two) // two
	switch four { // four
	case three.a: // three.a
		one.two = 1
	}
	_ = T{ // four
		a: four, // four
	} // four
	_ = http.DefaultClient.Timeout // http.DefaultClient.Timeout
	_ = other.Value[five] // other.Value
	Dotted = one // Dotted
	var two = new(T)
	two.a = five
	g( // four three
		four, // four three
		three, // four three
	) // four three
	one = fresh
}

func (t *T) three() { t.three() }

var lit = func() { // lit
	four = "" // four
} // lit
`

const dotted = `package dotted

var Dotted any
var notExported int
`

// newTestReader returns a reader of packages that are given as texts, one file each.
func newTestReader(t *testing.T, packages map[string]string) (*Reader, map[string]string) {
	files := map[string]string{}
	for path, text := range packages {
		dir := filepath.Join(t.TempDir(), "x")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		files[path] = filepath.Join(dir, "x.go")
		if err := os.WriteFile(files[path], []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r := NewReader("", func(path string) string {
		if files[path] == "" {
			return ""
		}
		return filepath.Dir(files[path])
	})
	r.built = time.Now().Add(time.Hour)
	return r, files
}

// TestMentions: of each line the package-level variables are known that its statement mentions, and no
// variable of a function with the same name.
func TestMentions(t *testing.T) {
	r, files := newTestReader(t, map[string]string{"example.com/x/lines": lines, "example.com/dotted": dotted})
	for i, line := range strings.Split(lines, "\n") {
		_, comment, _ := strings.Cut(line, "// ")
		want := strings.Fields(comment)
		mentions, ok := r.Mentions("example.com/x/lines.(*T).f.func1", Line{files["example.com/x/lines"], i + 1})
		var got []string
		for _, m := range mentions {
			path := strings.TrimPrefix(m.Package, "example.com/x/lines")
			path = strings.NewReplacer("net/http", "http.", "example.com/y/other/v2", "other.", "example.com/dotted", "").Replace(path)
			got = append(got, strings.Join(append([]string{path + m.Name.Name}, m.Fields...), "."))
		}
		slices.Sort(got)
		slices.Sort(want)
		if got = slices.Compact(got); !ok || !slices.Equal(got, want) {
			t.Errorf("line %d mentions %v, want %v: %s", i+1, got, want, line)
		}
	}
	if _, ok := r.Mentions("example.com/z.f", Line{"/nowhere/z.go", 1}); ok {
		t.Error("a line of a file that isn't there")
	}
}

// TestMentionsOf: what functions mention, and those that they call.
func TestMentionsOf(t *testing.T) {
	r, files := newTestReader(t, map[string]string{"p": `package p

var a, b, c, d int

func F() { a = 1; g(); T{}.m() }
func g() { b = 1; F() }
func (T) m() { func() { c = 1 }() }
func h() { d = 1 }

type T struct{}
`})
	for function, want := range map[string]string{"p.F": "[p.a p.b p.c]", "p.g[...]": "[p.a p.b p.c]", "p.(*T).m.func1": "[p.c]", "p.h": "[p.d]", "p": "[]", "p.k": "[]"} {
		var got []string
		for _, m := range r.MentionsOf(function, files["p"]) {
			got = append(got, m.Name.String())
		}
		slices.Sort(got)
		if fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %s", function, got, want)
		}
	}
}

// variables has after each variable its size in words and the offsets of its pointers, in words.
const variables = `package variables

import (
	"sync/atomic"
	. "example.com/dotted"
	"example.com/unknown"
)

type (
	pair struct{ name string; next *pair }
	alias = pair
	generic[K comparable, V any] struct{ key K; values []V }
	strange struct { generic[string, *pair]; f func() int }
	part struct { n int32; ok bool; p *unknown.T }
	list []unknown.T
	shape interface { area(unknown.T) int }
)

const (
	size = iota + 2
	more
)

func make2() (pair, error) { return pair{}, nil }
func newPair() *pair { return nil }

var (
	a pair                          // 3 [0 2] example.com/variables.pair
	b *pair                         // 1 [0] *example.com/variables.pair
	c [more]alias                   // 9 [0 2 3 5 6 8] [3]example.com/variables.alias
	d = map[string]pair{"x": {}}    // 1 [0] map[string]example.com/variables.pair
	e generic[int, *pair]           // 4 [1] example.com/variables.generic[int, *example.com/variables.pair]
	f strange                       // 6 [0 2 5] example.com/variables.strange
	g part                          // 0 []
	h any                           // 2 [1] any
	i, j = 1, "x"                   // 1 [] int
	k, l = make2()                  // 3 [0 2] example.com/variables.pair
	m = newPair()                   // 1 [0] *example.com/variables.pair
	n atomic.Pointer[pair]          // 1 [0] sync/atomic.Pointer[example.com/variables.pair]
	o unknown.T                     // 0 []
	p struct{ unknown.T }           // 0 []
	q = unknown.New()               // 0 []
	r = [...]string{size: "x"}      // 6 [0 2 4] [3]string
	s list                          // 3 [0] example.com/variables.list
	t shape                         // 2 [1] example.com/variables.shape
	u Dots                          // 1 [0] example.com/dotted.Dots
	v = newPair().next              // 0 []
	w = [2]chan<- *pair{}           // 2 [0 1] [2]chan<- *example.com/variables.pair
)
`

// TestVariables: sizes, pointers and types of variables. Nothing is said of one with an
// unknown part.
func TestVariables(t *testing.T) {
	r, files := newTestReader(t, map[string]string{"example.com/variables": variables, "example.com/dotted": "package dotted\ntype Dots *int\n"})
	r.open("example.com/variables", filepath.Dir(files["example.com/variables"]))
	for line := range strings.SplitSeq(variables[strings.Index(variables, "\ta pair"):], "\n") {
		declared, want, ok := strings.Cut(line, "// ")
		if !ok {
			continue
		}
		name := Name{"example.com/variables", strings.Trim(strings.Fields(declared)[0], ",")}
		v := r.Variable(name)
		if v == nil {
			t.Errorf("no variable %s", name)
			continue
		}
		var pointers []uintptr
		v.Pointers(func(offset uintptr) { pointers = append(pointers, offset/wordSize) })
		typ := v.Type
		if v.Size == 0 {
			typ = ""
		}
		if got := strings.TrimSpace(fmt.Sprint(v.Size/wordSize, " ", pointers, " ", typ)); got != strings.TrimSpace(want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for _, name := range []string{"pair", "size", "make2", "none"} {
		if v := r.Variable(Name{"example.com/variables", name}); v != nil {
			t.Errorf("%s is a variable", name)
		}
	}
	c := r.Variable(Name{"example.com/variables", "c"})
	if part, inner := c.At(5 * wordSize); part != "[1].next" || inner.String() != "*example.com/variables.pair" {
		t.Errorf("word 5 of c is %s, a %v", part, inner)
	}
	f := r.Variable(Name{"example.com/variables", "f"})
	if start, end := f.Part([]string{"values", "x"}); start != 2*wordSize || end != 5*wordSize {
		t.Errorf("f.values is from %d to %d", start, end)
	}
}

// TestOtherVersion: a source that is newer than the program says nothing about it.
func TestOtherVersion(t *testing.T) {
	r, files := newTestReader(t, map[string]string{"p": "package p\n\nvar x = 1\n"})
	r.built = time.Now().Add(-time.Hour)
	if m, ok := r.Mentions("p.init", Line{files["p"], 3}); ok {
		t.Errorf("%v", m)
	}
}

func TestPackagePath(t *testing.T) {
	for function, want := range map[string]string{
		"main.main":                           "main",
		"example.com/a/b.(*T[...]).f.func1":   "example.com/a/b",
		"gopkg.in/yaml%2ev3.Unmarshal":        "gopkg.in/yaml.v3",
		"example.com/x%zz.f":                  "example.com/x%zz",
		"example.com/web_test.TestX":          "example.com/web_test",
		"github.com/harena-go/arena.New[...]": "github.com/harena-go/arena",
		"example.com/a%25b.f":                 "example.com/a%b",
	} {
		if got := PackagePath(function); got != want {
			t.Errorf("%s: %s, want %s", function, got, want)
		}
	}
}
