package server

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"

	"github.com/harena-go/arena/bench/measure"
)

// This file is the server's side of a run over HTTP: net/http as it comes,
// without any setting.

// maxBody is the largest batch that is taken.
const maxBody = 1 << 20

// overHTTP answers batches that are POSTed, of a size that the client says.
func overHTTP(h Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		size := r.ContentLength
		switch {
		case r.Method != http.MethodPost:
			http.Error(w, "POST a batch of log records", http.StatusMethodNotAllowed)
			return
		case size < 0:
			http.Error(w, "the batch's size must be known", http.StatusLengthRequired)
			return
		case size > maxBody:
			http.Error(w, fmt.Sprintf("a batch has at most %d bytes", maxBody), http.StatusRequestEntityTooLarge)
			return
		}
		if err := h.HandleFrom(r.Body, int(size), reply{w}); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	}
}

// A reply says how long the answer is, and sends it.
type reply struct{ w http.ResponseWriter }

func (r reply) Write(answer []byte) (int, error) {
	r.w.Header().Set("Content-Type", "application/json")
	r.w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	return r.w.Write(answer)
}

// A loadResult is what the load process has seen.
type loadResult struct {
	Seconds  float64
	CPU      float64
	Latency  measure.Latency
	Checksum string
}

// RunOverHTTP serves requests on the loopback interface. They come from
// another process, which load returns the command for, given the address; it
// must call Load. Time, checksum and latencies are that process's, everything
// else is the server's.
func RunOverHTTP(peer string, c Config, load func(address string) (*exec.Cmd, error)) (*measure.Sample, error) {
	h, err := NewHandler(peer)
	if err != nil {
		return nil, err
	}
	background := newSessions(c.Objects)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := http.Server{Handler: overHTTP(h)}
	defer server.Close()
	go server.Serve(listener)

	process, err := load(listener.Addr().String())
	if err != nil {
		return nil, err
	}
	s, err := underLoad(process)
	if err != nil {
		return nil, err
	}
	if isFloor(h) {
		s.Checksum = "" // it has no answers that could be wrong
	}
	return s, c.finish(s, background)
}

// underLoad runs the load process. It says when it is ready and has warmed up
// the server, is told to go on, and writes a loadResult.
func underLoad(process *exec.Cmd) (_ *measure.Sample, err error) {
	process.Stderr = os.Stderr
	stdin, err := process.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, fmt.Errorf("can't start the load process: %w", err)
	}
	defer func() {
		stdin.Close() // which ends it, if it waits
		err = errors.Join(err, process.Wait())
	}()
	out := bufio.NewReader(stdout)
	if _, err := out.ReadString('\n'); err != nil {
		return nil, fmt.Errorf("the load process didn't get ready: %w", err)
	}
	run := measure.Start()
	if _, err := fmt.Fprintln(stdin, "go"); err != nil {
		return nil, err
	}
	text, err := out.ReadBytes('\n')
	s := run.Stop()
	if err != nil {
		return nil, fmt.Errorf("the load process didn't finish: %w", err)
	}
	var r loadResult
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("the load process wrote no result: %w", err)
	}
	s.Wall, s.LoadCPU, s.Latency, s.Checksum = r.Seconds, r.CPU, r.Latency, r.Checksum
	return &s, nil
}
