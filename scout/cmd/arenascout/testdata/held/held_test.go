package held

import "testing"

const text = "some text of forty letters, as it happens"

func BenchmarkKeep(b *testing.B) {
	for b.Loop() {
		Keep(text)
	}
}

func BenchmarkCount(b *testing.B) {
	for b.Loop() {
		Count(text[:8]) // less than Keep promises, however busy the machine is
	}
}
