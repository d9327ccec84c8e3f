package summary

import "testing"

// TestTextIsParsed: Parse reads the output of Text.
func TestTextIsParsed(t *testing.T) {
	const text = "#0*.Host=0 #1*[]=0*.list 0*[]+*[]=2 0*[in]- 12*.name+=3*.x&"
	if got := Parse(text).Text(); got != text {
		t.Errorf("%q, want %q", got, text)
	}
	s := Parse(text)
	if len(s.Results) != 2 || len(s.Stores) != 2 || len(s.Clears) != 1 {
		t.Errorf("%+v", s)
	}
	if want := (Store{Sym{12, "", "*.name"}, Flow{From: Sym{3, "", "*.x&"}}}); s.Stores[1] != want {
		t.Errorf("%+v, want %+v", s.Stores[1], want)
	}
}
