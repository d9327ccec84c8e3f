package server

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/harena-go/arena/arenatest"
)

// TestMain runs the tests with all arenas checked. For TestSignal it is the program itself.
func TestMain(m *testing.M) {
	if os.Getenv("LOGSERVER_TEST") != "" {
		Main()
		return
	}
	os.Exit(arenatest.Main(m))
}

// startRun calls run. It ends when stop is called, and then sends its error.
func startRun(t *testing.T, l Limits) (url string, stop func(), out *logBuffer, ended chan error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	out, ended = &logBuffer{}, make(chan error, 1)
	go func() { ended <- run(ctx, listener, l, out) }()
	return "http://" + listener.Addr().String(), stop, out, ended
}

// refused reports whether a server takes no more connections.
func refused(url string) func() bool {
	return func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err == nil {
			conn.Close()
		}
		return err != nil
	}
}

func TestShutdownEndsRequestsInFlight(t *testing.T) {
	url, stop, out, ended := startRun(t, testLimits)
	const line = "level=info service=web\n"
	first, second := begin(t, url, 3*len(line), line), begin(t, url, 2*len(line), line)
	stop()
	waitFor(t, "the end of listening", refused(url))
	if got := first.end(t, line+line); got.status != 200 || !strings.HasPrefix(got.text, `{"records":3,`) {
		t.Errorf("the first request: %d, %s", got.status, got.text)
	}
	select {
	case err := <-ended:
		t.Fatalf("run returned %v before the second request had ended", err)
	case <-time.After(50 * time.Millisecond):
	}
	if got := second.end(t, line); got.status != 200 || !strings.HasPrefix(got.text, `{"records":2,`) {
		t.Errorf("the second request: %d, %s", got.status, got.text)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if text := out.String(); !strings.Contains(text, "shutting down\npool \"requests\": 2 gets, ") || !strings.Contains(text, " 0 live") {
		t.Errorf("the output is\n%s", text)
	}
}

func TestShutdownWaitsNoLongerThanItMay(t *testing.T) {
	l := testLimits
	l.Grace = 50 * time.Millisecond
	url, stop, out, ended := startRun(t, l)
	begin(t, url, 1000, "level=info service=web\n")
	stop()
	if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("run returned %v", err)
	}
	if text := out.String(); !strings.Contains(text, "pool \"requests\": 1 get, ") {
		t.Errorf("the output is\n%s", text)
	}
}

func TestBudgetAboveMemory(t *testing.T) {
	l := testLimits
	l.Memory = l.Budget
	url, _, _, ended := startRun(t, l)
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "must be less than") {
		t.Errorf("run returned %v", err)
	}
	if !refused(url)() {
		t.Error("it still listens")
	}
}

// TestSignal runs the program, and ends it while a request is in flight.
func TestSignal(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "js" || runtime.GOOS == "wasip1" || runtime.GOOS == "plan9" {
		t.Skip("no signals can be sent")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(s.String(), func(t *testing.T) {
			cmd := exec.Command(program, "-addr", "127.0.0.1:0", "-budget", "100000", "-memory", "1000000")
			cmd.Env = append(os.Environ(), "LOGSERVER_TEST=1")
			cmd.Stderr = os.Stderr
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Process.Kill()
			out := bufio.NewReader(stdout)
			head, err := out.ReadString('\n')
			url, ok := strings.CutPrefix(strings.TrimSpace(head), "listening on ")
			if err != nil || !ok {
				t.Fatalf("%q, %v", head, err)
			}

			const line = "level=info service=web\n"
			request := begin(t, url, 2*len(line), line)
			if err := cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			waitFor(t, "the end of listening", refused(url))
			if got := request.end(t, line); got.status != 200 || !strings.HasPrefix(got.text, `{"records":2,`) {
				t.Errorf("%d, %s", got.status, got.text)
			}
			rest, err := io.ReadAll(out)
			if err != nil || !strings.Contains(string(rest), "1 get, ") || !strings.Contains(string(rest), "0 live") {
				t.Errorf("the output is\n%s%s, %v", head, rest, err)
			}
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}
