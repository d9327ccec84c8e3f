// Package probe looks into a running benchmark, from the unit of work. A test binary is built with two changes, by
// the go command's overlay, so that no file is touched: the unit's function calls the probe when it
// begins and when it ends, and a file next to it has the probe.
//
// When a unit begins, those before it have ended, unless units run at the same time: what is still alive then, and
// was allocated beneath the unit's function, has outlived its unit. The variables of the benchmark are alive as
// well, and what they hold, which at the end of the benchmark they wouldn't be. So the probe writes
// the memory profile and a dump of the heap when the unit begins for the 16th time, the 64th, the 256th and so on.
//
// It must not depend on what its snapshots are used for.
package probe

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed template.txt
var template string

//go:embed ballast.txt
var ballast string

// Functions that the probe adds to a package begin with this.
const prefix = "arenascout"

// A Unit is the function whose calls are units of work.
type Unit struct {
	Function string // as the runtime names it: path/pkg.(*T).Method
	File     string
	Line     int // one of those of its body
}

// Overlay returns the two files by their paths. Lines stay what they were.
func Overlay(u Unit) (map[string][]byte, error) {
	source, err := os.ReadFile(u.File)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, u.File, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	// By line, not by name: a method's name in a profile has no certain form in the source.
	fn := FuncAt(fset, f, u.Line)
	if fn == nil || fn.Body == nil {
		return nil, fmt.Errorf("%s isn't declared at %s:%d", u.Function, filepath.Base(u.File), u.Line)
	}
	at := fset.Position(fn.Body.Lbrace).Offset + 1
	// All in the line of the brace, so that lines stay what they were and stacks name the original ones.
	changed := slices.Concat(source[:at], []byte(" defer "+prefix+"Unit()();"), source[at:])
	probe := strings.ReplaceAll(template, "PACKAGE", f.Name.Name)
	ending := ".go"
	if strings.HasSuffix(u.File, "_test.go") {
		ending = "_test.go"
	}
	path := filepath.Join(filepath.Dir(u.File), "zz_"+prefix)
	return map[string][]byte{u.File: changed, path + ending: []byte(probe),
		path + "_live" + ending: Ballast(f.Name.Name)}, nil
}

// Ballast returns the text of a file that keeps bytes alive beside those of the program: as many as Live says.
func Ballast(pkg string) []byte { return []byte(strings.ReplaceAll(ballast, "PACKAGE", pkg)) }

// FuncAt returns the function that a file declares at a line of its own, whatever //line directives say, nil if
// there is none.
func FuncAt(files *token.FileSet, tree *ast.File, line int) *ast.FuncDecl {
	for _, d := range tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if ok && files.PositionFor(fn.Pos(), false).Line <= line && line <= files.PositionFor(fn.End(), false).Line {
			return fn
		}
	}
	return nil
}

// Env returns what a process needs in its environment to write snapshots into a folder. All objects are in the
// profile then, with their whole stacks.
func Env(dir string) []string {
	debug := "memprofilerate=1,profstackdepth=512"
	// The last setting of a name wins, and the user's own come first.
	if others := os.Getenv("GODEBUG"); others != "" {
		debug = others + "," + debug
	}
	return []string{"ARENASCOUT_DIR=" + dir, "GODEBUG=" + debug}
}

// First returns the environment for a first snapshot when the unit begins for the nth time.
func First(n int) string { return fmt.Sprintf("ARENASCOUT_FIRST=%d", n) }

// Live returns the environment for a heap on which so many bytes, or none, live beside what the program has.
func Live(bytes int64) []string { return []string{fmt.Sprintf("ARENASCOUT_LIVE=%d", bytes)} }

// ErrNone is what Read returns if the unit has run too few times.
var ErrNone = errors.New("the unit has begun fewer than 16 times")

// Read returns the last snapshot in a folder.
func Read(dir string) (*Snapshot, error) {
	data, err := os.ReadFile(filepath.Join(dir, "profile"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, ErrNone
	}
	if err != nil {
		return nil, err
	}
	s, err := parse(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	// The one before tells what is replaced from what grows. It may be missing, too.
	if data, err := os.ReadFile(filepath.Join(dir, "profile.before")); err == nil {
		s.Before, _ = parse(bytes.NewReader(data))
	}
	// A dump may be missing: it isn't written while a goroutine is in a system call.
	if heap, err := os.ReadFile(filepath.Join(dir, "heap")); err == nil {
		s.Heap = heap
	}
	return s, nil
}
