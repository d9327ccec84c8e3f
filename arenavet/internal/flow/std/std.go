// Package std holds what is known of functions that aren't analyzed, those of the
// standard library above all. Of others it is assumed that they neither keep what
// they are given nor return it.
//
// It is tables of names: it may not know what is done with the answers. A name is
// that of types.Func.FullName, "strings.Cut" or "(*sync.Map).Load".
package std

import "strings"

// views are functions whose result may share memory with an argument, by their
// full names: the number of the argument. Mind those that return what they were
// given if there was nothing to do.
var views = names(0,
	"strings.Trim", "strings.TrimSpace", "strings.TrimLeft", "strings.TrimRight", "strings.TrimPrefix", "strings.TrimSuffix",
	"strings.TrimFunc", "strings.TrimLeftFunc", "strings.TrimRightFunc", "strings.Split", "strings.SplitN", "strings.SplitAfter",
	"strings.SplitAfterN", "strings.Fields", "strings.FieldsFunc", "strings.Cut", "strings.CutPrefix", "strings.CutSuffix",
	"strings.ToLower", "strings.ToUpper", "strings.ToValidUTF8", "strings.Replace", "strings.ReplaceAll", "strings.NewReader",
	"bytes.Trim", "bytes.TrimSpace", "bytes.TrimLeft", "bytes.TrimRight", "bytes.TrimPrefix", "bytes.TrimSuffix",
	"bytes.TrimFunc", "bytes.Split", "bytes.SplitN", "bytes.Fields", "bytes.Cut", "bytes.CutPrefix", "bytes.CutSuffix",
	"bytes.NewReader", "bytes.NewBuffer", "bytes.Runes",
	"slices.Grow", "slices.Clip", "slices.Insert", "slices.Delete", "slices.DeleteFunc", "slices.Compact", "slices.CompactFunc", "slices.Replace",
	"slices.Values", "slices.All", "maps.Keys", "maps.Values", "maps.All",
	"path.Clean", "path.Base", "path.Dir", "path/filepath.Clean", "path/filepath.Base", "path/filepath.Ext", "path.Ext",
	"net/url.Parse", "net/url.PathUnescape", "net/url.QueryUnescape", "mime.ParseMediaType", "context.WithoutCancel",
	"context.WithCancel", "context.WithTimeout", "context.WithDeadline", "unicode/utf8.AppendRune",
	"(*bytes.Buffer).Bytes", "(*bytes.Buffer).Next", "reflect.ValueOf", "(reflect.Value).Interface", "unsafe.Pointer",
	"strings.FieldsSeq", "strings.SplitSeq", "strings.Lines", "bytes.FieldsSeq", "bytes.SplitSeq", "bytes.Lines",
	"log/slog.StringValue", "log/slog.AnyValue", "(log/slog.Value).String",
	"html.UnescapeString", "strconv.Unquote", "net.SplitHostPort",
)

// names is a table in which all functions have one number.
func names(n int, list ...string) map[string]int {
	m := map[string]int{}
	for _, x := range list {
		m[x] = n
	}
	return m
}

// View says which argument, by its number, the result of a function may share
// memory with.
func View(name string) (arg int, ok bool) {
	if strings.HasPrefix(name, "(*regexp.Regexp).Find") {
		return 1, true
	}
	switch name {
	case "log/slog.String", "log/slog.Any":
		return 1, true
	}
	arg, ok = views[name]
	return
}

// AfterFunc returns a function that keeps its goroutine from being started.
const AfterFunc = "context.AfterFunc"

// Spawns are functions that run an argument, by its number, in a goroutine.
var Spawns = map[string]int{
	"(*sync.WaitGroup).Go":                      1,
	"(*golang.org/x/sync/errgroup.Group).Go":    1,
	"(*golang.org/x/sync/errgroup.Group).TryGo": 1,
	"time.AfterFunc":                            1,
	AfterFunc:                                   1,
	"net/http.HandleFunc":                       1,
	"(*net/http.ServeMux).HandleFunc":           2,
}

// Waits says whether a function may wait until others are done with what they
// have been given. That goes by the last part of the name, in any package: where
// it is wrong a finding is lost, and none is invented.
func Waits(name string) bool {
	name = name[strings.LastIndexByte(name, '.')+1:]
	for _, w := range []string{"Wait", "Join", "Stop", "Close", "Shutdown", "Lock", "RLock", "Acquire", "Drain", "Flush", "Sync"} {
		if strings.HasPrefix(name, w) {
			return true
		}
	}
	return false
}

// Polls says whether a function reads an atomic variable.
func Polls(name string) bool {
	return strings.Contains(name, "sync/atomic.") && strings.Contains(name, "Load")
}

// Locks says whether a function enters a part of the program that one goroutine
// is in at a time.
func Locks(name string) bool {
	return strings.HasSuffix(name, "sync.Mutex).Lock") || strings.HasSuffix(name, "sync.RWMutex).Lock") || name == "(sync.Locker).Lock" ||
		strings.HasSuffix(name, "semaphore.Weighted).Acquire")
}

// CallsBack says whether a function calls the functions that it is given, all
// before it returns.
func CallsBack(name string) bool {
	switch {
	case strings.HasPrefix(name, "slices."), strings.HasPrefix(name, "sort."), strings.HasPrefix(name, "maps."),
		strings.HasPrefix(name, "strings."), strings.HasPrefix(name, "bytes."):
		return true
	}
	switch name {
	case "(*sync.Once).Do", "(*sync.Map).Range", "path/filepath.WalkDir", "io/fs.WalkDir", "path/filepath.Walk", "(*testing.T).Run", "(*testing.B).Run",
		"(*testing.B).RunParallel", "go/ast.Inspect", "testing.AllocsPerRun", "testing.Benchmark", "runtime/pprof.Do":
		return true
	}
	return false
}

// Serves says whether a function of Spawns starts a goroutine for each request,
// and so the same function many times at once.
func Serves(name string) bool {
	return strings.HasPrefix(name, "net/http") || strings.HasPrefix(name, "(*net/http")
}
