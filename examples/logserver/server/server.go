package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenadebug"
	"github.com/harena-go/arena/arenahttp"
	"github.com/harena-go/arena/arenametrics"
)

// A Server counts the log records of its requests.
type Server struct {
	pool   *arena.Pool // nil is the Go heap
	limits Limits
	totals Totals
}

// New returns a server that answers each request in an arena of the pool, or on the Go heap if pool is nil.
func New(pool *arena.Pool, l Limits) *Server {
	return &Server{pool: pool, limits: l, totals: Totals{Services: map[string]*Counts{}}}
}

// Handler returns the handler of all paths.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /logs", arenahttp.Handler(s.pool, http.HandlerFunc(s.logs), arenahttp.MaxBody(s.limits.Body)))
	mux.HandleFunc("GET /stats", s.stats) // rare and small: the heap will do
	mux.HandleFunc("GET /metrics", metrics)
	mux.Handle("GET /debug/arena", arenadebug.Handler())
	return mux
}

// logs takes log records. Everything made from the request is in the arena: the body, the records, the answer. It
// writes only after the last allocation, so that a request that exceeds a limit gets a whole answer, 413 or 503.
func (s *Server) logs(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	body, err := arenahttp.ReadBody(r)
	if err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		// The client is gone, or too slow: there is nobody to answer, and nothing to log. Just returning would answer
		// the received part of the body with 200.
		panic(http.ErrAbortHandler)
	}
	records, err := parse(a, r.Header.Get("Content-Type"), body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	sum := arena.New[Summary](a)
	sum.Add(a, records)
	s.totals.Add(sum)

	// Nothing is allocated from here on. json and w keep no references to their arguments, so sum is no longer needed
	// then.
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(sum)
}

func (s *Server) stats(w http.ResponseWriter, r *http.Request) {
	totals, err := s.totals.marshal()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"totals": totals, "pool": s.pool.Stats()})
}

// metrics writes the metrics of all pools, in a format that Prometheus reads.
func metrics(w http.ResponseWriter, _ *http.Request) {
	for _, m := range arenametrics.All() {
		fmt.Fprintf(w, "arena_%s{unit=%q,state=%q,pool=%q,key=%q} %v\n",
			m.Name, m.Unit, m.State, m.Pool, m.Key, m.Value)
	}
}

// Totals outlive all requests, and are on the Go heap. Numbers may be copied here from an arena, but pointers into it
// must be cloned.
type Totals struct {
	mu       sync.Mutex
	Records  int                `json:"records"`
	Services map[string]*Counts `json:"services"`
	Slowest  *Record            `json:"slowest,omitempty"`
}

// maxServices limits the services that are counted separately. Their names come from outside, and may not fill the
// memory that limits have saved.
const maxServices = 1000

// Add adds the summary of a request.
func (t *Totals) Add(s *Summary) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Records += s.Records
	for _, v := range s.Services {
		t.service(v.Name).add(v.Counts)
	}
	if r := s.Slowest; r != nil && (t.Slowest == nil || r.Took > t.Slowest.Took) {
		// DeepClone follows all pointers, so Previous is cut: it leads to all earlier records of the service.
		slowest := *r
		slowest.Previous = nil
		t.Slowest = arena.DeepClone(&slowest)
	}
}

// service returns the counts of a service whose name is in an arena. It may look the name up, but must never assign by
// it: t.Services[name] = c, or t.Services[name]++ for numbers, would store name as the key even if the map has an equal
// one, which was cloned.
func (t *Totals) service(name string) *Counts {
	c := t.Services[name]
	if c == nil && len(t.Services) >= maxServices {
		name = "(others)"
		c = t.Services[name]
	}
	if c == nil {
		c = new(Counts)
		t.Services[strings.Clone(name)] = c
	}
	return c
}

// marshal returns the current totals. It doesn't write to a client, who might be slow, under the lock.
func (t *Totals) marshal() (json.RawMessage, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return json.Marshal(t)
}
