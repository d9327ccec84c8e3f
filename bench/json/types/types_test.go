package types

import "testing"

// TestNames: members that differ get names that differ, and each is one.
func TestNames(t *testing.T) {
	for member, want := range map[string]string{"id_str": "IdStr", "4x": "X", "h:ttp-a": "HTtpA", "": "Member", "$ref": "Ref"} {
		if got := camel(member); got != want {
			t.Errorf("%q becomes %q, want %q", member, got, want)
		}
	}
	n := names{}
	if a, b := n.unique("A"), n.unique("A"); a != "A" || b != "A2" {
		t.Errorf("%s, %s", a, b)
	}
}
