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
			if inspect.All.Load() != nil { // for Main, while what was given to Hold is there
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
	if e, ok := e.(arena.Escape); ok && peeking.Load() && e.Cycles > 0 { // else it was found by other means
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

// A note is an escape that was seen before the end.
type note struct{ arena.Escape }

// String returns the note as a report.
func (n note) String() string {
	return strings.Replace(n.Escape.String(), "ARENA ESCAPE", "ARENA NOTE", 1)
}

// outlived reports whether a report is of what Do has left in an error or a panic's value. If something holds the value
// at the end, that is told instead.
func outlived(e fmt.Stringer) bool {
	x, ok := e.(arena.Escape)
	return ok && x.Cycles == 0 && !x.Written && !x.Touched
}

// valueOf returns what all reports of a value have in common.
func valueOf(e fmt.Stringer) string {
	x, ok := escapeOf(e)
	if !ok {
		return e.String()
	}
	return fmt.Sprint(x.Arena, x.Type, x.Size, x.Moved, watch.StackText(x.Allocated))
}

// escapeOf returns the escape that a report is of.
func escapeOf(e fmt.Stringer) (x arena.Escape, ok bool) {
	if n, ok := e.(note); ok {
		return n.Escape, true
	}
	x, ok = e.(arena.Escape)
	return x, ok
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

// text returns the reports, those of one mistake as one: of values that were allocated at the same line, and are held
// in the same way.
func text(list []fmt.Stringer) string {
	var b strings.Builder
	var first []fmt.Stringer
	kinds, more := make([]string, 0, len(list)), map[string]int{}
	anyHolder := map[string]string{} // by place, for those of so many that nobody has looked for holders
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

// mistake returns what the reports of one mistake have in common: the place of the allocation, and what holds the
// value, without numbers and addresses. What is between the beginning and the end of a path, such as the nodes of a
// sync.Map, differs by chance.
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
