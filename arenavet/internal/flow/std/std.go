// Package std has facts about functions that aren't analyzed, mainly those of the standard library. Other functions are
// assumed neither to keep their arguments nor to return them.
//
// It has tables of names: it must not depend on the use of the answers. A name is that of types.Func.FullName,
// "strings.Cut" or "(*sync.Map).Load".
package std

import (
	"maps"
	"slices"
	"strings"
)

// sequences are functions that return sequences of their argument's elements, or of its parts: the table of Flows can't
// express them.
var sequences = map[string]bool{}

func init() {
	for _, name := range []string{
		"slices.Values", "slices.All", "slices.Backward", "slices.Chunk", "maps.Keys", "maps.Values", "maps.All",
		"strings.FieldsSeq", "strings.FieldsFuncSeq", "strings.SplitSeq", "strings.SplitAfterSeq", "strings.Lines",
		"bytes.FieldsSeq", "bytes.FieldsFuncSeq", "bytes.SplitSeq", "bytes.SplitAfterSeq", "bytes.Lines",
	} {
		sequences[name] = true
	}
}

// IsSequence reports whether a function returns such a sequence.
func IsSequence(name string) bool { return sequences[name] }

// Names returns the functions of the tables written by hand.
func Names() []string {
	var all []string
	for _, m := range []map[string]bool{sequences, shows, changes, Deleters} {
		all = slices.AppendSeq(all, maps.Keys(m))
	}
	for _, m := range []map[string]string{Watchers, containers, added} {
		all = slices.AppendSeq(all, maps.Keys(m))
	}
	return slices.AppendSeq(all, maps.Keys(Spawns))
}

// AfterFunc returns a function that keeps its goroutine from starting.
const AfterFunc = "context.AfterFunc"

// Spawns are functions that run an argument, by its number, in a goroutine.
var Spawns = map[string]int{
	"(*sync.WaitGroup).Go":                      1,
	"(*golang.org/x/sync/errgroup.Group).Go":    1,
	"(*golang.org/x/sync/errgroup.Group).TryGo": 1,
	"time.AfterFunc":                            1,
	AfterFunc:                                   1,
	"net/http.HandleFunc":                       1,
	"net/http.Handle":                           1,
	"(*net/http.ServeMux).HandleFunc":           2,
	"(*net/http.ServeMux).Handle":               2,
}

// Watchers are functions that have the garbage collector watch their first argument, with the consequence in an arena.
var Watchers = map[string]string{
	"weak.Make":            "the weak pointer holds as long as the chunk does, and points to another value after Reset",
	"runtime.SetFinalizer": "it isn't the beginning of a block, so that the program is ended",
	"runtime.AddCleanup":   "the cleanup waits for the whole chunk, which Reset uses again",
}

// Waits reports whether a function may wait until others are done with their arguments. It goes by the last part of the
// name, in any package: a wrong guess loses a finding, and invents none.
func Waits(name string) bool {
	name = name[strings.LastIndexByte(name, '.')+1:]
	for _, w := range []string{"Wait", "Join", "Stop", "Close", "Shutdown", "Lock", "RLock", "Acquire", "Drain",
		"Flush", "Sync"} {
		if strings.HasPrefix(name, w) {
			return true
		}
	}
	return false
}

// Polls reports whether a function reads an atomic variable.
func Polls(name string) bool {
	return strings.Contains(name, "sync/atomic.") && strings.Contains(name, "Load")
}

// Locks reports whether a function enters a critical section.
func Locks(name string) bool {
	return strings.HasSuffix(name, "sync.Mutex).Lock") || strings.HasSuffix(name, "sync.RWMutex).Lock") ||
		name == "(sync.Locker).Lock" ||
		strings.HasSuffix(name, "semaphore.Weighted).Acquire")
}

// CallsBack reports whether a function calls its function arguments, all before it returns.
func CallsBack(name string) bool {
	switch {
	case strings.HasPrefix(name, "slices."), strings.HasPrefix(name, "sort."), strings.HasPrefix(name, "maps."),
		strings.HasPrefix(name, "strings."), strings.HasPrefix(name, "bytes."):
		return true
	}
	switch name {
	case "(*sync.Once).Do", "(*sync.Map).Range", "path/filepath.WalkDir", "io/fs.WalkDir", "path/filepath.Walk",
		"(*testing.T).Run", "(*testing.B).Run",
		"(*testing.B).RunParallel", "go/ast.Inspect", "testing.AllocsPerRun", "testing.Benchmark", "runtime/pprof.Do":
		return true
	}
	return false
}

// Serves reports whether a function of Spawns starts a goroutine for each request, so the same function many times at
// once.
func Serves(name string) bool {
	return strings.HasPrefix(name, "net/http") || strings.HasPrefix(name, "(*net/http")
}
