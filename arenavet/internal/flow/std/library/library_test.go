package library_test

import (
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/harena-go/arena/arenavet/internal/flow"
	"github.com/harena-go/arena/arenavet/internal/flow/std"
	"github.com/harena-go/arena/arenavet/internal/flow/std/library"
)

// paths are the analyzed packages: the most used ones. -short takes six of them. All, net/http among them, take 30
// seconds of two processors: they are analyzed if ARENAVET_LIBRARY is set, as it must be after go generate.
func paths() []string {
	if testing.Short() {
		return []string{"bytes", "context", "errors", "net/textproto", "net/url", "strings"}
	}
	if os.Getenv("ARENAVET_LIBRARY") != "" {
		return library.Packages
	}
	slow := []string{"encoding/xml", "expvar", "html/template", "mime/multipart", "net/http", "net/mail"}
	return slices.DeleteFunc(slices.Clone(library.Packages), func(p string) bool { return slices.Contains(slow, p) })
}

var read = sync.OnceValues(func() (map[string]string, error) {
	table, err := library.Table(flow.Flows, paths()...)
	if err != nil {
		return nil, err
	}
	others := []string{"archive/zip", "container/list", "container/ring", "os/exec", "time"}
	if os.Getenv("ARENAVET_LIBRARY") != "" {
		if others, err = library.Others(); err != nil {
			return nil, err
		}
	}
	kept, err := library.Table(flow.Kept, others...)
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
	generated, version := std.Generated()
	same := strings.HasPrefix(runtime.Version(), version)
	differ := 0
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got := generated[name]; got != want[name] {
			differ++
			t.Logf("%s: %q, want %q", name, got, want[name])
		}
	}
	for name := range generated {
		if slices.Contains(paths, packageOf(name)) && want[name] == "" {
			differ++
			t.Logf("%s: is in the table, and not in the source", name)
		}
	}
	if same && differ > 0 {
		t.Error("the table is out of date: run go generate ./internal/flow/std")
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
		maps.Copy(known, library.Functions(p.Types))
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
