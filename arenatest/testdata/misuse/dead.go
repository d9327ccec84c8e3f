package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"log"
	"net/http/httptest"
	"strings"

	"github.com/harena-go/arena"
)

// Reads of dead text, and of other values without pointers. Those that use it are servers that the
// program has made, locals and closures.

// A shop is a server with some state.
type shop struct {
	pool   *arena.Pool
	token  string // of who has logged in last
	prices map[string]int
	log    *log.Logger
	audit  bytes.Buffer
	stats  *visits
}

type visits struct{ hits, misses, bytes int }

func newShop() *shop {
	s := &shop{pool: newPool(), prices: map[string]int{"egg": 30, "hen": 900}}
	s.log = log.New(&s.audit, "", 0)
	return s
}

var _ = plant("dead/index", deadIndex)

// The scheme of a token is told by its first byte, at the next request.
//
// want: resets, guard, trap
// held by: *main.shop .token
func deadIndex() {
	s := underTest(newShop())
	s.pool.Do(func(a *arena.Arena) error { // reclaimed
		s.token = a.AllocString("Bearer 12345") // allocated
		return nil
	})
	if s.token[0] == 'B' { // used
		sinkInt++
	}
}

var _ = plant("dead/range", deadRange)

// A name is checked rune by rune, when its request has ended.
//
// want: guard, trap
func deadRange() {
	pool := newPool()
	a := pool.Get()
	name := a.AllocString("Ada Lovelace") // allocated
	pool.Put(a)                           // reclaimed
	for _, r := range name {              // used
		sinkBool = r > 127
	}
}

var _ = plant("dead/comparison", deadComparison)

// The next request's token is compared with that of the one before.
//
// want: resets, guard, trap
// held by: *main.shop .token
func deadComparison() {
	s := underTest(newShop())
	a := s.pool.Get()
	s.token = a.Sprintf("%s-%d", "session", 7) // allocated
	s.pool.Put(a)                              // reclaimed
	sinkBool = s.token == text(7)+"x"          // used
}

var _ = plant("dead/switch", deadSwitch)

// A method is told by a switch, in a closure that runs at the end.
//
// want: guard, trap
func deadSwitch() {
	pool := newPool()
	count := func(method string) {
		switch method {
		case "GET", "HEAD": // used
			sinkInt++
		case "POST":
			sinkInt--
		}
	}
	a := pool.Get()
	method := a.AllocString("HEAD") // allocated
	pool.Put(a)                     // reclaimed
	count(method)
}

var _ = plant("dead/map look-up", deadLookup)

// A price is looked up for an article whose name is dead.
//
// want: guard, trap
func deadLookup() {
	s := underTest(newShop())
	a := s.pool.Get()
	article := a.AllocString("hen") // allocated
	s.pool.Put(a)                   // reclaimed
	sinkInt = s.prices[article]     // used
}

var _ = plant("dead/strings.Clone", deadClone)

// The text is cloned, but too late.
//
// want: guard, trap
func deadClone() {
	pool := newPool()
	var title string
	pool.Do(func(a *arena.Arena) error { // reclaimed
		title = a.Sprintf("order %d", 5) // allocated
		return nil
	})
	sinkText = strings.Clone(title) // used
}

var _ = plant("dead/concatenation", deadConcatenation)

// A key is made of a name.
//
// want: guard, trap
func deadConcatenation() {
	a := newArena()
	name := a.AllocBytesToString([]byte("ada")) // allocated
	a.Reset()                                   // reclaimed
	sinkText = "user:" + name                   // used
}

var _ = plant("dead/error", deadError)

// The error is formatted with %q when the arena was put back.
//
// want: guard, trap
func deadError() {
	sinkBool = find(newPool(), "goose") != nil
}

func find(pool *arena.Pool, article string) error {
	a := pool.Get()
	name := a.AllocString(article)   // allocated
	pool.Put(a)                      // reclaimed
	return fmt.Errorf("no %q", name) // used
}

var _ = plant("dead/log line", deadLog)

// What a request was for is logged by a deferred call, which comes after that which puts back.
//
// want: race, asan, guard, trap
func deadLog() {
	s := underTest(newShop())
	serve := func(path string) {
		a := s.pool.Get()
		own := a.AllocString(path)                  // allocated
		defer func() { s.log.Print("GET ", own) }() // used
		defer s.pool.Put(a)                         // which reclaims it
	}
	serve("/orders/7")
}

var _ = plant("dead/header", deadHeader)

// A header of the answer is written when the handler has returned.
//
// want: race, asan, resets, guard, trap
// held by: httptest.ResponseRecorder
func deadHeader() {
	pool := newPool()
	w := underTest(httptest.NewRecorder())
	pool.Do(func(a *arena.Arena) error { // reclaimed
		w.Header().Set("X-Request-Id", a.Sprintf("%08d", 1)) // allocated
		return nil
	})
	var b strings.Builder
	w.Header().Write(&b) // used
}

var _ = plant("dead/JSON", deadJSON)

// A reply is encoded when its number is dead. (Of a text asan sees that with Go 1.27, and not before.)
//
// want: race, asan, guard, trap
func deadJSON() {
	type reply struct{ Total *int64 }
	pool := newPool()
	make := func() (r reply) {
		pool.Do(func(a *arena.Arena) error { // reclaimed
			r.Total = arena.NewOf(a, int64(7)) // allocated
			return nil
		})
		return r
	}
	text, _ := json.Marshal(make()) // used
	sinkInt = len(text)
}

var _ = plant("dead/scalars", deadScalars)

// A struct of numbers stays in the server, and is added to.
//
// want: race, asan, resets, guard, trap
// held by: *main.shop .stats
func deadScalars() {
	s := underTest(newShop())
	s.pool.Do(func(a *arena.Arena) error { // reclaimed
		s.stats = arena.NewOf(a, visits{hits: 1}) // allocated
		return nil
	})
	sinkInt = s.stats.hits + s.stats.bytes // used
}

var _ = plant("dead/compared bytes", deadBytes)

// A body is compared with the one of the last request, which was at the same place.
//
// want: race, guard, trap
func deadBytes() {
	pool := newPool()
	var last []byte
	for range 2 {
		a := pool.Get()
		body, _ := a.ReadAll(strings.NewReader("the same text"), 13) // allocated
		sinkBool = last != nil && bytes.Equal(body, last)            // used
		last = body
		pool.Put(a) // reclaimed
	}
}

var _ = plant("dead/checksum", deadChecksum)

// The checksum is computed by assembly, which no sanitizer looks at.
//
// want: guard, trap
func deadChecksum() {
	a := newArena()
	body := a.AllocBytes(4096)              // allocated
	a.Reset()                               // reclaimed
	sinkInt = int(crc32.ChecksumIEEE(body)) // used
}

var _ = plant("dead/many", deadMany)

// The last of many lines, of a request for which arenatest neither has pages left nor looks any more, is looked
// at too late.
//
// want: guard
func deadMany() {
	pool := newPool()
	for range 16 {
		pool.Do(func(a *arena.Arena) error {
			a.AllocString("a line")
			return nil
		})
	}
	last := ""
	pool.Do(func(a *arena.Arena) error { // reclaimed
		for n := range 300 {
			last = a.Sprintf("line %d", n) // allocated
		}
		return nil
	})
	sinkByte = last[5] // used
}
