package server

import (
	"errors"
	"fmt"
	"hash/crc32"
	"runtime"
	"sync"
	"time"

	"github.com/harena-go/arena/bench/measure"
)

// A Config says how much is to be done.
type Config struct {
	Requests    int // that are measured
	Warmup      int // that come first and don't count
	Connections int // in-process: goroutines
	Objects     int // live in the background
}

// bodies makes up the requests, which are repeated if there are more to make.
func (c Config) bodies() [][]byte { return Batches(min(batches, c.Requests)) }

// An audience receives answers on one connection, or in one goroutine. It
// keeps nothing but what can be compared.
type audience struct {
	latencies measure.Latencies
	sum       uint64 // of the answers' checksums, whose order doesn't matter then
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (a *audience) Write(answer []byte) (int, error) {
	a.sum += uint64(crc32.Checksum(answer, castagnoli))
	return len(answer), nil
}

// askAll has all audiences make their shares of n requests at the same time. ask
// makes one, given its number, for the audience i; how long it takes is noted.
// then is called after each.
func askAll(audiences []audience, n int, ask func(i, request int) error, then func()) error {
	var wg sync.WaitGroup
	errs := make([]error, len(audiences))
	for i := range audiences {
		wg.Go(func() {
			for request := i; request < n; request += len(audiences) {
				began := time.Now()
				if err := ask(i, request); err != nil {
					errs[i] = err
					return
				}
				audiences[i].latencies.Record(time.Since(began))
				then()
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

// RunInProcess answers requests without HTTP, in as many goroutines as there
// would be connections. As in a server, a goroutine that has answered lets
// others run. A request's time is that from its body to its answer.
func RunInProcess(peer string, c Config) (*measure.Sample, error) {
	h, err := NewHandler(peer)
	if err != nil {
		return nil, err
	}
	bodies := c.bodies()
	background := newSessions(c.Objects)
	audiences := make([]audience, c.Connections)
	if err := answerAll(h, bodies, audiences, c.Warmup); err != nil {
		return nil, err
	}
	clear(audiences)
	run := measure.Start()
	err = answerAll(h, bodies, audiences, c.Requests)
	s := run.Stop()
	if err != nil {
		return nil, err
	}
	latencies, checksum := merged(audiences)
	s.Latency, s.Checksum = latencies.Summary(), checksum
	if isFloor(h) {
		s.Checksum = "" // it has no answers that could be wrong
	}
	return &s, c.finish(&s, background)
}

// finish says in s what was done, and looks whether the background is still what
// it was.
func (c Config) finish(s *measure.Sample, background *sessions) error {
	s.Requests = c.Requests
	s.Note = fmt.Sprintf("%d requests in a round, %d at a time; %d other objects are live", c.Requests,
		c.Connections, c.Objects)
	if !background.intact(c.Objects) {
		return errors.New("the sessions in the background have changed")
	}
	return nil
}

// answerAll has each audience take its share of n requests.
func answerAll(h Handler, bodies [][]byte, audiences []audience, n int) error {
	return askAll(audiences, n, func(i, request int) error {
		return h.Handle(bodies[request%len(bodies)], &audiences[i])
	}, runtime.Gosched)
}
