package index

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/harena-go/arena"
)

const tree = "testdata"

// builds are the three ways to build the same index.
var builds = map[string]func(root string) (*Index, error){
	"heap":           func(root string) (*Index, error) { return OnHeap(root, nil) },
	"default":        func(root string) (*Index, error) { return InArena(root, nil, arena.NewArena()) },
	"self-contained": func(root string) (*Index, error) { return InArena(root, nil, arena.NewArena(arena.WithNoScan())) },
}

func onHeap(t *testing.T, root string) *Index {
	t.Helper()
	x, err := OnHeap(root, nil)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestSameAnswers also reads the index after garbage collections that would
// have taken whatever an arena failed to keep.
func TestSameAnswers(t *testing.T) {
	roots := []string{tree}
	if !testing.Short() {
		roots = append(roots, runtime.GOROOT()+"/src/go", runtime.GOROOT()+"/src/net")
	}
	for _, root := range roots {
		want := Ask(onHeap(t, root))
		for name, build := range builds {
			x, err := build(root)
			if err != nil {
				t.Skipf("%s: %v", root, err)
			}
			for range 3 {
				runtime.GC()
				_ = make([]byte, 1<<20)
			}
			if got := Ask(x); got != want {
				t.Errorf("%s: %s answers %+v, the heap %+v", root, name, got, want)
			}
		}
	}
}

// TestReuse builds in an arena that another index was in before.
func TestReuse(t *testing.T) {
	want := Ask(onHeap(t, tree))
	for _, a := range []*arena.Arena{arena.NewArena(), arena.NewArena(arena.WithNoScan())} {
		for range 3 {
			x, err := InArena(tree, nil, a)
			if err != nil {
				t.Fatal(err)
			}
			if got := Ask(x); got != want {
				t.Errorf("answers %+v, want %+v", got, want)
			}
			a.Reset()
		}
	}
}

func TestChecksumSeesEverything(t *testing.T) {
	damages := map[string]func(*Index){
		"an occurrence lost":      func(x *Index) { b := x.Ident("local").last; b.uses = b.uses[:1] },
		"an occurrence moved":     func(x *Index) { x.Ident("Unit").first.uses[0].Col++ },
		"an occurrence elsewhere": func(x *Index) { x.Ident("Unit").first.uses[0].File++ },
		"an identifier renamed":   func(x *Index) { x.Ident("local").Name = "1ocal" },
		"a comment changed":       func(x *Index) { d := x.DocsWith("Deprecated")[0]; d.Doc = "x" + d.Doc },
		"a declaration lost":      func(x *Index) { x.Decls = x.Decls[1:] },
		"a declaration moved":     func(x *Index) { x.Ident("Print").decls.Line++ },
		"an import lost":          func(x *Index) { p := x.Ident("shapes").pkg; p.Imports = p.Imports[:1] },
	}
	want := Ask(onHeap(t, tree))
	for name, damage := range damages {
		x := onHeap(t, tree)
		damage(x)
		if got := Ask(x); got.Checksum == want.Checksum {
			t.Errorf("%s: the checksum is the same", name)
		}
	}
}

func TestWhatIsFound(t *testing.T) {
	x := onHeap(t, tree)

	var area []string
	x.Ident("Area").Uses(func(u Use) {
		area = append(area, fmt.Sprintf("%s:%d:%d", x.Files[u.File].Path, u.Line, u.Col))
	})
	if want := []string{"shapes/round/round.go:6:6", "shapes/shapes.go:14:2", "shapes/shapes.go:36:17", "shapes/shapes.go:42:16"}; !slices.Equal(area, want) {
		t.Errorf("Area occurs at\n%q, want\n%q", area, want)
	}

	var decls []string
	for _, d := range x.Decls {
		decls = append(decls, fmt.Sprintf("%s %s: %q", d.Kind, d.Ident.Name, d.Doc))
	}
	want := []string{
		`func Area: ""`,
		`const Pi: "Pi is what a goroutine needs.\n"`,
		`type Shape: "A Shape has an area. Deprecated: use Figure.\n"`,
		`const Sides: "Sides counts corners.\n"`,
		`const Corners: "Sides counts corners.\n"`,
		`var Unit: "Unit is a shape.\n"`,
		`var count: ""`,
		`var other: ""`,
		`type Square: "Square is the name after a type keyword.\n"`,
		`func Area: "\nArea is documented\nby a block.\n\n"`,
		`func Print: ""`,
	}
	if !slices.Equal(decls, want) {
		t.Errorf("declarations\n%q, want\n%q", decls, want)
	}
}

func TestImportersAreTransitive(t *testing.T) {
	x := onHeap(t, tree)
	for importPath, want := range map[string][]string{
		"unsafe":       {"shapes/shapes.go"},
		"math":         {"shapes/round/round.go", "shapes/shapes.go"},
		"shapes/round": {"shapes/shapes.go"},
		"nobody":       nil,
		"local":        nil, // a name, but no package
	} {
		var got []string
		for _, f := range x.Importers(importPath) {
			got = append(got, f.Path)
		}
		if !slices.Equal(got, want) {
			t.Errorf("importers of %q: %q, want %q", importPath, got, want)
		}
	}
}

func TestPrefix(t *testing.T) {
	x := onHeap(t, tree)
	var got []string
	for _, id := range x.WithPrefix("S") {
		got = append(got, id.Name)
	}
	if want := []string{"Shape", "Sides", "Sizeof", "Square"}; !slices.Equal(got, want) {
		t.Errorf("prefix S: %q, want %q", got, want)
	}
}

func TestManyUsesSpanBlocks(t *testing.T) {
	for name, m := range map[string]maker{"heap": heap{}, "default": inArena{arena.NewArena()},
		"self-contained": inArena{arena.NewArena(arena.WithNoScan())}} {
		id := m.ident("x")
		const n = 10_000
		for i := range uint32(n) {
			id.use(m, Use{i, i + 1, i + 2})
		}
		next := uint32(0)
		id.Uses(func(u Use) {
			if u != (Use{next, next + 1, next + 2}) {
				t.Fatalf("%s: use %d is %v", name, next, u)
			}
			next++
		})
		if next != n || id.Count != n {
			t.Errorf("%s: %d uses, Count %d, want %d", name, next, id.Count, n)
		}
	}
}

// TestBrokenSource: real trees have files that don't compile.
func TestBrokenSource(t *testing.T) {
	root := t.TempDir()
	src := "package broken\nimport \"\n// Left open.\nfunc Open( {\n\tx := 'ab\n}}} \"unterminated\n"
	if err := os.WriteFile(filepath.Join(root, "broken.go"), []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	want := Ask(onHeap(t, root))
	for name, build := range builds {
		x, err := build(root)
		if err != nil {
			t.Fatal(err)
		}
		if got := Ask(x); got != want {
			t.Errorf("%s answers %+v, the heap %+v", name, got, want)
		}
	}
}

func TestNothingToIndex(t *testing.T) {
	for _, root := range []string{t.TempDir(), "no/such/directory"} {
		if _, err := OnHeap(root, nil); err == nil {
			t.Errorf("%s: no error", root)
		}
	}
}
