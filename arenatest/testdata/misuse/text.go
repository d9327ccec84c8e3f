package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"regexp"
	"strings"

	"github.com/harena-go/arena"
)

// Text that is cut out of text in an arena.

var symbols []string

var _ = plant("text/token", textToken)

// A parser keeps tokens, substrings of a source that was read into the arena.
//
// want: race, asan, resets, guard, trap
// held by: main.symbols
func textToken() {
	a := newArena()
	source := a.AllocString("package hens; func lay() egg") // allocated
	for token := range strings.FieldsSeq(source) {
		if token == "egg" {
			symbols = append(symbols, token)
		}
	}
	a.Reset()          // reclaimed
	answer(symbols[0]) // used
}

var hostName string

var _ = plant("text/substring", textSubstring)

// A part of a line is kept. Go's sanitizers don't look at reads of a string's bytes,
// since strings can't change.
//
// want: resets, guard, trap
// held by: main.hostName
func textSubstring() {
	pool := newPool()
	pool.Do(func(a *arena.Arena) error { // reclaimed
		line := a.Sprintf("%s %s %d", "GET", "example.org", 200) // allocated
		hostName = strings.Split(line, " ")[1]
		return nil
	})
	sinkByte = hostName[3] // used
}

var tail []byte

var _ = plant("text/bytes", textBytes)

// A buffer's rest is kept for the next round.
//
// want: race, asan, resets, guard, trap
// held by: main.tail
func textBytes() {
	a := newArena(arena.WithNoScan())
	for range 3 {
		buffer := a.AllocBytes(1000) // allocated
		copy(buffer, "line 1\nline 2\nli")
		tail = buffer[bytes.LastIndexByte(buffer, '\n')+1:]
		a.Reset() // reclaimed
	}
	sinkByte = tail[0] // used
}

var routes = map[string]string{}

var _ = plant("text/converted", textConverted)

// A string made of bytes is the value of a map. Go's sanitizers don't see that
// strings are compared.
//
// want: resets, guard, trap
// held by: main.routes
func textConverted() {
	a := newArena()
	routes["home"] = a.AllocBytesToString([]byte("/index.html")) // allocated
	a.Reset()                                                    // reclaimed
	sinkBool = routes["home"] == "/index.htmx"                   // used
}

var pattern = regexp.MustCompile(`id=(\d+)`)

var lastID []byte

var _ = plant("text/regexp", textRegexp)

// What a regular expression finds is a part of what it looked at.
//
// want: race, asan, resets, guard, trap
// held by: main.lastID
func textRegexp() {
	a := newArena()
	m := a.Mark()
	line := a.AllocBytes(100) // allocated
	copy(line, "user id=12345 logged in")
	lastID = pattern.FindSubmatch(line)[1]
	a.Rewind(m)          // reclaimed
	sinkByte = lastID[2] // used
}

type record struct {
	level   string
	attrs   []slog.Attr
	message string
}

var pipeline = make(chan record, 10)

var _ = plant("text/log pipeline", textPipeline)

// A record is sent to the writer of the log, with an attribute from the request.
//
// want: race, asan, resets, guard, trap
// held by: main.pipeline
func textPipeline() {
	pool := newPool()
	a := pool.Get()
	user := a.AllocString("a user's name") // allocated
	pipeline <- record{message: "logged in", attrs: []slog.Attr{slog.String("user", user)}}
	pool.Put(a) // reclaimed
	r := <-pipeline
	pipeline <- r
	answer(r.attrs[0].Value.String()) // used
}

type document struct {
	Title string
	Raw   json.RawMessage
}

var documents []document

var _ = plant("text/raw message", textRaw)

// Decoded data has a copy of its title, but the raw message isn't one.
//
// want: race, asan, resets, trap
// held by: main.documents
func textRaw() {
	s := newShared()
	input := s.Local().AllocBytes(32) // allocated
	copy(input, `{"title":"hens"}`)
	documents = append(documents, document{Title: "hens", Raw: json.RawMessage(input[9:15])})
	s.Reset()                      // reclaimed
	sinkByte = documents[0].Raw[1] // used
}

var words []string

var _ = plant("text/fields", textFields)

// The slice is the heap's, its strings aren't.
//
// want: race, asan, resets, guard, trap
// held by: main.words
func textFields() {
	a := newArena()
	words = strings.Split(a.AllocString("hen duck goose"), " ") // allocated
	a.Reset()                                                   // reclaimed
	answer(words[2])                                            // used
}

var header = map[string][]string{}

var _ = plant("text/map of slices", textHeader)

// Header fields like those of HTTP: the slice of a key is in the arena.
//
// want: race, asan, resets, guard, trap
// held by: main.header
func textHeader() {
	a := newArena()
	values := arena.MakeSlice[string](a, 1, 4) // allocated
	values[0] = "text/html"
	header["Accept"] = values
	a.Reset()                   // reclaimed
	answer(header["Accept"][0]) // used
}

var builder strings.Builder

var _ = plant("text/replacer", textReplace)

// A replacement that changes nothing returns what it was given.
//
// want: race, asan, resets, guard, trap
// held by: main.title
func textReplace() {
	a := newArena()
	title = strings.ReplaceAll(a.AllocString("nothing to do"), "\t", " ") // allocated
	a.Reset()                                                             // reclaimed
	builder.WriteString(title)                                            // used
}

var title string
