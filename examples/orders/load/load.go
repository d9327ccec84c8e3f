// Package load sends requests to services, and measures their resources.
package load

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// An Endpoint is a kind of request. Of returns the method, the path and the body of its i-th request.
type Endpoint struct {
	Name  string
	Row   string // a name without spaces
	Of    func(i int) (method, path, body string)
	Share int // divides the number of requests in a round: large answers take longer
}

// Endpoints are the endpoints of the shop.
var Endpoints = []Endpoint{
	{"POST an order", "post", func(i int) (string, string, string) { return "POST", "/orders", order(i) }, 2},
	{"GET one order", "get-one", func(i int) (string, string, string) {
		return "GET", fmt.Sprint("/orders/", 1+i*7%4000), ""
	}, 1},
	{"GET the last 100 orders", "get-100", get("/orders?last=100"), 5},
	{"GET the last 200 orders", "get-200", get("/orders?last=200"), 10},
	{"GET customers, 1,000 orders", "customers", get("/customers"), 40},
	{"search 20,000 products", "search", func(i int) (string, string, string) {
		return "GET", "/products?q=" + []string{"teapot", "steel", "round", "no+19"}[i%4], ""
	}, 5},
}

func get(path string) func(int) (string, string, string) {
	return func(int) (string, string, string) { return "GET", path, "" }
}

// order returns an order of twenty items, some 2 KB of JSON.
func order(i int) string {
	items := make([]string, 20)
	for n := range items {
		items[n] = fmt.Sprintf(`{"product":"Round Wooden Chair No %d","count":%d,"price":%d}`, i*31+n, 1+n%5, 100+n*37)
	}
	return fmt.Sprintf(`{"customer":"Customer %d","street":"%d Harbour Road","city":"Port Byrne","note":"ring twice",`+
		`"items":[%s]}`, i%500, i, strings.Join(items, ","))
}

// A Server is a service in a process of its own.
type Server struct {
	Name    string
	process *exec.Cmd
	base    string
	client  *http.Client
	next    atomic.Int64 // number of the next request
}

// Serve starts a process, and returns once it has written "listening on" and its address.
func Serve(name string, process *exec.Cmd) (*Server, error) {
	s := &Server{Name: name, process: process}
	s.process.Stderr = os.Stderr
	out, err := s.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		s.Stop()
		return nil, fmt.Errorf("%s didn't start: %w", name, err)
	}
	s.base = "http://" + strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
	s.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	return s, nil
}

// Stop ends the service. Programs that run in the background often ignore an interrupt.
func (s *Server) Stop() error {
	if s.process.Process.Signal(syscall.SIGTERM) != nil {
		s.process.Process.Kill()
	}
	return s.process.Wait()
}

// A Sample is the cost of a round of requests.
type Sample struct {
	Requests  int
	Reading                   // the service's resources for all of them; RSS is measured after them
	Latencies []time.Duration // sorted
	Answer    []byte          // the last one
}

// Run sends n requests from a number of clients. Each waits for its answer.
func (s *Server) Run(e Endpoint, clients, n int) (Sample, error) {
	before, err := s.usage()
	if err != nil {
		return Sample{}, err
	}
	out := Sample{Requests: n, Latencies: make([]time.Duration, n)}
	var group sync.WaitGroup
	var failed atomic.Pointer[error]
	var taken atomic.Int64
	for range clients {
		group.Go(func() {
			for i := taken.Add(1) - 1; i < int64(n) && failed.Load() == nil; i = taken.Add(1) - 1 {
				start := time.Now()
				answer, err := s.ask(e)
				if err != nil {
					failed.Store(&err)
					return
				}
				out.Latencies[i] = time.Since(start)
				if i == int64(n)-1 {
					out.Answer = answer
				}
			}
		})
	}
	group.Wait()
	if err := failed.Load(); err != nil {
		return Sample{}, *err
	}
	after, err := s.usage()
	slices.Sort(out.Latencies)
	out.Reading = Reading{CPU: after.CPU - before.CPU, GC: after.GC - before.GC, Heap: after.Heap - before.Heap,
		Cycles: after.Cycles - before.Cycles, RSS: after.RSS}
	return out, err
}

func (s *Server) ask(e Endpoint) ([]byte, error) {
	method, path, body := e.Of(int(s.next.Add(1)))
	r, err := http.NewRequest(method, s.base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := s.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= 300 {
		err = fmt.Errorf("%s: %s %s: %s %s", s.Name, method, path, answer.Status, text)
	}
	return text, err
}

func (s *Server) usage() (r Reading, err error) {
	answer, err := s.client.Get(s.base + "/debug/usage")
	if err != nil {
		return r, err
	}
	defer answer.Body.Close()
	return r, json.NewDecoder(answer.Body).Decode(&r)
}

// Compare runs this program as both services, sends requests to them in turns, and writes their costs. The one on
// arenas has further flags.
func Compare(ctx context.Context, w io.Writer, url string, n int, flags ...string) error {
	const rounds, clients = 9, 8
	program, err := os.Executable()
	if err != nil {
		return err
	}
	var servers []*Server
	for _, name := range []string{"plain", "arenas"} {
		args := []string{"-addr", "localhost:0", "-postgres", url}
		if name == "plain" {
			args = append(args, "-plain")
		} else {
			args = append(args, flags...)
		}
		process := exec.CommandContext(ctx, program, args...)
		process.Cancel = func() error { return process.Process.Signal(syscall.SIGTERM) }
		s, err := Serve(name, process)
		if err != nil {
			return err
		}
		defer s.Stop()
		servers = append(servers, s)
	}
	fmt.Fprintf(w, "%-28s %-7s %12s %8s %8s %6s %8s %12s\n", "", "", "per CPU-s", "p50 ms", "p99 ms", "GC", "RSS MB",
		"KB of heap")
	for _, e := range Endpoints {
		samples := make([][]Sample, len(servers))
		for round := range rounds + 1 { // the first warms up
			for i, s := range servers {
				sample, err := s.Run(e, clients, max(n/e.Share, clients))
				if err != nil {
					return err
				}
				if round > 0 {
					samples[i] = append(samples[i], sample)
				}
			}
		}
		for i, s := range servers {
			fmt.Fprintf(w, "%-28s %-7s %12.0f %8.2f %8.2f %5.0f%% %8.0f %12.1f\n", e.Name, s.Name,
				median(samples[i], func(s Sample) float64 { return float64(s.Requests) / s.CPU.Seconds() }),
				median(samples[i], func(s Sample) float64 { return s.Latency(0.5).Seconds() * 1e3 }),
				median(samples[i], func(s Sample) float64 { return s.Latency(0.99).Seconds() * 1e3 }),
				median(samples[i], func(s Sample) float64 { return 100 * s.GC.Seconds() / s.CPU.Seconds() }),
				median(samples[i], func(s Sample) float64 { return float64(s.RSS) / 1e6 }),
				median(samples[i], func(s Sample) float64 { return float64(s.Heap) / 1e3 / float64(s.Requests) }))
		}
		var ratios []float64 // of each round, measured on both at nearly the same time
		for r := range rounds {
			p, a := samples[0][r], samples[1][r]
			ratios = append(ratios, p.CPU.Seconds()/a.CPU.Seconds())
		}
		slices.Sort(ratios)
		fmt.Fprintf(w, "%-28s %.2fx (%.2f-%.2f in %d rounds)\n\n", "  less CPU on arenas", ratios[rounds/2], ratios[0],
			ratios[rounds-1], rounds)
		if !bytes.Equal(samples[0][0].Answer[:1], samples[1][0].Answer[:1]) {
			return fmt.Errorf("the answers to %s differ", e.Name)
		}
	}
	return nil
}

// Latency returns the time within which a part of the requests was answered.
func (s Sample) Latency(part float64) time.Duration {
	return s.Latencies[int(part*float64(len(s.Latencies)-1))]
}

func median(samples []Sample, of func(Sample) float64) float64 {
	all := make([]float64, len(samples))
	for i, s := range samples {
		all[i] = of(s)
	}
	slices.Sort(all)
	return all[len(all)/2]
}
