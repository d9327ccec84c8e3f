package main

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/harena-go/arena/arenatest"
)

func TestOrder(t *testing.T) {
	h := routes(arenatest.NewPool(t)) // fails if a request's memory is kept, or an arena isn't put back
	for body, want := range map[string]string{
		`{"customer":"Ada","items":[{"name":"tea","count":2,"price":3}]}`: `"total":6`,
		`{"customer":"Ada","items":[{"name":"tea","count":"two"}]}`:       `"pointer":"/items/0/count"`,
	} {
		r := httptest.NewRequest("POST", "/orders", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
}
