package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strconv"

	"github.com/harena-go/arena/bench/measure"
)

// This file is the load process. It has the same cores as the server, so it
// must be cheap: the requests are made up beforehand, and an answer is read
// with as little ado as HTTP/1.1 allows. It uses one core at a time.
//
// Each connection sends a request, waits for the answer, and sends the next:
// a closed loop. While the server stands still nothing is sent, so a pause
// counts once for each connection, and not for all requests that would have come
// in the meantime.

// Load makes requests to the server at an address: first those that don't
// count, then, once a line comes in, the others. It writes a line when it is
// ready, and its result.
func Load(address string, c Config, in io.Reader, out io.Writer) error {
	runtime.GOMAXPROCS(1)
	requests := wrapped(c.bodies())
	connections := make([]*connection, c.Connections)
	for i := range connections {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return err
		}
		defer conn.Close()
		connections[i] = &connection{conn: conn, in: bufio.NewReaderSize(conn, 16<<10)}
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

// wrapped makes requests of bodies.
func wrapped(bodies [][]byte) [][]byte {
	requests := make([][]byte, len(bodies))
	for i, b := range bodies {
		head := "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: " +
			strconv.Itoa(len(b)) + "\r\n\r\n"
		requests[i] = append([]byte(head), b...)
	}
	return requests
}

// requestAll has each connection make its share of n requests.
func requestAll(connections []*connection, requests [][]byte, n int) ([]audience, error) {
	audiences := make([]audience, len(connections))
	err := askAll(audiences, n, func(i, request int) error {
		return connections[i].request(requests[request%len(requests)], &audiences[i])
	}, func() {})
	return audiences, err
}

// A connection is kept alive for all of its requests.
type connection struct {
	conn net.Conn
	in   *bufio.Reader
}

// request sends a request and passes the answer on.
func (c *connection) request(request []byte, w io.Writer) error {
	if _, err := c.conn.Write(request); err != nil {
		return err
	}
	status, err := c.line()
	if err != nil {
		return fmt.Errorf("no answer: %w", err)
	}
	ok := bytes.HasPrefix(status, []byte("HTTP/1.1 200 "))
	failed := ""
	if !ok {
		failed = string(status) // before the next line replaces it
	}
	size, err := c.header()
	if err != nil {
		return err
	}
	body, err := c.in.Peek(size)
	if err != nil {
		return fmt.Errorf("the answer ends early: %w", err)
	}
	if !ok {
		return fmt.Errorf("the server answered %q: %s", failed, body)
	}
	if _, err := w.Write(body); err != nil {
		return err
	}
	_, err = c.in.Discard(size)
	return err
}

// header reads up to the body, and returns its size.
func (c *connection) header() (size int, err error) {
	size = -1
	for {
		line, err := c.line()
		if err != nil {
			return 0, err
		}
		if len(line) == 0 {
			break
		}
		if value, found := bytes.CutPrefix(line, []byte("Content-Length: ")); found {
			size, err = strconv.Atoi(string(value))
			if err != nil {
				return 0, fmt.Errorf("an answer of %q bytes", value)
			}
		}
	}
	if size < 0 {
		return 0, errors.New("an answer without a Content-Length")
	}
	return size, nil
}

// line reads a line of the header, which is good until the next is read.
func (c *connection) line() ([]byte, error) {
	line, err := c.in.ReadSlice('\n')
	return bytes.TrimSuffix(line, []byte("\r\n")), err
}
