package grammar

import "testing"

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		Parse("some, words, to, parse")
	}
}

func TestParse(t *testing.T) {
	if n := Parse("one, two"); n.Name != "two" || n.Next.Name != "one" {
		t.Errorf("%+v", n)
	}
}
