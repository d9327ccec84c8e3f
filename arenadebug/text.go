package arenadebug

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// This file writes the report for a terminal, and numbers with their units for all forms.

// text writes the report for a terminal.
func (r *report) text(b *strings.Builder) {
	for _, f := range r.Findings {
		fmt.Fprintf(b, "! %s\n", f)
	}
	if len(r.Findings) == 0 {
		fmt.Fprintln(b, nothingWrong)
	}
	fmt.Fprintf(b, "saved so far: %s\n", r.Saved.words())
	for i := range r.Pools {
		r.Pools[i].text(b)
	}
}

// nothingWrong stands for the findings if there are none.
const nothingWrong = "Nothing is wrong that can be seen from here."

// text writes a pool: a line of totals, then keys, types and leases, each on lines of their own, for grep.
func (p *poolReport) text(b *strings.Builder) {
	s := &p.Stats
	fmt.Fprintf(b, "\n%s\n  %s\n", p.Name, s.String())
	fmt.Fprintf(b, "  idle %d, refused %d, checked %d, escapes %d, waste %s; ",
		s.Idle, s.LimitHits, s.Checked, s.Escapes, size(s.Waste))
	fmt.Fprintf(b, "use p50 %s, p90 %s, p99 %s, from the heap %s\n",
		size(s.Usage.P50), size(s.Usage.P90), size(s.Usage.P99), size(s.Usage.Taken))
	if p.Rates != nil {
		fmt.Fprintf(b, "  now %s gets/s, %s/s, %s resets/s\n",
			number(p.Rates.Gets), sizeOf(p.Rates.Bytes), number(p.Rates.Resets))
	}
	for _, k := range p.keys() {
		fmt.Fprintf(b, "  key %q: %d gets, %d lent, %s reserved; use p50 %s, p99 %s, from the heap %s; %s in all\n",
			k.Name, k.Gets, k.Live, size(k.Reserved), size(k.Usage.P50), size(k.Usage.P99), size(k.Usage.Taken),
			sizeOf(float64(k.Used)))
	}
	for _, t := range p.types() {
		fmt.Fprintf(b, "  %s a get for %s\n", size(t.bytes), t)
	}
	for _, g := range p.Groups {
		fmt.Fprintf(b, "  %s, the oldest for %s\n", count(g.Count, "lease"), ago(g.Oldest))
		for _, line := range g.Stack {
			fmt.Fprintf(b, "    %s\n", line)
		}
	}
}

// String returns the type's name, or words for all without one.
func (t typeBytes) String() string {
	if t.name == "" {
		return "types without pointers"
	}
	return t.name
}

// words returns the savings, and the method of the estimates.
func (v saved) words() string {
	// Without their method the estimates would be taken for counts.
	text := fmt.Sprintf("%s, about %s objects, ", sizeOf(float64(v.Bytes)), number(float64(v.Objects)))
	if v.GOGC < 0 {
		return text + "no collections, since GOGC is off"
	}
	return text + fmt.Sprintf("about %s collections (an estimate: bytes / (live heap of %s × GOGC %d%%))",
		number(float64(v.Collections)), size(max(v.LiveHeap, smallestHeap)), v.GOGC)
}

// count returns a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// size returns a number of bytes with a unit.
func size(n int) string { return sizeOf(float64(n)) }

// sizeOf is size for numbers that may exceed an int of 32 bits.
func sizeOf(v float64) string {
	// Binary units, as chunks are powers of two.
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for ; v >= 1024 && i < len(units)-1; i++ {
		v /= 1024
	}
	if i == 0 {
		return fmt.Sprintf("%.0f B", v)
	}
	return fmt.Sprintf("%.1f %s", v, units[i])
}

// ago returns a time with one unit.
func ago(d time.Duration) string {
	switch {
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	case d >= 2*time.Minute:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d s", d/time.Second)
}

// share returns a part of a whole in percent.
func share(part, whole float64) string {
	p := 100 * part / max(1, whole)
	// A part above zero isn't shown as 0%.
	if p > 0 && p < 1 {
		return "<1%"
	}
	return fmt.Sprintf("%.0f%%", p)
}

// short returns a number of bytes for a scale or a label, without a zero fraction.
func short(v float64) string { return strings.Replace(sizeOf(v), ".0 ", " ", 1) }

// number returns a number in at most five characters.
func number(v float64) string {
	for _, u := range []struct {
		in   float64
		name string
	}{{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}} {
		// 999.7 rounds to 1,000, which is 1 k.
		if math.Abs(v) >= u.in*0.9995 {
			return digits(v/u.in) + u.name
		}
	}
	return digits(v)
}

// digits returns a number below 1,000 with up to three digits.
func digits(v float64) string {
	if v == math.Trunc(v) || v >= 99.95 {
		return fmt.Sprintf("%.0f", v)
	}
	if v >= 9.995 {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2g", v)
}
