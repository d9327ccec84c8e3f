package guarded

import "testing"

func bench(n int) { Parse("of", "the", "package", "itself") }

func TestParse(t *testing.T) {
	if bench(1); Parse("one", "two").Next.Name != "one" {
		t.Error("not the first word")
	}
}
