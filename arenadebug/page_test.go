package arenadebug

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenametrics"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// picture makes the picture of the page for docs, and the outline that is compared with the page:
//
//	go test ./arenadebug -run TestPicture -picture
var picture = flag.Bool("picture", false, "make docs/debug-arena.png and testdata/page.txt anew")

// sampleStats are the numbers of a pool after some seconds of a made-up program.
func sampleStats(i int, second float64) arena.PoolStats {
	wave := 1.2 + math.Sin(second/(17+9*float64(i)))*0.4 + math.Sin(second/5)*0.1
	gets := int((second + 6*math.Sin(second/19) + math.Sin(second/4)) * float64(440-121*i))
	s := arena.PoolStats{
		Name: []string{"requests", "search", "nightly import"}[i], Gets: gets, Puts: gets - 12, Misses: 31, Live: 12, Idle: 19,
		Used: uint64(gets) * 9000, HighWater: 310_000, Growths: 88, FirstChunk: 16 << 10,
		Reserved: int(wave * float64(22-5*i) * (1 << 20)), PoolLimit: 256 << 20, Limit: 1 << 20,
		Usage: arena.UsagePercentiles{P50: 6 << 10, P90: 20 << 10, P99: 96 << 10,
			Types: map[string]int{"": 5200, "main.order": 2400, "main.line": 900, "*main.customer": 310}},
	}
	s.Retained = int(float64(s.Reserved) * (0.45 + 0.15*math.Sin(second/23)))
	s.Waste = s.Retained / 6
	s.Sizes = arena.Histogram{Count: uint64(gets), Buckets: make([]uint64, 70)}
	for b := 40; b < len(s.Sizes.Buckets); b++ {
		s.Sizes.Buckets[b] = uint64(float64(gets) / 9 * math.Exp(-float64((b-52)*(b-52))/30))
	}
	if i == 0 {
		s.LimitHits = int(second / 95)
		s.Escapes = int(second / 160)
		s.Keys = map[string]arena.PoolStats{}
		for k, key := range []string{"GET /orders/{id}", "POST /orders", "GET /search"} {
			c := s
			c.Name, c.Keys, c.Gets, c.Used = key, nil, gets/(k+2), s.Used/uint64(k+2)
			s.Keys[key] = c
		}
	}
	return s
}

// sampleView is a page with everything on it that there can be, and the same at any time.
func sampleView() *view {
	pools := []*arena.Pool{arena.NewPool(arena.WithReuse()), arena.NewPool(arena.WithReuse()), arena.NewPool(arena.WithReuse())}
	end := time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)
	h := history{}
	r := &report{Time: end, Rates: &rates{}}
	var stats []arena.PoolStats
	for second := 0.0; second <= 235; second += 2.5 {
		stats = nil
		for i := range pools {
			stats = append(stats, sampleStats(i, 400+second))
		}
		r.samples = h.note(end.Add(time.Duration((second-235)*1e9)), pools, stats)
	}
	facts := heap{live: 31 << 20, gogc: 100, meanObject: 72}
	for i, p := range pools {
		pr := poolReport{Name: stats[i].Name, Stats: stats[i], points: pointsOf(r.samples, p), Saved: facts.estimate(reused(&stats[i]))}
		pr.Rates = rateOf(pr.points)
		r.Rates.add(pr.Rates)
		r.Saved.Bytes += pr.Saved.Bytes
		pr.events = eventsOf(pr.points, pr.Name, time.Time{})
		if i == 0 {
			pr.LimitHit = &limitHit{40 * time.Second, 2 << 20, false, []string{"shop.list list.go:71", "http.HandlerFunc.ServeHTTP server.go:2294"}}
			for n := range 12 {
				age := time.Duration(48/(n*n+1)) * time.Second
				pr.leases = append(pr.leases, arenametrics.Lease{Age: age, Stack: stackOf("example.com/shop.(*Export).run", "/src/export.go", 88-n/5)})
			}
		}
		pr.group()
		pr.countAges()
		r.Findings = append(r.Findings, pr.findings()...)
		r.Pools = append(r.Pools, pr)
	}
	r.Saved = facts.estimate(r.Saved.Bytes)
	q := httptest.NewRequest("GET", "http://localhost:8080/debug/arena", nil)
	return &view{report: r, profile: profileCommand(q, "")}
}

var (
	tags   = regexp.MustCompile(`<(/?)([a-z0-9]+)([^>]*?)(/?)>`)
	part   = regexp.MustCompile(` data-part="([^"]*)"`)
	class  = regexp.MustCompile(` class="([^"]*)"`)
	policy = regexp.MustCompile(` (style|on[a-z]+)=|<style|<script[^>]*>[^<]|javascript:|(src|href)="[^?]`)
)

// outline returns the elements of a page, one a line, indented by depth; of equal ones in a row there is one.
func outline(t *testing.T, page string) string {
	t.Helper()
	type node struct {
		name string
		text strings.Builder // the outline of its contents
		last string
	}
	stack := []*node{{}}
	for _, m := range tags.FindAllStringSubmatch(page, -1) {
		closing, tag, attributes := m[1] == "/", m[2], m[3]
		if !closing {
			name := tag
			if p := part.FindStringSubmatch(attributes); p != nil {
				name += " [" + p[1] + "]"
			} else if c := class.FindStringSubmatch(attributes); c != nil {
				name += " ." + c[1]
			}
			stack = append(stack, &node{name: name})
			if tag != "meta" && tag != "link" && m[4] == "" {
				continue
			}
		}
		done := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if name, _, _ := strings.Cut(done.name, " "); name != tag || len(stack) == 0 {
			t.Fatalf("</%s> closes %q", tag, done.name)
		}
		text := done.name + "\n"
		for line := range strings.Lines(done.text.String()) {
			text += "  " + line
		}
		if up := stack[len(stack)-1]; up.last != text {
			up.text.WriteString(text)
			up.last = text
		}
	}
	if len(stack) != 1 {
		t.Fatalf("%q isn't closed", stack[len(stack)-1].name)
	}
	return stack[0].text.String()
}

// TestPicture: the picture in docs shows the present page: it was made together with testdata/page.txt.
func TestPicture(t *testing.T) {
	const file, structure = "../docs/debug-arena.png", "testdata/page.txt"
	got := outline(t, strings.TrimPrefix(sampleView().html(), "<!DOCTYPE html>"))
	if *picture {
		takePicture(t, file)
		if err := os.WriteFile(structure, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(structure)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the page has other elements than its picture in docs; go test ./arenadebug -run TestPicture -picture makes it anew:\n%s", got)
	}
	shot, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c, err := png.DecodeConfig(bytes.NewReader(shot))
	if err != nil || c.Width != 1200 || len(shot) > 150<<10 {
		t.Errorf("the picture: %v, %d wide, %d bytes", err, c.Width, len(shot))
	}
}

// takePicture opens the page in Chromium.
func takePicture(t *testing.T, file string) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("file") != "" {
			serve(w, r)
			return
		}
		w.Header().Set("Content-Security-Policy", contentPolicy)
		fmt.Fprint(w, sampleView().html())
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	out, err := exec.Command("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--user-data-dir="+t.TempDir(),
		"--window-size=1200,1180", "--virtual-time-budget=1000", "--screenshot="+file, s.URL).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := shrink(file); err != nil {
		t.Fatal(err)
	}
}

// shrink writes a picture with its 256 most frequent colours.
func shrink(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	full, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		return err
	}
	count := map[color.Color]int{}
	size := full.Bounds()
	for y := range size.Dy() {
		for x := range size.Dx() {
			count[full.At(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(count), func(a, b color.Color) int { return count[b] - count[a] })
	small := image.NewPaletted(size, colours[:min(256, len(colours))])
	draw.Draw(small, size, full, size.Min, draw.Src)
	var out bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	if err := e.Encode(&out, small); err != nil {
		return err
	}
	return os.WriteFile(file, out.Bytes(), 0o666)
}

// TestPageNeedsNoInlineCode: the page works under a policy that forbids inline code, and loads nothing from
// elsewhere, for any names of its pools.
func TestPageNeedsNoInlineCode(t *testing.T) {
	for name, page := range map[string]string{"sample": sampleView().html(), "now": get(t, "").Body.String()} {
		if found := policy.FindAllString(page, -1); found != nil {
			t.Errorf("%s: %q", name, found)
		}
	}
	w := get(t, "")
	const want = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'"
	if got := w.Header().Get("Content-Security-Policy"); got != want {
		t.Errorf("the policy is %q", got)
	}
	for file, kind := range map[string]string{"page.css": "text/css", "page.js": "text/javascript"} {
		w := get(t, "?file="+file)
		if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), kind) || w.Body.Len() < 1000 {
			t.Errorf("%s: %d, %v", file, w.Code, w.Header())
		}
		if strings.Contains(w.Body.String(), "innerHTML") || strings.Contains(w.Body.String(), "url(") {
			t.Errorf("%s makes HTML of text, or asks for more", file)
		}
	}
	r := httptest.NewRequest("GET", "http://localhost/?file=page.js", nil)
	r.RemoteAddr = "192.0.2.1:1"
	strange := httptest.NewRecorder()
	Handler().ServeHTTP(strange, r)
	if strange.Code != 403 {
		t.Errorf("another machine gets the script: %d", strange.Code)
	}
}

// get requests the page from this machine.
func get(t *testing.T, query string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest("GET", "http://localhost/debug/arena"+query, nil)
	r.RemoteAddr = "127.0.0.1:1234"
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w
}

// TestPageHasNumbers: the numbers for readers are there, with their units and in their order.
func TestPageHasNumbers(t *testing.T) {
	page := sampleView().html()
	for _, want := range []string{
		"<dt>gets/s</dt><dd>1.1 k</dd>", "<dt>bytes/s</dt><dd>9.2 MiB</dd>", "<dt>resets/s</dt><dd>1.1 k</dd>",
		`<code>go tool pprof -http=: &#39;http://localhost:8080/debug/arena?format=pprof&#39;</code>`,
		"<dt>collections avoided, about</dt>", "live heap of 31.0 MiB × GOGC 100%",
		`<span>−4:00</span><span>−3:00</span><span>−2:00</span><span>−1:00</span><span>now</span>`,
		`<title>requests: 1 allocation refused, 15:08:18 to 15:08:21</title>`, `<title>requests: 1 escape,`,
		`<th class="n">p50</th><th class="n">p90</th><th class="n">p99</th><th class="n">from the heap</th>`,
		`<td>GET /orders/{id}</td><td class="n">141116</td>`,
		"<th scope=\"row\">&lt; 60 s</th>", "<th scope=\"row\">≤ 16 KiB</th>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("there is no %s", want)
		}
	}
	at := -1
	for _, name := range []string{"types without pointers", "main.order", "main.line", "*main.customer"} {
		i := strings.Index(page, `<th scope="row">`+name)
		if i <= at {
			t.Errorf("%s isn't where its bytes put it", name)
		}
		at = i
	}
}

// TestSizeBars: the bars of sizes are powers of two, and their counts are complete.
func TestSizeBars(t *testing.T) {
	p := poolReport{}
	if bars := p.sizeBars(); bars != nil {
		t.Errorf("an unused pool: %v", bars)
	}
	p.Stats.Sizes = arena.Histogram{Count: 17, Zero: 2, Buckets: make([]uint64, 30)}
	for i, n := range map[int]uint64{0: 1, 1: 1, 4: 2, 5: 3, 8: 4, 12: 4} {
		p.Stats.Sizes.Buckets[i] = n
	}
	var got []string
	for _, b := range p.sizeBars() {
		got = append(got, fmt.Sprint(b.label, " ", b.value))
	}
	if want := "nothing 2, ≤ 1 B 1, ≤ 2 B 3, ≤ 4 B 7, ≤ 8 B 4"; strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
}

// TestProfileCommand: a command that is copied into a shell runs nothing else, for any request.
func TestProfileCommand(t *testing.T) {
	for _, c := range []struct{ target, host, pool, want string }{
		{"/debug/arena?x=1", "localhost:80", "", "http://localhost:80/debug/arena?format=pprof"},
		{"/a'b;$(x)/p", "h'$(x)", "p'q&r", "http://h%27$(x)/a%27b;$(x)/p?format=pprof&pool=p%27q%26r"},
	} {
		r := httptest.NewRequest("GET", "http://x/", nil)
		r.RequestURI, r.Host = c.target, c.host
		if got, want := profileCommand(r, c.pool), "go tool pprof -http=: '"+c.want+"'"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestScales: a scale ends a little above the highest value.
func TestScales(t *testing.T) {
	for _, c := range []struct {
		v, want float64
		binary  bool
	}{{0, 1, true}, {1, 1, true}, {5, 6, true}, {7, 8, true}, {96, 96, true}, {97, 128, true},
		{1, 1, false}, {1.1, 1.2, false}, {81, 100, false}, {700, 800, false}, {0.05, 0.06, false}} {
		if got := niceTop(c.v, c.binary); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("up to %v: %v, want %v", c.v, got, c.want)
		}
	}
	now := time.Unix(1000, 0)
	x := axisFor(now.Add(-90*time.Second), now)
	if x.window != 2*time.Minute || x.percent(now) != 100 || x.percent(now.Add(-time.Minute)) != 50 || x.percent(now.Add(-time.Hour)) != 0 {
		t.Errorf("%+v", x)
	}
}

// TestNoTemplates: a template calls methods by name, so a program that imports one keeps every exported method of every
// type that it uses: 3.6 MB more for this page.
func TestNoTemplates(t *testing.T) {
	testkit.NeedsGo(t)
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, "net/http") {
		t.Fatal("the page needs net/http")
	}
	for _, p := range []string{"html/template", "text/template"} {
		if slices.Contains(deps, p) {
			t.Errorf("the package depends on %s", p)
		}
	}
}
