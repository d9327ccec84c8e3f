// Wordcount indexes the words of files, or of its standard input, and prints the most frequent ones.
//
//	go run ./examples/wordcount [file ...]
//
// The index is a graph of many small values that stay. It is built in a self-contained arena, which the garbage
// collector never scans. So everything that it points to must be in the arena too: words, names of files, tables.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"runtime"
	"slices"
	"time"
	"unicode"

	"github.com/harena-go/arena"
)

type index struct {
	arena *arena.Arena // holds all that follows
	seed  maphash.Seed
	table []*word // by hash
	words []*word
}

type word struct {
	text   string
	count  int
	places *place // newest first
	next   *word  // of those with the same slot in the table
}

type place struct {
	file string
	line int
	next *place
}

func newIndex() *index {
	a := arena.NewArena(arena.WithNoScan(), arena.WithName("index"))
	return &index{arena: a, seed: maphash.MakeSeed(), table: arena.MakeSlice[*word](a, 1<<16, 1<<16)}
}

// read adds the words of a file.
func (x *index) read(name string, r io.Reader) error {
	name = x.arena.AllocString(name)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := bytes.ToLower(lines.Bytes())
		for text := range bytes.FieldsFuncSeq(line, func(r rune) bool { return !unicode.IsLetter(r) }) {
			w := x.find(text)
			w.count++
			w.places = arena.NewOf(x.arena, place{name, n, w.places})
		}
	}
	return lines.Err()
}

// find returns the entry of a word, a new one for a new word.
func (x *index) find(text []byte) *word {
	slot := &x.table[maphash.Bytes(x.seed, text)%uint64(len(x.table))]
	for w := *slot; w != nil; w = w.next {
		if w.text == string(text) {
			return w
		}
	}
	w := arena.NewOf(x.arena, word{text: x.arena.AllocBytesToString(text), next: *slot})
	*slot = w
	x.words = arena.Append(x.arena, x.words, w)
	return w
}

// top returns the n most frequent words.
func (x *index) top(n int) []*word {
	slices.SortStableFunc(x.words, func(v, w *word) int { return w.count - v.count })
	return x.words[:min(n, len(x.words))]
}

func run(files []string, in io.Reader, out io.Writer) error {
	x := newIndex()
	if len(files) == 0 {
		if err := x.read("stdin", in); err != nil {
			return err
		}
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := x.read(name, bytes.NewReader(text)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, w := range x.top(10) {
		fmt.Fprintf(out, "%8d %-12s last at %s:%d\n", w.count, w.text, w.places.file, w.places.line)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	start := time.Now()
	runtime.GC()
	fmt.Fprintf(out, "%d words, %d GC cycles, one more takes %v\n", len(x.words), m.NumGC, time.Since(start))
	fmt.Fprintln(out, x.arena.Stats())
	return nil
}

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "wordcount:", err)
		os.Exit(1)
	}
}
