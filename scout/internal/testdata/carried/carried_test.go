package carried

import "testing"

func TestParse(t *testing.T) {
	root := NewParser().Parse("some", "words")
	if root.Name != "root" || len(root.Kids) != 13 || root.Kids[0].Name != "some" {
		t.Errorf("%+v", root)
	}
	if n := Helper("x"); n.Name != "x" {
		t.Error(n)
	}
}
