//go:build unix

package arenatest_test

import (
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// TestPointersInABubble: pointers are checked though a heap dump has just failed outside: that was by another clock.
func TestPointersInABubble(t *testing.T) {
	if testkit.InBubble() {
		t.Skip("makes one itself")
	}
	stray := func(tb testing.TB) { build(arenatest.New(tb, arena.WithNoScan())).name = heapString(12) }
	var p [2]int
	if err := syscall.Pipe(p[:]); err != nil {
		t.Fatal(err)
	}
	reading, done := make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		close(reading)
		syscall.Read(p[0], make([]byte, 1)) // a call that goes on may end while the heap is dumped, so that there is no dump
	}()
	<-reading
	run(t, stray).want(t)
	syscall.Write(p[1], []byte("x"))
	<-done
	synctest.Test(t, func(t *testing.T) {
		run(t, stray).want(t, "arenatest_test.node.name ", "a string of 12 bytes")
	})
}
