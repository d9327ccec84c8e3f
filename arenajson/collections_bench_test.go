package arenajson_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/collections"
)

// objectOf returns an object with n members that have integers, and names with a prefix.
func objectOf(prefix string, n int) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"%s%d":%d`, prefix, i*7919, i)
	}
	return []byte("{" + b.String()[1:] + "}")
}

// BenchmarkContainers compares objects that go to a Map with such that go to Go's map.
func BenchmarkContainers(b *testing.B) {
	for _, n := range []int{10, 1000} {
		text := objectOf("name", n)
		b.Run(fmt.Sprint("Map/", n), func(b *testing.B) { benchmarkNew[collections.Map[string, int]](b, text) })
		b.Run(fmt.Sprint("Go/", n), func(b *testing.B) { benchmarkNew[map[string]int](b, text) })
		m, err := arenajson.New[collections.Map[string, int]](nil, text)
		g, err2 := arenajson.New[map[string]int](nil, text)
		if err != nil || err2 != nil {
			b.Fatal(err, err2)
		}
		b.Run(fmt.Sprint("write/Map/", n), func(b *testing.B) { benchmarkAppend(b, m) })
		b.Run(fmt.Sprint("write/Go/", n), func(b *testing.B) { benchmarkAppend(b, g) })
	}
}

func benchmarkNew[T any](b *testing.B, text []byte) {
	a := arena.NewArena()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := arenajson.New[T](a, text); err != nil {
			b.Fatal(err)
		}
		a.Reset()
	}
}

func benchmarkAppend(b *testing.B, v any) {
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst, _ = arenajson.Append(dst[:0], v)
	}
}
