// Package diff writes what differs between two texts as a patch, as git apply and patch take it. It must not depend on
// what the texts are.
package diff

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// context is how many equal lines are shown around what differs.
const context = 3

// Unified returns the patch that makes one text of a file into another, "" if they are equal. Without a text before,
// that is nil, it makes the file.
func Unified(name string, before, after []byte) string {
	if bytes.Equal(before, after) {
		return ""
	}
	a, b := lines(before), lines(after)
	var out strings.Builder
	old := "a/" + name
	if before == nil {
		old = "/dev/null"
		fmt.Fprintf(&out, "diff --git a/%s b/%s\nnew file mode 100644\n", name, name)
	}
	fmt.Fprintf(&out, "--- %s\n+++ b/%s\n", old, name)
	for _, h := range hunks(script(a, b)) {
		h.write(&out, a, b)
	}
	return out.String()
}

// A Change puts lines [B0, B1) of one text in the place of lines [A0, A1) of another.
type Change struct{ A0, A1, B0, B1 int }

// Changes returns the lines of both texts, and what makes the first into the second.
func Changes(before, after []byte) (a, b []string, changes []Change) {
	a, b = lines(before), lines(after)
	for _, c := range script(a, b) {
		changes = append(changes, Change{c.a0, c.a1, c.b0, c.b1})
	}
	return a, b, changes
}

// lines splits a text behind each newline.
func lines(text []byte) []string {
	// An empty text has no lines, not one empty line.
	if len(text) == 0 {
		return nil
	}
	all := strings.SplitAfter(string(text), "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// Both texts span a grid: a step to the right drops a line of a, a step down adds a line of b, and a diagonal
// step keeps a line that both have, which costs nothing. The shortest way from the upper left to the lower
// right is the patch.
//
//	      a1  a2  a3
//	    ┌──┬───┬───┐
//	 b1 │ \│   │   │      a1 is b1: kept
//	    ├──┼───┼───┤
//	 b2 │  │   │ \ │      a2 is dropped, a3 is b2: kept
//	    └──┴───┴───┘
//
// Rounds d = 0, 1, 2 ... find how far one comes on each diagonal with d steps that cost something.

// A change replaces lines [a0, a1) of one text by lines [b0, b1) of the other.
type change struct{ a0, a1, b0, b1 int }

// script returns the changes in their order. It finds the shortest way through the grid of both texts, by Myers; from
// each end what is equal is left out before.
func script(a, b []string) []change {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && a[endA-1] == b[endB-1] {
		endA--
		endB--
	}
	var all []change
	add := func(c change) {
		if n := len(all); n > 0 && all[n-1].a1 == c.a0 && all[n-1].b1 == c.b0 {
			all[n-1].a1, all[n-1].b1 = c.a1, c.b1
			return
		}
		all = append(all, c)
	}
	x, y := start, start
	for _, step := range steps(a[start:endA], b[start:endB]) {
		switch step {
		case same:
			x++
			y++
		case gone:
			add(change{x, x + 1, y, y})
			x++
		case come:
			add(change{x, x, y, y + 1})
			y++
		}
	}
	return all
}

const (
	same = iota
	gone
	come
)

// steps returns the way from the beginning of both texts to their ends: for each step same, gone (a line of a is
// dropped) or come (a line of b is added). It takes time in proportion to the lines times the number of changes.
func steps(a, b []string) []int {
	n, m := len(a), len(b)
	furthest := make([]int, 2*(n+m)+2) // by diagonal: how far in a one comes with so many steps that aren't equal
	middle := n + m
	// Memory is quadratic in the number of changes, not in the size of the files: patches are small.
	var trace [][]int // furthest before each round
	for d := 0; ; d++ {
		trace = append(trace, append([]int(nil), furthest[middle-d:middle+d+1]...))
		for k := -d; k <= d; k += 2 {
			x := 0
			switch {
			case d == 0:
			// The way comes from the neighbouring diagonal that is further along: a line added, or one
			// removed.
			case k == -d || k != d && furthest[middle+k-1] < furthest[middle+k+1]:
				x = furthest[middle+k+1]
			default:
				x = furthest[middle+k-1] + 1
			}
			y := x - k
			// Equal lines cost nothing.
			for x < n && y < m && a[x] == b[y] {
				x++
				y++
			}
			furthest[middle+k] = x
			if x >= n && y >= m {
				return back(trace, n, m, d)
			}
		}
	}
}

// back finds the way by going it from its end to its beginning. x and y are the numbers of lines, and trace[d] has, for
// the diagonals from -d to d, how far in a the rounds before d have come.
func back(trace [][]int, x, y, d int) []int {
	var way []int
	for ; d > 0; d-- {
		at := func(k int) int { return trace[d][k+d] }
		k := x - y
		down := k == -d || k != d && at(k-1) < at(k+1)
		from := k - 1
		if down {
			from = k + 1
		}
		px := at(from)
		py := px - from
		// Where the step that isn't equal ends; what lies between it and (x, y) is equal.
		edgeX, edgeY := px+1, py
		if down {
			edgeX, edgeY = px, py+1
		}
		for x > edgeX && y > edgeY {
			way = append(way, same)
			x--
			y--
		}
		if down {
			way = append(way, come)
		} else {
			way = append(way, gone)
		}
		x, y = px, py
	}
	for ; x > 0; x-- {
		way = append(way, same)
	}
	slices.Reverse(way)
	return way
}

// A hunk is changes that are so close that they are shown together.
type hunk []change

// hunks joins changes whose surroundings would touch.
func hunks(all []change) (found []hunk) {
	for i, c := range all {
		if i > 0 && c.a0-all[i-1].a1 <= 2*context {
			found[len(found)-1] = append(found[len(found)-1], c)
			continue
		}
		found = append(found, hunk{c})
	}
	return found
}

// write writes the hunk with its head. Line numbers count from 1.
func (h hunk) write(out *strings.Builder, a, b []string) {
	first, last := h[0], h[len(h)-1]
	before := min(context, first.a0)
	after := min(context, len(a)-last.a1)
	fmt.Fprintf(out, "@@ -%s +%s @@\n", extent(first.a0-before, last.a1+after), extent(first.b0-before, last.b1+after))
	at := first.a0 - before
	for _, c := range h {
		put(out, " ", a[at:c.a0])
		put(out, "-", a[c.a0:c.a1])
		put(out, "+", b[c.b0:c.b1])
		at = c.a1
	}
	put(out, " ", a[at:last.a1+after])
}

// extent says where lines are, counted from 1: of none, behind which line.
func extent(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

// put writes lines with a mark, and says where the last has no newline, as git expects.
func put(out *strings.Builder, mark string, lines []string) {
	for _, line := range lines {
		out.WriteString(mark + line)
		if !strings.HasSuffix(line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
