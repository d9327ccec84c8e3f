package report

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
)

// sample is a run of four suites, with all kinds of plots, and a number of rounds of little noise.
func sample(rounds int) *Report {
	r := &Report{Machine: Machine{CPU: "Test <CPU> @ 2.50GHz", Cores: 2, MaxProcs: 2, OS: "linux/amd64", Go: "go1.99",
		Rustc: "rustc 1.90.0", Date: "2031-01-02", Command: "go run ./bench -json run.json", Seconds: 1234,
		Versions: map[string]string{"github.com/ortuman/nuke": "v1.3.0"}}, Notes: []string{"GOGC=100 was set for all of it"}}
	times := map[string]float64{suite.Heap: 20, suite.Nuke: 5.4, suite.Bumpalo: 1.1, suite.Harena: 1.5, "harena-fresh": 40}
	add := func(s suite.Suite, row suite.Result, scale float64) {
		for _, peer := range s.Peers {
			row.Suite, row.Peer, row.Values, row.Remark = s.Name, peer, nil, ""
			for i := range rounds {
				v := times[peer] * scale * (1 + float64(i)/1000)
				if row.More {
					v = scale / times[peer]
				}
				row.Values = append(row.Values, v)
			}
			if peer == suite.Nuke {
				row.Remark = "not zeroed"
			}
			r.Results = append(r.Results, row)
		}
	}
	for _, s := range []suite.Suite{
		{Name: "micro", Title: "Single operations", Plot: suite.Bars},
		{Name: "gc", Title: "One collection", Plot: suite.LogLog},
		{Name: "server-in-process", Title: "A server", Plot: suite.Bars},
		{Name: "checks", Title: "Promises", Plot: suite.TableOnly},
	} {
		s.About, s.Note, s.Rounds = "This says what is measured.", "2,131 files", rounds
		s.Peers = []string{suite.Heap, suite.Nuke, suite.Bumpalo, suite.Harena, "harena-fresh"}
		r.Suites = append(r.Suites, s)
		switch s.Plot {
		case suite.LogLog:
			for _, n := range []float64{1e4, 1e5, 1e6, 1e7} {
				add(s, suite.Result{Row: fmt.Sprintf("full-gc-%.0f", n), Title: "full GC, " + count(n), X: n, Unit: suite.Seconds}, n*1e-9)
			}
		case suite.TableOnly:
			add(s, suite.Result{Row: "misaligned", Title: "misaligned objects", Unit: suite.Count}, 0)
		default:
			add(s, suite.Result{Row: "new-64", Group: "fixed", Title: "New, 64 B", Unit: suite.Seconds}, 1e-9)
			add(s, suite.Result{Row: "rps", Title: "requests per second", Unit: suite.PerSecond, More: true}, 1e6)
			add(s, suite.Result{Row: "peak-rss", Title: "memory", Unit: suite.Bytes}, 1<<20)
		}
	}
	for _, peer := range r.Suites[2].Peers {
		r.Curves = append(r.Curves, suite.Curve{Suite: "server-in-process", Peer: peer, X: measure.CurveQuantiles, Y: measure.CurveQuantiles})
	}
	r.Remarks = []suite.Remark{{Peer: suite.Nuke, Text: "returns memory that is not zeroed"}}
	return r
}

// shown returns the report in all its forms.
func shown(t *testing.T, r *Report) map[string]string {
	t.Helper()
	var terminal, page, markdown strings.Builder
	r.Print(&terminal)
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteMarkdown(&markdown); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"terminal": terminal.String(), "page": page.String(), "markdown": markdown.String()}
}

// TestEveryFormShowsTheNumbers: all forms have a number of each kind, the ratios, the machine.
func TestEveryFormShowsTheNumbers(t *testing.T) {
	for form, text := range shown(t, sample(6)) {
		for _, want := range []string{"New, 64 B", "13.3x", "18.2x", "MiB", "full GC", "nuke", "go1.99",
			"GOGC=100", "rustc 1.90.0", "go run ./bench -json run.json", "misaligned", "20m34s", "2,131 files"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", form, want)
			}
		}
		for _, bad := range []string{"NaN", "Inf", "%!", "ZgotmplZ", "<nil>", "#0000"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s contains %q", form, bad)
			}
		}
	}
}

// TestPage: the page has all charts, and is self-contained.
func TestPage(t *testing.T) {
	page := shown(t, sample(6))["page"]
	if n := strings.Count(page, "<svg"); n != 6 {
		t.Errorf("%d charts, want one for each of the four groups, one of lines and one of latencies", n)
	}
	for _, want := range []string{"prefers-color-scheme: dark", "Test &lt;CPU&gt;", "width=device-width", "</html>",
		"var(--harena)", "[1] nuke: not zeroed", `role="img" aria-label=`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	page = strings.ReplaceAll(page, `xmlns="http://www.w3.org/2000/svg"`, "")
	for _, bad := range []string{"http:", "https:", "<script", "<link", "url(", "@import"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
}

// TestColours: each variable that charts use has a value on light and on dark pages.
func TestColours(t *testing.T) {
	for _, name := range colours {
		if strings.Count(theme, "--"+name+":") != 2 {
			t.Errorf("--%s is not set twice", name)
		}
	}
}

func TestEmptyReport(t *testing.T) {
	shown(t, &Report{})
	if err := new(Report).WriteCharts(t.TempDir()); err != nil {
		t.Error(err)
	}
}

// TestBrief: the summary has the measured rows, with their ranges, and fits a screen.
func TestBrief(t *testing.T) {
	var b strings.Builder
	sample(2).PrintBrief(&b)
	for _, want := range []string{"New, 64 bytes", "one full GC, 10 million live nodes", "log server, requests per second", "13.3x (13.3x to 13.3x)"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
	if n := strings.Count(b.String(), "\n"); n > 40 {
		t.Errorf("%d lines", n)
	}
}

// TestFewRoundsAreSaidToBeFew: three rounds prove nothing.
func TestFewRoundsAreSaidToBeFew(t *testing.T) {
	for form, text := range shown(t, sample(3)) {
		if !strings.Contains(text, "75% sure") || !strings.Contains(text, "~13.3x") {
			t.Errorf("%s shows three rounds like six", form)
		}
	}
}

// TestRatios: ratios are the medians of the rounds' ratios, and a better value has a ratio above 1.
func TestRatios(t *testing.T) {
	r := &Report{Suites: []suite.Suite{{Name: "s", Peers: []string{"heap", "a", "b"}}}}
	add := func(row, peer string, more bool, v []float64) {
		r.Results = append(r.Results, suite.Result{Suite: "s", Row: row, Peer: peer, More: more, Unit: suite.Seconds, Values: v})
	}
	slow, fast := []float64{2, 4, 6, 8, 10, 12}, []float64{1, 2, 3, 4, 5, 6}
	add("less", "b", false, fast)
	add("less", "heap", false, slow)
	add("more", "heap", true, slow)
	add("more", "a", true, fast)
	add("no base", "b", false, fast)
	add("no base", "a", false, slow)
	rows := r.rows(r.Suites[0])
	for i, want := range []struct {
		base, peer string
		ratio      float64
		best       string
	}{{"heap", "b", 2, "b"}, {"heap", "a", 0.5, "heap"}, {"a", "b", 2, "b"}} {
		w := rows[i]
		if w.Base != want.base || !math.IsNaN(w.Cells[0].Ratio) || w.find(want.peer).Ratio != want.ratio || w.sorted()[0].Peer != want.best {
			t.Errorf("row %s: base %s, cells %+v; want %+v", w.Row, w.Base, w.Cells, want)
		}
	}
	if rows[0].find("b").Sure {
		t.Error("1..6 and 2..12 overlap too much for six rounds to tell them apart")
	}
}

// TestDoubt: a possibly noisy ratio has a reason. With too few rounds for a test that is its range, since "179x, not
// significant" contradicts itself.
func TestDoubt(t *testing.T) {
	for _, c := range []struct {
		heap, harena []float64
		doubt        string
	}{
		{[]float64{180, 179, 200}, []float64{1, 1, 1}, "3 rounds, from 179x to 200x"},
		{[]float64{180}, []float64{1}, "one round"},
		{[]float64{9, 11, 10, 12, 8, 10}, []float64{11, 9, 10, 8, 12, 10}, "not significant"},
		{[]float64{180, 181, 182, 183, 184, 185}, []float64{1, 1.01, 1.02, 1.03, 1.04, 1.05}, ""},
	} {
		r := &Report{Suites: []suite.Suite{{Name: "s", Peers: []string{suite.Heap, suite.Harena}}}}
		for peer, values := range map[string][]float64{suite.Heap: c.heap, suite.Harena: c.harena} {
			r.Results = append(r.Results, suite.Result{Suite: "s", Row: "a", Unit: suite.Seconds, Peer: peer, Values: values})
		}
		w := r.row("s", "a")
		if got := w.find(suite.Harena).doubt(); got != c.doubt {
			t.Errorf("%q, want %q", got, c.doubt)
		}
		if got := w.find(suite.Heap).doubt(); got != "" {
			t.Errorf("the base itself is doubted: %q", got)
		}
	}
}

// TestEveryPeerHasALook: peers of one suite look different in charts.
func TestEveryPeerHasALook(t *testing.T) {
	for _, peers := range [][]suite.Peer{suite.Peers, suite.JSONPeers, suite.WirePeers, suite.RowPeers} {
		seen := map[string]string{}
		for _, p := range peers {
			l := lookOf(p.Name)
			key := l.Colour + l.Sign
			if other := seen[key]; other != "" || l.Colour == "other" {
				t.Errorf("%s looks as %s does", p.Name, other)
			}
			seen[key] = p.Name
		}
	}
}

func TestChartFiles(t *testing.T) {
	dir := t.TempDir()
	if err := sample(6).WriteCharts(dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"new.svg": "18.2x", "gc.svg": ">10M<"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(text), want) || !strings.Contains(string(text), "prefers-color-scheme: dark") {
			t.Errorf("%s: %v, or it lacks %s or a dark side", name, err, want)
		}
	}
}

func TestFormat(t *testing.T) {
	three := measure.Summarize([]float64{1, 2, 3})
	for _, c := range []struct{ got, want string }{
		{amount(1.2345, suite.Seconds), "1.23 s"},
		{amount(0.0123, suite.Seconds), "12.3 ms"},
		{amount(0.000123, suite.Seconds), "123 µs"},
		{amount(1.05e-9, suite.Seconds), "1.05 ns"},
		{amount(0.9999e-6, suite.Seconds), "1.00 µs"},
		{amount(0, suite.Seconds), "0 s"},
		{amount(100, suite.Bytes), "100 B"},
		{amount(8<<20, suite.Bytes), "8.00 MiB"},
		{amount(16100, suite.PerSecond), "16,100/s"},
		{amount(16.1e6, suite.PerSecond), "16.1 M/s"},
		{amount(0.01, suite.Count), "0.01"},
		{amount(1234567, suite.Count), "1,234,567"},
		{amount(12.34, suite.Ratio), "12.3x"},
		{amount(12345, suite.Ratio), "12.3kx"},
		{amount(999_600, suite.Ratio), "1.00Mx"},
		{amount(math.NaN(), suite.Ratio), none},
		{withSpread(three, suite.Count), "2 ±50% (75% sure)"},
		{spread(measure.Summarize([]float64{2, 2})), ""},
		{spread(measure.Summarize([]float64{2})), ""},
		{tick(1e-4, suite.Seconds), "100 µs"},
		{tick(1e7, suite.Count), "10M"},
		{tick(3<<20, suite.Bytes), "3 MiB"},
		{tick(0.5, suite.Ratio), "0.5x"},
		{tick(20, suite.Ratio), "20x"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
