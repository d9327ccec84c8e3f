package carried_test

import (
	"testing"

	"example.com/carried/v2"
)

var (
	sink   *carried.Node
	parser = carried.NewParser()
)

func benchParse(b *testing.B, words []string) {
	for b.Loop() {
		sink = parser.Parse(words...)
		sink = nil
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	b.Run("words", func(b *testing.B) { benchParse(b, []string{"some", "words", "to", "parse"}) })
}
