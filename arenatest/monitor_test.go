package arenatest_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	"github.com/harena-go/arena/internal/engine/guard"
	"github.com/harena-go/arena/internal/engine/race"
)

type visit struct {
	page  *page
	count int
}

type page struct{ _, title int }

// TestFaultOfAHandler: a handler, in a goroutine of the server, follows a pointer in a reclaimed value. The runtime
// ends the program at once; the arena is named all the same, with New and with Main.
func TestFaultOfAHandler(t *testing.T) {
	if race.Instrumented {
		t.Skip("the sanitizer reports the use before it can fault")
	}
	var a *arena.Arena
	switch os.Getenv(variable) {
	case "new":
		a = arenatest.New(t)
	case "main":
		a = arena.NewArena()
	default:
		const visit = `; there was arenatest_test.visit allocated at .*monitor_test.go:\d+`
		explainedFault(t, "new", "when it died", "has followed a pointer in", `arena "`+t.Name()+`"`, visit)
		explainedFault(t, "main", "when it died", "has followed a pointer in", "an arena without a name", visit)
		return
	}
	v := arena.NewOf(a, visit{page: arena.New[page](a)})
	a.Reset() // when it died
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { v.page.title++ }))
	defer s.Close()
	http.Get(s.URL)
}

// explainedFault runs the test that calls it in a process that must end with a fault.
func explainedFault(t *testing.T, how, died, did, name, allocated string) {
	t.Helper()
	out := child(t.Name(), how)
	m := regexp.MustCompile(`unexpected fault address (0x[0-9a-f]+)`).FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("%s: no fault in\n%s", how, out)
	}
	want := regexp.MustCompile(`(?m)^arenatest: the program ` + did + ` a dead value of ` + regexp.QuoteMeta(name) + `.*` +
		`, reclaimed at .*` + here(t, "// "+died) + allocated + ` \(` + m[1] + `\)$`)
	if !want.MatchString(out) {
		t.Errorf("%s: no line like %s in\n%s", how, want, out)
	}
	answer, stacks := strings.Index(out, "arenatest: the program"), strings.Index(out, "runtime.throw(")
	if runtime.GOOS == "linux" && answer > stacks {
		t.Errorf("%s: the answer comes after the runtime's stacks:\n%s", how, out)
	}
}

// TestStringOfAHandler: a handler reads a dead string, which no sanitizer sees.
func TestStringOfAHandler(t *testing.T) {
	if guard.PageSize == 0 {
		t.Skip("memory can't be guarded here")
	}
	if os.Getenv(variable) == "" {
		explainedFault(t, "string", "when the title died", "has touched", `arena "`+t.Name()+`", string allocated at`, "")
		return
	}
	a := arenatest.New(t)
	title := a.AllocString("ten pages")
	a.Reset() // when the title died
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { sinkText = "title: " + title }))
	defer s.Close()
	http.Get(s.URL)
}

// TestMonitorIsSilent: it prints nothing when a program ends otherwise, or by a fault at another address.
func TestMonitorIsSilent(t *testing.T) {
	if os.Getenv(variable) == "nil" {
		a := arenatest.New(t)
		arena.New[visit](a)
		a.Reset()
		done := make(chan bool)
		go func() {
			var nobody *visit
			nobody.count++
			close(done)
		}()
		<-done
	}
	if out := child(t.Name(), "nil"); !strings.Contains(out, "nil pointer dereference") || strings.Contains(out, "arenatest: the program") {
		t.Errorf("%s", out)
	}
}
