package arenadebug_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenadebug"
)

// inspect is a page that shows another one in a frame, and writes what is wrong with it to its own end, for
// who has the browser print that. The page itself has no scripts, and its policy allows none.
const inspect = `<!DOCTYPE html><body style="margin:0"><iframe id="f" style="border:0;width:%dpx;height:900px" src="%s"></iframe><pre id="found"></pre><script>
const bad = [];
const lum = c => { const v = c.map(x => { x /= 255; return x <= .03928 ? x/12.92 : Math.pow((x+.055)/1.055, 2.4) }); return .2126*v[0]+.7152*v[1]+.0722*v[2] };
const rgb = s => (s.match(/[\d.]+/g) || []).map(Number);
addEventListener("error", e => bad.push("error: " + e.message));
f.onload = () => {
  const d = f.contentDocument, w = f.contentWindow, r = d.documentElement;
  for (const x of d.querySelectorAll("details")) x.open = true;
  if (r.scrollWidth > r.clientWidth) bad.push("overflow: " + r.scrollWidth + " wide in a window of " + r.clientWidth);
  for (const e of d.body.querySelectorAll("*")) {
    const s = w.getComputedStyle(e);
    if (["P","H1","H2","TABLE","PRE","SUMMARY"].includes(e.tagName) && e.textContent.trim() === "") bad.push("empty: " + e.tagName);
    if (e.className === "bar" && e.getBoundingClientRect().width < 50) bad.push("the bar is narrow");
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
    let b = e, back = [0,0,0,0];
    while (b && !(back[3] === undefined || back[3] > 0)) { back = rgb(w.getComputedStyle(b).backgroundColor); b = b.parentElement }
    const l1 = lum(rgb(s.color)), l2 = lum(back), ratio = (Math.max(l1,l2)+.05)/(Math.min(l1,l2)+.05);
    if (ratio < 4.5) bad.push("contrast of " + ratio.toFixed(1) + ": " + e.tagName + " " + e.textContent.slice(0, 30));
  }
  const dark = w.matchMedia("(prefers-color-scheme: dark)").matches;
  found.textContent = JSON.stringify({bad, dark, back: w.getComputedStyle(d.body).backgroundColor, text: d.body.innerText.length});
};
</script>`

// TestInABrowser opens the page on a telephone and on a desk, light and dark, with pools in all states. Nothing may
// overflow, be empty, or be hard to read, and it needs nothing but itself. Before, a page with such faults
// shows that they would be found.
func TestInABrowser(t *testing.T) {
	chromium := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			chromium = p
			break
		}
	}
	if chromium == "" {
		t.Skip("there is no Chromium here")
	}
	if testing.Short() {
		t.Skip("starts a browser five times")
	}
	pool := arena.NewPool(arena.WithName(strings.Repeat("a-long-name-", 8)), arena.WithLimit(1<<20), arena.WithPoolLimit(1<<29))
	empty := arena.NewPool(arena.WithName("empty"))
	look("")
	for i := range 200 {
		a := pool.GetKeyed(fmt.Sprintf("GET /a/rather/long/path/with/{many}/{wildcards}/%d", i%5))
		arena.New[*int](a)
		a.AllocBytes(10_000)
		pool.Put(a)
	}
	pool.Do(func(a *arena.Arena) error { a.AllocBytes(2 << 20); return nil })
	for range 5 {
		leak(pool)
	}
	defer empty.Stats()

	var mu sync.Mutex
	asked := map[string]bool{}
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path] = true
		mu.Unlock()
		switch r.URL.Path {
		case "/debug/arena":
			arenadebug.Handler().ServeHTTP(w, r)
		case "/faults":
			fmt.Fprint(w, `<body style="background:#fff"><div style="width:2000px;height:9px"></div><p></p><p style="color:#ccc">pale</p>`)
		case "/inspect":
			width := 375
			if r.FormValue("wide") != "" {
				width = 1280
			}
			fmt.Fprintf(w, inspect, width, html.EscapeString(r.FormValue("page")))
		default:
			w.WriteHeader(404)
		}
	})
	s := httptest.NewServer(mux)
	defer s.Close()

	type result struct {
		Bad  []string
		Dark bool
		Back string
		Text int
	}
	visit := func(query string, dark bool) (r result) {
		t.Helper()
		scheme := "1"
		if dark {
			scheme = "0"
		}
		cmd := exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-component-update", "--window-size=1400,1000",
			"--user-data-dir="+t.TempDir(), "--blink-settings=preferredColorScheme="+scheme, "--enable-logging=stderr", "--virtual-time-budget=5000", "--dump-dom", s.URL+"/inspect?"+query)
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
		if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), &r); err != nil {
			t.Fatal(err)
		}
		for _, line := range regexp.MustCompile(`(?m)^.*CONSOLE.*$`).FindAllString(log.String(), -1) {
			r.Bad = append(r.Bad, "console: "+line)
		}
		return r
	}
	faults := strings.Join(visit("page=/faults", false).Bad, "\n")
	for _, want := range []string{"overflow: 20", "empty: P", "contrast of 1.6"} {
		if !strings.Contains(faults, want) {
			t.Errorf("not found: %s, but\n%s", want, faults)
		}
	}
	backs := map[string]bool{}
	for _, wide := range []string{"", "&wide=1"} {
		for _, dark := range []bool{false, true} {
			r := visit("page=/debug/arena"+wide, dark)
			for _, bad := range r.Bad {
				t.Errorf("wide %q, dark %t: %s", wide, dark, bad)
			}
			if r.Dark != dark || r.Text < 500 {
				t.Errorf("dark %t is %t; %d letters", dark, r.Dark, r.Text)
			}
			backs[r.Back] = true
		}
	}
	if len(backs) != 2 {
		t.Errorf("light and dark look the same: %v", backs)
	}
	mu.Lock()
	defer mu.Unlock()
	for path := range asked {
		if path != "/inspect" && path != "/faults" && path != "/debug/arena" && path != "/favicon.ico" {
			t.Errorf("the page asks for %s", path)
		}
	}
}
