package arenatest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/diagnose/inspect"
)

// This file collects reports from the arenas of a test and prints them. It must not depend on how
// they are found.

// A record collects what the arenas of a test report.
type record struct {
	name  string                    // of the test
	arena weak.Pointer[arena.Arena] // if it is of one from New

	strict  bool         // notes are errors
	unfreed bool         // the arena wasn't freed when its test ended
	taken   atomic.Int64 // operations that have reclaimed something
	told    bool         // the test has ended with a fault, which was explained

	arenas func() string // their name

	mu    sync.Mutex
	list  []fmt.Stringer // arena.Escape and pointer
	notes []fmt.Stringer // note
}

// everybody is the record of the arenas that only Main knows of.
var everybody record

// records is those of running tests.
var records struct {
	sync.Mutex
	of map[testing.TB][]*record
}

func newRecord(tb testing.TB) *record {
	tb.Helper()
	r := &record{name: tb.Name()}
	records.Lock()
	defer records.Unlock()
	if records.of == nil {
		records.of = map[testing.TB][]*record{}
	}
	if records.of[tb] == nil {
		tb.Cleanup(func() { // the last of those of this package
			tb.Helper()
			release(r.name)
			reportKept(tb, recordsOf(tb))
			records.Lock()
			defer records.Unlock()
			delete(records.of, tb)
		})
	}
	records.of[tb] = append(records.of[tb], r)
	return r
}

// reportKept reports the arenas that weren't freed and are still referenced. The values given to
// Hold are no longer held then: one may have been a server with its arena.
func reportKept(tb testing.TB, list []*record) {
	tb.Helper()
	for _, r := range list {
		for i := 0; i < 3 && r.unfreed && r.arena.Value() != nil; i++ {
			runtime.GC()
		}
		if a := r.arena.Value(); a != nil && r.unfreed {
			tb.Errorf("arena %q was never freed, and is still referenced after its test", a.Stats().Name)
			a.Free()
		}
	}
}

func recordsOf(tb testing.TB) []*record {
	records.Lock()
	defer records.Unlock()
	return records.of[tb]
}

func (r *record) add(e fmt.Stringer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := e.(arena.Escape); ok && peeking.Load() {
		r.notes = append(r.notes, note{e})
		return
	}
	r.list = append(r.list, e)
}

// take returns what was collected, and notes about what isn't reported otherwise.
func (r *record) take() (list, notes []fmt.Stringer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	list, notes = r.list, r.notes
	r.list, r.notes = nil, nil
	known := map[string]int{}
	for _, e := range list {
		known[kindOf(e)]++
	}
	notes = slices.DeleteFunc(notes, func(e fmt.Stringer) bool {
		known[kindOf(e)]--
		return known[kindOf(e)] >= 0
	})
	if r.strict {
		for _, n := range notes {
			list = append(list, n.(note).Escape)
		}
		return list, nil
	}
	return list, notes
}

// A note is an escape that was seen before the end.
type note struct{ arena.Escape }

// String returns the note as a report.
func (n note) String() string {
	return strings.Replace(n.Escape.String(), "ARENA ESCAPE", "ARENA NOTE", 1)
}

// kindOf returns what two reports of one escape have in common.
func kindOf(e fmt.Stringer) string {
	var x arena.Escape
	switch e := e.(type) {
	case note:
		x = e.Escape
	case arena.Escape:
		x = e
	default:
		return e.String()
	}
	x.Holder, x.Cycles, x.Written = "", 0, false
	return x.String()
}

// peeking means that reports are notes.
var peeking atomic.Bool

// peek looks for what is held of what was reclaimed.
func peek() { inspect.Peek(peeking.Store) }

// peeks is how many times an arena always looks when it reclaims something.
const peeks = 16

// reclaimed is called by an arena of the record that has reclaimed something.
func (r *record) reclaimed() {
	if n := r.taken.Add(1); n <= peeks || n&(n-1) == 0 {
		peek()
	}
}

// early is the heading of notes.
const early = "arenatest: this was held when its memory had just been reclaimed, and not any more at the end.\n" +
	"It may have been used in between; arenatest.Strict makes it an error.\n"

// judge finds escapes and reports them.
func (r *record) judge(tb testing.TB) {
	tb.Helper()
	arena.FindEscapes()
	r.report(tb)
}

// report prints what was collected.
func (r *record) report(tb testing.TB) {
	tb.Helper()
	list, notes := r.take()
	if len(notes) > 0 {
		tb.Log(early + text(notes))
	}
	fail(tb, list)
}

// fail makes reports an error of tb, and saves them as an artifact.
func fail(tb testing.TB, list []fmt.Stringer) {
	tb.Helper()
	if len(list) == 0 {
		return
	}
	report := text(list)
	tb.Error(report)
	file := filepath.Join(tb.ArtifactDir(), "arena-escapes.txt")
	if err := appendTo(file, report); err != nil {
		tb.Logf("arenatest: %v", err)
	}
}

func appendTo(file, text string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintln(f, text)
	return err
}

// maxReports is how many escapes and pointers are reported in full.
const maxReports = 10

// text returns the reports. Those that differ only in the value, such as of one mistake in several requests, are one.
func text(list []fmt.Stringer) string {
	var b strings.Builder
	first, more := list[:0:0], map[string]int{}
	for _, e := range list {
		kind := kindOf(e)
		if more[kind]++; more[kind] == 1 {
			first = append(first, e)
		}
	}
	for _, e := range first[:min(len(first), maxReports)] {
		b.WriteString("\n" + e.String() + "\n")
		if n := more[kindOf(e)] - 1; n > 0 {
			fmt.Fprintf(&b, "\n%d more of the same type, allocated and reclaimed by the same calls\n", n)
		}
	}
	if n := len(first) - maxReports; n > 0 {
		fmt.Fprintf(&b, "\n... and %d further reports\n", n)
	}
	return b.String()
}
