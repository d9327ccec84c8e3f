package dump

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
	"unsafe"

	"github.com/harena-go/arena/internal/engine/guard"
)

// Take returns a dump of this process. It collects garbage first: a dump has dead objects too, and the last dump would
// be part of the next.
//
// The dump goes through a temporary file, not a pipe: the world stands still while it is written, so nothing could
// read.
func Take() (*Dump, error) {
	runtime.GC()
	return TakeAsIs()
}

// TakeAsIs is Take without collecting garbage.
func TakeAsIs() (*Dump, error) {
	data, err := Write()
	if err != nil {
		return nil, fmt.Errorf("dumping the heap: %w", err)
	}
	return Parse(data)
}

// Write returns the text of a dump of this process.
func Write() ([]byte, error) {
	if runtime.GOARCH == "wasm" {
		// "fatal error: runtime.write to fd > 2 is unsupported", says js
		return nil, fmt.Errorf("the runtime can't write a heap dump on %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	if size := read("/memory/classes/heap/objects:bytes"); size > maxHeap {
		return nil, fmt.Errorf("the heap has %d bytes, more than %d, the most that can be analysed", size, maxHeap)
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

// maxHeap limits the bytes of the heap. The analysis takes as much again, and some 50 bytes for each object. It is a
// variable for the test.
var maxHeap uint64 = 1 << (26 + unsafe.Sizeof(uintptr(0))/2) // 1 GiB, and 256 MiB on 32-bit machines

// read returns one of the runtime's metrics, or noMetric.
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

// dumpTo writes the dump when that is safe. WriteHeapDump of Go 1.26 and 1.27 ends the program ("unexpected G.status
// 0x2") if it meets a goroutine on its way back from a system call, which stopping the world doesn't prevent. With 8
// goroutines that make only short calls, that was one dump in 10 to 200.
//
// While this goroutine is the only one that runs, no calls begin, and short calls under way end. Long calls may end at
// any time: with one of them there is no dump.
func dumpTo(fd uintptr) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	// Each round is a time slice of looks. Calls that turn out to be harmless aren't counted in the next.
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
	return fmt.Errorf("a dump might end the program while goroutines are in system calls: %s",
		strings.Join(others[:min(3, len(others))], ", "))
}

// writeDump writes the dump. WriteHeapDump reads all objects, dead ones included, so guarded memory must be accessible
// meanwhile.
func writeDump(fd uintptr) {
	guard.Lift()
	defer guard.Lower()
	debug.WriteHeapDump(fd)
}

// dumping is held while a dump is written and read back. A concurrent dump would wait for these system calls to end,
// and would set GOMAXPROCS back to 1.
var dumping sync.Mutex

// maxSettle is the time after which dumpTo gives up. It is a variable for the test.
var maxSettle = 2 * time.Second

// timeSlice is half of the time after which the runtime lets another goroutine run: it won't do so between the look and
// the dump.
const timeSlice = 5 * time.Millisecond

// In a synctest bubble no time passes meanwhile. looksOfSlice looks take leastSlice at least, and rarely more than
// timeSlice.
const (
	looksOfSlice = 1000
	leastSlice   = time.Millisecond
)

// inCalls counts the goroutines that sleep in a harmless call, that of os/signal for the next signal, and describes the
// goroutines in other calls.
func inCalls() (asleep uint64, others []string) {
	// Traces beyond a megabyte are cut off: enough goroutines are in it to name some.
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

// caller returns the first function of a printed stack, except functions of the standard library that make system calls
// for others; "?" if there is none.
func caller(calls string) string {
	for i, line := range strings.Split(calls, "\n") {
		own := strings.HasPrefix(line, "syscall.") || strings.HasPrefix(line, "os.") ||
			strings.HasPrefix(line, "runtime.") || strings.HasPrefix(line, "internal/")
		if name := strings.LastIndexByte(line, '('); i%2 == 0 && !own && name > 0 {
			return line[:name]
		}
	}
	return "?"
}
