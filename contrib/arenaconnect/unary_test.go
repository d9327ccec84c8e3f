package arenaconnect_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"connectrpc.com/connect"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	"github.com/harena-go/arena/contrib/arenaconnect"
	"github.com/harena-go/arena/contrib/arenaproto"
	"google.golang.org/protobuf/types/known/structpb"
)

var quiet = log.New(io.Discard, "", 0)

// in reports whether a message's values are in the context's arena.
func in(ctx context.Context, l *list) bool {
	return arena.FromContext(ctx).Owns(unsafe.Pointer(l.GetValues()[0]))
}

// echo answers with parts of the request.
func echo(t *testing.T, wantIn bool) func(ctx context.Context, r *request) (*reply, error) {
	return func(ctx context.Context, r *request) (*reply, error) {
		if a := arena.FromContext(ctx); a == nil {
			t.Error("no arena in the context")
		}
		if got := len(r.Msg.GetValues()) > 0 && in(ctx, r.Msg); got != wantIn && len(r.Msg.GetValues()) > 0 {
			t.Errorf("%s: in the arena: %v", r.Peer().Protocol, got)
		}
		out := arena.New[list](arena.FromContext(ctx))
		out.Values = arena.Append(arena.FromContext(ctx), out.Values, r.Msg.GetValues()...)
		return connect.NewResponse(out), nil
	}
}

// TestUnary: in all protocols requests are in the RPC's arena, replies may be made of them, and
// arenas are back at the end.
func TestUnary(t *testing.T) {
	for name, opts := range protocols {
		t.Run(name, func(t *testing.T) {
			pool := arenatest.NewPool(t)
			address, c, stop := serve(t, connect.NewUnaryHandler(procedures[0], echo(t, name != "json"), arenaconnect.HandlerOptions(pool)))
			client := dial(c, address, 0, opts...)
			for i := range 20 {
				want := listOf(long(i), "and", long(i*7))
				if i%5 == 4 {
					want = listOf()
				}
				r, err := client.CallUnary(t.Context(), connect.NewRequest(want))
				if err != nil || texts(r.Msg) != texts(want) {
					t.Fatalf("%v: %v", r, err)
				}
			}
			stop()
			allBack(t, pool, 20)
		})
	}
}

// TestInterceptors: later interceptors see decoded requests, and the arena.
func TestInterceptors(t *testing.T) {
	pool := arena.NewPool(arena.WithReuse())
	seen := ""
	after := connect.UnaryInterceptorFunc(func(next connect.UnaryFunc) connect.UnaryFunc {
		return func(ctx context.Context, r connect.AnyRequest) (connect.AnyResponse, error) {
			if arena.FromContext(ctx) != nil {
				seen = strings.Clone(texts(r.Any().(*list)))
			}
			return next(ctx, r)
		}
	})
	address, c, _ := serve(t, connect.NewUnaryHandler(procedures[0], echo(t, true), arenaconnect.HandlerOptions(pool), connect.WithInterceptors(after)))
	if _, err := dial(c, address, 0).CallUnary(t.Context(), connect.NewRequest(listOf("a", "b"))); err != nil || seen != "a b" {
		t.Errorf("%q: %v", seen, err)
	}
}

// TestErrors: malformed requests and handlers' errors have the same codes and texts as without arenas.
func TestErrors(t *testing.T) {
	pool := arena.NewPool(arena.WithReuse())
	fail := func(ctx context.Context, r *request) (*reply, error) {
		return nil, connect.NewError(connect.CodeNotFound, errors.New(texts(r.Msg)))
	}
	address, c, stop := serve(t, connect.NewUnaryHandler(procedures[0], fail, arenaconnect.HandlerOptions(pool)), connect.NewUnaryHandler(procedures[1], fail))
	for name, opts := range protocols {
		for i := range 2 {
			if _, err := dial(c, address, i, opts...).CallUnary(t.Context(), connect.NewRequest(listOf("nothing", "here"))); connect.CodeOf(err) != connect.CodeNotFound ||
				!strings.HasSuffix(err.Error(), "nothing here") {
				t.Errorf("%s %d: %v", name, i, err)
			}
		}
	}
	var answers [2]string
	for i := range answers {
		for _, body := range []string{"\x0a", "\xff\xff", "\x0a\x03\x1a\x01\xff"} {
			r, err := c.Post(address+procedures[i], "application/proto", bytes.NewReader([]byte(body)))
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(r.Body)
			answers[i] += r.Status + string(text)
		}
	}
	if strings.ReplaceAll(answers[0], "\u00a0", " ") != strings.ReplaceAll(answers[1], "\u00a0", " ") || !strings.Contains(answers[0], "invalid_argument") {
		t.Errorf("wrong input: %s\ninstead of %s", answers[0], answers[1])
	}
	stop()
	allBack(t, pool, len(protocols)+3)
}

// TestLimit: exceeding the budget is ResourceExhausted, whether a message or the handler
// exceeds it.
func TestLimit(t *testing.T) {
	pool := arena.NewPool(arena.WithReuse(), arena.WithLimit(64<<10))
	address, c, stop := serve(t, connect.NewUnaryHandler(procedures[0], func(ctx context.Context, r *request) (*reply, error) {
		switch texts(r.Msg) {
		case "wrapped": // as errgroup does with the panic of one of its goroutines
			defer func() { panic(fmt.Errorf("in a group: %w", recover().(error))) }()
			fallthrough
		case "much":
			arena.FromContext(ctx).AllocBytes(1 << 20)
		}
		return connect.NewResponse(listOf("done")), nil
	}, arenaconnect.HandlerOptions(pool)))
	client := dial(c, address, 0, connect.WithGRPC())
	many := listOf(strings.Fields(strings.Repeat("x ", 20_000))...)
	for i, m := range []*list{many, listOf("much"), listOf("wrapped"), listOf("little")} {
		_, err := client.CallUnary(t.Context(), connect.NewRequest(m))
		if i < 3 && connect.CodeOf(err) != connect.CodeResourceExhausted || i == 3 && err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
	stop()
	allBack(t, pool, 4)
}

// TestKept: arenatest finds kept values, and values that are cloned or saved by Keep are right.
func TestKept(t *testing.T) {
	var mu sync.Mutex
	kept := map[string]*list{}
	for _, how := range []string{"kept", "clone", "keep", "heap"} {
		reports := 0
		pool := arena.NewPool(arena.WithReuse(), arena.WithCheckRate(1), arena.OnEscape(func(arena.Escape) {
			mu.Lock()
			reports++
			mu.Unlock()
		}))
		var opts []arenaconnect.Option
		if how == "heap" {
			opts = append(opts, arenaconnect.Except(procedures[0]))
		}
		address, c, stop := serve(t, connect.NewUnaryHandler(procedures[0], func(ctx context.Context, r *request) (*reply, error) {
			m := r.Msg
			switch how {
			case "clone":
				m = arenaproto.Clone(m)
			case "keep":
				if !arenaconnect.Keep(ctx) {
					t.Error("not kept")
				}
			case "heap":
				if arena.FromContext(ctx) != nil || arenaconnect.Keep(ctx) {
					t.Error("it has an arena")
				}
			}
			mu.Lock()
			kept[how] = m
			mu.Unlock()
			return connect.NewResponse(listOf("ok")), nil
		}, arenaconnect.HandlerOptions(pool, opts...)))
		if _, err := dial(c, address, 0).CallUnary(t.Context(), connect.NewRequest(listOf("a", "b"))); err != nil {
			t.Fatal(err)
		}
		stop()
		arena.FindEscapes()
		mu.Lock()
		if (reports > 0) != (how == "kept") || how != "kept" && texts(kept[how]) != "a b" {
			t.Errorf("%s: %d reports", how, reports)
		}
		mu.Unlock()
	}
}

// TestMiddlewareIsNeeded: without it RPCs fail, and say why.
func TestMiddlewareIsNeeded(t *testing.T) {
	h := connect.NewUnaryHandler(procedures[0], echo(t, true), arenaconnect.HandlerOptions(arena.NewPool(arena.WithReuse())))
	s := connect.NewServerStreamHandler(procedures[1], func(context.Context, *request, *connect.ServerStream[structpb.ListValue]) error { return nil },
		arenaconnect.HandlerOptions(arena.NewPool(arena.WithReuse())))
	mux := http.NewServeMux()
	mux.Handle(procedures[0], h)
	mux.Handle(procedures[1], s)
	address, c := bare(t, mux)
	_, err := dial(c, address, 0).CallUnary(t.Context(), connect.NewRequest(listOf("a")))
	if connect.CodeOf(err) != connect.CodeInternal || !strings.Contains(err.Error(), "Middleware") {
		t.Error(err)
	}
	stream, err := dial(c, address, 1).CallServerStream(t.Context(), connect.NewRequest(listOf("a")))
	if err == nil {
		stream.Receive()
		err = stream.Err()
	}
	if connect.CodeOf(err) != connect.CodeInternal || !strings.Contains(err.Error(), "Middleware") {
		t.Error(err)
	}
}
