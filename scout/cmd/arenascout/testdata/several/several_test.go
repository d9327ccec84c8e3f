package several

import (
	"strings"
	"testing"
)

var result any

func BenchmarkParse(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"small", 4}, {"large", 40}} {
		b.Run(size.name, func(b *testing.B) {
			text := strings.Repeat("x", size.n)
			for b.Loop() {
				if len(Parse(text).Words) != size.n {
					b.Fatal("wrong")
				}
			}
		})
	}
}

func BenchmarkRender(b *testing.B) {
	d := Parse("some text that is rendered")
	for b.Loop() {
		if Render(d) == "" {
			b.Fatal("wrong")
		}
	}
}

func BenchmarkServe(b *testing.B) {
	b.SetParallelism(8)
	serve(b)
}

func BenchmarkOneEach(b *testing.B) { serve(b) }

func serve(b *testing.B) {
	s := &Service{}
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			s.Serve("name")
		}
	})
}

func BenchmarkNothing(b *testing.B) {
	for b.Loop() {
	}
}

func BenchmarkGeneric(b *testing.B) {
	l := &List[Word]{}
	for b.Loop() {
		if l.Fill(Word{Text: "x"}, 20) != 20 {
			b.Fatal("wrong")
		}
	}
}
