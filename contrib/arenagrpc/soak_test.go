package arenagrpc_test

import (
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/harena-go/arena"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/protobuf/proto"
)

// TestSoak makes 100,000 RPCs, or as many as ARENAGRPC_SOAK says, from several goroutines, one in 64 with a checked
// arena: all replies are right, and nothing is reported. Without ARENAGRPC_SOAK it ends after 10 seconds.
func TestSoak(t *testing.T) {
	total, end := 100_000, time.Now().Add(10*time.Second)
	if n, err := strconv.Atoi(os.Getenv("ARENAGRPC_SOAK")); err == nil {
		total, end = n, end.AddDate(1, 0, 0)
	} else if testing.Short() {
		total = 2000
	}
	var e escapes
	pool := arena.NewPool(arena.WithReuse(), arena.WithCheckRate(64), arena.OnEscape(e.add))
	client, stop := start(t, pool, &service{unary: echo, duplex: echoes}, nil)
	ctx := t.Context()
	const workers = 8
	var done [workers]int
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < total && time.Now().Before(end); i += workers {
				want := body(i * 7919 % 3000)
				if i%32 == w {
					stream, err := client.FullDuplexCall(ctx)
					if err == nil {
						err = stream.Send(&pb.StreamingOutputCallRequest{Payload: want})
					}
					if err != nil {
						t.Error(err)
						return
					}
					m, err := stream.Recv()
					if err != nil || !proto.Equal(m.GetPayload(), want) {
						t.Errorf("stream %d: %v", i, err)
						return
					}
					stream.CloseSend()
					stream.Recv()
				} else if m, err := client.UnaryCall(ctx, &pb.SimpleRequest{Payload: want}); err != nil || !proto.Equal(m.GetPayload(), want) {
					t.Errorf("RPC %d: %v", i, err)
					return
				}
				done[w]++
			}
		})
	}
	wg.Wait()
	stop()
	sum := 0
	for _, n := range done {
		sum += n
	}
	t.Logf("%d RPCs; %v", sum, pool.Stats())
	if n := e.len(); n > 0 {
		t.Errorf("%d reports, such as %s", n, e.found[0])
	}
	allBack(t, pool, sum)
}
