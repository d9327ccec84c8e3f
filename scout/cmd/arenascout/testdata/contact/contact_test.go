package contact

import "testing"

var (
	word   *Word
	parser = NewParser()
)

// runParse is a helper, and has another one.
func runParse(b *testing.B, text string) {
	b.Helper()
	for range b.N {
		parse(b, text)
	}
}

func parse(b *testing.B, text string) {
	if len(Parse(text).Words) != len(text) {
		b.Fatal("wrong")
	}
}

// parsing makes a benchmark, which has no name on its stack.
func parsing(text string) func(*testing.B) {
	return func(b *testing.B) { runParse(b, text) }
}

func BenchmarkAll(b *testing.B) {
	text := Load()
	b.ResetTimer()
	b.Run("made", parsing(text))
}

func BenchmarkLabel(b *testing.B) {
	for n := range b.N {
		word = Label(n)
	}
}

func BenchmarkHelper(b *testing.B) { runParse(b, Load()) }

func BenchmarkBroken(b *testing.B) { b.Fatal("broken") }

func BenchmarkNone(b *testing.B) {
	n := 0
	for b.Loop() {
		n += Count("some text")
	}
}

var sink any

func BenchmarkKept(b *testing.B) {
	text := Load()
	for range b.N {
		parser.Len(text)
	}
	sink = parser.last
}

func BenchmarkPrepared(b *testing.B) {
	var docs []*Doc
	for range 500 {
		docs = append(docs, Parse(Load()))
	}
	b.ResetTimer()
	for n := range b.N {
		for i := range 100 * len(docs) {
			n += len(docs[i%len(docs)].Words)
		}
		word = Label(n)
	}
}
