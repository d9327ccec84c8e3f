// Package library analyzes the standard library's source and finds the flows of its functions from arguments to results
// and stores. It is for the generator of package std, and for the test of its table; the analyzers don't use it.
package library

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/harena-go/arena/arenavet/internal/flow"
	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// Packages are analyzed by flow.Flows: the table also has flows on some paths only, and exact places.
var Packages = []string{"bufio", "bytes", "context", "encoding/base64", "encoding/csv", "encoding/hex",
	"encoding/json", "encoding/xml", "errors", "expvar", "flag", "fmt", "html", "html/template", "io", "log",
	"log/slog", "maps", "mime", "mime/multipart", "net/http", "net/mail", "net/netip", "net/textproto", "net/url",
	"path", "path/filepath", "regexp", "runtime/pprof", "slices", "strconv", "strings", "sync", "text/tabwriter",
	"text/template", "unicode/utf8"}

// byHand are functions whose source gives too many flows: some happen only in a trivial case for which callers don't
// call them, or depend on an argument's type.
var byHand = map[string]bool{
	"strings.Join": true, "strings.Repeat": true, // of one
	"path/filepath.Join": true,
	"fmt.Errorf":         true,
	"fmt.Sscan":          true, "fmt.Sscanf": true, "fmt.Sscanln": true, "fmt.Fscan": true, "fmt.Fscanf": true,
	"fmt.Fscanln":                           true,
	"(*regexp.Regexp).ReplaceAllStringFunc": true,
}

// Table returns the flows of the exported functions of packages, by their full names: see std.Flows. by is flow.Flows
// or flow.Kept.
func Table(by *analysis.Analyzer, paths ...string) (map[string]string, error) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax}, paths...)
	if err != nil {
		return nil, err
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{by}, loaded, nil)
	if err != nil {
		return nil, err
	}
	table := map[string]string{}
	for _, act := range graph.Roots {
		if act.Err != nil {
			return nil, act.Err
		}
		for fn, s := range act.Result.(map[*types.Func]*summary.Summary) {
			text := ""
			if by == flow.Flows {
				text = entry(fn, s)
			} else if callable(fn) {
				text = s.Text()
			}
			if text != "" {
				table[fn.FullName()] = text
			}
		}
	}
	return table, nil
}

// notOthers are prefixes of packages that use addresses, that are about the whole program, or that tests call, which
// may keep values until their end.
var notOthers = []string{"internal/", "vendor/", "testing", "reflect", "runtime", "sync/atomic", "syscall", "unsafe",
	"plugin", "unique", "weak", "structs", "iter"}

// Others returns the packages for flow.Kept: the table has only the certain flows of their functions.
func Others() ([]string, error) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName}, "std")
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, p := range loaded {
		path := p.PkgPath
		isNot := func(prefix string) bool { return strings.HasPrefix(path, prefix) }
		if !slices.Contains(Packages, path) && !strings.Contains(path, "/internal") &&
			!slices.ContainsFunc(notOthers, isNot) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// entry returns the text for one function, empty if there is nothing to say.
func entry(fn *types.Func, s *summary.Summary) string {
	name := fn.FullName()
	if !callable(fn) || byHand[name] || strings.HasPrefix(name, "(*sync.Map)") || s.Unknown {
		return ""
	}
	sig := fn.Signature()
	var terms []string
	for _, x := range s.Results {
		if x.Kind == summary.Same && x.From.Param >= 0 && tells(sig, x) {
			terms = append(terms, fmt.Sprintf("%s=%d%s", x.Out, x.From.Param, x.From.Path))
		}
	}
	for _, x := range s.Stores {
		// Values in globals are caches and pools, and a value's stores of its own parts were kept before.
		f := x.Flow
		if f.Kind == summary.Same && f.From.Param >= 0 && x.Into.Param >= 0 && x.Into.Param != f.From.Param {
			terms = append(terms, fmt.Sprintf("%d%s+%s=%d%s", x.Into.Param, x.Into.Path, f.Out, f.From.Param,
				f.From.Path))
		}
	}
	slices.Sort(terms)
	return strings.Join(terms, " ")
}

// callable reports whether other packages can name a function.
func callable(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	if !fn.Exported() || recv == nil {
		return fn.Exported()
	}
	t := types.Unalias(recv.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, ok := t.(*types.Named)
	return ok && n.Obj().Exported()
}

// tells reports whether a flow into a result belongs in the table. An error beside other results is only a message; a
// function is only called, and its captured variables aren't seen.
func tells(sig *types.Signature, x summary.Flow) bool {
	n := int(x.Out[1] - '0')
	if n >= sig.Results().Len() {
		return false
	}
	t := sig.Results().At(n).Type()
	if _, ok := t.Underlying().(*types.Signature); ok && len(x.Out) > 2 || !shape.HasPointers(t) {
		return false
	}
	return !shape.IsError(t) || sig.Results().Len() == 1 && sig.Recv() == nil && sig.Params().Len() == 1
}

// Functions returns the full names of a package's functions and methods.
func Functions(pkg *types.Package) map[string]bool {
	names := map[string]bool{}
	for _, name := range pkg.Scope().Names() {
		switch obj := pkg.Scope().Lookup(name).(type) {
		case *types.Func:
			names[obj.FullName()] = true
		case *types.TypeName:
			if n, ok := obj.Type().(*types.Named); ok {
				for m := range n.Methods() {
					names[m.FullName()] = true
				}
				if i, ok := n.Underlying().(*types.Interface); ok {
					for m := range i.Methods() {
						names[m.FullName()] = true
					}
				}
			}
		}
	}
	return names
}
