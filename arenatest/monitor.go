package arenatest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/harena-go/arena/internal/diagnose/inspect"
)

// This file explains a use of a dead value that has ended the program. A fault is a panic only in
// the goroutines that have called New. In others, such as those that a server starts, the runtime
// ends the program at once. So a second process, the monitor, reads along:
//
//	test ── lines, of each operation that reclaims memory ──▶ monitor
//	     ── the runtime's last words (SetCrashOutput) ──▶     ──▶ one line on stderr
//
// The monitor is the test's own program, which init below turns into one. It ends when the test
// does, and is silent unless the fault was at an address that it was told in a line. If no process
// can be started there is none. This file must not depend on what the addresses are made of.

// monitorKey is the environment variable that makes a program a monitor.
const monitorKey = "HARENA_ARENATEST_MONITOR"

func init() {
	if os.Getenv(monitorKey) != "" {
		if text := watchOver(os.Stdin); text != "" {
			fmt.Fprintln(os.Stderr, text)
		}
		os.Exit(0)
	}
}

// monitored starts the monitor, once.
var monitored = sync.OnceFunc(func() {
	in, err := startMonitor()
	if err != nil {
		return
	}
	ended := func(name string, e inspect.Ending) {
		if e.Trap != 0 {
			in.Write(appendLine(nil, inspect.Block{Addr: e.Trap, Size: trapSize}, line(describeTrap(name, e))))
		}
	}
	guarded := func(name string, list []inspect.GuardedBlock) {
		var lines []byte
		var text string
		var of inspect.GuardedBlock // which the text describes, wherever it is: most are like the one before
		for _, g := range list {
			kind := g
			if kind.Block = (inspect.Block{}); text == "" || kind != of {
				of, text = kind, line(describeGuarded(name, g))
			}
			lines = appendLine(lines, g.Block, text)
		}
		in.Write(lines) // at once: os.File keeps others from writing in between
	}
	told := func(addr uintptr) { fmt.Fprintf(in, "%s%x\n", toldHead, addr) }
	toMonitor.Store(&told)
	inspect.Ended.Store(&ended)
	inspect.OnGuarded.Store(&guarded)
})

// toMonitor tells the monitor, if there is one, that a fault at an address has been explained.
var toMonitor atomic.Pointer[func(addr uintptr)]

func explained(addr uintptr) {
	if f := toMonitor.Load(); f != nil {
		(*f)(addr)
	}
}

func startMonitor() (in *os.File, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer out.Close()
	m := exec.Command(program)
	m.Env = append(os.Environ(), monitorKey+"=1")
	m.Stdin, m.Stderr = out, os.Stderr
	if err = m.Start(); err == nil {
		err = debug.SetCrashOutput(in, debug.CrashOptions{})
	}
	if err != nil {
		in.Close()
	}
	return in, err
}

// lineHead begins lines for the monitor. The runtime's lines never begin so.
const lineHead = "\x00arenatest "

// toldHead begins a line with an address that the monitor needn't explain.
const toldHead = "\x00told "

// appendLine adds a line for the monitor with the text for a block.
func appendLine(to []byte, b inspect.Block, text string) []byte {
	to = append(to, lineHead...)
	to = strconv.AppendUint(to, uint64(b.Addr), 16)
	to = append(to, ' ')
	to = strconv.AppendUint(to, uint64(b.Size), 16)
	to = append(to, ' ')
	to = append(to, text...)
	return append(to, '\n')
}

// line returns a text as one line.
func line(text string) string {
	return fmt.Sprintf("%.3000s", strings.ReplaceAll(text, "\n", " "))
}

func describeTrap(name string, e inspect.Ending) string {
	text := "has followed a pointer in a dead value of " + named(name) + ", reclaimed at " + e.Place
	if len(e.Values) > 0 {
		text += "; there was " + strings.Join(e.Values, ", ")
	}
	return text
}

func describeGuarded(name string, g inspect.GuardedBlock) string {
	return fmt.Sprintf("has touched a dead value of %s, %s allocated at %s, reclaimed at %s",
		named(name), g.Type, g.Allocated, g.Taken)
}

func named(arena string) string {
	if arena == "" {
		return "an arena without a name"
	}
	return fmt.Sprintf("arena %q", arena)
}

// trapSize is the size of the address range of an ending. There are 65,536 such ranges, and about
// as many blocks with addresses of their own as are guarded at a time, so the monitor needn't
// forget any.
const trapSize = 1 << 12

var faultAt = regexp.MustCompile(`(?:fault address |addr=)0x([0-9a-f]+)`)

// A place is memory whose use is a fault.
type place struct {
	start, size uint64
	what        string
	line        int // the newest is right
}

// watchOver reads what a test writes until it ends, and returns what to print then.
func watchOver(r io.Reader) string {
	known := map[uint64]place{}
	found := ""
	var told uint64
	in := bufio.NewReader(r)
	for n := 0; ; n++ {
		text, err := in.ReadString('\n')
		if rest, ok := strings.CutPrefix(text, lineHead); ok {
			p := place{line: n}
			if _, err := fmt.Sscanf(rest, "%x %x", &p.start, &p.size); err == nil {
				p.what = strings.SplitN(strings.TrimSpace(rest), " ", 3)[2]
				known[p.start] = p
			}
		} else if rest, ok := strings.CutPrefix(text, toldHead); ok {
			told, _ = strconv.ParseUint(strings.TrimSpace(rest), 16, 64)
		} else if m := faultAt.FindStringSubmatch(text); m != nil && found == "" {
			at, _ := strconv.ParseUint(m[1], 16, 64)
			if p := placeOf(known, at); p.what != "" && at != told {
				found = fmt.Sprintf("arenatest: the program %s (%#x)", p.what, at)
			}
		}
		if err != nil {
			return found
		}
	}
}

// placeOf returns the newest place that an address is in.
func placeOf(known map[uint64]place, at uint64) (newest place) {
	for _, p := range known {
		if at-p.start < p.size && p.line >= newest.line {
			newest = p
		}
	}
	return newest
}
