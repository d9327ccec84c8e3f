package failing

import "testing"

func BenchmarkFails(b *testing.B) {
	for b.Loop() {
		Work(10)
	}
	b.Fatal("not what was wanted")
}

func BenchmarkPanics(b *testing.B) {
	for b.Loop() {
		Work(-1)
	}
}

func BenchmarkNothing(b *testing.B) {
	for b.Loop() {
	}
}

func BenchmarkOnce(b *testing.B) {
	Once()
}

func TestNothing(t *testing.T) {}

func TestWork(t *testing.T) {
	for n := range 300 {
		Work(100 + n)
	}
}
