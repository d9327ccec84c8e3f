package arenatest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/diagnose/watch"
)

// This file collects reports from the arenas of a test and prints them. It must not depend on how their findings are
// made.

// A record collects the reports of a test's arenas.
type record struct {
	name  string                    // of the test
	arena weak.Pointer[arena.Arena] // made by New; else zero

	strict  bool         // notes are errors
	noLooks bool         // there are none
	unfreed bool         // the arena wasn't freed when its test ended
	taken   atomic.Int64 // operations that reclaimed something
	told    bool         // the test has ended with an explained fault

	arenas func() string // their name

	mu    sync.Mutex
	list  []fmt.Stringer // arena.Escape and pointer
	notes []fmt.Stringer // note
}

// everybody is the record of the arenas that only Main checks.
var everybody record

// records has the records of running tests.
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
		tb.Cleanup(func() { // the last of this package's cleanups
			tb.Helper()
			if inspect.All.Load() != nil { // for Main, while values given to Hold are alive
				arena.FindEscapes()
			}
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

// reportKept reports the arenas that weren't freed and are still referenced. Values given to Hold were released before:
// one may have been a server with its arena.
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
	if e, ok := e.(arena.Escape); ok && peeking.Load() && e.Cycles > 0 { // otherwise it was found by other means
		r.notes = append(r.notes, note{e})
		return
	}
	r.list = append(r.list, e)
}

// take returns the collected reports, and the notes about values without a report.
func (r *record) take() (list, notes []fmt.Stringer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	list, notes = r.list, r.notes
	r.list, r.notes = nil, nil
	held, known := map[string]bool{}, map[string]int{}
	for _, e := range list {
		held[valueOf(e)] = held[valueOf(e)] || !outlived(e)
		known[valueOf(e)]++
	}
	list = slices.DeleteFunc(list, func(e fmt.Stringer) bool { return outlived(e) && held[valueOf(e)] })
	notes = slices.DeleteFunc(notes, func(e fmt.Stringer) bool {
		known[valueOf(e)]--
		return known[valueOf(e)] >= 0
	})
	if r.strict {
		for _, n := range notes {
			list = append(list, n.(note).Escape)
		}
		return list, nil
	}
	return list, notes
}

// A note is an escape that was found before the end.
type note struct{ arena.Escape }

// String returns the note as a report.
func (n note) String() string {
	text := strings.Replace(n.Escape.String(), "ARENA ESCAPE", "ARENA NOTE", 1)
	isRow := func(f runtime.Frame) bool { return strings.Contains(f.Function, ".EachRow[") }
	if slices.ContainsFunc(n.Reclaimed, isRow) {
		text = strings.Replace(text, "\n", "\nA row, or what the loop's body allocated, was still held when the "+
			"next row was read in its memory:\nkeep a copy, as of arena.DeepClone.\n", 1)
	}
	return text
}

// outlived reports whether a report is about a value that Do left in an error or a panic's value. If the value has a
// holder at the end, the holder is reported instead.
func outlived(e fmt.Stringer) bool {
	x, ok := e.(arena.Escape)
	return ok && x.Cycles == 0 && !x.Written && !x.Touched
}

// valueOf returns the common key of all reports of a value.
func valueOf(e fmt.Stringer) string {
	x, ok := escapeOf(e)
	if !ok {
		return e.String()
	}
	return fmt.Sprint(x.Arena, x.Type, x.Size, x.Moved, watch.StackText(x.Allocated))
}

// escapeOf returns the escape of a report.
func escapeOf(e fmt.Stringer) (x arena.Escape, ok bool) {
	if n, ok := e.(note); ok {
		return n.Escape, true
	}
	x, ok = e.(arena.Escape)
	return x, ok
}

// peeking means that reports are notes.
var peeking atomic.Bool

// peek looks for references to reclaimed memory.
func peek() { inspect.Arenas.Peek(peeking.Store) }

// peeks is the number of first reclaims after which an arena always looks.
const peeks = 16

// reclaimed is called when an arena of the record has reclaimed something.
func (r *record) reclaimed() {
	if n := r.taken.Add(1); !r.noLooks && (n <= peeks || n&(n-1) == 0) {
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

// report prints the collected reports.
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

// maxReports limits the escapes and pointers that are reported in full.
const maxReports = 10

// text returns the reports, one for each mistake: for values allocated at the same line and held in the same way.
func text(list []fmt.Stringer) string {
	var b strings.Builder
	var first []fmt.Stringer
	kinds, more := make([]string, 0, len(list)), map[string]int{}
	anyHolder := map[string]string{} // by place, for reports beyond the limit of searches, which have no holder
	for _, e := range list {
		place, holder := mistake(e)
		kind := place + holder
		if known, ok := anyHolder[place]; ok && holder == "" {
			kind = known
		} else if !ok {
			anyHolder[place] = kind
		}
		if more[kind]++; more[kind] == 1 {
			first, kinds = append(first, e), append(kinds, kind)
		}
	}
	for i, e := range first[:min(len(first), maxReports)] {
		b.WriteString("\n" + e.String() + "\n")
		if n := more[kinds[i]] - 1; n > 0 {
			fmt.Fprintf(&b, "\n%d more of the same type, allocated at the same line\n", n)
		}
	}
	if n := len(first) - maxReports; n > 0 {
		fmt.Fprintf(&b, "\n... and %d further reports\n", n)
	}
	return b.String()
}

// mistake returns the common key of the reports of one mistake: the place of the allocation, and the value's holder
// without numbers and addresses. The middle of a path, such as the nodes of a sync.Map, differs by chance.
func mistake(e fmt.Stringer) (place, holder string) {
	x, ok := escapeOf(e)
	if !ok {
		return e.String(), ""
	}
	path, _, _ := strings.Cut(digits.ReplaceAllString(x.Holder, "#"), "\n  -> the escaped value")
	if steps := strings.Split(path, "\n"); len(steps) > 3 {
		path = steps[0] + steps[1] + steps[len(steps)-1]
	}
	return fmt.Sprint(x.Type, x.Written, watch.CallSite(x.Allocated)), path
}

var digits = regexp.MustCompile(`(0x)?[0-9a-f]*[0-9][0-9a-f]*`)
