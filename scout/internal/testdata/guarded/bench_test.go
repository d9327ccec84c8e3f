package guarded_test

import (
	"fmt"
	str "strings"
	"testing"

	. "example.com/guarded/v2"
	other "example.com/guarded/v2"
)

var sink *Node

type suite struct{ words []string }

func (s suite) bench(b *testing.B) { bench(b.N, s.words) }

// benchArena has the name that a copy of bench would have.
func benchArena() string { return "arena" }

// bench hides that its loop is the benchmark's.
func bench(n int, words []string) {
	for i := 0; i < n; i++ {
		sink = Parse(words...)
		sink = nil
	}
}

func generic[T fmt.Stringer](b *testing.B, all []T) {
	var words []string
	for _, s := range all {
		words = append(words, s.String())
	}
	bench(b.N, words)
}

func value(b *testing.B) { bench(b.N, []string{"some", benchArena()}) }

func renamed(b *testing.B) {
	for i := 0; i < 2; i++ {
		if other.Parse("word").Name != "word" {
			b.Fatal("another word")
		}
	}
}

// prepare doesn't lead to the unit, and takes what a test hasn't.
func prepare(b *testing.B) []string {
	b.Helper()
	return str.Fields("some words to parse")
}

func BenchmarkParse(b *testing.B) {
	words := prepare(b)
	size := len(words)
	b.SetBytes(int64(size))
	b.Run("value", value)
	b.Run("renamed", renamed)
	b.Run("generic", func(b *testing.B) { generic(b, []*str.Builder{{}, {}}) })
	b.Run("method", func(b *testing.B) { suite{words}.bench(b) })
}
