// Package report shows a look, as a screen of text and as JSON. It must not judge anything.
package report

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/testrun"
	"github.com/harena-go/arena/scout/internal/verdict"
)

// The screen has one line of totals, one section for each verdict, and what to expect:
//
//	unit    (*Service).Handle, 99% of all bytes; 1,023 units of BenchmarkHandle
//	        133 objects, 11.8 KB, 10 us a unit: allocator 20%, GC 30%
//	move    8 lines    45.0%  orders.go:86 append([]string) 39/unit, :88 append([]Step) 5/unit, ...
//	helper  8 lines    52.8%  orders.go:113 strings.Join -> collections.Buffer 18/unit
//	clone   1 line      1.6%  orders.go:70 "item " + s: 1 in 19 units stays, held by []string Service.names: ...
//	keep    3 lines     0.4%  orders.go:101 &Event{} 1/unit, held by []*Event Service.audit
//	leave   1 line      0.2%  orders.go:115 func literal 1/unit
//	expect  1.3-1.8x less CPU a unit; the more, the more helpers are replaced
//
// The first word of a line gives its kind, so that the screen can be searched with grep. A file is named where it
// changes.

// Limits of the screen.
const (
	inBrief  = 4    // findings named for a verdict, without All
	trifling = 1e-3 // findings below this share of the unit's bytes are counted, but not named
)

// Text writes the screen. With all, each finding has a line of its own.
func Text(w io.Writer, l *scout.Look, all bool) {
	objects, bytes := Sum(l.Findings)
	fmt.Fprintf(w, "unit    %s, %s of all bytes; %s units of %s\n", sites.Bare(l.Unit.Function), percent(l.All.Share),
		thousands(l.All.Units), l.Benchmark)
	c := l.Costs
	fmt.Fprintf(w, "        %s, %s, %s a unit: allocator %s, GC %s", objectsText(objects), size(bytes), short(c.Unit),
		percent(c.Allocator), percent(c.GC))
	if c.Live > 0 {
		fmt.Fprintf(w, ", with %s alive beside", size(float64(c.Live)))
	}
	fmt.Fprintln(w)
	for _, v := range verdict.Order {
		section(w, v, With(l.Findings, v), bytes, all)
	}
	for _, note := range Notes(l) {
		fmt.Fprintln(w, "note    "+note)
	}
	fmt.Fprintln(w, "expect  "+strings.Join(Expected(l), "\n        "))
}

// Table lists benchmarks, sorted by possible gain: the first is the one to look into. It names ten, or all.
func Table(w io.Writer, benches []scout.Bench, all bool) {
	const brief = 10
	for i, b := range benches {
		if i == brief && !all {
			fmt.Fprintf(w, "bench   ... %d more\n", len(benches)-i)
			break
		}
		unit := ""
		if b.Unit != "" {
			unit = ": " + sites.Bare(b.Unit)
		}
		most := "not measured"
		if b.AtMost > 0 {
			most = fmt.Sprintf("%.1fx at most", b.AtMost)
		}
		fmt.Fprintf(w, "bench   %s, %s objects, %s an iteration of %s%s\n", most, thousands(int64(b.Objects)),
			size(b.Bytes), b.Name, unit)
	}
}

// Sum returns the objects and bytes of a unit.
func Sum(findings []verdict.Finding) (objects, bytes float64) {
	for _, f := range findings {
		objects += f.Objects
		bytes += f.Bytes
	}
	return objects, bytes
}

// With returns the findings of a verdict, in the same order.
func With(findings []verdict.Finding, v verdict.Verdict) (some []verdict.Finding) {
	for _, f := range findings {
		if f.Verdict == v {
			some = append(some, f)
		}
	}
	return some
}

// section writes the findings of a verdict, if there are any. In brief it names the first few, and beyond the first
// only those with more than a trifling share of total, the unit's bytes.
func section(w io.Writer, v verdict.Verdict, findings []verdict.Finding, total float64, all bool) {
	if len(findings) == 0 {
		return
	}
	_, bytes := Sum(findings)
	// Lines are counted, not findings: a line with two callers is one line to look at.
	lines := map[string]bool{}
	for _, f := range findings {
		lines[sites.Key(f.Place)] = true
	}
	head := fmt.Sprintf("%-7s %-8s %6.1f%%", v, plural(len(lines), "line"), 100*bytes/max(total, 1))
	var named []string
	file := ""
	for _, f := range findings {
		// In brief only the first few that matter are named.
		if !all && (len(named) == inBrief || f.Bytes < trifling*total && len(named) > 0) {
			break
		}
		named = append(named, Finding(f, &file, all))
	}
	more := ""
	if len(named) < len(findings) && !all {
		more = ", ..."
	}
	// These need no further words, so they share a line.
	if v == verdict.Move || v == verdict.Leave {
		if !all {
			fmt.Fprintf(w, "%s  %s%s\n", head, strings.Join(named, ", "), more)
			return
		}
	}
	fmt.Fprintf(w, "%s  %s%s\n", head, strings.Join(named, "\n"+strings.Repeat(" ", len(head)+2)), more)
}

// Finding describes a finding: place, expression, and advice. file is the last file name written; the file is named
// only if it differs, and always if long is set, which also adds the way to the holder.
func Finding(f verdict.Finding, file *string, long bool) string {
	var b strings.Builder
	if base := filepath.Base(f.Place.File); base != *file || long {
		*file = base
		b.WriteString(base)
	}
	fmt.Fprintf(&b, ":%d %s", f.Place.Line, What(f))
	switch f.Verdict {
	case verdict.Move:
		fmt.Fprintf(&b, " %s/unit", number(f.Objects))
	case verdict.Helper, verdict.Hoist:
		if f.Advice != "" {
			b.WriteString(" -> " + f.Advice)
		}
		switch {
		case f.Replayed:
			fmt.Fprintf(&b, " (%.1fx on its own calls)", f.Times)
		case f.Times > 0:
			fmt.Fprintf(&b, " (published: %.1fx)", f.Times)
		}
		fmt.Fprintf(&b, " %s/unit", number(f.Objects))
	case verdict.Clone:
		fmt.Fprintf(&b, ": %s, %s: %s", stays(f), held(f), f.Advice)
	case verdict.Keep:
		fmt.Fprintf(&b, " %s/unit, %s", number(f.Objects), held(f))
	case verdict.Leave:
		fmt.Fprintf(&b, " %s/unit", number(f.Objects))
	}
	if long && f.Way != "" {
		b.WriteString("\n" + strings.Repeat(" ", 28) + "way: " + clip(f.Way, 300))
	}
	return b.String()
}

// clip leaves out the middle of a long text: both ends of a way say most.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n/2]) + " ... " + string(r[len(r)-n/2:])
	}
	return s
}

// What names the allocation of a finding.
func What(f verdict.Finding) string {
	switch {
	case f.Lib != "":
		return sites.Short(f.Lib)
	case f.Text != "":
		return f.Text
	}
	return f.Kind
}

// stays says how much of a finding outlives its unit: in units if it is rare.
func stays(f verdict.Finding) string {
	if f.Lag {
		return "the last one stays"
	}
	if f.Units > 1.5 {
		return "1 in " + number(f.Units) + " units stays"
	}
	return percent(f.Alive) + " stays"
}

// held names the holder of a finding.
func held(f verdict.Finding) string {
	switch {
	case f.Lag && !f.Test && f.Holder != "":
		return "held by " + f.Holder + ", until the next unit"
	case f.Test:
		return "held by the benchmark's own variable, " + f.Holder + ": drop it before the next unit"
	case f.Holder == "":
		return "held by somebody"
	}
	return "held by " + f.Holder
}

// Notes are caveats about the numbers.
func Notes(l *scout.Look) (notes []string) {
	if m := l.Messages; m.Objects > 0 {
		done := "built"
		if m.Marshalled {
			done = "built, marshalled"
		}
		notes = append(notes, fmt.Sprintf("messages %s and dropped: %s a batch; ordinary ones can be in an arena: see "+
			"contrib/arenaproto's README", done, objectsText(m.Objects)))
	}
	flag := "-bench"
	if testrun.IsLoop(l.Package, l.Benchmark) {
		flag = "-run"
		notes = append(notes, fmt.Sprintf("%s runs %s again and again, with what that does beside the units: a "+
			"benchmark would say more", l.Benchmark, strings.TrimPrefix(l.Benchmark, "Benchmark")))
	}
	if l.Others > 0 {
		notes = append(notes, fmt.Sprintf("%s not run: %s names others", plural(l.Others, "more benchmark"), flag))
	}
	if len(l.Less) > 0 {
		notes = append(notes, "less to gain: "+strings.Join(l.Less, "; "))
	}
	if left := slices.Concat(l.Late, l.Left); len(left) > 0 {
		const few = 4
		n := len(left)
		named := strings.Join(left[:min(few, n)], ", ")
		if n > few {
			named += fmt.Sprintf(" and %d more", n-few)
		}
		notes = append(notes, "no time for "+named+", or they failed: -within allows more")
	}
	if l.AtOnce {
		notes = append(notes, "units run at the same time: each needs an arena of its own, from a Pool")
	}
	if !l.Dump {
		notes = append(notes, "no dump of the heap, as a goroutine was in a system call: holders are unknown")
	}
	if l.All.Share < 0.5 {
		notes = append(notes, "most bytes are allocated elsewhere: -unit names another function")
	}
	return notes
}

// Expected describes the expected gain in CPU, then the same gain as memory, or an alternative if there is none. The
// last line has the same by a profile of production, or how to get one.
func Expected(l *scout.Look) (lines []string) {
	c := l.Costs
	lines = append(lines, expectation(c.Expect))
	// Below scout.Worth the advice is an alternative.
	switch {
	case c.Expect.Held():
		lines = append(lines, fmt.Sprintf("%.1fx less CPU a unit if what holds the last result releases it before the "+
			"next unit begins", c.Expect.Later))
	case c.Expect.All < scout.Worth && len(l.Late) > 0:
		lines = append(lines, fmt.Sprintf("there was no time for %s, which may have more: -within allows that",
			plural(len(l.Late), "more unit")))
	case c.Expect.All < scout.Worth:
		lines = append(lines, advice(l))
	default:
		lines = append(lines, memory(l))
	}
	if c.Expect.All >= scout.Worth || c.Expect.Held() {
		lines = append(lines, "that is with WithReuse(); "+
			"-try also measures a Pool without, which is safe for any program")
	}
	if p := c.Elsewhere; p != nil {
		lines = append(lines, fmt.Sprintf("in %s (allocator %s, GC %s, %s of it at these lines): %s",
			filepath.Base(p.File), percent(p.Allocator), percent(p.GC), percent(min(p.Matched, 1)),
			expectation(p.Expect)))
	} else if c.Live == 0 {
		lines = append(lines,
			"the GC's share is that of a benchmark with a small heap: -cpu PROFILE or -live BYTES say more")
	}
	return lines
}

// expectation describes a look's expectation in words.
func expectation(e scout.Expectation) string {
	low, high := min(e.Moved, e.All), max(e.Moved, e.All)
	if high < scout.Worth && e.Later >= scout.Worth {
		return fmt.Sprintf("%.2fx less CPU a unit at most, for what dies with its unit", high)
	}
	if high < scout.Worth {
		return fmt.Sprintf("no gain worth an arena: %.2fx less CPU a unit at most", high)
	}
	if high < scout.Sure {
		return fmt.Sprintf("%.1fx less CPU a unit at most: little, -try shows what there is", high)
	}
	// A range whose ends print alike is written as a number.
	if fmt.Sprintf("%.1f", low) == fmt.Sprintf("%.1f", high) {
		return fmt.Sprintf("%.1fx less CPU a unit", high)
	}
	return fmt.Sprintf("%.1f-%.1fx less CPU a unit; the more, the more helpers are replaced", low, high)
}

// memory says how the gain can be taken as memory instead: by the GOGC at which the collector would take as much CPU as
// now.
func memory(l *scout.Look) string {
	_, total := Sum(l.Findings)
	_, moved := Sum(With(l.Findings, verdict.Move))
	var helped float64
	for _, f := range l.Findings {
		if f.Served() {
			helped += f.Bytes
		}
	}
	// With fewer allocations the collector runs as often as now if its goal is lowered by the same share.
	gogc := func(bytes float64) int { return max(1, int(math.Round(100*(1-l.All.Share*bytes/max(total, 1))))) }
	goals := strconv.Itoa(gogc(moved + helped))
	if moved > 0 && helped > 0 {
		goals = fmt.Sprintf("%d-%d", gogc(moved+helped), gogc(moved))
	}
	return "or less memory, at the cost of the GC of now: GOGC=" + goals +
		" instead of 100. With GOGC left alone the heap grows to the same goal as before"
}

// preallocated is the share of the bytes from which on a line that could preallocate is worth naming.
const preallocated = 0.1

// advice gives the alternative where no arena pays: preallocate at the line with most bytes, if it makes or grows
// something. Otherwise it says why an arena can't save more.
func advice(l *scout.Look) string {
	total := max(bytesOf(l), 1)
	for _, f := range l.Findings { // sorted by bytes, largest first
		grows := f.Lib == "" && (f.Kind == sites.Append.String() || f.Kind == sites.Map.String())
		if grows && f.Bytes >= preallocated*total {
			return fmt.Sprintf("if anything, preallocate %s:%d %s, %s of the bytes", filepath.Base(f.Place.File),
				f.Place.Line, What(f), percent(f.Bytes/total))
		}
	}
	_, kept := Sum(With(l.Findings, verdict.Keep))
	why := fmt.Sprintf("the allocator takes %s, the GC %s of the CPU", percent(l.Costs.Allocator), percent(l.Costs.GC))
	if kept > 0.5*total {
		why += fmt.Sprintf(", and %s of the bytes live on", percent(kept/total))
	}
	left := With(l.Findings, verdict.Leave)
	if _, bytes := Sum(left); bytes > 0.5*total {
		why += fmt.Sprintf(", and for %s of the bytes an arena has nothing: %s", percent(bytes/total), What(left[0]))
	}
	return why
}

// bytesOf returns the bytes of a unit.
func bytesOf(l *scout.Look) float64 {
	_, bytes := Sum(l.Findings)
	return bytes
}

// percent formats a share, without digits that the measurement doesn't have.
func percent(x float64) string {
	if x > 0 && x < 0.01 {
		return "below 1%"
	}
	return fmt.Sprintf("%.0f%%", 100*x)
}

// objectsText formats a number of objects, a mean that needn't be whole.
func objectsText(x float64) string {
	if x == 1 {
		return "1 object"
	}
	return number(x) + " objects"
}

// plural formats a number of things.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// number formats a count with as many digits as are worth reading.
func number(x float64) string {
	switch {
	case x >= 9.95 || x == math.Trunc(x):
		return strconv.FormatFloat(x, 'f', 0, 64)
	case x >= 0.095:
		return strconv.FormatFloat(x, 'f', 1, 64)
	default:
		return strconv.FormatFloat(x, 'g', 1, 64)
	}
}

// thousands formats a number with commas.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// size formats bytes in decimal units, as go test does.
func size(bytes float64) string {
	switch {
	case bytes >= 1e9:
		return fmt.Sprintf("%.1f GB", bytes/1e9)
	case bytes >= 1e6:
		return fmt.Sprintf("%.1f MB", bytes/1e6)
	case bytes >= 1e3:
		return fmt.Sprintf("%.1f KB", bytes/1e3)
	}
	return fmt.Sprintf("%.0f B", bytes)
}

// short formats a time with two or three digits.
func short(d time.Duration) string {
	switch {
	case d >= 10*time.Millisecond:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d >= 10*time.Microsecond:
		return fmt.Sprintf("%d us", d.Microseconds())
	case d >= time.Microsecond:
		return fmt.Sprintf("%.1f us", float64(d)/1e3)
	}
	return fmt.Sprintf("%d ns", d.Nanoseconds())
}
