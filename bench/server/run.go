package server

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/harena-go/arena/bench/measure"
)

// An audience receives answers on one connection, or in one goroutine. It keeps only figures for comparison.
type audience struct {
	latencies measure.Latencies
	sum       uint64 // of the answers' checksums, whose order doesn't matter
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (a *audience) Write(answer []byte) (int, error) {
	a.sum += uint64(crc32.Checksum(answer, castagnoli))
	return len(answer), nil
}

// askAll runs n requests, divided among all audiences, at the same time. ask makes one, by its number, for the audience
// i; its time is recorded. As in a server, a goroutine that has answered lets others run; waiting for a processor then
// doesn't count.
func askAll(n int, audiences []audience, ask func(i, request int) error) error {
	var wg sync.WaitGroup
	errs := make([]error, len(audiences))
	for i := range audiences {
		wg.Go(func() {
			for request := i; request < n && errs[i] == nil; request += len(audiences) {
				runtime.Gosched()
				began := time.Now()
				errs[i] = ask(i, request)
				audiences[i].latencies.Record(time.Since(began))
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// merged adds up all audiences.
func merged(all []audience) (latencies *measure.Latencies, checksum string) {
	latencies = &measure.Latencies{}
	sum := uint64(0)
	for i := range all {
		latencies.Merge(&all[i].latencies)
		sum += all[i].sum
	}
	return latencies, fmt.Sprintf("%d answers %x", latencies.Count(), sum)
}

// A caller calls a handler like net/http, without a socket. It is the writer of the answer, and the body.
type caller struct {
	bytes.Reader
	request http.Request
	header  http.Header
	status  int
	out     *audience
}

func newCaller() *caller {
	c := &caller{header: http.Header{}}
	r, err := http.NewRequest(http.MethodPost, "/logs", nil)
	if err != nil {
		panic(err) // the path is right
	}
	c.request = *r
	c.request.Body = c
	return c
}

func (c *caller) Close() error                { return nil }
func (c *caller) Header() http.Header         { return c.header }
func (c *caller) WriteHeader(status int)      { c.status = status }
func (c *caller) Write(p []byte) (int, error) { return c.out.Write(p) }

// call makes a request with a body.
func (c *caller) call(h http.Handler, body []byte, out *audience) error {
	c.Reset(body)
	clear(c.header)
	c.status, c.out, c.request.ContentLength = http.StatusOK, out, int64(len(body))
	h.ServeHTTP(c, &c.request)
	if c.status != http.StatusOK {
		return fmt.Errorf("the server answered %d", c.status)
	}
	return nil
}

// inProcess answers requests in as many goroutines as there would be connections. A request's time is that from its
// body to its answer.
func (c Config) inProcess(peer string) (*measure.Sample, error) {
	h, err := handler(peer)
	if err != nil {
		return nil, err
	}
	all, callers := bodies(c.Requests), c.callers()
	background := newSessions(c.Objects)
	if _, err := callAll(h, all, callers, c.Warmup); err != nil {
		return nil, err
	}
	run := measure.Start()
	audiences, err := callAll(h, all, callers, c.Requests)
	s := run.Stop()
	if err != nil {
		return nil, err
	}
	latencies, checksum := merged(audiences)
	s.Latency, s.Checksum = latencies.Summary(), checksum
	return &s, c.finish(&s, background)
}

func (c Config) callers() []*caller {
	callers := make([]*caller, c.Connections)
	for i := range callers {
		callers[i] = newCaller()
	}
	return callers
}

// callAll makes n requests, divided among the callers.
func callAll(h http.Handler, bodies [][]byte, callers []*caller, n int) ([]audience, error) {
	audiences := make([]audience, len(callers))
	err := askAll(n, audiences, func(i, request int) error {
		return callers[i].call(h, bodies[request%len(bodies)], &audiences[i])
	})
	return audiences, err
}

// finish completes s, and checks that the background is unchanged.
func (c Config) finish(s *measure.Sample, background *sessions) error {
	s.Requests = c.Requests
	s.Note = fmt.Sprintf("%d requests in a round, %d at a time; %d other objects are live", c.Requests,
		c.Connections, c.Objects)
	if !background.intact(c.Objects) {
		return errors.New("the sessions in the background have changed")
	}
	return nil
}
