package arenadebug_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenadebug"
)

// inspect is a page that shows another one in a frame, waits until that has refreshed itself, and writes its errors
// at its own end, which the browser prints.
const inspect = `<!DOCTYPE html><body style="margin:0"><iframe id="f" style="border:0;width:%spx;height:900px" src="%s"></iframe><pre id="found"></pre><script>
const bad = [];
const lum = c => { const v = c.map(x => { x /= 255; return x <= .03928 ? x/12.92 : Math.pow((x+.055)/1.055, 2.4) }); return .2126*v[0]+.7152*v[1]+.0722*v[2] };
const rgb = s => (s.match(/[\d.]+/g) || []).map(Number);
addEventListener("error", e => bad.push("error: " + e.message));
f.onload = () => {
  const d = f.contentDocument, w = f.contentWindow;
  for (const x of d.querySelectorAll("details")) x.open = true;
  w.sameDocument = true;
  const first = d.querySelector("main");
  setTimeout(() => look(first), 5000);
};
const look = first => {
  const d = f.contentDocument, w = f.contentWindow, r = d.documentElement;
  const have = new Set([...d.querySelectorAll("[data-part]")].map(e => e.dataset.part));
  const live = {again: Number(d.body.dataset.refreshed || 0), loaded: !w.sameDocument, replaced: d.querySelector("main") !== first,
    closed: [...d.querySelectorAll("details")].filter(x => !x.open && x.dataset.key && first && !x.dataset.key.endsWith("leases")).map(x => x.dataset.key),
    buttons: [...d.querySelectorAll("button")].map(b => b.textContent).join()};
  if (r.scrollWidth > r.clientWidth) bad.push("overflow: " + r.scrollWidth + " wide in a window of " + r.clientWidth);
  for (const e of d.body.querySelectorAll("*")) {
    const s = w.getComputedStyle(e);
    if (["P","H1","H2","TABLE","PRE","SUMMARY"].includes(e.tagName) && e.textContent.trim() === "") bad.push("empty: " + e.tagName);
    if (e.matches("svg.plot, svg.lane") && e.getBoundingClientRect().width < 200) bad.push("the chart is narrow");
    if (e.matches("svg.plot, svg.lane, .scale, .barcell") && e.getBoundingClientRect().height < 8) bad.push("the chart is flat");
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
    let b = e, back = [0,0,0,0];
    while (b && !(back[3] === undefined || back[3] > 0)) { back = rgb(w.getComputedStyle(b).backgroundColor); b = b.parentElement }
    const l1 = lum(rgb(s.color)), l2 = lum(back), ratio = (Math.max(l1,l2)+.05)/(Math.min(l1,l2)+.05);
    if (ratio < 4.5) bad.push("contrast of " + ratio.toFixed(1) + ": " + e.tagName + " " + e.textContent.slice(0, 30));
  }
  const dark = w.matchMedia("(prefers-color-scheme: dark)").matches;
  found.textContent = JSON.stringify({bad, dark, back: w.getComputedStyle(d.body).backgroundColor, text: d.body.innerText.length, parts: [...have].sort().join(), live});
};
</script>`

// A visit is the result of inspect.
type visit struct {
	Bad   []string
	Dark  bool
	Back  string
	Text  int
	Parts string
	Live  struct {
		Again            int // number of refreshes by the page itself
		Loaded, Replaced bool
		Closed           []string // details that were open before a refresh
		Buttons          string
	}
}

// A browser visits the pages of a server.
type browser struct {
	program string
	server  *httptest.Server

	mu    sync.Mutex
	asked map[string]bool // paths, with the file that a query names
}

// ServeHTTP serves the page, one with faults, and the one that inspects them.
func (b *browser) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	b.asked[strings.TrimSpace(r.URL.Path+" "+r.FormValue("file"))] = true
	b.mu.Unlock()
	switch r.URL.Path {
	case "/debug/arena":
		arenadebug.Handler().ServeHTTP(w, r)
	case "/faults":
		fmt.Fprint(w, `<body style="background:#fff"><div style="width:2000px;height:9px"></div><p></p><p style="color:#ccc">pale</p>`+
			`<svg class="plot" style="width:10px;height:2px"></svg>`)
	case "/inspect":
		fmt.Fprintf(w, inspect, r.FormValue("width"), html.EscapeString(r.FormValue("page")))
	default:
		w.WriteHeader(404)
	}
}

// visit opens a page in a frame of a width.
func (b *browser) visit(t *testing.T, page string, width int, dark bool) (v visit) {
	t.Helper()
	scheme := "1"
	if dark {
		scheme = "0"
	}
	cmd := exec.Command(b.program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-component-update",
		"--window-size=1700,1000", "--user-data-dir="+t.TempDir(), "--blink-settings=preferredColorScheme="+scheme,
		"--enable-logging=stderr", "--virtual-time-budget=9000", "--dump-dom",
		fmt.Sprintf("%s/inspect?page=%s&width=%d", b.server.URL, url.QueryEscape(page), width))
	var out, log strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &log
	timer := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer timer.Stop()
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %.1000s", err, log.String())
	}
	m := regexp.MustCompile(`(?s)<pre id="found">(.*?)</pre>`).FindStringSubmatch(out.String())
	if m == nil || m[1] == "" {
		t.Fatalf("nothing was found out: %.500s\n%.1000s", out.String(), log.String())
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), &v); err != nil {
		t.Fatal(err)
	}
	for _, line := range regexp.MustCompile(`(?m)^.*CONSOLE.*$`).FindAllString(log.String(), -1) {
		v.Bad = append(v.Bad, "console: "+line)
	}
	return v
}

// openBrowser skips the test if there is no Chromium.
func openBrowser(t *testing.T) *browser {
	if testing.Short() {
		t.Skip("starts a browser five times")
	}
	b := &browser{asked: map[string]bool{}}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			b.program = p
			break
		}
	}
	if b.program == "" {
		t.Skip("there is no Chromium here")
	}
	b.server = httptest.NewServer(b)
	t.Cleanup(b.server.Close)
	return b
}

// poolsOfAllKinds makes pools that have all that the page can show. The page has been looked at before.
func poolsOfAllKinds(t *testing.T) {
	name := strings.Repeat("a-long-name-", 8)
	pool := arena.NewPool(arena.WithReuse(), arena.WithName(name), arena.WithLimit(1<<20), arena.WithPoolLimit(1<<29))
	empty := arena.NewPool(arena.WithReuse(), arena.WithName("empty"))
	look("")
	for i := range 200 {
		a := pool.GetKeyed(fmt.Sprintf("GET /a/rather/long/path/with/{many}/{wildcards}/%d", i%5))
		arena.New[*int](a)
		a.AllocBytes(10_000)
		pool.Put(a)
	}
	pool.Do(func(a *arena.Arena) error { a.AllocBytes(2 << 20); return nil })
	var held []*arena.Arena
	for range 5 {
		held = append(held, leak(pool))
	}
	t.Cleanup(func() {
		for _, a := range held {
			pool.Put(a)
		}
		empty.Stats()
	})
}

// TestInABrowser opens the page on a telephone and on a desk, light and dark, with pools in all states, under its own
// policy. No part may overflow, be empty, or be hard to read; the page loads only its own files, and refreshes itself
// without being loaded again. Before that, a page with such faults shows that they would be found.
func TestInABrowser(t *testing.T) {
	b := openBrowser(t)
	poolsOfAllKinds(t)
	faults := strings.Join(b.visit(t, "/faults", 375, false).Bad, "\n")
	for _, want := range []string{"overflow: 20", "empty: P", "contrast of 1.6", "narrow", "flat"} {
		if !strings.Contains(faults, want) {
			t.Errorf("not found: %s, but\n%s", want, faults)
		}
	}
	backs := map[string]bool{}
	for _, width := range []int{400, 1600} {
		for _, dark := range []bool{false, true} {
			v := b.visit(t, "/debug/arena", width, dark)
			for _, bad := range v.Bad {
				t.Errorf("width %d, dark %t: %s", width, dark, bad)
			}
			if v.Dark != dark || v.Text < 500 {
				t.Errorf("dark %t is %t; %d letters", dark, v.Dark, v.Text)
			}
			backs[v.Back] = true
			const parts = "ages,command,findings,keys,leases,memory,pool,rates,refusal,saved,sizes,time,timeline,typebars,types"
			if v.Parts != parts {
				t.Errorf("width %d: the page has %s, want %s", width, v.Parts, parts)
			}
			if l := v.Live; l.Again < 1 || l.Loaded || !l.Replaced || len(l.Closed) > 0 || l.Buttons != "pause,copy" {
				t.Errorf("width %d: the page doesn't refresh in place: %+v", width, l)
			}
		}
	}
	if len(backs) != 2 {
		t.Errorf("light and dark look the same: %v", backs)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for path := range b.asked {
		switch path {
		case "/inspect", "/faults", "/debug/arena", "/debug/arena page.css", "/debug/arena page.js", "/favicon.ico":
		default:
			t.Errorf("the page asks for %s", path)
		}
	}
}
