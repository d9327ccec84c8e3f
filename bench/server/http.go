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

	"github.com/harena-go/arena/bench/measure"
)

// This file is the server's side of a run over HTTP: net/http with default settings.

// A loadResult is the result of the load process.
type loadResult struct {
	Seconds  float64
	CPU      float64
	Latency  measure.Latency
	Checksum string
}

// overHTTP serves requests on the loopback interface. They come from another process, whose command load returns for an
// address; it must call Load. Time, checksum and latencies are that process's, everything else is the server's.
func (c Config) overHTTP(peer string, load func(address string) (*exec.Cmd, error)) (*measure.Sample, error) {
	h, err := handler(peer)
	if err != nil {
		return nil, err
	}
	background := newSessions(c.Objects)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := http.Server{Handler: h}
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
	return s, c.finish(s, background)
}

// underLoad runs the load process. It reports when it is ready and has warmed up the server, waits for a line, and
// writes a loadResult.
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
		stdin.Close() // ends it, if it waits
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
