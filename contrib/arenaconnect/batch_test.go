package arenaconnect_test

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"testing"

	"connectrpc.com/connect"
	"github.com/harena-go/arena/contrib/arenaconnect"
	"github.com/harena-go/arena/internal/tests/testkit"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// A server whose messages may be kept, though they are allocated together.
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
	address, client := bare(t, connect.NewUnaryHandler(procedures[0], func(_ context.Context, r *request) (*reply, error) {
		keep(r.Msg)
		return connect.NewResponse(listOf("echo", texts(r.Msg))), nil
	}, codec))
	n := testkit.Cases(200)
	var wg sync.WaitGroup
	for protocol, opts := range protocols {
		if protocol != "json" {
			opts = append([]connect.ClientOption{codec}, opts...)
		}
		unary := dial(client, address, 0, opts...)
		wg.Go(func() {
			for i := range n {
				text := fmt.Sprint(protocol, i, long(i))
				r, err := unary.CallUnary(t.Context(), connect.NewRequest(listOf(text)))
				if err != nil {
					t.Error(protocol, err)
					return
				}
				keep(r.Msg)
			}
		})
	}
	wg.Wait()
	for want, all := range kept {
		if len(all) != 1 || texts(all[0]) != want {
			t.Fatalf("%d messages; one is %.50q, and was %.50q", len(all), texts(all[0]), want)
		}
	}
	if want := 2 * n * len(protocols); len(kept) != want {
		t.Errorf("%d messages, want %d", len(kept), want)
	}
}

// TestCodecRefuses values that aren't messages, and malformed input.
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
