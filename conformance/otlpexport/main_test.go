package main

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	"google.golang.org/protobuf/proto"
)

// TestExport: the sent bytes equal those of plain messages, and with reuse a batch doesn't allocate.
func TestExport(t *testing.T) {
	spans := sample(512)
	want, err := proto.Marshal(resourceSpans(nil, spans))
	if err != nil {
		t.Fatal(err)
	}
	var kept [][]byte
	for name, pool := range map[string]*arena.Pool{
		"without reuse": arena.NewPool(), "with reuse": arena.NewPool(arena.WithReuse()), "checked": arenatest.NewPool(t),
	} {
		send := func(b []byte) error {
			if !bytes.Equal(b, want) {
				t.Errorf("%s: a batch has %d bytes that differ from the %d of plain messages", name, len(b), len(want))
			}
			if name == "without reuse" {
				kept = append(kept, b) // as a client that sends later does
			}
			return nil
		}
		for range 20 {
			if err := export(pool, spans, send); err != nil {
				t.Fatal(err)
			}
		}
	}
	runtime.GC()
	for _, b := range kept {
		if !bytes.Equal(b, want) {
			t.Fatal("a batch that was kept has changed")
		}
	}
	pool := arena.NewPool(arena.WithReuse())
	if n := testing.AllocsPerRun(20, func() { _ = export(pool, spans, func([]byte) error { return nil }) }); n > 1 {
		t.Errorf("a batch takes %v allocations", n)
	}
}
