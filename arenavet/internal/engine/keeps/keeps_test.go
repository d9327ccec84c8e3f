package keeps

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/harena-go/arena/arenavet/internal/engine/code"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
)

// source has functions with their expected summaries, as from summary.Text; and, in brackets, the parameters that
// goroutines get, and the globals that keep something.
const source = `package p

type T struct { name string; v *int; list []*int; m map[string]*int; next *T; ch chan *int; in inner; n int }
type inner struct { p *int }
type E struct { key string; v any }

var global *int
var cond bool

func unknown() *int

func (t *T) Set(v *int)        { t.v = v }                            // 0*.v+=1 0*.v-
func (t *T) Inner(v *int)      { t.in.p = v }                         // 0*.in.p+=1 0*.in.p-
func (t *T) Push(v *int)       { t.list = append(t.list, v) }         // 0*.list+=1
func (t *T) Pushes(v ...*int)  { for _, x := range v { t.list = append(t.list, x) } } // 0*.list+=1*[]
func (t *T) Put(k string, v *int) { t.m[k] = v }                      // 0*[in]+=1 0*[in]+=2
func (t *T) Created(k string, v *int) *int { if x, ok := t.m[k]; ok { return x }; t.m[k] = v; return v } // 0*[in]+=1 0*[in]+=2
func (t *T) CreatedIf(k string, v *int) { if t.m[k] == nil { t.m[k] = v } } // 0*[in]+=1 0*[in]+=2
func (t *T) CreatedElse(k string, v *int) { if t.n > 1 { t.m[k] = v } }    //
func (t *T) Get(k string) *int { return t.m[k] }                      // #0=0*.m*[] #0=0*[in]
func (t *T) Has(k string) bool { return t.m[k] != nil }               //
func (t *T) Deep(v *int)       { t.next.v = v }                       // 0*[in]+=1
func (t *T) Sends(v *int)      { t.ch <- v }                          // 0*[in]+=1
func (t *T) Tries(v *int)      { select { case t.ch <- v: default: } } // 0*[in]+=1
func (t *T) Asks(v *int) *int  { t.ch <- v; return <-t.ch }           // #0=0*.ch*[<-] #0=0*[in]
func (t *T) Sometimes(v *int)  { if cond { t.v = v } }                // 0*.v-
func (t *T) Either(v *int)     { if cond { t.v = v } else { t.next.v = v } } // 0*.v- 0*[in]+=1
func (t *T) NotNil(v *int)     { if v == nil { return }; t.v = v }    // 0*.v+=1 0*.v-
func (t *T) Fails(v *int) bool { if cond { return false }; t.v = v; return true } // 0*.v+=1 0*.v-
func (t *T) Undone(v *int)     { t.v = v; unknown(); t.v = nil }      // 0*.v- 0*[in]-
func (t *T) Deferred(v *int)   { t.v = v; defer func() { t.v = nil }(); unknown() } // 0*.v-
func (t *T) Popped(v *int)     { t.list = append(t.list, v); unknown(); t.list = t.list[:len(t.list)-1] } //
func (t *T) Deleted(k string, v *int) { t.m[k] = v; unknown(); delete(t.m, k) } //
func (t *T) Old(v *int) *int   { x := t.v; t.v = v; return x }        // #0=0*.v 0*.v+=1 0*.v-
func (t *T) Same(v *int) *int  { t.v = v; return t.v }                // #0=1 0*.v+=1 0*.v-
func (t *T) Calls(v *int)      { t.Set(v) }                           // 0*[in]+=1
func (t *T) CallsPart(v *int)  { t.next.Set(v) }                      // 0*[in]+=1
func (t *T) Count(v *int)      { t.n += *v }                          //
func (t *T) Remove(k string)   { delete(t.m, k) }                     // 0*.in.p- 0*.list- 0*.name- 0*.v- 0*[in]-
func (t *T) Removal() int      { return t.n }                         //
func (t *T) Name() string      { return t.name }                      // #0=0*.name
func (t *T) Named(s string) *T { t.name = s; return t }               // #0=0 0*.name+=1 0*.name-
func (t *T) Copies(b []byte)   { t.name = string(b) }                 // 0*.name-
func New(v *int) *T            { return &T{v: v} }                    // #0*.v=0
func Wrap(v *int) *T           { t := &T{}; t.next = &T{v: v}; return t } // #0*.next*.v=0 #0*[in]=0
func Value(v *int) T           { return T{v: v} }                     // #0.v=0
func Boxed(k string, v any) any { return &E{k, v} }                   // #0*.key=0 #0*.v=1
func Loop(t *T, v *int)        { for t.next != nil { t = t.next }; t.v = v } // 0*[in]+=1
func Phi(a, b *int) *int       { if cond { return a }; return b }     //
func Upper(s string) string    { if cond { return s }; return "x" + s } //
func Cut(s string) string      { return s[1:] }                       // #0=0
func Global(v *int)            { global = v }                         // [global p.global]
func Goes(v *int)              { go func() { unknown(); _ = *v }() }  // [goroutine 0]
func Waits(v *int, done chan int) { go func() { _ = *v; done <- 1 }(); <-done } //
func Copy(to, from []*int)     { copy(to, from) }                     // 0*[in]+=1*[]
func CopyBytes(to, from []byte) { copy(to, from) }                    //
func Part(t *T) *int           { return t.next.v }                    // #0=0*.next*.v #0=0*[in]
func Fluent(t T) T             { t.v = nil; return t }                //

type Map[K comparable, V any] struct { m map[K]V }
func (m *Map[K, V]) Store(k K, v V) { m.m[k] = v }                    // 0*[in]+=1 0*[in]+=2
func (m *Map[K, V]) Load(k K) (v V, ok bool) { v, ok = m.m[k]; return } // #0=0*.m*[] #0=0*[in]
`

func TestOf(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	pkg, _, err := ssautil.BuildPackage(&types.Config{}, fset, types.NewPackage("p", ""), []*ast.File{file}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []*ssa.Function
	wants := map[*types.Func]string{}
	for _, decl := range file.Decls {
		decl, ok := decl.(*ast.FuncDecl)
		if !ok || decl.Body == nil {
			continue
		}
		fn := funcOf(pkg, decl)
		all = append(all, fn)
		line := strings.Split(source, "\n")[fset.Position(decl.Pos()).Line-1]
		_, want, _ := strings.Cut(line, "// ")
		wants[fn.Object().(*types.Func)] = strings.TrimSpace(want)
	}
	got := Of(pkg, code.Circles(pkg, all), func(*types.Func) *summary.Summary { return nil })
	for fn, want := range wants {
		if text := look(got[fn]); text != want {
			t.Errorf("%s: %q, want %q", fn.Name(), text, want)
		}
	}
}

func funcOf(pkg *ssa.Package, decl *ast.FuncDecl) *ssa.Function {
	if decl.Recv == nil {
		return pkg.Func(decl.Name.Name)
	}
	for _, member := range pkg.Members {
		if typ, ok := member.(*ssa.Type); ok {
			for m := range typ.Type().(*types.Named).Methods() {
				if m.Pos() == decl.Name.Pos() {
					return pkg.Prog.FuncValue(m)
				}
			}
		}
	}
	return nil
}

func look(s *summary.Summary) string {
	if s == nil {
		return ""
	}
	text := s.Text()
	for _, x := range s.Stores {
		if x.Into.Param < 0 {
			text += "[global " + x.Into.Global + "]"
		}
	}
	for _, x := range s.Gives {
		text += "[goroutine " + x.What.Path + string(rune('0'+x.What.Param)) + "]"
	}
	return text
}
