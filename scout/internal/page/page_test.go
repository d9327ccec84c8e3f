package page

import (
	"strings"
	"testing"

	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/target"
	"github.com/harena-go/arena/scout/internal/verdict"
)

// made returns a look at a unit that calls one function, which allocates in two lines.
func made() *scout.Look {
	unit := probe.Frame{Function: "example.com/p.Unit", File: "/p/unit.go", Line: 3}
	call := func(line int) []probe.Frame {
		return []probe.Frame{{Function: "example.com/p.call", File: "/p/unit.go", Line: line}, unit}
	}
	finding := func(v verdict.Verdict, line int, text string, bytes int64) verdict.Finding {
		s := sites.Site{Path: call(line), Place: call(line)[0], Objects: 10, Bytes: 10 * bytes}
		return verdict.Finding{Verdict: v, Place: s.Place, Text: text, Bytes: float64(bytes), Objects: 1, Sites: []sites.Site{s}}
	}
	look := &scout.Look{Package: &target.Package{ImportPath: "example.com/p"}, Unit: sites.Candidate{Function: unit.Function}, Share: 0.9, Dump: true}
	look.All.Units = 10
	look.Findings = []verdict.Finding{finding(verdict.Move, 7, "&T{}", 300), finding(verdict.Keep, 9, `"<script>" + s`, 100)}
	look.Findings[1].Holder = "Service.<names>"
	return look
}

// TestPage: the page has all findings in their sections, with nothing of the program's text as markup, and needs no network.
func TestPage(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, made(), nil); err != nil {
		t.Fatal(err)
	}
	html := b.String()
	for _, want := range []string{"Unit of example.com/p", "unit.go:7", "&amp;T{}", "75.0%: dies with its unit", "&#34;&lt;script&gt;&#34; &#43; s", "Service.&lt;names&gt;"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for _, bad := range []string{"<script", "http:", "https:", "src=", "ZgotmplZ"} {
		if strings.Contains(html, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
}

// TestFlames: a box is as wide as its bytes, below its caller, next to its neighbours.
func TestFlames(t *testing.T) {
	boxes, height := flames(made())
	var got []string
	for _, b := range boxes {
		got = append(got, b.Name+" "+b.Class)
		if b.Name == "unit.go:9 \"<script>\" + s" && (b.X != 75 || b.W != 25 || b.Y != 2*rowHeight) {
			t.Errorf("box %+v", b)
		}
	}
	want := "Unit call, call call, unit.go:7 &T{} move, unit.go:9 \"<script>\" + s keep"
	if strings.Join(got, ", ") != want || height != 3*rowHeight {
		t.Errorf("got %s, height %d; want %s", strings.Join(got, ", "), height, want)
	}
}
