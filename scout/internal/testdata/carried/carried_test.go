package carried

import "testing"

func TestParse(t *testing.T) {
	root := Parse("some", "words")
	if root.Name != "root" || len(root.Kids) != 15 || root.Kids[0].Name != "some" || root.Kids[2].Name != "branch" {
		t.Errorf("%+v", root)
	}
	if n := Helper("x"); n.Name != "x" || (&sum{base{}, &literal{base{}, ""}, nil}).left == nil {
		t.Error(n)
	}
	if s := pool.Get().(*scratch); s.used == 0 {
		t.Skip("the pool is empty")
	}
}
