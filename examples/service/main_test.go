package main

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/harena-go/arena/arenahttp/arenahttptest"
)

func TestOrder(t *testing.T) {
	for body, want := range map[string]string{
		`{"customer":"Ada","items":[{"name":"tea","count":2,"price":3}]}`: `"total":6`,
		`{"customer":"Ada","items":[{"name":"tea","count":"two"}]}`:       `"pointer":"/items/0/count"`,
	} {
		r := httptest.NewRequest("POST", "/orders", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		first, _ := arenahttptest.Handler(t, routes, r) // fails if a request's memory is kept, or an arena isn't put back
		if w := first[0]; !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
}
