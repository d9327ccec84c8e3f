package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/harena-go/arena/arenatest"
)

// TestMain runs the tests with all arenas checked.
func TestMain(m *testing.M) { os.Exit(arenatest.Main(m)) }

func TestTop(t *testing.T) {
	x := newIndex()
	for _, file := range [][2]string{{"a", "The tea,\nthe milk; THE rice"}, {"b", "no milk?\n"}} {
		if err := x.read(file[0], strings.NewReader(file[1])); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC() // must not free anything that the index needs
	var got []string
	for _, w := range x.top(3) {
		got = append(got, fmt.Sprint(w.text, " ", w.count))
	}
	if want := []string{"the 3", "milk 2", "tea 1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if p := x.words[0].places; p.file != "a" || p.line != 2 || p.next.next.line != 1 {
		t.Errorf("the word %q is at %+v", x.words[0].text, *p)
	}
}

// TestAgainstMap counts many words, more than the table has slots, in a map
// too, while the GC works.
func TestAgainstMap(t *testing.T) {
	x, want := newIndex(), map[string]int{}
	letters := func(n int) string {
		return strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(n))
	}
	for file := range 20 {
		var text bytes.Buffer
		for i := range 10_000 {
			w := letters(i * (file + 1))
			want[w]++
			fmt.Fprintln(&text, w)
		}
		if err := x.read(fmt.Sprint("file ", file), &text); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
	}
	got := map[string]int{}
	for _, w := range x.words {
		got[w.text] = w.count
	}
	if !maps.Equal(got, want) || len(x.words) != len(want) {
		t.Errorf("%d words, %d different ones; want %d", len(x.words), len(got), len(want))
	}
}

func TestRun(t *testing.T) {
	name := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(name, []byte("to be or not to be"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, files := range [][]string{{name}, nil} {
		var out bytes.Buffer
		if err := run(files, strings.NewReader("to be or not to be"), &out); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"2 be", "2 to", "4 words", `arena "index"`} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %q in\n%s", want, &out)
			}
		}
	}
	if err := run([]string{name + ".missing"}, nil, &bytes.Buffer{}); err == nil {
		t.Error("no error for a missing file")
	}
}
