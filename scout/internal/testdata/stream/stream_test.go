package stream

import "testing"

func TestDecode(t *testing.T) {
	d, s := NewDecoder("one", "two", "three"), new(State)
	for range 3 {
		if d.Decode(s) == nil {
			t.Error("nothing")
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	for b.Loop() {
		NewDecoder("some text").Decode(new(State))
	}
}

func TestParse(t *testing.T) {
	var p Parser
	for _, text := range []string{"one", "two", "three"} {
		if p.Parse(text).Name != text {
			t.Error("another item")
		}
	}
}

func BenchmarkParse(b *testing.B) {
	var p Parser
	for b.Loop() {
		p.Parse("some text")
	}
}
