// Package audit lists what still goes to the heap in functions that have an arena at
// hand, as the compiler's escape analysis says, with what it would be in the arena. It
// is for who moves a package to arenas: in a self-contained arena each of these places is
// one that the garbage collector may free while it is in use.
//
// It knows what the compiler prints, and which functions reach an arena; what is a
// mistake it doesn't know. An allocation that is meant to be on the heap is listed, too.
package audit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/harena-go/arena/arenavet/internal/api"
)

// A Place is an expression that allocates from the heap where there is an arena.
type Place struct {
	File    string
	Line    int
	Column  int
	What    string // as the compiler prints it
	Instead string // what it would be in the arena
}

// Run writes the places in the packages that patterns name, as seen from a directory,
// one a line, and returns how many there are.
func Run(w io.Writer, dir string, patterns ...string) (int, error) {
	places, err := Find(dir, patterns...)
	for _, p := range places {
		file := p.File
		if abs, err := filepath.Abs(dir); err == nil {
			if rel, err := filepath.Rel(abs, file); err == nil && !strings.HasPrefix(rel, "..") {
				file = rel
			}
		}
		fmt.Fprintf(w, "%s:%d:%d: %s: %s\n", file, p.Line, p.Column, p.What, p.Instead)
	}
	return len(places), err
}

// Find returns the places, in the order of source.
func Find(dir string, patterns ...string) ([]Place, error) {
	mode := packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax |
		packages.NeedTypes | packages.NeedTypesInfo |
		packages.NeedImports | packages.NeedDeps | packages.NeedExportFile
	loaded, err := packages.Load(&packages.Config{Mode: mode, Dir: dir}, patterns...)
	if err != nil {
		return nil, err
	}
	var paths []string
	var places []Place
	reach := map[string][]function{}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, p.Errors[0]
		}
		found := len(paths)
		for _, file := range p.Syntax {
			for _, decl := range file.Decls {
				fn, ok := decl.(*ast.FuncDecl)
				if !ok || fn.Body == nil {
					continue
				}
				a := arenaOf(p, fn)
				if a == "" {
					continue
				}
				from, to := p.Fset.Position(fn.Pos()), p.Fset.Position(fn.End())
				f := function{from.Line, to.Line, a, map[[2]int]bool{}, map[[2]int]bool{}}
				places = append(places, f.calls(p, fn)...)
				reach[from.Filename] = append(reach[from.Filename], f)
				if len(paths) == found {
					paths = append(paths, p.PkgPath)
				}
			}
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	output, err := compile(dir, paths)
	if err != nil {
		return nil, err
	}
	places = append(places, escapes(dir, output, reach)...)
	slices.SortFunc(places, func(a, b Place) int {
		if a.File != b.File {
			return strings.Compare(a.File, b.File)
		}
		return 1000*(a.Line-b.Line) + a.Column - b.Column
	})
	return slices.Compact(places), nil
}

// A function is the lines of one that reaches an arena, by an expression.
type function struct {
	from, to int
	arena    string
	sums     map[[2]int]bool // where strings are added
	inlined  map[[2]int]bool // where, by line and column, is what functions allocate that it calls
}

// arenaOf returns by what a function reaches an arena: a parameter, a variable, a field
// of its receiver or of a parameter; "" if it reaches none.
func arenaOf(p *packages.Package, fn *ast.FuncDecl) string {
	var lists []*ast.FieldList
	if fn.Recv != nil {
		lists = append(lists, fn.Recv)
	}
	for _, list := range append(lists, fn.Type.Params) {
		for _, field := range list.List {
			for _, name := range field.Names {
				if a := reaches(name.Name, p.TypesInfo.TypeOf(field.Type)); a != "" && name.Name != "_" {
					return a
				}
			}
		}
	}
	found := ""
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || found != "" {
			return found == ""
		}
		if obj, ok := p.TypesInfo.Defs[id].(*types.Var); ok && !obj.IsField() && isArena(obj.Type()) {
			found = id.Name
		}
		return true
	})
	return found
}

// reaches returns the expression for the arena that a variable is, or has in a field.
func reaches(name string, t types.Type) string {
	if t == nil {
		return ""
	}
	if isArena(t) {
		return name
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if st, ok := t.Underlying().(*types.Struct); ok {
		for f := range st.Fields() {
			if isArena(f.Type()) {
				return name + "." + f.Name()
			}
		}
	}
	return ""
}

func isArena(t types.Type) bool {
	_, pointer := types.Unalias(t).(*types.Pointer)
	return pointer && api.TypeOf(t) == api.Arena
}

// calls returns the calls of the builtin append, which take from the heap when there is
// no room, and notes the calls of functions: what the compiler says there is of their code.
func (f function) calls(p *packages.Package, fn *ast.FuncDecl) (places []Place) {
	note := func(set map[[2]int]bool, pos token.Pos) {
		at := p.Fset.Position(pos)
		set[[2]int{at.Line, at.Column}] = true
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			switch n := n.(type) {
			case *ast.RangeStmt: // a loop over a sequence calls that
				note(f.inlined, n.For)
			case *ast.BinaryExpr:
				if b, ok := p.TypesInfo.TypeOf(n).Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
					note(f.sums, n.Pos())
					note(f.sums, n.OpPos)
				}
			}
			return true
		}
		if t := p.TypesInfo.Types[call.Fun]; t.IsType() {
			return true
		}
		id, _ := ast.Unparen(call.Fun).(*ast.Ident)
		b, builtin := p.TypesInfo.Uses[id].(*types.Builtin)
		if !builtin || b.Name() == "append" {
			note(f.inlined, call.Lparen)
		}
		if builtin && b.Name() == "append" && len(call.Args) > 1 {
			at := p.Fset.Position(call.Pos())
			what := types.ExprString(call)
			places = append(places, Place{at.Filename, at.Line, at.Column, what,
				strings.Replace(what, "append(", "arena.Append("+f.arena+", ", 1)})
		}
		return true
	})
	return places
}

// compile returns what the compiler says of the memory of packages.
func compile(dir string, paths []string) ([]byte, error) {
	cmd := exec.Command("go", append([]string{"build", "-o", os.DevNull, "-gcflags=-m"}, paths...)...)
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return nil, fmt.Errorf("go build: %s", out.Bytes())
		}
		return nil, err
	}
	return out.Bytes(), nil
}

var line = regexp.MustCompile(`^(.+\.go):(\d+):(\d+): (?:(.+) escapes to heap|moved to heap: (.+))$`)

// escapes returns the places that the compiler names, in functions that reach an arena.
func escapes(dir string, output []byte, reach map[string][]function) (places []Place) {
	lines := bufio.NewScanner(bytes.NewReader(output))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		m := line.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		file := m[1]
		if !filepath.IsAbs(file) {
			file, _ = filepath.Abs(filepath.Join(dir, file))
		}
		n, _ := strconv.Atoi(m[2])
		column, _ := strconv.Atoi(m[3])
		for _, fn := range reach[file] {
			if n < fn.from || n > fn.to || fn.inlined[[2]int{n, column}] {
				continue
			}
			what, instead := m[4], ""
			if m[5] != "" {
				what, instead = "&"+m[5], "let "+m[5]+" be what arena.New("+fn.arena+") returns"
			} else {
				instead = inArena(what, fn.arena, fn.sums[[2]int{n, column}])
			}
			if instead != "" {
				places = append(places, Place{file, n, column, what, instead})
			}
			break
		}
	}
	return places
}

var (
	makeSlice = regexp.MustCompile(`^make\(\[\](.+?), (.+)\)$`)
	makeMap   = regexp.MustCompile(`^make\(map\[`)
	literal   = regexp.MustCompile(`^&(.+?)\{(.*)\}$`)
	newOf     = regexp.MustCompile(`^new\((.+)\)$`)
	list      = regexp.MustCompile(`^\[\](.+?)\{(.*)\}$`)
	toString  = regexp.MustCompile(`^string\((.+)\)$`)
	toBytes   = regexp.MustCompile(`^\(?\[\]byte\)?\((.+)\)$`)
)

// inArena returns what an expression would be in an arena, "" if it takes no memory.
func inArena(what, a string, sum bool) string {
	switch {
	case strings.HasPrefix(what, `"`), strings.HasPrefix(what, "`"), what == "... argument":
		return "" // static data; what is passed to one call
	case makeMap.MatchString(what), strings.HasPrefix(what, "map["):
		return "collections.NewMap(" + a + ", ...), or " + a + ".KeepAlive of the map"
	case strings.HasPrefix(what, "func literal"):
		return "a closure can't be in an arena: pass what it has captured, or " + a + ".KeepAlive it"
	case strings.HasPrefix(what, "make(chan"):
		return "a channel can't be in an arena: " + a + ".KeepAlive it"
	}
	if m := makeSlice.FindStringSubmatch(what); m != nil {
		size := m[2]
		if !strings.Contains(size, ",") {
			size += ", " + size
		}
		return fmt.Sprintf("arena.MakeSlice[%s](%s, %s)", m[1], a, size)
	}
	if m := list.FindStringSubmatch(what); m != nil {
		return fmt.Sprintf("arena.Append[%s](%s, nil, %s)", m[1], a, m[2])
	}
	if m := literal.FindStringSubmatch(what); m != nil {
		return fmt.Sprintf("arena.NewOf(%s, %s{%s})", a, m[1], m[2])
	}
	if m := newOf.FindStringSubmatch(what); m != nil {
		return fmt.Sprintf("arena.New[%s](%s)", m[1], a)
	}
	if m := toString.FindStringSubmatch(what); m != nil {
		return fmt.Sprintf("%s.AllocBytesToString(%s)", a, m[1])
	}
	if m := toBytes.FindStringSubmatch(what); m != nil {
		return fmt.Sprintf("arena.CopySlice(%s, []byte(%s))", a, m[1])
	}
	if sum {
		return fmt.Sprintf("arena.Concat(%s, %s)", a, parts(what))
	}
	return fmt.Sprintf("arena.Box(%s, %s)", a, what)
}

// parts returns what a sum adds, as arguments.
func parts(sum string) string {
	depth, quoted := 0, false
	var b strings.Builder
	for n := 0; n < len(sum); n++ {
		switch c := sum[n]; {
		case c == '"' && (n == 0 || sum[n-1] != '\\'):
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case depth == 0 && strings.HasPrefix(sum[n:], " + "):
			b.WriteString(", ")
			n += 2
			continue
		}
		b.WriteByte(sum[n])
	}
	return b.String()
}
