package kept

import "testing"

var sink *Node

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		sink = Parse("name")
	}
}

func BenchmarkOther(b *testing.B) {
	for b.Loop() {
		sink = Other("name")
	}
}
