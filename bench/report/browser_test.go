package report

import (
	"bytes"
	"context"
	_ "embed"
	"image"
	_ "image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/harena-go/arena/bench/suite"
)

// inspect looks at a page in the browser and returns what is wrong with it.
//
//go:embed testdata/inspect.js
var inspect string

// browser starts a browser without a window, and skips the test if there is
// none on this machine.
func browser(t *testing.T) context.Context {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			program = p
			break
		}
	}
	if program == "" {
		t.Skip("there is no Chromium here")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.WSURLReadTimeout(time.Minute))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("%s doesn't start: %v", program, err)
	}
	return ctx
}

// A look is one way to see a page.
type look struct {
	name   string
	width  int64
	scheme string
}

var looks = []look{{"phone-light", 375, "light"}, {"phone-dark", 375, "dark"}, {"desktop-light", 1280, "light"}, {"desktop-dark", 1280, "dark"}}

// TestInABrowser starts one browser for all that needs one.
func TestInABrowser(t *testing.T) {
	ctx := browser(t)
	t.Run("faults are found", func(t *testing.T) { testFaults(t, ctx) })
	t.Run("page", func(t *testing.T) { testPage(t, ctx) })
	t.Run("chart files", func(t *testing.T) { testChartFiles(t, ctx) })
}

// testPage opens the page as readers do: on a telephone and on a desk, light
// and dark. Nothing may overflow, overlap, be empty, or complain.
func testPage(t *testing.T, ctx context.Context) {
	r, old := sample(), sample()
	old.Machine.Go = "go1.98"
	for i := 0; i < len(old.Results); i += 9 {
		m := old.Results[i]
		spoil(old, m.Suite, m.Row, m.Peer, 1.3*m.Values[0])
	}
	c := r.Compare(old)
	r.Against = &c
	spoil(r, "micro", "new-8", suite.Harena, 9e-9) // some goals are missed, which is the longer page
	r.Judge()
	var b bytes.Buffer
	if err := r.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	address, asked := serve(t, map[string][]byte{"/report.html": b.Bytes()})
	for _, l := range looks {
		shot, complaints := visit(t, ctx, address+"/report.html", l)
		for _, c := range complaints {
			t.Errorf("%s: %s", l.name, c)
		}
		if n := colours(t, shot); n < 50 {
			t.Errorf("%s: the screenshot has %d colours: it is blank", l.name, n)
		}
		keep(t, "page-"+l.name, shot)
	}
	if paths := asked(); len(paths) != 1 {
		t.Errorf("the page asked for %v: it must need nothing but itself", paths)
	}
}

// testChartFiles opens the charts of the README.
func testChartFiles(t *testing.T, ctx context.Context) {
	dir := t.TempDir()
	if err := sample().WriteCharts(dir); err != nil {
		t.Fatal(err)
	}
	for name, scheme := range map[string]string{"new.svg": "light", "gc.svg": "dark", "latency.svg": "light"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		address, _ := serve(t, map[string][]byte{"/" + name: text})
		shot, complaints := visit(t, ctx, address+"/"+name, look{scheme, 400, scheme})
		for _, c := range complaints {
			t.Errorf("%s: %s", name, c)
		}
		if colours(t, shot) < 20 {
			t.Errorf("%s: the screenshot is blank", name)
		}
		keep(t, "chart-"+name, shot)
	}
}

// testFaults opens a page with one fault of each kind: if these were not found,
// a page without complaints would mean nothing.
func testFaults(t *testing.T, ctx context.Context) {
	address, asked := serve(t, map[string][]byte{"/faults.html": []byte(faults)})
	_, complaints := visit(t, ctx, address+"/faults.html", looks[0])
	all := strings.Join(complaints, "\n")
	for _, want := range []string{
		"wide in a window of 375", "<SECTION id=\"void\" class=\"\"> is empty", "hardly any content",
		"words of a program that went wrong", "#nowhere leads nowhere", "labels: \"one\" and \"two\" overlap",
		"labels: \"far away\" leaves the chart", "labels: \"tiny\" is 5.0 pixels high", "hollow: nothing is drawn",
		"astray: a <rect class=\"null\"> leaves the chart", "says nothing to those who can't see it", "the cell \"much-too-long-for-it\" overflows",
		"\"pale\" has a contrast of", "console: error", "page error: Uncaught", "missing.png",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("not found: %s", want)
		}
	}
	if t.Failed() {
		t.Log(all)
	}
	if !asked()["/missing.png"] {
		t.Error("a page that asks for another file wasn't caught")
	}
}

const faults = `<!DOCTYPE html><html><head><meta name="viewport" content="width=device-width"><style>body { background: #fff; margin: 0 } td { max-width: 20px; overflow: hidden }</style></head><body>
<div style="width:900px; height:5px"></div><section id="void"></section><p>NaN</p><a href="#nowhere">link</a><p style="color:#ddd">pale</p>
<svg role="img" aria-label="labels" width="200" height="50"><title>t</title><rect width="5" height="5"/><text x="5" y="20">one</text><text x="8" y="22">two</text><text x="190" y="40">far away</text><text x="90" y="40" font-size="5">tiny</text></svg>
<svg role="img" aria-label="hollow" width="100" height="30"><title>t</title><rect width="0" height="0"/></svg>
<svg role="img" aria-label="astray" width="100" height="30"><title>t</title><rect x="90" width="50" height="5"/></svg>
<svg width="100" height="30"><rect width="5" height="5"/></svg>
<table><tr><td>much-too-long-for-it</td></tr></table><img src="missing.png" alt="x">
<script>console.error("oh"); throw new Error("no")</script></body></html>`

// serve offers files on the loopback interface and says afterwards what was
// asked for.
func serve(t *testing.T, files map[string][]byte) (address string, asked func() map[string]bool) {
	var mu sync.Mutex
	seen := map[string]bool{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/favicon.ico" { // browsers ask for it on their own
			return
		}
		mu.Lock()
		seen[q.URL.Path] = true
		mu.Unlock()
		if filepath.Ext(q.URL.Path) == ".svg" {
			w.Header().Set("Content-Type", "image/svg+xml")
		}
		text, ok := files[q.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		w.Write(text)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() map[string]bool { mu.Lock(); defer mu.Unlock(); return seen }
}

// visit opens an address in a tab of its own, and returns a picture of all of
// it and what is wrong: what the browser complains of, and what inspect finds.
func visit(t *testing.T, ctx context.Context, address string, l look) (shot []byte, complaints []string) {
	t.Helper()
	ctx, done := chromedp.NewContext(ctx)
	defer done()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	var mu sync.Mutex
	complain := func(s string) { mu.Lock(); complaints = append(complaints, s); mu.Unlock() }
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			complain("page error: " + e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			complain("console: " + string(e.Type))
		case *log.EventEntryAdded:
			complain("browser: " + e.Entry.Text + " " + e.Entry.URL)
		case *network.EventLoadingFailed:
			complain("not loaded: " + e.ErrorText)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	look := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.scheme}}}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, look); err != nil {
		t.Fatal(err)
	}
	var device []chromedp.EmulateViewportOption
	if l.width == 375 {
		device = append(device, chromedp.EmulateMobile)
	}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(l.width, 900, device...), chromedp.Navigate(address)); err != nil {
		t.Fatalf("%s, %s: %v", address, l.name, err)
	}
	picture := chromedp.CaptureScreenshot()
	if os.Getenv("SCREENSHOTS") != "" {
		picture = chromedp.FullScreenshot(100) // takes seconds
	}
	if shot, err = chromedp.Run(ctx, picture); err != nil {
		t.Fatal(err)
	}
	found, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](inspect))
	if err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	return shot, append(complaints, found...)
}

// colours counts the colours of a picture.
func colours(t *testing.T, shot []byte) int {
	t.Helper()
	p, _, err := image.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[3]uint32]bool{}
	for y := p.Bounds().Min.Y; y < p.Bounds().Max.Y; y += 2 {
		for x := p.Bounds().Min.X; x < p.Bounds().Max.X; x += 2 {
			r, g, b, _ := p.At(x, y).RGBA()
			seen[[3]uint32{r, g, b}] = true
		}
	}
	return len(seen)
}

// keep writes a picture where SCREENSHOTS says, for a person to look at.
func keep(t *testing.T, name string, shot []byte) {
	t.Helper()
	if dir := os.Getenv("SCREENSHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), shot, 0o666); err != nil {
			t.Error(err)
		}
	}
}
