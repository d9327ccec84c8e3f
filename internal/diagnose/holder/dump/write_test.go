//go:build unix

package dump

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// TestWriteInSystemCalls: goroutines that begin and end short calls don't end
// the program while it is dumped, nor do they prevent a dump.
func TestWriteInSystemCalls(t *testing.T) {
	stat := func() { _, _ = os.Stat("/") }
	wait := func() { syscall.Select(0, nil, nil, nil, &syscall.Timeval{Usec: 300}) }
	sleep := func() { time.Sleep(time.Microsecond) }
	stop := busy(stat, stat, stat, stat, wait, sleep)
	defer stop()
	f, err := os.Create(filepath.Join(t.TempDir(), "dump"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dumps := 10
	if os.Getenv("HARENA_LONG") != "" {
		dumps = 40
	}
	for range dumps {
		if err := errors.Join(f.Truncate(0), dumpTo(f.Fd())); err != nil {
			t.Fatal(err)
		}
		_, err := f.Seek(0, io.SeekStart)
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestWriteAtTheSameTime: GOMAXPROCS is unchanged afterwards.
func TestWriteAtTheSameTime(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if _, err := Write(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := runtime.GOMAXPROCS(0); n != 4 {
		t.Errorf("GOMAXPROCS was 4 and is %d", n)
	}
}

// busy calls each function again and again, until stop is called.
func busy(functions ...func()) (stop func()) {
	var group sync.WaitGroup
	var stopped atomic.Bool
	for _, f := range functions {
		group.Go(func() {
			for !stopped.Load() {
				f()
			}
		})
	}
	return func() {
		stopped.Store(true)
		group.Wait()
	}
}

// TestWriteGivesUp: a goroutine that stays in a call is named in an error.
func TestWriteGivesUp(t *testing.T) {
	defer func(d time.Duration) { maxSettle = d }(maxSettle)
	maxSettle = 50 * time.Millisecond
	in, out := blockingPipe(t)
	done := make(chan bool)
	go func() {
		waitForByte(in)
		close(done)
	}()
	time.Sleep(10 * time.Millisecond)
	_, err := Write()
	if err == nil || !strings.Contains(err.Error(), "[syscall]: github.com/harena-go/arena/internal/diagnose/holder/dump.waitForByte") {
		t.Errorf("got error %v", err)
	}
	_, _ = syscall.Write(out, []byte("x"))
	<-done
	maxSettle = time.Minute
	if _, err := Write(); err != nil {
		t.Error(err)
	}
}

// TestWriteGivesUpInABubble: Write gives up there too, though time stands still while a goroutine runs.
func TestWriteGivesUpInABubble(t *testing.T) {
	defer func(d time.Duration) { maxSettle = d }(maxSettle)
	maxSettle = 50 * time.Millisecond
	in, out := blockingPipe(t)
	synctest.Test(t, func(t *testing.T) {
		go waitForByte(in)
		for others := []string(nil); len(others) == 0; {
			_, others = inCalls()
		}
		if _, err := Write(); err == nil || !strings.Contains(err.Error(), "dump.waitForByte") {
			t.Errorf("got error %v", err)
		}
		_, _ = syscall.Write(out, []byte("x"))
	})
	maxSettle = time.Minute
	if _, err := Write(); err != nil {
		t.Error(err)
	}
}

//go:noinline
func waitForByte(fd int) { _, _ = syscall.Read(fd, make([]byte, 1)) }

// TestWriteNowhere: without a directory for the file there is an error.
func TestWriteNowhere(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	if _, err := Take(); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("got error %v", err)
	}
}

// TestUnknownMetric: a metric missing in a later toolchain has the value noMetric.
func TestUnknownMetric(t *testing.T) {
	if n := read("/missing:goroutines"); n != noMetric {
		t.Errorf("it is %d", n)
	}
}

// TestWriteWithSignals: the goroutine that waits for signals is no obstacle.
func TestWriteWithSignals(t *testing.T) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR2)
	defer signal.Stop(c)
	time.Sleep(10 * time.Millisecond)
	if _, err := Write(); err != nil {
		t.Error(err)
	}
}

// blockingPipe returns a pipe outside of the runtime's poller.
func blockingPipe(t *testing.T) (in, out int) {
	var p [2]int
	if err := syscall.Pipe(p[:]); err != nil {
		t.Fatal(err)
	}
	return p[0], p[1]
}
