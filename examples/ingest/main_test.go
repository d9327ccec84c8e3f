package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/harena-go/arena"
)

// TestIngest: events are counted, and wrong or too large ones are answered with an error.
func TestIngest(t *testing.T) {
	all := &totals{byKind: map[string]*total{}}
	h := all.ingest(arena.NewPool(arena.WithReuse(), arena.WithLimit(maxMemory)))
	post := func(body string) (int, string) {
		w := httptest.NewRecorder()
		h(w, httptest.NewRequest("POST", "/events", strings.NewReader(body)))
		return w.Code, strings.TrimSpace(w.Body.String())
	}
	var lines strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&lines, `{"kind":"k%d","user":%d,"took_ms":0.5,"labels":{"a":"b"}}`+"\n", i%3, i)
	}
	for range 3 {
		if code, body := post(lines.String()); code != http.StatusOK || body != "1000" {
			t.Fatal(code, body)
		}
	}
	if k0, k1 := all.byKind["k0"], all.byKind["k1"]; len(all.byKind) != 3 || k0 == nil || k0.count != 1002 || k1 == nil || k1.took != 999*0.5 {
		t.Errorf("%v", all.byKind)
	}
	for body, want := range map[string]int{
		`{"kind":"x"} {"kind":5}`: http.StatusBadRequest,
		`{"kind":`:                http.StatusBadRequest,
		`{"kind":"` + strings.Repeat("x", maxEvent) + `"}`: http.StatusBadRequest,
	} {
		if code, text := post(body); code != want {
			t.Errorf("%.20s: %d %s", body, code, text)
		}
	}
}
