package std_test

import (
	"flag"
	"go/types"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/harena-go/arena/arenavet/internal/engine"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
	"github.com/harena-go/arena/arenavet/internal/knowledge/std"
)

// This file analyzes the standard library's source, finds the flows of its functions from arguments to results and
// stores, and compares the table of package std, or writes it.

// libraryPackages are analyzed by engine.Flows: the table also has flows on some paths only, and exact places.
var libraryPackages = []string{"bufio", "bytes", "context", "encoding/base64", "encoding/csv", "encoding/hex",
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

// analyzed returns the flows of the exported functions of packages, by their full names: see std.Flows. by is
// engine.Flows or engine.Kept.
func analyzed(by *analysis.Analyzer, paths ...string) (map[string]string, error) {
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
			if text := entry(by, fn, s); text != "" {
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

// otherPackages returns the packages for engine.Kept: the table has only the certain flows of their functions.
func otherPackages() ([]string, error) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName}, "std")
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, p := range loaded {
		path := p.PkgPath
		isNot := func(prefix string) bool { return strings.HasPrefix(path, prefix) }
		if !slices.Contains(libraryPackages, path) && !strings.Contains(path, "/internal") &&
			!slices.ContainsFunc(notOthers, isNot) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// entry returns the text for one function, empty if there is nothing to say.
func entry(by *analysis.Analyzer, fn *types.Func, s *summary.Summary) string {
	name := fn.FullName()
	if by == engine.Kept && callable(fn) {
		return s.Text()
	} else if !callable(fn) || byHand[name] || strings.HasPrefix(name, "(*sync.Map)") || s.Unknown {
		return ""
	}
	return (&summary.Summary{
		Results: slices.DeleteFunc(slices.Clone(s.Results), func(x summary.Flow) bool { return !tells(fn.Signature(), x) }),
		// A value's stores of its own parts were kept before; those in globals are caches and pools.
		Stores: slices.DeleteFunc(slices.Clone(s.Stores), func(x summary.Store) bool { return x.Into.Param == x.Flow.From.Param }),
	}).Text()
}

// callable reports whether other packages can name a function.
func callable(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	return fn.Exported() && (recv == nil || api.Named(recv.Type()) != nil && api.Named(recv.Type()).Obj().Exported())
}

// tells reports whether a flow into a result belongs in the table. An error beside other results is only a message; a
// function is only called, and its captured variables aren't seen.
func tells(sig *types.Signature, x summary.Flow) bool {
	t := sig.Results().At(int(x.Out[1] - '0')).Type()
	if _, ok := t.Underlying().(*types.Signature); ok && len(x.Out) > 2 || !shape.HasPointers(t) {
		return false
	}
	return !shape.IsError(t) || sig.Results().Len() == 1 && sig.Recv() == nil && sig.Params().Len() == 1
}

// functions returns the full names of a package's functions and methods.
func functions(pkg *types.Package) map[string]bool {
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

var update = flag.Bool("update", false, "write the table")

func all() bool { return *update || os.Getenv("ARENAVET_LIBRARY") != "" }

// paths are the analyzed packages: the most used ones. All, net/http among them, take 30
// seconds of two processors: they are analyzed if ARENAVET_LIBRARY is set, and by -update.
func paths() []string {
	if all() {
		return libraryPackages
	}
	slow := []string{"encoding/xml", "expvar", "html/template", "mime/multipart", "net/http", "net/mail"}
	return slices.DeleteFunc(slices.Clone(libraryPackages), func(p string) bool { return slices.Contains(slow, p) })
}

var read = sync.OnceValues(func() (map[string]string, error) {
	table, err := analyzed(engine.Flows, paths()...)
	if err != nil {
		return nil, err
	}
	others := []string{"archive/zip", "container/list", "container/ring", "os/exec", "time"}
	if all() {
		if others, err = otherPackages(); err != nil {
			return nil, err
		}
	}
	kept, err := analyzed(engine.Kept, others...)
	maps.Copy(table, kept)
	return table, err
})

// TestTableIsTheLibrarys compares the table with the source of the library with which this test is built. With another
// version of Go than the table's, the internals of some functions may differ; well-known ones must not.
func TestTableIsTheLibrarys(t *testing.T) {
	paths := paths()
	want, err := read()
	if err != nil {
		t.Fatal(err)
	}
	if len(want) < 60 {
		t.Fatalf("%d functions found", len(want))
	}
	if *update {
		text := strings.Join(strings.SplitN(runtime.Version(), ".", 3)[:2], ".") + "\n"
		for _, name := range slices.Sorted(maps.Keys(want)) {
			text += name + "\t" + want[name] + "\n"
		}
		if err := os.WriteFile("generated.txt", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile("generated.txt")
	if err != nil {
		t.Fatal(err)
	}
	version, rest, _ := strings.Cut(string(text), "\n")
	generated := map[string]string{}
	for line := range strings.Lines(rest) {
		name, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		generated[name] = text
	}
	same := strings.HasPrefix(runtime.Version(), version)
	differ := 0
	for name := range generated {
		if _, ok := want[name]; !ok && slices.Contains(paths, packageOf(name)) {
			want[name] = ""
		}
	}
	for name, want := range want {
		if got := generated[name]; got != want {
			differ++
			t.Logf("%s: %q, want %q", name, got, want)
		}
	}
	if same && differ > 0 {
		t.Error("the table is out of date: run go generate ./internal/knowledge/std")
	}
	if differ*10 > len(want) {
		t.Errorf("%d of %d functions differ from those of %s", differ, len(want), version)
	}
}

// TestAliasesAreKnown: results that share memory with an argument, and receivers that keep one, in each version of Go.
func TestAliasesAreKnown(t *testing.T) {
	found, err := read()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"strings.TrimSpace":               "#0=0",
		"strings.Cut":                     "#0=0",
		"strings.Fields":                  "#0*[]=0",
		"strings.ToLower":                 "#0=0",
		"bytes.NewBuffer":                 "#0*.buf=0",
		"net/url.Parse":                   "#0*.Host=0",
		"(net/textproto.MIMEHeader).Set":  "0*[]+*[]=2",
		"errors.New":                      "#0*.s=0",
		"context.WithValue":               "#0*.val=2",
		"(*strings.Reader).Reset":         "0*.s+=1",
		"bytes.TrimRight":                 "#0=0",
		"(*net/url.URL).ResolveReference": "#0*.Host=1*.Host",
		"(*container/list.List).PushBack": "0*[in]+=1",
		"(*archive/zip.Writer).Create":    "0*[in]+=1",
		"os/exec.Command":                 "#0*.Args*[]=1*[]",
	} {
		if !slices.Contains(strings.Fields(found[name]), want) {
			t.Errorf("%s: %q, want %q", name, found[name], want)
		}
	}
	for _, name := range []string{"strings.Clone", "bytes.Clone", "(*strings.Builder).WriteString", "strings.EqualFold",
		"(*container/list.List).Len", "(*os/exec.Cmd).Run"} {
		if text := found[name]; text != "" {
			t.Errorf("%s: %q, want nothing", name, text)
		}
	}
}

// TestNamesAreTheLibrarys: a function in the tables written by hand exists in the library, so that no typo makes an
// entry useless.
func TestNamesAreTheLibrarys(t *testing.T) {
	var paths []string
	for _, name := range std.Names() {
		if p := packageOf(name); !strings.Contains(p, ".") && !slices.Contains(paths, p) && p != "unsafe" {
			paths = append(paths, p)
		}
	}
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps | packages.NeedExportFile}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, p := range loaded {
		maps.Copy(known, functions(p.Types))
	}
	for _, name := range std.Names() {
		if p := packageOf(name); slices.Contains(paths, p) && !known[name] {
			t.Errorf("there is no function %s", name)
		}
	}
}

// packageOf returns the import path in a function's full name.
func packageOf(name string) string {
	name = strings.TrimLeft(name, "(*")
	slash := strings.LastIndexByte(name, '/') + 1
	path, _, _ := strings.Cut(name[slash:], ".")
	return name[:slash] + path
}
