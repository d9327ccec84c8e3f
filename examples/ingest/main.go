// Command ingest takes events as lines of JSON over HTTP and counts them: each request's events are read into an arena,
// which ends with it.
//
//	curl --data-binary @events.ndjson localhost:8080/events
package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
)

// An event is one line.
type event struct {
	Kind   string            `json:"kind"`
	User   int64             `json:"user"`
	Took   float64           `json:"took_ms"`
	Labels map[string]string `json:"labels"`
}

// totals are kept of all events, by their kind.
type totals struct {
	mu     sync.Mutex
	byKind map[string]*total
}

type total struct {
	count int
	took  float64
}

// maxEvent limits the bytes of a line, and maxMemory those of a request's events.
const (
	maxEvent  = 64 << 10
	maxMemory = 1 << 20
)

// ingest returns a handler that adds the events of each request.
func (t *totals) ingest(pool *arena.Pool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n := 0
		err := pool.Do(func(a *arena.Arena) (err error) {
			n, err = t.read(a, r.Body)
			return err
		})
		var bad *arenajson.Error
		switch {
		case errors.As(err, &bad):
			http.Error(w, fmt.Sprintf("event %d: %v", n+1, bad), http.StatusBadRequest)
		case err != nil:
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		default:
			fmt.Fprintln(w, n)
		}
	}
}

// read adds the events of a stream, and returns their number.
func (t *totals) read(a *arena.Arena, r io.Reader) (n int, err error) {
	d := arenajson.NewDecoder(r, arenajson.WithByteLimit(maxEvent))
	for d.More() {
		a.Reset()
		e := arena.New[event](a)
		if err := d.Decode(a, e); err != nil {
			return n, err
		}
		t.add(e)
		n++
	}
	return n, nil
}

// add adds an event. The map keeps its keys, so they are clones: even with an existing entry, assigning to
// t.byKind[e.Kind] would put the event's own string into it.
func (t *totals) add(e *event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.byKind[e.Kind]
	if k == nil {
		k = new(total)
		t.byKind[arena.Clone(e.Kind)] = k
	}
	k.count++
	k.took += e.Took
}

func main() {
	t := &totals{byKind: map[string]*total{}}
	// With arena.WithReuse() requests reuse memory at once. add is ready for that: it clones the strings that it keeps.
	pool := arena.NewPool(arena.WithLimit(maxMemory))
	http.HandleFunc("POST /events", t.ingest(pool))
	log.Fatal(http.ListenAndServe("localhost:8080", nil))
}
