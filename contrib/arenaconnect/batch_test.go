package arenaconnect_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"sync"
	"testing"

	"connectrpc.com/connect"
	"github.com/harena-go/arena/contrib/arenaconnect"
	"github.com/harena-go/arena/internal/tests/testkit"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// A server whose messages may be kept, and lie together all the same.
func ExampleCodec() {
	var kept []*wrapperspb.StringValue
	h := connect.NewUnaryHandler("/log.Log/Write", func(_ context.Context, r *connect.Request[wrapperspb.StringValue]) (*connect.Response[wrapperspb.StringValue], error) {
		kept = append(kept, r.Msg)
		return connect.NewResponse(&wrapperspb.StringValue{}), nil
	}, connect.WithCodec(arenaconnect.Codec()))
	ask(h, "/log.Log/Write", "first")
	ask(h, "/log.Log/Write", "second")
	fmt.Println(kept[0].GetValue(), kept[1].GetValue())
	// Output:
	//
	//
	// first second
}

// TestCodec: handlers and clients keep messages of many RPCs at the same time, in all protocols, and none changes.
func TestCodec(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	var mu sync.Mutex
	kept := map[string][]*list{}
	keep := func(m *list) {
		mu.Lock()
		defer mu.Unlock()
		kept[texts(m)] = append(kept[texts(m)], m)
	}
	codec := connect.WithCodec(arenaconnect.Codec())
	mux := http.NewServeMux()
	mux.Handle(procedures[0], connect.NewUnaryHandler(procedures[0], func(_ context.Context, r *request) (*reply, error) {
		keep(r.Msg)
		return connect.NewResponse(listOf("echo", texts(r.Msg))), nil
	}, codec))
	mux.Handle(procedures[1], connect.NewBidiStreamHandler(procedures[1], func(_ context.Context, s *connect.BidiStream[list, list]) error {
		for {
			m, err := s.Receive()
			if errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			keep(m)
			if err := s.Send(listOf("echo", texts(m))); err != nil {
				return err
			}
		}
	}, codec))
	s := httptest.NewUnstartedServer(mux)
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	defer s.CloseClientConnections() // handlers may still be waiting after an error
	n := testkit.Cases(100)
	var wg sync.WaitGroup
	for protocol, opts := range protocols {
		if protocol != "json" {
			opts = append([]connect.ClientOption{codec}, opts...)
		}
		unary, stream := dial(s.Client(), s.URL, 0, opts...), dial(s.Client(), s.URL, 1, opts...)
		wg.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel() // after an error the server mustn't wait for the stream
			b := stream.CallBidiStream(ctx)
			for i := range n {
				text := fmt.Sprint(protocol, i, long(i))
				r, err := unary.CallUnary(ctx, connect.NewRequest(listOf(text)))
				if err != nil {
					t.Error(protocol, err)
					return
				}
				keep(r.Msg)
				if err := b.Send(listOf(text)); err != nil {
					t.Error(protocol, err)
					return
				}
				m, err := b.Receive()
				if err != nil {
					t.Error(protocol, err)
					return
				}
				keep(m)
			}
			if err := errors.Join(b.CloseRequest(), b.CloseResponse()); err != nil {
				t.Error(protocol, err)
			}
		})
	}
	wg.Wait()
	for want, all := range kept {
		for _, m := range all {
			if texts(m) != want || len(all) != 2 {
				t.Fatalf("%d messages; one is %.50q, and was %.50q", len(all), texts(m), want)
			}
		}
	}
	if want := 2 * n * len(protocols); len(kept) != want {
		t.Errorf("%d texts, want %d", len(kept), want)
	}
}

// TestCodecRefuses what isn't a message, and what is wrong.
func TestCodecRefuses(t *testing.T) {
	c := arenaconnect.Codec()
	if err := c.Unmarshal([]byte{8}, new(structpb.Value)); err == nil {
		t.Error("half a field is right")
	}
	if err := c.Unmarshal(nil, new(int)); err == nil {
		t.Error("it takes what isn't a message")
	}
	if c.Name() != "proto" {
		t.Error(c.Name())
	}
}
