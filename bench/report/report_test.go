package report

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
)

func judged() *Report {
	r := sample()
	r.Judge()
	return r
}

// shown is the report in all the forms that are texts.
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

// TestEveryFormShowsTheNumbers looks for what must be in all of them: a number
// of each kind, the ratios, the machine.
func TestEveryFormShowsTheNumbers(t *testing.T) {
	r := judged()
	spoil(r, "micro", "new-8", suite.Harena, 9e-9)
	r.Judge()
	for form, text := range shown(t, r) {
		for _, want := range []string{"New, 24 B node with two pointers", "13.4x", "GB/s", "MiB", "full GC, 10,000,000 objects", "pavanmanishd",
			"NOT reached", unexplained, "go1.99", "GOGC=100", "rustc 1.90.0", "go run ./bench -json run.json", "misaligned", "14 of 15 reached", "20m34s"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", form, want)
			}
		}
		for _, bad := range []string{"NaN", "Inf", "%!", "ZgotmplZ", "<nil>"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s contains %q", form, bad)
			}
		}
	}
}

func TestPageNeedsNothingElse(t *testing.T) {
	page := shown(t, judged())["page"]
	for _, want := range []string{"<svg", "prefers-color-scheme: dark", "Test &lt;CPU&gt;", "width=device-width", "</html>"} {
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

// TestEmptyReport shows a run in which nothing was measured.
func TestEmptyReport(t *testing.T) {
	r := &Report{}
	r.Judge()
	shown(t, r)
	if err := r.WriteCharts(t.TempDir()); err != nil || len(r.Goals) != 0 {
		t.Errorf("of nothing: error %v, goals %v", err, r.Goals)
	}
}

// TestFewRoundsAreSaidToBeFew cuts the sample down to three rounds, which prove
// nothing.
func TestFewRoundsAreSaidToBeFew(t *testing.T) {
	r := sample()
	for i := range r.Results {
		r.Results[i].Values = r.Results[i].Values[:3]
	}
	for form, text := range shown(t, r) {
		if !strings.Contains(text, "75% sure") || !strings.Contains(text, "~13.4x") {
			t.Errorf("%s shows three rounds like six", form)
		}
	}
}

// TestRatios are the medians of the rounds' ratios, better being more than 1
// whichever way is better.
func TestRatios(t *testing.T) {
	values := func(v ...float64) []float64 { return v }
	r := &Report{Suites: []Suite{{Name: "s", Peers: []string{"heap", "a", "b"}}}}
	add := func(row, peer string, more bool, v []float64) {
		r.Results = append(r.Results, suite.Result{Suite: "s", Row: row, Peer: peer, More: more, Unit: suite.Seconds, Values: v})
	}
	slow := values(2, 4, 6, 8, 10, 12)
	fast := values(1, 2, 3, 4, 5, 6)
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
			t.Errorf("row %s: base %s, cells %+v; want %+v", w.Name, w.Base, w.Cells, want)
		}
	}
	if rows[0].find("b").Significant {
		t.Error("1..6 and 2..12 overlap too much for six rounds to tell them apart")
	}
}

func TestJSONRoundTrip(t *testing.T) {
	r := judged()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	back, err := Load(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, r) {
		t.Error("what comes back isn't what was written")
	}
	for _, key := range []string{`"machine":`, `"suites":`, `"results":`, `"curves":`, `"remarks":`, `"goals":`, `"notes":`, `"plot":"loglog"`} {
		if !bytes.Contains(text, []byte(key)) {
			t.Errorf("the documented form has %s", key)
		}
	}
	for _, bad := range []string{"", "{}", "[1]", "no"} {
		if _, err := Load(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is taken for a report", bad)
		}
	}
}

func TestOfExportsTheSuite(t *testing.T) {
	s := Of(suite.Suite{Name: "n", Title: "t", About: "a", Peers: []string{"p"}, Once: []string{"o"}, Rounds: 7, Plot: suite.LogLog})
	if !reflect.DeepEqual(s, Suite{Name: "n", Title: "t", About: "a", Peers: []string{"p"}, Once: []string{"o"}, Rounds: 7, Plot: "loglog"}) {
		t.Errorf("exported as %+v", s)
	}
	for p := suite.Bars; p <= suite.TableOnly; p++ {
		if plots[p] == "" {
			t.Errorf("plot %d has no name", p)
		}
	}
}

func TestChartFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "directory")
	if err := sample().WriteCharts(dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"new.svg": "bumpalo", "gc.svg": "10M", "latency.svg": "sync.Pool"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Contains(text, []byte(want)) || !bytes.Contains(text, []byte("prefers-color-scheme: dark")) {
			t.Errorf("%s: %v, or it lacks %s or a dark side", name, err, want)
		}
	}
}

// TestCurvesKeepTheirPeaks thins out a curve with one high point.
func TestCurvesKeepTheirPeaks(t *testing.T) {
	var x, y []float64
	for i := range 1001 {
		x, y = append(x, float64(i)), append(y, 1)
	}
	y[777] = 9
	tx, ty := thin(x, y)
	if len(tx) > mostPoints+1 || slices.Max(ty) != 9 || tx[len(tx)-1] != 1000 {
		t.Errorf("%d points up to %v, the last at %v", len(tx), slices.Max(ty), tx[len(tx)-1])
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
		{amount(4.21e9, suite.BytesPerSecond), "4.21 GB/s"},
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
		{sure(measure.Summarize([]float64{2, 2})), ""},
		{sure(three), "75% sure"},
		{spread(measure.Summarize([]float64{2})), ""},
		{tick(suite.Seconds)(1e-4), "100 µs"},
		{tick(suite.Count)(1e7), "10M"},
		{tick(suite.Bytes)(3 << 20), "3 MiB"},
		{tick(suite.Ratio)(0.5), "0.5x"},
		{percentile(0.99999), "99.999%"},
		{percentile(0.5), "50%"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
