package arenaconnect_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaconnect"
	"google.golang.org/protobuf/types/known/structpb"
)

// This file tests that a client gets the error that a handler has made from its request, of any type.

// Types of errors that make their texts when they are asked.
type (
	named  struct{ name string }
	listed []string // not comparable
)

func (e *named) Error() string { return e.name }
func (e listed) Error() string { return e[0] }

// failures are the kinds of errors. s is a string of the request.
var failures = map[string]func(a *arena.Arena, s string) error{
	"own type": func(_ *arena.Arena, s string) error { return &named{s} },
	"list":     func(_ *arena.Arena, s string) error { return listed{s} },
	"code":     func(_ *arena.Arena, s string) error { return connect.NewError(connect.CodeNotFound, &named{s}) },
	"open":     func(_ *arena.Arena, s string) error { _, err := os.Open("/none/" + s); return err },
	"join":     func(_ *arena.Arena, s string) error { return errors.Join(&named{s}, listed{s}) },
	"wrap": func(_ *arena.Arena, s string) error {
		return fmt.Errorf("wrapped: %w", connect.NewError(connect.CodeAborted, &named{s}))
	},
	"deadline": func(_ *arena.Arena, s string) error { return errors.Join(&named{s}, context.DeadlineExceeded) },
	"canceled": func(*arena.Arena, string) error { return context.Canceled },
	"child":    func(a *arena.Arena, s string) error { return &named{a.Child().AllocString(s)} },
	"in the arena": func(a *arena.Arena, s string) error {
		e := arena.New[named](a)
		e.name = s
		return e
	},
	"details": func(a *arena.Arena, s string) error {
		err := connect.NewError(connect.CodeDataLoss, &named{s})
		if detail, failed := connect.NewErrorDetail(structpb.NewStringValue(a.AllocString(s))); failed == nil {
			err.AddDetail(detail)
		}
		return err
	},
	"header": func(a *arena.Arena, s string) error {
		err := connect.NewError(connect.CodeDataLoss, &named{s})
		err.Meta().Set("X-Name", a.AllocString(s))
		err.Meta()[a.AllocString("X-Key")] = []string{s}
		return err
	},
}

// failing serves handlers that fail as the request says, around which the memory of the pool is used when they are done,
// before net/http sends the header.
func failing(t *testing.T, pool *arena.Pool, opts ...connect.HandlerOption) (address string, client *http.Client) {
	fail := func(ctx context.Context, l *list) error {
		kind, s, _ := strings.Cut(l.Values[0].GetStringValue(), ":")
		return failures[kind](arena.FromContext(ctx), s)
	}
	opts = append([]connect.HandlerOption{arenaconnect.HandlerOptions(pool)}, opts...)
	mux := http.NewServeMux()
	mux.Handle(procedures[0], connect.NewUnaryHandler(procedures[0], func(ctx context.Context, r *request) (*reply, error) { return nil, fail(ctx, r.Msg) }, opts...))
	mux.Handle(procedures[1], connect.NewBidiStreamHandler(procedures[1], func(ctx context.Context, s *connect.BidiStream[list, list]) error {
		m, err := s.Receive()
		if err != nil {
			return err
		}
		return fail(ctx, m)
	}, opts...))
	h := arenaconnect.Middleware(mux)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r)
		for range 2 {
			a := pool.GetKeyed(r.URL.Path)
			for range 20 {
				copy(a.AllocBytesUninit(200), bytes.Repeat([]byte{'#'}, 200))
				arena.NewOf(a, named{"another's"})
			}
			pool.Put(a)
		}
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL, s.Client()
}

// seen is a client's view of an error.
func seen(err error) string {
	e, ok := errors.AsType[*connect.Error](err)
	if !ok {
		return fmt.Sprint("no error of Connect: ", err)
	}
	text := fmt.Sprintf("%s %q %q", e.Error(), e.Meta()["X-Name"], e.Meta()["X-Key"])
	for _, d := range e.Details() {
		v, err := d.Value()
		text += fmt.Sprint(" ", v, err)
	}
	return text
}

// TestErrorsOfTheRequest compares a client's errors with the errors of a server without arenas.
func TestErrorsOfTheRequest(t *testing.T) {
	around := connect.WithInterceptors(around(func(f func() error) error { return f() }))
	bare, bareClient := failing(t, nil)
	for name, opts := range map[string][]arena.PoolOption{"plain": nil, "scrub": {arena.WithScrub()}} {
		for _, within := range [][]connect.HandlerOption{nil, {around}} {
			pool := arena.NewPool(append(opts, arena.WithReuse())...)
			address, client := failing(t, pool, within...)
			for protocol, opts := range protocols {
				ask := func(c *http.Client, address, text string, stream bool) error {
					if !stream {
						_, err := dial(c, address, 0, opts...).CallUnary(t.Context(), connect.NewRequest(listOf(text)))
						return err
					}
					s := dial(c, address, 1, opts...).CallBidiStream(t.Context())
					defer s.CloseResponse()
					if err := s.Send(listOf(text)); err != nil {
						return err
					}
					s.CloseRequest()
					_, err := s.Receive()
					return err
				}
				for kind := range failures {
					for i := range 4 {
						text, stream := fmt.Sprint(kind, ":the name of client ", i), i%2 == 1
						got, want := seen(ask(client, address, text, stream)), seen(ask(bareClient, bare, text, stream))
						if got != want {
							t.Errorf("%s, %d interceptors, %s, %s, stream %t: %s; without arenas %s", name, len(within), protocol, kind, stream, got, want)
						}
					}
				}
			}
		}
	}
}
