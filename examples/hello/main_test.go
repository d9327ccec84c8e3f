package main

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/harena-go/arena/arenahttp/arenahttptest"
)

func TestGreet(t *testing.T) {
	r := httptest.NewRequest("POST", "/greet", strings.NewReader(`{"Name":"Ada"}`))
	r.Header.Set("Content-Type", "application/json")
	first, _ := arenahttptest.Handler(t, routes, r) // twice; fails if a request's memory is kept
	if got := first[0].Body.String(); !strings.Contains(got, `"Text":"Hello, Ada!"`) {
		t.Error(got)
	}
}
