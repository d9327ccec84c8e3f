package edit

import "testing"

// TestOverlap: two changes of the same text are an error, not garbage.
func TestOverlap(t *testing.T) {
	for _, edits := range [][]Edit{{{From: 1, To: 4, Text: "x"}, {From: 2, To: 3, Text: "y"}}, {{From: 3, To: 2}}, {{From: 3, To: 7}}} {
		if out, err := Apply([]byte("abcdef"), edits); err == nil {
			t.Errorf("%v: %q", edits, out)
		}
	}
}

// TestOrder: insertions at one place are in their order, and text around more source is outside.
func TestOrder(t *testing.T) {
	out, err := Apply([]byte("abcdef"), []Edit{{1, 1, ")", 2}, {1, 2, "B", 0}, {1, 1, "(", -4}})
	if err != nil || string(out) != "a()Bcdef" {
		t.Errorf("%q, %v", out, err)
	}
	edits := append(Around(1, 2, "[", "]", 0), Around(1, 4, "(", ")", 0)...)
	edits = append(edits, Around(1, 2, "{", "}", 1)...)
	out, err = Apply([]byte("abcdef"), edits)
	if err != nil || string(out) != "a({[b]}cd)ef" {
		t.Errorf("%q, %v", out, err)
	}
}
