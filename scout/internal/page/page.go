// Package page shows a look as one HTML page: a flame graph of a unit's allocations, coloured by verdict, the lines,
// and the holders. The page needs no network and has no script. It must not judge anything.
package page

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/harena-go/arena/scout/internal/report"
	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/trial"
	"github.com/harena-go/arena/scout/internal/verdict"
)

//go:embed page.html
var text string

var page = template.Must(template.New("page").Parse(text))

// The page has, from top to bottom: the screen of the terminal, bars for a unit before and after, the flame graph of
// its bytes, and the findings by verdict with their lines of the source. It is one file, to be attached to an issue or
// a review, so it contains its styles.

// A box is a call in the flame graph, or the expression that allocates.
type box struct {
	Name    string  // in the box
	Title   string  // shown when the mouse is over the box
	Class   string  // the verdict of an expression, or "call"
	X, W    float64 // left edge and width, in percent of the graph's width
	Y       int     // upper edge, in pixels
	Visible bool    // wide enough for its name
}

const (
	rowHeight = 18   // pixels
	tooSmall  = 0.15 // percent of the width, below which there is no box
	readable  = 3.0  // percent, from which on a box has its name in it
)

// A section is the findings of a verdict.
type section struct {
	Verdict verdict.Verdict
	Means   string
	Share   string
	Lines   []line
}

// A line is a finding with its place in the source. Numbers are those of a unit.
type line struct {
	Place, What, Advice, Holder, Way string
	Source                           string // the line as it is in the file; "" if that can't be read
	Objects, Bytes, Share            string
	Width                            float64 // of the bar of its bytes, in percent of the unit's
	Alive                            string  // how many of the objects outlive their unit
}

// means explains each verdict.
var means = map[verdict.Verdict]string{
	verdict.Move:   "dies with its unit: allocate it from the arena",
	verdict.Helper: "dies with its unit, but a library or a map has made it",
	verdict.Hoist:  "is built again in each unit, and equal: build it once",
	verdict.Clone:  "nearly all of it dies: copy what stays, where it is kept",
	verdict.Keep:   "lives on",
	verdict.Leave:  "dies with its unit, but an arena has nothing for it",
}

// The flame graph is made of <div> elements in percent of the width, so that it fits every screen without a
// script; the full name of a box and its bytes are in its title.

// Write writes the page. r is nil if nothing was tried.
func Write(w io.Writer, l *scout.Look, r *trial.Result) error {
	var screen strings.Builder
	report.Text(&screen, l, false)
	if r != nil {
		report.Trial(&screen, l, r)
	}
	boxes, height := flames(l)
	return page.Execute(w, map[string]any{
		"Title":    sites.Bare(l.Unit.Function) + " of " + l.Package.ImportPath,
		"Screen":   screen.String(),
		"Measures": measures(l, r),
		"Boxes":    boxes,
		"Height":   height,
		"Sections": sections(l),
		"Order":    verdict.Order,
	})
}

// sections returns the findings by verdict, in the order of verdict.Order. Verdicts without findings are left out.
func sections(l *scout.Look) (all []section) {
	_, total := report.Sum(l.Findings)
	files := sources{}
	for _, v := range verdict.Order {
		s := section{Verdict: v, Means: means[v]}
		var sum float64
		for _, f := range l.Findings {
			if f.Verdict != v {
				continue
			}
			sum += f.Bytes
			share := 100 * f.Bytes / max(total, 1)
			s.Lines = append(s.Lines, line{
				Place: fmt.Sprintf("%s:%d", filepath.Base(f.Place.File), f.Place.Line), What: report.What(f),
				Advice: f.Advice, Holder: f.Holder, Way: f.Way, Source: files.line(f.Place.File, f.Place.Line),
				Objects: plain(f.Objects), Bytes: plain(f.Bytes),
				Share: fmt.Sprintf("%.1f%%", share), Width: share, Alive: alive(f.Alive),
			})
		}
		if s.Share = fmt.Sprintf("%.1f%%", 100*sum/max(total, 1)); len(s.Lines) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// alive says what share of objects outlives its unit.
func alive(share float64) string {
	if share == 0 {
		return "none outlives it"
	}
	return fmt.Sprintf("%.1f%% outlive it", 100*share)
}

// sources caches the lines of files by name.
type sources map[string][]string

// line returns a line of a file without its indentation, or "" if there is none: the file may have moved since.
func (s sources) line(file string, n int) string {
	lines, ok := s[file]
	if !ok {
		text, _ := os.ReadFile(file)
		lines = strings.Split(string(text), "\n")
		s[file] = lines
	}
	if n < 1 || n > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[n-1])
}

// A node is a call with its callees. Its bytes, of one unit, are at least the sum of its children's, so that their
// boxes fit beneath its own.
type node struct {
	name, title, class string
	bytes              float64
	children           map[string]*node // by function, or by place and verdict
}

// child returns the child with a key, and makes it if it is missing.
func (n *node) child(key, name, title, class string) *node {
	if n.children == nil {
		n.children = map[string]*node{}
	}
	c := n.children[key]
	if c == nil {
		c = &node{name: name, title: title, class: class}
		n.children[key] = c
	}
	return c
}

// flames returns the boxes of the graph, and its height in pixels. The unit is at the top, each callee beneath its
// caller. Equal paths share one box, and the innermost boxes are the expressions.
func flames(l *scout.Look) (boxes []box, height int) {
	root := &node{name: sites.Bare(l.Unit.Function), title: l.Unit.Function, class: "call"}
	for _, f := range l.Findings {
		for _, s := range f.Sites {
			// The path has the innermost call first. The graph grows from the unit inwards.
			at := root
			bytes := float64(s.Bytes) / float64(max(l.All.Units, 1))
			at.bytes += bytes
			for i := len(s.Path) - 2; i >= 0; i-- {
				call := s.Path[i]
				at = at.child(call.Function, sites.Bare(call.Function), call.Function, "call")
				at.bytes += bytes
			}
			place := fmt.Sprintf("%s:%d", filepath.Base(f.Place.File), f.Place.Line)
			// The blank keeps an expression apart from a call of the same name.
			leaf := at.child(" "+place+string(f.Verdict)+report.What(f), place+" "+report.What(f), string(f.Verdict),
				string(f.Verdict))
			leaf.bytes += bytes
		}
	}
	if root.bytes == 0 {
		return nil, 0
	}
	var place func(n *node, x float64, depth int)
	place = func(n *node, x float64, depth int) {
		w := 100 * n.bytes / root.bytes
		// Thousands of slivers would make the page large, and nobody could hit one.
		if w < tooSmall {
			return
		}
		height = max(height, (depth+1)*rowHeight)
		boxes = append(boxes, box{Name: n.name, Title: fmt.Sprintf("%s: %s, %.0f bytes a unit, %.1f%%", n.name,
			n.title, n.bytes, w), Class: n.class,
			X: x, W: w, Y: depth * rowHeight, Visible: w >= readable})
		// The widest first, so that it is found at the left of its caller.
		children := make([]*node, 0, len(n.children))
		for _, c := range n.children {
			children = append(children, c)
		}
		slices.SortFunc(children, func(a, b *node) int {
			return cmp.Or(cmp.Compare(b.bytes, a.bytes), strings.Compare(a.name, b.name),
				strings.Compare(a.class, b.class))
		})
		for _, c := range children {
			place(c, x, depth+1)
			x += 100 * c.bytes / root.bytes
		}
	}
	place(root, 0, 0)
	return boxes, height
}
