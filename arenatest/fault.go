package arenatest

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/diagnose/holder"
	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/diagnose/watch"
)

// This file reports a fault of a test, with the value's holder if known. It must not depend on how dead memory is made
// to fault.

// faulted reports whether its caller runs because the test touched inaccessible memory, and returns the line that did,
// in the test or in a function that it calls.
func faulted() (at runtime.Frame, yes bool) {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch {
		case f.Function == "runtime.sigpanic":
			yes = true
		case yes && !watch.Standard(f) && !watch.Own(f):
			return f, true
		}
	}
	return runtime.Frame{}, yes
}

// dying is set while the program ends after a fault that was explained.
var dying atomic.Bool

// tellFault reports the touched value, once for all arenas of the test. They aren't reset, since the fault may have
// interrupted an operation.
func tellFault(tb testing.TB, at runtime.Frame) {
	tb.Helper()
	records := recordsOf(tb)
	if slices.ContainsFunc(records, func(r *record) bool { return r.told }) {
		return
	}
	dying.Store(true)
	addr, err := holder.FaultAddress()
	var dead *inspect.Dead
	if err == nil && addr != 0 {
		dead = inspect.Arenas.DeadAt(addr) // before guarded memory is released
	} else if err != nil {
		tb.Log(explain(records))
	}
	peek()
	var list, notes []fmt.Stringer
	for _, r := range records {
		r.told = true
		l, n := r.take()
		list, notes = append(list, l...), append(notes, n...)
	}
	if dead == nil {
		if len(notes) > 0 {
			tb.Log(unfinished + text(notes))
		}
		fail(tb, list)
		return
	}
	f := fault{Dead: dead, addr: addr, at: at}
	list, notes = slices.DeleteFunc(list, f.adopt), slices.DeleteFunc(notes, f.adopt)
	explained()
	fail(tb, append([]fmt.Stringer{f}, list...))
	if len(notes) > 0 {
		tb.Log(brief(notes))
	}
}

// unfinished is the heading of notes if the test didn't reach its end.
const unfinished = "arenatest: this was held when its memory had just been reclaimed, or when the test panicked.\n"

// A fault is the use of a dead value.
type fault struct {
	*inspect.Dead
	addr uintptr
	at   runtime.Frame
	held []arena.Escape // of the value, or of several possible ones
}

// maxHeld is the number of listed values if the value is one of several.
const maxHeld = 3

// adopt takes a note that names the holder of the value, or of a possible one.
func (f *fault) adopt(s fmt.Stringer) bool {
	_, noted := s.(note)
	n, ok := escapeOf(s)
	if !ok || !noted && !outlived(s) || n.Arena != f.Arena || !sameFrames(n.Reclaimed, f.Taken) {
		return false
	}
	switch {
	case f.Type == "" && len(f.held) < maxHeld:
		f.held = append(f.held, n)
	case f.Type == "":
		return false
	case n.Type != f.Type || n.Size != f.Size || !sameFrames(n.Allocated, f.Allocated):
		return false
	default: // the newest is current; earlier escapes from the same allocation are no news
		f.held = []arena.Escape{n}
	}
	return true
}

func sameFrames(a, b []runtime.Frame) bool {
	return slices.EqualFunc(a, b, func(a, b runtime.Frame) bool {
		return a.Function == b.Function && a.File == b.File && a.Line == b.Line
	})
}

// String returns the report, in the form of an arena.Escape.
func (f fault) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "ARENA FAULT: %s ", site(f.at))
	if f.Type == "" {
		fmt.Fprintf(&b, "follows a pointer in a dead value of arena %q (fault address %#x)", f.Arena, f.addr)
		if len(f.Values) > 0 {
			b.WriteString("\n\nWith it died:\n  " + strings.Join(f.Values, "\n  "))
		}
	} else {
		fmt.Fprintf(&b, "touches a dead %s (%d bytes) of arena %q (fault address %#x)", f.Type, f.Size, f.Arena, f.addr)
		b.WriteString(watch.Trace("Allocated", f.Allocated, ""))
	}
	b.WriteString(watch.Trace("Reclaimed", f.Taken, f.Key))
	f.writeHolders(&b)
	return b.String()
}

// writeHolders writes the holders of the value, or of the possible values.
func (f fault) writeHolders(b *strings.Builder) {
	switch {
	case len(f.held) == 0:
	case f.Type != "":
		b.WriteString("\n\nHeld by:\n  " + strings.ReplaceAll(f.held[0].Holder, "\n", "\n  "))
	default:
		b.WriteString("\n\nHeld of that:")
		for _, e := range f.held {
			b.WriteString("\n  " + allocation(e) + ", by\n    " + strings.ReplaceAll(e.Holder, "\n", "\n    "))
		}
	}
}

// brief returns a line for each kind of note.
func brief(notes []fmt.Stringer) string {
	var lines []string
	times := map[string]int{}
	for _, s := range notes {
		line := s.String()
		if n, ok := s.(note); ok {
			line = allocation(n.Escape) + ", reclaimed " + watch.When(n.Reclaimed, n.Key)
		}
		if times[line]++; times[line] == 1 {
			lines = append(lines, line)
		}
	}
	var b strings.Builder
	b.WriteString("arenatest: this was held, too, when its memory had just been reclaimed, or is now:")
	for _, line := range lines[:min(len(lines), maxReports)] {
		b.WriteString("\n  " + line)
		if n := times[line]; n > 1 {
			fmt.Fprintf(&b, " (%d times)", n)
		}
	}
	if n := len(lines) - maxReports; n > 0 {
		fmt.Fprintf(&b, "\n  ... and %d more", n)
	}
	return b.String()
}

// allocation describes an escape in one line.
func allocation(e arena.Escape) string {
	at := watch.CallSite(e.Allocated)
	return fmt.Sprintf("%s (%d bytes) in arena %q, allocated at %s", e.Type, e.Size, e.Arena, at)
}

func site(f runtime.Frame) string {
	if f.File == "" {
		return "the test"
	}
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}

// Limits of explain's lists: the newest calls that reclaimed pointers, groups of blocks, and blocks of a group.
const (
	maxExplained = 16
	maxGroups    = 32
	maxAddresses = 64
)

// explain lists the addresses of arenas at which a fault may have been, if the fault's own address is unknown.
func explain(records []*record) string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, r := range records {
		if r.arenas == nil || seen[r.arenas()] {
			continue
		}
		seen[r.arenas()] = true
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		explainOf(&b, r.arenas())
	}
	return b.String()
}

// explainOf lists the addresses of the arenas with a name.
func explainOf(b *strings.Builder, name string) {
	fmt.Fprintf(b, "The test has touched memory that an arena has reclaimed, or nothing at all. "+
		"If the fault's address is one of these, it was memory of arena %q.", name)
	if list := inspect.Arenas.Endings(name); len(list) > 0 {
		b.WriteString("\nWhere a pointer in a dead value led to:")
		for _, e := range list[max(0, len(list)-maxExplained):] {
			fmt.Fprintf(b, "\n  %#x to %#x: reclaimed %s", e.Trap, e.Trap+trapSize-1, e.When)
		}
	}
	if list := inspect.Arenas.Guarded(name); len(list) > 0 {
		b.WriteString("\nIn a dead value:")
		explainGuarded(b, list)
	}
}

// explainGuarded lists blocks, the oldest first. Blocks that were allocated and reclaimed at
// the same lines share a line.
func explainGuarded(b *strings.Builder, list []inspect.GuardedBlock) {
	type group struct{ typ, allocated, taken string }
	var groups []group
	of := map[group][]inspect.GuardedBlock{}
	for _, g := range list {
		key := group{g.Type, g.Allocated, g.Taken}
		if of[key] == nil {
			groups = append(groups, key)
		}
		of[key] = append(of[key], g)
	}
	for _, key := range groups[max(0, len(groups)-maxGroups):] {
		blocks := of[key]
		fmt.Fprintf(b, "\n  %s, allocated at %s, reclaimed %s:", key.typ, key.allocated, key.taken)
		for _, g := range blocks[max(0, len(blocks)-maxAddresses):] {
			fmt.Fprintf(b, " %#x to %#x", g.Addr, g.Addr+g.Size-1)
		}
	}
}
