package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"

	"github.com/harena-go/arena/bench/measure"
)

// This file is the load process. It shares the server's cores, so it must be cheap: the requests are made up
// beforehand, and it uses one core at a time.
//
// Each connection sends a request, waits for the answer, and sends the next: a closed loop. A stalled server gets no
// requests, so a pause counts once for each connection, and not for all requests that would have come in the meantime.

// Load makes requests to the server at an address: first the warm-up, then, once a line comes in, the others. It writes
// a line when it is ready, and its result.
func Load(address string, c Config, in io.Reader, out io.Writer) error {
	runtime.GOMAXPROCS(1)
	requests := bodies(c.Requests)
	for i, body := range requests {
		requests[i] = append(fmt.Appendf(nil, "POST /logs HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n",
			len(body)), body...)
	}
	connections := make([]*connection, c.Connections)
	for i := range connections {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return err
		}
		defer conn.Close()
		connections[i] = &connection{conn: conn, in: bufio.NewReader(conn)}
	}
	if _, err := requestAll(connections, requests, c.Warmup); err != nil {
		return err
	}
	fmt.Fprintln(out, "ready")
	if _, err := bufio.NewReader(in).ReadString('\n'); err != nil {
		return errors.New("the server gave up before the load began")
	}
	run := measure.Start()
	audiences, err := requestAll(connections, requests, c.Requests)
	s := run.Stop()
	if err != nil {
		return err
	}
	latencies, checksum := merged(audiences)
	return json.NewEncoder(out).Encode(loadResult{s.Wall, s.CPU, latencies.Summary(), checksum})
}

// requestAll makes n requests, divided among the connections.
func requestAll(connections []*connection, requests [][]byte, n int) ([]audience, error) {
	audiences := make([]audience, len(connections))
	err := askAll(n, audiences, func(i, request int) error {
		return connections[i].request(requests[request%len(requests)], &audiences[i])
	})
	return audiences, err
}

// A connection is kept alive for all of its requests.
type connection struct {
	conn net.Conn
	in   *bufio.Reader
	body bytes.Buffer // of the last answer
}

// request sends a request and passes the answer's body on.
func (c *connection) request(request []byte, w io.Writer) error {
	if _, err := c.conn.Write(request); err != nil {
		return err
	}
	answer, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return fmt.Errorf("no answer: %w", err)
	}
	defer answer.Body.Close()
	c.body.Reset() // a checksum is of the whole body, in whatever pieces it arrives
	if _, err := c.body.ReadFrom(answer.Body); err != nil {
		return fmt.Errorf("the answer ends early: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answered %q: %s", answer.Status, &c.body)
	}
	_, err = w.Write(c.body.Bytes())
	return err
}
