package page

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/target"
	"github.com/harena-go/arena/scout/internal/trial"
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
	look := &scout.Look{Package: &target.Package{ImportPath: "example.com/p"}, Unit: sites.Candidate{Function: unit.Function}, All: sites.All{Share: 0.9}, Dump: true,
		Costs: &scout.Costs{}}
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

// TestSourceBesideAdvice: each finding has its line of the source, as text, and none if the file is missing.
func TestSourceBesideAdvice(t *testing.T) {
	file := filepath.Join(t.TempDir(), "unit.go")
	if err := os.WriteFile(file, []byte("package p\n\n\n\n\n\n\t\tx := &T{a < b}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	look := made()
	look.Findings[0].Place.File, look.Findings[0].Advice = file, "arena.New[T](a)"
	var b strings.Builder
	if err := Write(&b, look, nil); err != nil {
		t.Fatal(err)
	}
	const want = `<code class="source">x := &amp;T{a &lt; b}</code>`
	if page := b.String(); !strings.Contains(page, want) || strings.Count(page, "<code") != 1 ||
		strings.Index(page, want) > strings.Index(page, "instead: <b>arena.New[T](a)</b>") {
		t.Errorf("the source isn't beside the advice: %s", page)
	}
}

// TestMeasures: the bars are to scale, and a trial's are the measured ones.
func TestMeasures(t *testing.T) {
	show := func(l *scout.Look, r *trial.Result) string {
		var b strings.Builder
		for _, m := range measures(l, r) {
			fmt.Fprintf(&b, "%s:", m.Name)
			for _, a := range m.Bars {
				fmt.Fprintf(&b, " %s %s %.0f%%;", a.Name, a.Value, a.Width)
			}
		}
		return b.String()
	}
	look := made()
	const heap = "bytes from the heap: before 400 100%; moved 100 25%;objects from the heap: before 2 100%; moved 1 50%;"
	look.Costs = &scout.Costs{Unit: 10 * time.Microsecond, Expect: scout.Expectation{Moved: 1.25, All: 2}}
	took := func(d time.Duration) trial.Gear {
		return trial.Gear{Moved: 1, Measured: trial.Measured{Before: 8 * time.Microsecond, After: d}}
	}
	reuse := took(2 * time.Microsecond)
	r := &trial.Result{Gear: took(5 * time.Microsecond), Reuse: &reuse}
	const cpu = "CPU: before 10µs 100%; moved, expected 8µs 80%; and helpers, expected 5µs 50%; tried: before 8µs 80%; tried: after 5µs 50%; with reuse 2µs 20%;"
	if got := show(look, r); got != heap+cpu {
		t.Errorf("got %s, want %s", got, heap+cpu)
	}
	look.Findings = nil
	if got := show(look, nil); got != "" {
		t.Errorf("nothing is allocated: %s", got)
	}
}

// TestInABrowser: the page fits a telephone and a desktop screen, with any names, and no text overflows its box.
func TestInABrowser(t *testing.T) {
	if _, err := exec.LookPath("chromium"); err != nil || testing.Short() {
		t.Skip("needs Chromium, and some seconds")
	}
	look := made()
	long := strings.Repeat("aVeryLongNameOfAGeneratedType", 8)
	look.Findings[0].Text, look.Findings[0].Advice = "&"+long+"{}", "arena.New["+long+"](a)"
	look.Findings[1].Holder, look.Findings[1].Way = "map[string]*"+long, "global p.cache, "+long
	look.Costs = &scout.Costs{Unit: 10 * time.Microsecond, Expect: scout.Expectation{Moved: 1.25, All: 2}}
	dir := t.TempDir()
	var b strings.Builder
	if err := Write(&b, look, &trial.Result{Gear: trial.Gear{Moved: 1, Measured: trial.Measured{Before: 8e3, After: 5e3, PerRound: []float64{1.6}}}}); err != nil {
		t.Fatal(err)
	}
	const check = `<pre id="found"></pre><script>addEventListener("load", () => { const bad = [];
for (const f of document.querySelectorAll("iframe")) { const d = f.contentDocument, r = d.documentElement;
if (r.scrollWidth > r.clientWidth) bad.push(f.width + ": page is " + r.scrollWidth + " wide");
for (const e of d.querySelectorAll("p, td, th, h1, h2, code, li, caption"))
if (e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 && d.defaultView.getComputedStyle(e).display != "inline")
bad.push(f.width + ": text runs out of " + e.tagName + ": " + e.textContent.slice(0, 40)); }
found.textContent = bad.join("\n") || "nothing"; })</script>`
	find := regexp.MustCompile(`(?s)<pre id="found">(.*?)</pre>`)
	visit := func(page string) string {
		for name, text := range map[string]string{"page.html": page,
			"look.html": `<iframe width="400" height="900" src="page.html"></iframe><iframe width="1280" height="900" src="page.html"></iframe>` + check} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		out, err := exec.Command("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
			"--user-data-dir="+t.TempDir(), "--virtual-time-budget=3000", "--dump-dom", "file://"+filepath.Join(dir, "look.html")).Output()
		m := find.FindSubmatch(out)
		if err != nil || m == nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(m[1])
	}
	if got := visit(`<p style="width:2000px">wide</p>`); !strings.Contains(got, "400: page is 20") {
		t.Fatalf("a page that is too wide isn't found: %s", got)
	}
	if got := visit(b.String()); got != "nothing" {
		t.Error(got)
	}
}
