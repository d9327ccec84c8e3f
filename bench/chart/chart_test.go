package chart

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// An element is a piece of an SVG with its attributes.
type element struct {
	name  string
	at    map[string]string
	words string
}

// f is an attribute as a number.
func (e element) f(t *testing.T, name string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(e.at[name], 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		t.Errorf("<%s> has %s=%q", e.name, name, e.at[name])
	}
	return v
}

// read takes an SVG apart; it fails if it isn't well-formed.
func read(t *testing.T, svg string) []element {
	t.Helper()
	var es []element
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return es
		}
		if err != nil {
			t.Fatalf("not well-formed: %v in\n%s", err, svg)
		}
		switch x := token.(type) {
		case xml.StartElement:
			e := element{name: x.Name.Local, at: map[string]string{}}
			for _, a := range x.Attr {
				e.at[a.Name.Local] = a.Value
			}
			es = append(es, e)
		case xml.CharData:
			if len(es) > 0 {
				es[len(es)-1].words += strings.TrimSpace(string(x))
			}
		}
	}
}

func pick(es []element, name, class string) []element {
	var some []element
	for _, e := range es {
		if e.name == name && strings.Contains(" "+e.at["class"]+" ", " "+class+" ") {
			some = append(some, e)
		}
	}
	return some
}

func units(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "-"
	}
	return strconv.FormatFloat(v, 'g', 3, 64) + " u"
}

var (
	heap = Style{Class: "heap", Marker: Square}
	ours = Style{Class: "harena", Strong: true}
)

// TestAllChartsAreSound draws each kind with awkward values: nothing may be
// outside of the frame or without a place, and there are words for those who
// can't see it.
func TestAllChartsAreSound(t *testing.T) {
	odd := []float64{1e-9, 0, -1, math.NaN(), math.Inf(1), 3, 1e12}
	name := `<"&>`
	var bars []Bar
	var dots []Dot
	for _, v := range odd {
		bars = append(bars, Bar{Label: name, Style: ours, Value: v, Low: v / 2, High: v * 3, Text: units(v), Tip: name})
		dots = append(dots, Dot{Name: name, Style: heap, Value: v, Tip: name})
	}
	lines := []Line{{Name: name, Style: ours, X: odd, Y: odd, Low: odd, High: odd}, {Name: "empty"}, {Name: "one", X: []float64{1}, Y: []float64{1}}}
	charts := map[string]string{"no bars": Bars{Title: "t"}.SVG(), "no dots": Dots{Title: "t", Axis: Axis{Scale: Log, Format: units}}.SVG()}
	for _, s := range []Scale{Linear, Log, Quantile} {
		a := Axis{Title: name, Scale: s, Format: units}
		charts[fmt.Sprint("lines ", s)] = Lines{Title: "t", Desc: name, X: a, Y: a, Lines: lines}.SVG()
		charts[fmt.Sprint("no lines ", s)] = Lines{Title: "t", X: a, Y: a}.SVG()
		charts[fmt.Sprint("bars ", s)] = Bars{Title: "t", Desc: name, Scale: s, Bars: bars}.SVG()
	}
	charts["dots"] = Dots{Title: "t", Desc: name, Axis: Axis{Scale: Log, Format: units}, Rows: []DotRow{{Label: name, Best: name, Dots: dots}}}.SVG()
	for m := Circle; m <= Plus; m++ {
		charts[fmt.Sprint("key ", m)] = Key(Style{Class: "heap", Marker: m})
	}
	for what, svg := range charts {
		es := read(t, svg)
		frame := strings.Fields(es[0].at["viewBox"])
		height, _ := strconv.ParseFloat(frame[3], 64)
		if es[0].at["role"] != "img" && es[0].at["aria-hidden"] == "" {
			t.Errorf("%s: says nothing to those who can't see it", what)
		}
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("%s: a mark without a place:\n%s", what, svg)
		}
		for _, e := range es {
			for axis, most := range map[string]float64{"x": Width, "cx": Width, "x1": Width, "x2": Width, "y": height, "cy": height, "y1": height, "y2": height} {
				if _, ok := e.at[axis]; ok {
					if v := e.f(t, axis); v < 0 || v > most {
						t.Errorf("%s: <%s> %q has %s=%v, beyond %v", what, e.name, e.words, axis, v, most)
					}
				}
			}
		}
	}
}

func TestBarsAreAsLongAsTheirValues(t *testing.T) {
	es := read(t, Bars{Title: "t", Bars: []Bar{
		{Label: "a", Style: ours, Value: 10, Low: 9, High: 11, Text: "10"},
		{Label: "b", Style: heap, Value: 40, Low: 40, High: 40, Text: "40"},
		{Label: "c", Style: heap, Value: 20, Low: 19.9, High: 20.1, Text: "20"},
	}}.SVG())
	w := pick(es, "rect", "bar")
	if a, b := w[0].f(t, "width"), w[1].f(t, "width"); math.Abs(b/a-4) > 0.01 {
		t.Errorf("10 is %v long and 40 is %v", a, b)
	}
	if n := len(pick(es, "line", "whisker")); n != 3 {
		t.Errorf("%d strokes of whiskers, want 3: one with two caps, and none where it can't be seen", n)
	}
	// On a logarithmic scale equal ratios are equal distances.
	es = read(t, Bars{Title: "t", Scale: Log, Bars: []Bar{{Value: 1}, {Value: 100}, {Value: 10_000}}}.SVG())
	w = pick(es, "rect", "bar")
	if a, b, c := w[0].f(t, "width"), w[1].f(t, "width"), w[2].f(t, "width"); math.Abs((c-b)-(b-a)) > 0.3 || a <= 1 {
		t.Errorf("1, 100, 10,000 are %v, %v, %v long", a, b, c)
	}
}

func TestScales(t *testing.T) {
	for _, c := range []struct {
		scale  Scale
		values []float64 // the last but one is in the middle
	}{{Linear, []float64{0, 5, 10}}, {Log, []float64{1, 10, 100}}, {Quantile, []float64{0.9, 0.99, 0.999}}} {
		r := newRuler(Axis{Scale: c.scale}, c.values, 100, 200)
		for i, want := range []float64{100, 150, 200} {
			if got := r.at(c.values[i]); math.Abs(got-want) > 1e-6 {
				t.Errorf("scale %d: %v is at %v, want %v", c.scale, c.values[i], got, want)
			}
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		axis   Axis
		values []float64
		want   string
	}{
		{Axis{Scale: Log}, []float64{1e4, 1e7}, "[10000 100000 1e+06 1e+07]"},
		{Axis{Scale: Log}, []float64{1, 10}, "[1 2 5 10]"},
		{Axis{Scale: Log}, []float64{1e-9, 1e3}, "[1e-08 1e-06 0.0001 0.01 1 100]"},
		{Axis{}, []float64{16}, "[0 5 10 15]"},
		{Axis{}, []float64{0.07}, "[0 0.02 0.04 0.06]"},
		{Axis{Binary: true}, []float64{300 << 20}, "[0 5.24288e+07 1.048576e+08 1.572864e+08 2.097152e+08 2.62144e+08 3.145728e+08]"},
		{Axis{Scale: Quantile}, []float64{0.5, 0.9995}, "[0.5 0.9 0.99 0.999]"},
	} {
		got := newRuler(c.axis, c.values, 0, 100).ticks(6)
		for i := range got { // without the noise of floating point
			got[i], _ = strconv.ParseFloat(strconv.FormatFloat(got[i], 'g', 7, 64), 64)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%+v to %v: %v, want %s", c.axis, c.values, got, c.want)
		}
	}
}

// TestNamesOfLinesKeepApart ends twelve lines at almost the same point, at the
// top and at the bottom.
func TestNamesOfLinesKeepApart(t *testing.T) {
	for _, end := range []float64{1, 1000} {
		c := Lines{Title: "t", X: Axis{Format: units}, Y: Axis{Format: units}}
		c.Lines = append(c.Lines, Line{Name: "high", X: []float64{0, 10}, Y: []float64{1000, 1000}})
		for i := range 12 {
			c.Lines = append(c.Lines, Line{Name: fmt.Sprint("line ", i), X: []float64{0, 10}, Y: []float64{0, end + float64(i)/100}})
		}
		var ys []float64
		for _, e := range read(t, c.SVG()) {
			if e.name == "text" && (strings.HasPrefix(e.words, "line") || e.words == "high") {
				ys = append(ys, e.f(t, "y"))
			}
		}
		if len(ys) != 13 {
			t.Fatalf("%d names, want 13", len(ys))
		}
		for i := range ys[1:] {
			if math.Abs(ys[i+1]-ys[i]) < labelPitch-0.2 {
				t.Errorf("two names at %v and %v", ys[i], ys[i+1])
			}
		}
	}
}

// TestLongNamesTakeTwoLines, which keep apart from the others too.
func TestLongNamesTakeTwoLines(t *testing.T) {
	c := Lines{Title: "t", X: Axis{Format: units}, Y: Axis{Format: units}}
	for _, name := range []string{"short", "harena-self-contained", "another"} {
		c.Lines = append(c.Lines, Line{Name: name, X: []float64{0, 10}, Y: []float64{0, 5}})
	}
	at := map[string]float64{}
	var ys []float64
	for _, e := range read(t, c.SVG()) {
		if strings.Contains(e.at["class"], "text-") {
			at[e.words] = e.f(t, "y")
			ys = append(ys, at[e.words])
		}
	}
	if len(ys) != 4 || at["self-contained"]-at["harena-"] != labelPitch {
		t.Fatalf("names at %v", at)
	}
	slices.Sort(ys)
	for i := range ys[1:] {
		if ys[i+1]-ys[i] < labelPitch-0.2 {
			t.Errorf("names at %v", at)
		}
	}
}

func TestShorten(t *testing.T) {
	for width, want := range map[float64]string{400: "New, 64 B, in chunks", 100: "New, 64 B, in…", 72: "New, 64 B…", 0: "…"} {
		if got := shorten("New, 64 B, in chunks", width); got != want {
			t.Errorf("%q within %v", got, width)
		}
	}
}

// TestBand has a polygon around the line where there are intervals.
func TestBand(t *testing.T) {
	l := Line{Name: "l", Style: ours, X: []float64{1, 2}, Y: []float64{5, 6}, Low: []float64{4, 5}, High: []float64{6, 7}}
	es := read(t, Lines{Title: "t", X: Axis{Format: units}, Y: Axis{Format: units}, Lines: []Line{l}}.SVG())
	if p := pick(es, "polygon", "band"); len(p) != 1 || len(strings.Fields(p[0].at["points"])) != 4 {
		t.Errorf("bands: %v, want one with four corners", p)
	}
}

func TestStandalone(t *testing.T) {
	svg := Standalone(Bars{Title: "t", Bars: []Bar{{Label: "a", Value: 1, Text: "1"}}}.SVG(), "A <heading>", "a caption")
	es := read(t, svg)
	if es[0].at["width"] != "388" || !strings.Contains(svg, "prefers-color-scheme: dark") || !strings.Contains(svg, "A &lt;heading&gt;") {
		t.Errorf("not a file of its own:\n%s", svg)
	}
	defer func() {
		if recover() == nil {
			t.Error("what isn't a chart is made a file of")
		}
	}()
	Standalone("<svg viewBox=nonsense>", "", "")
}

// TestStrip is as long as its value, beside the longest.
func TestStrip(t *testing.T) {
	length := func(s Strip) float64 { return pick(read(t, s.SVG()), "rect", "bar")[0].f(t, "width") }
	for _, c := range []struct {
		s    Strip
		want float64
	}{
		{Strip{Value: 5, Min: 1, Max: 10}, 50},
		{Strip{Value: 10, Min: 1, Max: 10, Scale: Log}, 100},
		{Strip{Value: 0, Min: 1, Max: 10, Scale: Log}, 0.8},
	} {
		if got := length(c.s); math.Abs(got-c.want) > 0.1 {
			t.Errorf("%+v is %v long, want %v", c.s, got, c.want)
		}
	}
	if read(t, KeyLine())[1].name != "line" {
		t.Error("the mark of a line isn't one")
	}
}

// TestThemeHasEveryColourTwice: light and dark define the same variables, and
// every class that is drawn has its colour.
func TestThemeHasEveryColourTwice(t *testing.T) {
	light, dark, ok := strings.Cut(Theme, "@media (prefers-color-scheme: dark)")
	if !ok {
		t.Fatal("there is no dark side")
	}
	dark, _, _ = strings.Cut(dark, "} }")
	for _, field := range strings.Fields(light) {
		if name, ok := strings.CutSuffix(field, ":"); ok && strings.HasPrefix(name, "--") && !strings.Contains(dark, name+":") {
			t.Errorf("%s is only light", name)
		}
	}
}
