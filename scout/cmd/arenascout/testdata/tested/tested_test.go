package tested_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/tested"
)

func TestParse(t *testing.T) {
	fmt.Println("a test may print")
	for n := range 20 {
		words := 0
		for w := tested.Parse(strings.Repeat("word ", n)); w != nil; w = w.Next {
			words++
		}
		if words != n {
			t.Error(words)
		}
	}
}

/*
func TestGone(t *testing.T) {}
*/

var ran bool

func TestOnce(t *testing.T) {
	if ran {
		t.Fatal("it runs again")
	}
	ran = tested.Parse("one") != nil
}

func BenchmarkFails(b *testing.B) {
	for b.Loop() {
		b.Fatal("a file is missing")
	}
}

func BenchmarkNothing(b *testing.B) {
	words := tested.Parse(strings.Repeat("word ", 1000)) // which is no iteration's
	for b.Loop() {
		words.Text = ""
	}
}

var longest *tested.Word

func BenchmarkLittle(b *testing.B) {
	text := strings.Repeat("word ", 1000)
	for b.Loop() {
		longest = tested.Longest(text)
	}
}
