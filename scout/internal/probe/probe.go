// Package probe observes a running benchmark from inside the unit of work. A test binary is built with two changes
// through the go command's overlay, so that no file is touched: the unit's function calls the probe when it begins and
// when it ends, and a file next to it contains the probe.
//
// When a unit begins, the earlier ones have ended, unless units run at the same time: objects that were allocated
// beneath the unit's function and are still alive have outlived their unit. The variables of the benchmark are alive as
// well, with the values that they hold; at the end of the benchmark they wouldn't be. So the probe writes the memory
// profile and a heap dump when the unit begins for the 16th time, the 64th, the 256th and so on.
//
// It must not depend on the use of its snapshots.
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

// prefix begins the functions that the probe adds to a package.
const prefix = "arenascout"

// A Unit is the function whose calls are units of work.
type Unit struct {
	Function string // as the runtime names it: path/pkg.(*T).Method
	File     string
	Line     int // one of those of its body
}

// Overlay returns the two files by their paths. Line numbers don't change.
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
	// By line, not by name: a method's name in a profile has no fixed form in the source.
	fn := FuncAt(fset, f, u.Line)
	if fn == nil || fn.Body == nil {
		return nil, fmt.Errorf("%s isn't declared at %s:%d", u.Function, filepath.Base(u.File), u.Line)
	}
	at := fset.Position(fn.Body.Lbrace).Offset + 1
	// All in the line of the brace, so that line numbers in stacks don't change.
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

// Ballast returns the text of a file that keeps bytes alive beside the program's own: as many as Live says.
func Ballast(pkg string) []byte { return []byte(strings.ReplaceAll(ballast, "PACKAGE", pkg)) }

// FuncAt returns the function that a file declares at a line of its own, regardless of //line directives, nil if there
// is none.
func FuncAt(files *token.FileSet, tree *ast.File, line int) *ast.FuncDecl {
	for _, d := range tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if ok && files.PositionFor(fn.Pos(), false).Line <= line && line <= files.PositionFor(fn.End(), false).Line {
			return fn
		}
	}
	return nil
}

// Env returns the environment in which a process writes snapshots into a folder. The profile then has all objects, with
// their whole stacks.
func Env(dir string) []string {
	debug := "memprofilerate=1,profstackdepth=512"
	// The last setting of a name wins, so the user's own come first.
	if others := os.Getenv("GODEBUG"); others != "" {
		debug = others + "," + debug
	}
	return []string{"ARENASCOUT_DIR=" + dir, "GODEBUG=" + debug}
}

// First returns the environment for a first snapshot when the unit begins for the nth time.
func First(n int) string { return fmt.Sprintf("ARENASCOUT_FIRST=%d", n) }

// Live returns the environment for a number of bytes of ballast, or none, beside the program's own heap.
func Live(bytes int64) []string { return []string{fmt.Sprintf("ARENASCOUT_LIVE=%d", bytes)} }

// ErrNone is returned by Read if the unit has run too few times.
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
	// The previous one distinguishes replaced objects from growing ones. It may be missing, too.
	if data, err := os.ReadFile(filepath.Join(dir, "profile.before")); err == nil {
		s.Before, _ = parse(bytes.NewReader(data))
	}
	// A dump may be missing: it isn't written while a goroutine is in a system call.
	if heap, err := os.ReadFile(filepath.Join(dir, "heap")); err == nil {
		s.Heap = heap
	}
	return s, nil
}
