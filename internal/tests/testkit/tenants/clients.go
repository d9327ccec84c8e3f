package tenants

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
)

// This file has clients for several servers.

// Impatient returns a context that often, or always, ends at a random moment within some time.
func (o *Office) Impatient(r *rand.Rand, always bool, within time.Duration) (context.Context, context.CancelFunc) {
	if always || r.IntN(20) == 0 {
		return context.WithTimeout(o.Context(), rand.N(within))
	}
	return context.WithCancel(o.Context())
}

// Post asks an HTTP server for a kind of work on some of the tenant's names, and perhaps cuts the
// request or its connection. It returns the answer, or nil. The end of its text may be missing, and
// err is set then.
func (o *Office) Post(
	r *rand.Rand, client *http.Client, url, kind, who string,
) (answer *http.Response, text []byte, err error) {
	body := strings.Repeat(who, r.IntN(2000))
	if address, plain := strings.CutPrefix(url, "http://"); plain && r.IntN(40) == 0 {
		o.hangUp(r, address, kind, who, body)
		return nil, nil, nil
	}
	ctx, cancel := o.Impatient(r, false, 300*time.Microsecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "POST", url+"/"+kind+"/"+who, strings.NewReader(body))
	if err != nil {
		o.Error(err)
		return nil, nil, err
	}
	answer, err = client.Do(req)
	if err != nil {
		o.Cut.Add(1)
		return nil, nil, err
	}
	defer answer.Body.Close()
	if text, err = io.ReadAll(answer.Body); err != nil {
		o.Cut.Add(1)
	}
	if answer.StatusCode == http.StatusOK {
		o.Answers.Add(1)
	}
	return answer, text, err
}

// hangUp sends a request, and closes the connection somewhere within it.
func (o *Office) hangUp(r *rand.Rand, address, kind, who, body string) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		o.Error(err)
		return
	}
	defer conn.Close()
	o.Cut.Add(1)
	fmt.Fprintf(conn, "POST /%s/%s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s",
		kind, who, len(body), body[:r.IntN(len(body)+1)])
	if r.IntN(2) == 0 {
		conn.SetReadDeadline(time.Now().Add(time.Millisecond))
		bufio.NewReader(conn).ReadByte()
	}
}

// Dial returns a connection that is closed some time later.
func Dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err == nil {
		time.AfterFunc(time.Duration(20+rand.IntN(180))*time.Millisecond, func() { conn.Close() })
	}
	return conn, err
}

// Converse sends messages, of both tenants in turns, and receives two for each. It returns the first error and the
// tenant whose message it followed. EOF of send isn't one: receive tells why.
func Converse(r *rand.Rand, who string, send, receive func(who string) error) (string, error) {
	for i := range 1 + r.IntN(5) {
		if i > 0 {
			who = other(who)
		}
		err := send(who)
		for n := 0; n < 2 && (err == nil || errors.Is(err, io.EOF)); n++ {
			err = receive(who)
		}
		if err != nil {
			return who, err
		}
	}
	return who, nil
}

// Later looks at something several times after the answer.
func (o *Office) Later(look func()) {
	o.Late.Go(func() {
		for range 3 {
			time.Sleep(time.Duration(rand.IntN(500)) * time.Microsecond)
			look()
		}
	})
}

// AllBack fails if an arena isn't back, once all handlers have ended, or if there weren't as many
// as wanted; -1 is any number.
func AllBack(tb testing.TB, pool *arena.Pool, gets int) {
	tb.Helper()
	s := pool.Stats()
	for end := time.Now().Add(5 * time.Second); s.Live > 0 && time.Now().Before(end); s = pool.Stats() {
		time.Sleep(time.Millisecond)
	}
	if s.Live != 0 || s.Lost != 0 || s.Gets != s.Puts+s.Freed || gets >= 0 && s.Gets != gets {
		tb.Errorf("%d gets wanted; %v; %d puts", gets, s, s.Puts)
	}
}
