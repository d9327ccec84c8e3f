package report

import (
	"strings"
	"testing"
)

// TestBriefIsOneScreen: the summary has the rows that were measured, with their ranges, and fits a screen.
func TestBriefIsOneScreen(t *testing.T) {
	var b strings.Builder
	sample().PrintBrief(&b)
	text := b.String()
	for _, want := range []string{"New, 64 bytes", "one full GC, 10 million live nodes", "log server, requests per second", " to "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "\n"); n > 40 {
		t.Errorf("%d lines", n)
	}
	b.Reset()
	new(Report).PrintBrief(&b)
	if strings.Contains(b.String(), "New, 64") {
		t.Error("a row that wasn't measured")
	}
}
