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
	"time"

	"github.com/harena-go/arena/internal/diagnose/inspect"
)

// This file explains the use of a dead value that ended the program. A fault is a panic only in the goroutines that
// called New. In others, such as those that a server starts, the runtime ends the program at once. So a second process,
// the monitor, reads along:
//
//	test ── lines, of each operation that reclaims memory ──▶ monitor
//	     ── the runtime's last words (SetCrashOutput) ──▶     ──▶ one line on stderr
//
// The monitor is the test's own program, which init below turns into one. It ends when the test does, and is silent
// unless the fault was at an address in one of its lines. Where no process can be started there is no monitor. This
// file must not depend on how addresses are made up.
//
// The line should come before the stacks of all goroutines. The runtime begins with the address, and writes each piece
// of text to stderr first, and then to the monitor, which stops reading while it explains the address. The connection
// buffers only a few pieces, so the runtime waits for the monitor.

// monitorKey is the environment variable that makes a program a monitor.
const monitorKey = "HARENA_ARENATEST_MONITOR"

func init() {
	if os.Getenv(monitorKey) != "" {
		watchOver(os.Stdin, os.Stdout, os.Stderr)
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
		var of inspect.GuardedBlock // described by text, except for its block: most are like their predecessor
		for _, g := range list {
			kind := g
			if kind.Block = (inspect.Block{}); text == "" || kind != of {
				of, text = kind, line(describeGuarded(name, g))
			}
			lines = appendLine(lines, g.Block, text)
		}
		in.Write(lines) // in one call: os.File keeps other writes out
	}
	inspect.Ended.Store(&ended)
	inspect.OnGuarded.Store(&guarded)
})

// explained keeps the monitor from explaining the fault that ends the program.
func explained() { _ = debug.SetCrashOutput(nil, debug.CrashOptions{}) }

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
	crashOut, crashIn, err := narrow()
	if err != nil {
		in.Close()
		return nil, err
	}
	defer crashOut.Close()
	defer crashIn.Close() // the runtime duplicates it
	m := exec.Command(program)
	m.Env = append(os.Environ(), monitorKey+"=1")
	m.Stdin, m.Stdout, m.Stderr = out, crashOut, os.Stderr // it reads its Stdout: Windows passes only three files
	if err = m.Start(); err == nil {
		err = debug.SetCrashOutput(crashIn, debug.CrashOptions{})
	}
	if err != nil {
		in.Close()
	}
	return in, err
}

// lineHead begins lines for the monitor. No line of the runtime begins like this.
const lineHead = "\x00arenatest "

// appendLine appends a line for the monitor: a block and its text.
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
	text := "has followed a pointer in a dead value of " + named(name) + ", reclaimed " + e.When
	if len(e.Values) > 0 {
		text += "; there was " + strings.Join(e.Values, ", ")
	}
	return text
}

func describeGuarded(name string, g inspect.GuardedBlock) string {
	return fmt.Sprintf("has touched a dead value of %s, %s allocated at %s, reclaimed %s",
		named(name), g.Type, g.Allocated, g.Taken)
}

func named(arena string) string {
	if arena == "" {
		return "an arena without a name"
	}
	return fmt.Sprintf("arena %q", arena)
}

// trapSize is the size of the address range of an ending. There are 65,536 such ranges, and about as many guarded
// blocks at a time, so the monitor needn't forget any.
const trapSize = 1 << 12

var faultAt = regexp.MustCompile(`(?:fault address |addr=)0x([0-9a-f]+)`)

// A place is memory whose use is a fault.
type place struct {
	start, size uint64
	what        string
	line        int // the newest is right
}

// A toldList has the lines received from the test.
type toldList struct {
	mu    sync.Mutex
	known map[uint64]place
	lines int
}

// read reads lines until the test ends.
func (p *toldList) read(r io.Reader) {
	for in := bufio.NewReader(r); ; {
		text, err := in.ReadString('\n')
		if err != nil {
			return
		}
		p.add(text)
	}
}

// add records a line.
func (p *toldList) add(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines++
	if rest, ok := strings.CutPrefix(text, lineHead); ok {
		place := place{line: p.lines}
		if _, err := fmt.Sscanf(rest, "%x %x", &place.start, &place.size); err == nil {
			place.what = strings.SplitN(strings.TrimSpace(rest), " ", 3)[2]
			p.known[place.start] = place
		}
	}
}

// explain writes the description of an address, if known, and reports whether it was.
func (p *toldList) explain(at uint64, to io.Writer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	x := placeOf(p.known, at)
	if x.what == "" {
		return false
	}
	fmt.Fprintf(to, "\narenatest: the program %s (%#x)\n\n", x.what, at)
	return true
}

// settle is the time that the monitor waits for lines still on their way when the test crashed.
const settle = 20 * time.Millisecond

// watchOver reads the output of a test and its runtime until they end, and explains the first fault: at once, or at the
// end if the line with the address was late.
func watchOver(lines, crash io.Reader, to io.Writer) {
	known := toldList{known: map[uint64]place{}}
	all := make(chan bool)
	go func() {
		known.read(lines)
		close(all)
	}()
	var at uint64
	explained := false
	for in := bufio.NewReaderSize(crash, 16); ; { // the smallest there is
		text, err := in.ReadString('\n')
		if m := faultAt.FindStringSubmatch(text); m != nil && at == 0 {
			at, _ = strconv.ParseUint(m[1], 16, 64)
			time.Sleep(settle)
			explained = known.explain(at, to)
		}
		if err != nil {
			break
		}
	}
	if <-all; at != 0 && !explained {
		known.explain(at, to)
	}
}

// placeOf returns the newest place that contains an address.
func placeOf(known map[uint64]place, at uint64) (newest place) {
	for _, p := range known {
		if at-p.start < p.size && p.line >= newest.line {
			newest = p
		}
	}
	return newest
}
