package holder

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"time"

	"github.com/harena-go/arena/internal/engine/guard"
)

// write returns a dump of this process, through a file in the directory for
// temporary ones. The world stands still while it is written, so that nobody
// could read from a pipe.
//
// A dump has garbage, too, hence the GC; the last dump would be part of the next.
func write() ([]byte, error) {
	runtime.GC()
	return writeAsIs()
}

// writeAsIs is write without a GC.
func writeAsIs() ([]byte, error) {
	if runtime.GOARCH == "wasm" {
		// "fatal error: runtime.write to fd > 2 is unsupported", says js
		return nil, fmt.Errorf("the runtime can't write a heap dump on %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	if size := read("/memory/classes/heap/objects:bytes"); size > maxHeap {
		return nil, fmt.Errorf("the heap has %d bytes, more than %d, which is as much as may be analysed", size, maxHeap)
	}
	dumping.Lock()
	defer dumping.Unlock()
	f, err := os.CreateTemp("", "heapdump")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	fd := f.Fd()
	if err := dumpTo(fd); err != nil {
		return nil, err
	}
	return os.ReadFile(f.Name())
}

// maxHeap is how large the heap may be. The analysis takes once more as much, and
// some 50 bytes for each object. A variable for the test.
var maxHeap uint64 = 1 << (26 + wordBytes/2) // 1 GiB, and 256 MiB on 32-bit machines

// read returns one of the runtime's metrics.
func read(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	if v := sample[0].Value; v.Kind() == metrics.KindUint64 {
		return v.Uint64()
	}
	return noMetric
}

// noMetric is the value of a metric that this toolchain doesn't have.
const noMetric = 1<<64 - 1

// dumpTo writes the dump when that is safe. The dump of Go 1.26 and 1.27 ends the
// program ("unexpected G.status 0x2") if it meets a goroutine on its way back from a
// system call, which the world's being stopped doesn't prevent. With 8 goroutines
// that do nothing but short calls, that was one dump in 10 to 200.
//
// While this goroutine is the only one that runs, no calls begin, and those that
// are under way come to their end, or turn out to be long ones, which may come
// to their end at any time: then there is no dump.
func dumpTo(fd uintptr) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	asleep, start := uint64(0), time.Now()
	for n := time.Duration(0); n < maxSettle/leastSlice && time.Since(start) < maxSettle; n++ {
		runtime.Gosched() // begins a time slice
		slice := time.Now()
		for look := 0; look < looksOfSlice && time.Since(slice) < timeSlice; look++ {
			if n := read("/sched/goroutines/not-in-go:goroutines"); n == 0 || n == asleep {
				writeDump(fd)
				return nil
			}
		}
		asleep, _ = inCalls()
	}
	_, others := inCalls()
	if len(others) == 0 {
		return errors.New("goroutines are in system calls all the time")
	}
	return fmt.Errorf("a dump might end the program while goroutines are in system calls: %s", strings.Join(others[:min(3, len(others))], ", "))
}

// writeDump writes the dump, which reads all objects, dead ones included.
func writeDump(fd uintptr) {
	guard.Lift()
	defer guard.Lower()
	debug.WriteHeapDump(fd)
}

// dumping is held by the one who writes a dump and reads it back: another would take
// these for calls that must end first, and would set GOMAXPROCS back to what this one has set.
var dumping sync.Mutex

// maxSettle is when dumpTo gives up. A variable for the test.
var maxSettle = 2 * time.Second

// timeSlice is half of the time after which the runtime lets another goroutine
// have its turn: it won't do so between the look and the dump.
const timeSlice = 5 * time.Millisecond

// In a synctest bubble no time passes meanwhile. So many looks take leastSlice, and rarely more than timeSlice.
const (
	looksOfSlice = 1000
	leastSlice   = time.Millisecond
)

// inCalls counts the goroutines that sleep in a call that is as good as none,
// that of os/signal for the next signal, and describes those in others.
func inCalls() (asleep uint64, others []string) {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for g := range strings.SplitSeq(string(stacks), "\n\n") {
		head, calls, _ := strings.Cut(g, "\n")
		switch {
		case !strings.Contains(head, " [syscall"):
		case strings.HasPrefix(calls, "os/signal.signal_recv"):
			asleep++
		default:
			others = append(others, head+" "+caller(calls))
		}
	}
	return asleep, others
}

// caller returns the first function of a printed stack that isn't one of those
// that make system calls for others.
func caller(calls string) string {
	for i, line := range strings.Split(calls, "\n") {
		own := strings.HasPrefix(line, "syscall.") || strings.HasPrefix(line, "os.") || strings.HasPrefix(line, "runtime.") ||
			strings.HasPrefix(line, "internal/")
		if name := strings.LastIndexByte(line, '('); i%2 == 0 && !own && name > 0 {
			return line[:name]
		}
	}
	return "?"
}
