package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/harena-go/arena"
)

// Self-contained arenas into whose values the standard library has put something.

// A page has fields of the library's types.
type page struct {
	created time.Time
	link    url.URL
	seen    sync.Map
	parts   []string
	title   string
	any     any
	Tags    []string
}

var _ = plant("hidden/time.Location", hiddenLocation)

// A time that was parsed has a zone of its own.
//
// want: hidden
func hiddenLocation() {
	p := arena.New[page](newIndex()) // allocated
	p.created, _ = time.Parse(time.RFC3339, "2026-01-02T03:04:05+05:30")
}

var _ = plant("hidden/number", hiddenNumber)

// A number in an interface has memory of its own.
//
// want: hidden
func hiddenNumber() {
	p := arena.New[page](newIndex()) // allocated
	p.any = sinkInt + 1000
}

var _ = plant("hidden/sync.Map", hiddenSyncMap)

// A sync.Map keeps all in nodes on the heap.
//
// want: hidden
func hiddenSyncMap() {
	p := arena.New[page](newIndex()) // allocated
	p.seen.Store("hen", "duck")
}

var _ = plant("hidden/strings.Split", hiddenSplit)

// The parts are the arena's, but the slice isn't.
//
// want: hidden
func hiddenSplit() {
	a := newIndex()
	p := arena.New[page](a) // allocated
	p.parts = strings.Split(a.AllocString("a,b"), ",")
}

var _ = plant("hidden/json.Unmarshal", hiddenJSON)

// Decoding allocates on the heap.
//
// want: hidden
func hiddenJSON() {
	p := arena.New[page](newIndex()) // allocated
	if json.Unmarshal([]byte(`{"Tags":["a","b"]}`), p) != nil {
		panic("not decoded")
	}
}

var _ = plant("hidden/Sscan", hiddenScan)

// Scanning, too.
//
// want: hidden
func hiddenScan() {
	p := arena.New[page](newIndex()) // allocated
	fmt.Sscan("hens and ducks", &p.title)
}

var _ = plant("hidden/url.Parse", hiddenURL)

// An address that was parsed is copied, with the user that it points to.
//
// want: hidden
func hiddenURL() {
	p := arena.New[page](newIndex()) // allocated
	u, _ := url.Parse("https://ada@example.org/")
	p.link = url.URL{User: u.User}
}

var _ = plant("hidden/text of a request", hiddenRequest)

// The index keeps the title that a request has in its own arena.
//
// want: hidden
func hiddenRequest() {
	pool := newPool()
	request := pool.Get()
	tb.Cleanup(func() { pool.Put(request) }) // when the index has ended
	p := arena.New[page](newIndex())         // allocated
	p.title = request.AllocString("hens")
}
