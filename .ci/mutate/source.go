package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// A mutant is an operator of the source with a replacement.
type mutant struct {
	id     int
	place  string
	change string
}

// switches has the functions that the rewritten source calls.
const switches = `package %s

import (
	"os"
	"strconv"
)

var mutantNumber = func() int { n, _ := strconv.Atoi(os.Getenv("MUTANT")); return n }()

func mutantOn(id int) bool { return mutantNumber == id }

// mutantBy returns the step of a ++ or a --.
func mutantBy[T ~int | ~uint | ~uint16 | ~uint32 | ~int64 | ~uint64 | ~uintptr](id int) T {
	one := T(1)
	if mutantOn(id) {
		return -one
	}
	return one
}
`

var (
	negated = map[token.Token]bool{token.EQL: true, token.NEQ: true, token.LSS: true, token.GEQ: true,
		token.GTR: true, token.LEQ: true}
	opposite = map[token.Token]token.Token{token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO,
		token.QUO: token.MUL, token.REM: token.MUL}
)

// A source is a file of the package, about to be rewritten.
type source struct {
	fset    *token.FileSet
	pkg     *types.Package
	info    *types.Info
	text    string
	mutants *[]mutant
}

// rewrite adds all mutants of the package in a directory to mutants, and returns the texts of its files with the
// mutants in them, by their full names.
func rewrite(dir string, mutants *[]mutant) (texts map[string]string, err error) {
	args := []string{"list", "-f", `{{range .GoFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}`}
	if sanitizer != "" {
		args = append(args, "-"+sanitizer)
		build.Default.BuildTags = append(build.Default.BuildTags, sanitizer)
	}
	out, err := exec.Command("go", append(args, "./"+dir)...).Output()
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	names := strings.Fields(string(out))
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, err := config.Check(path.Join(module, filepath.ToSlash(dir)), fset, files, info)
	if err != nil {
		return nil, err
	}
	texts = map[string]string{}
	for i, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s := &source{fset, pkg, info, string(text), mutants}
		texts[name] = s.render(files[i], files[i].FileStart, files[i].FileEnd)
	}
	texts[filepath.Join(filepath.Dir(names[0]), "mutants.go")] = fmt.Sprintf(switches, pkg.Name())
	return texts, nil
}

// render returns the text of a node with each operator replaced by a choice.
func (s *source) render(n ast.Node, from, to token.Pos) string {
	var b strings.Builder
	at := from
	ast.Inspect(n, func(n ast.Node) bool {
		text, ok := s.choice(n)
		if ok {
			b.WriteString(s.between(at, n.Pos()))
			b.WriteString(text)
			at = n.End()
		}
		return !ok
	})
	b.WriteString(s.between(at, to))
	return b.String()
}

func (s *source) between(from, to token.Pos) string {
	return s.text[s.fset.Position(from).Offset:s.fset.Position(to).Offset]
}

// choice returns the replacement of a node with a mutable operator.
func (s *source) choice(n ast.Node) (text string, ok bool) {
	e, isExpr := n.(ast.Expr)
	if isExpr && s.info.Types[e].Value != nil {
		return s.between(n.Pos(), n.End()), true // constants don't change
	}
	switch n := n.(type) {
	case *ast.BinaryExpr:
		to, arithmetic := opposite[n.Op]
		switch {
		case negated[n.Op]:
			return s.comparison(n), true
		case arithmetic && !s.isString(n):
			x, y := s.operand(n.X), s.operand(n.Y)
			return s.either(n, s.add(n.OpPos, n.Op, to), x+to.String()+y, x+n.Op.String()+y), true
		}
	case *ast.UnaryExpr:
		if n.Op == token.SUB {
			x := s.operand(n.X)
			return s.either(n, s.add(n.OpPos, token.SUB, token.ADD), "+"+x, "-"+x), true
		}
	case *ast.IncDecStmt:
		op, not := "+=", token.DEC
		if n.Tok == token.DEC {
			op, not = "-=", token.INC
		}
		return fmt.Sprintf("%s %s mutantBy[%s](%d)",
			s.operandOf(n.X), op, s.typeOf(n.X), s.add(n.TokPos, n.Tok, not)), true
	}
	return "", false
}

func (s *source) add(at token.Pos, from, to fmt.Stringer) (id int) {
	p := s.fset.Position(at)
	id = len(*s.mutants) + 1
	place := strings.TrimPrefix(strings.TrimPrefix(s.pkg.Path(), module)+"/", "/") + filepath.Base(p.Filename)
	*s.mutants = append(*s.mutants, mutant{id, fmt.Sprintf("%s:%d:%d", place, p.Line, p.Column),
		fmt.Sprintf("%s becomes %s", from, to)})
	return id
}

// operand renders an expression that is a part of another.
func (s *source) operand(e ast.Expr) string { return "(" + s.operandOf(e) + ")" }

func (s *source) operandOf(e ast.Expr) string { return s.render(e, e.Pos(), e.End()) }

func (s *source) typeOf(e ast.Expr) string {
	return types.TypeString(s.info.Types[e].Type, func(p *types.Package) string {
		if p == s.pkg {
			return ""
		}
		return p.Name()
	})
}

func (s *source) isString(e ast.Expr) bool {
	b, ok := s.info.Types[e].Type.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// either evaluates changed if the mutant is on, and original otherwise.
func (s *source) either(e ast.Expr, id int, changed, original string) string {
	return fmt.Sprintf("func() %s { if mutantOn(%d) { return %s }; return %s }()", s.typeOf(e), id, changed, original)
}

// comparison has two mutants, or one for == and !=.
func (s *source) comparison(n *ast.BinaryExpr) string {
	x, y := s.operand(n.X), s.operand(n.Y)
	text := x + n.Op.String() + y
	switch n.Op {
	case token.LSS, token.GTR:
		text += fmt.Sprintf(" || mutantOn(%d) && %s == %s", s.add(n.OpPos, n.Op, word(n.Op.String()+"=")), x, y)
	case token.LEQ, token.GEQ:
		text += fmt.Sprintf(" && !(mutantOn(%d) && %s == %s)", s.add(n.OpPos, n.Op, word(n.Op.String()[:1])), x, y)
	}
	return fmt.Sprintf("((%s) != mutantOn(%d))", text, s.add(n.OpPos, n.Op, word("its negation")))
}

type word string

func (w word) String() string { return string(w) }
