//go:build !msan

package arenatest_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/harena-go/arena/internal/engine/asan"
	"github.com/harena-go/arena/internal/engine/race"
)

// This file runs the programs in testdata/misuse, each in a process of its own and with each of the checks of memory.
// Their comments list the layers that must report them, and the lines that must be named; there must be no other
// reports. corpus_read_test.go reads these comments.
//
// The programs are built like the test itself: the columns race and asan of MATRIX.md are tested with -race and -asan.

var update = flag.Bool("update", false, "TestCorpus writes MATRIX.md")

// A setting is a way to run a program.
type setting struct {
	name   string
	flag   string // to build it
	mode   string // see main.go of the programs
	layers []layer
}

// A layer is something that reports misuse.
type layer string

// settings are all settings. Panics of the first layer occur in all.
var settings = []setting{
	{"plain", "", "plain", []layer{"panic"}},
	{"race", "-race", "plain", []layer{"panic", "race"}},
	{"asan", "-asan", "plain", []layer{"panic", "asan"}},
	{"resets", "", "resets", []layer{"panic", "resets"}},
	{"guard", "", "guard", []layer{"panic", "guard"}},
	{"arenatest", "", "arenatest", checkedLayers},
	both,
}

var checkedLayers = []layer{"panic", "objects", "noted", "trap", "written", "hidden", "leak", "checked"}

// both has two layers at a time. A program is reported there if it is in one of the two, by either.
var both = setting{"together", "-race", "arenatest", append([]layer{"race"}, checkedLayers...)}

// ownFlag is the flag of go build that the test was built with.
func ownFlag() string {
	switch {
	case race.Instrumented:
		return "-race"
	case asan.On:
		return "-asan"
	}
	return ""
}

func (s setting) has(l layer) bool { return slices.Contains(s.layers, l) }

// allLayers are in the order of the columns of MATRIX.md.
var allLayers = []layer{"panic", "race", "asan", "resets", "guard", "objects", "noted", "trap", "written", "hidden", "leak", "checked"}

// timeLimit is for one program, on a busy machine.
const timeLimit = 3 * time.Minute

func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("runs some thousand processes")
	}
	all := readPrograms(t)
	if text := matrix(all); *update {
		if err := os.WriteFile("MATRIX.md", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if old, err := os.ReadFile("MATRIX.md"); err != nil || string(old) != text {
		t.Errorf("MATRIX.md isn't what the programs say; run go test -run TestCorpus -update ./arenatest (%v)", err)
	}
	var planted, correct int
	for _, p := range all {
		if p.clean {
			correct++
		} else if planted++; !p.judged {
			t.Errorf("%s doesn't say what catches it", p.name)
		}
	}
	if planted < 160 || correct < 45 {
		t.Errorf("%d programs with misuse and %d correct ones", planted, correct)
	}
	binary := buildPrograms(t)
	for _, s := range settings {
		if s.flag == ownFlag() {
			counts := runAll(t, all, s, binary)
			t.Logf("%-9s %v; %d correct programs", s.name, counts, correct)
		}
	}
}

// buildPrograms builds the programs as the test was built. Each process reads their debugging information to name the
// holder, and would spend more than half of its time on unpacking it.
func buildPrograms(t *testing.T) string {
	file := filepath.Join(t.TempDir(), "misuse")
	args := append(strings.Fields("build -ldflags=-compressdwarf=false "+ownFlag()), "-o", file, "./testdata/misuse")
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", args, err, out)
	}
	return file
}

// runAll runs all programs in a setting, and returns for each layer the number of programs that it caught, and of those
// that it had to catch.
func runAll(t *testing.T, all []*program, s setting, binary string) (counts []string) {
	var (
		wait   sync.WaitGroup
		tokens = make(chan bool, 2)
		mu     sync.Mutex
		caught = map[layer]int{}
		wanted = map[layer]int{}
	)
	for _, p := range all {
		wait.Add(1)
		tokens <- true
		go func() {
			defer wait.Done()
			out, err := execute(t, binary, p.name, s.mode)
			<-tokens
			mu.Lock()
			defer mu.Unlock()
			seen := p.check(t, s, out, err)
			for _, l := range s.layers {
				if slices.Contains(p.want, l) {
					wanted[l]++
				}
				if seen[l] {
					caught[l]++
				}
			}
		}()
	}
	wait.Wait()
	for _, l := range s.layers {
		counts = append(counts, fmt.Sprintf("%s %d/%d", l, caught[l], wanted[l]))
	}
	return counts
}

// execute runs one program. With less history the race detector loses one report in 20 where a goroutine spins for
// long: it forgets the call of Reset. The search for holders allocates more than the programs: GOGC, unless it is set
// already, saves a sixth of their CPU.
func execute(t *testing.T, binary, name, mode string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeLimit)
	defer cancel()
	c := exec.CommandContext(ctx, binary, name)
	c.Dir = t.TempDir()
	c.Env = append(append([]string{"GOGC=400"}, os.Environ()...), "HARENA_MODE="+mode, "GOTRACEBACK=single",
		"GORACE=atexit_sleep_ms=0 history_size=7", "ASAN_OPTIONS=detect_leaks=0", "GOMEMLIMIT=1GiB")
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	return out.String(), err
}

// check fails t unless the program's output in a setting is as expected. It returns the layers that reported.
func (p *program) check(t *testing.T, s setting, out string, err error) map[layer]bool {
	reports := parse(out, s)
	seen := map[layer]bool{}
	for i := range reports {
		r := &reports[i]
		if r.layer == "panic" && s.mode == "arenatest" && slices.Contains(p.want, "checked") {
			r.layer = "checked"
		} else if r.layer == "panic" && s.mode == "guard" && !slices.Contains(p.want, "panic") {
			r.layer = "guard" // which arenas that are lent once do, too
		}
		seen[r.layer] = true
	}
	if others := len(seen) - 1; seen["noted"] && others > 0 {
		delete(seen, "noted") // reported anyhow
	}
	fail := func(format string, args ...any) {
		t.Errorf("%s, %s: %s\n%s", p.name, s.name, fmt.Sprintf(format, args...), out)
	}
	if err != nil && len(reports) == 0 {
		fail("%v", err)
	}
	if s.name == both.name {
		p.checkBoth(fail, seen)
		return seen
	}
	for _, l := range s.layers {
		switch want := slices.Contains(p.want, l); {
		case slices.Contains(p.may, l) && s.mode != "arenatest":
		case want && !seen[l]:
			fail("not reported by %s", l)
		case !want && seen[l]:
			fail("reported by %s", l)
		}
		if text := p.lacks(l, reports); seen[l] && text != "" {
			fail("the report of %s doesn't name %s", l, text)
		}
	}
	for l := range seen {
		if misuse := l == crash && !p.clean && s.mode != "arenatest"; misuse {
			continue // what nobody reports may crash
		}
		if !slices.Contains(s.layers, l) {
			fail("reported by %s, which isn't there", l)
		}
	}
	return seen
}

// checkBoth fails if a layer reported a program that none should report, or none reported one that a layer must report.
func (p *program) checkBoth(fail func(format string, args ...any), seen map[layer]bool) {
	switch want := slices.ContainsFunc(p.want, both.has); {
	case p.clean:
		delete(seen, "noted")
		if len(seen) > 0 {
			fail("reported")
		}
	case want && len(seen) == 0:
		fail("not reported")
	case !want && len(seen) > 0 && !seen[crash]:
		fail("reported")
	}
}

// lacks returns the names missing in the reports of a layer, or "".
func (p *program) lacks(l layer, reports []report) string {
	var text string
	for _, r := range reports {
		if r.layer != l {
			continue
		}
		text += r.text
		if (l == "objects" || l == "written") && !namesAny(r.text, p, "allocated") {
			return "in each part what was allocated"
		}
		if held := l == "objects" || l == "resets"; held && !strings.Contains(r.holder, p.holder) {
			return p.holder + " as the holder"
		}
	}
	marks := named[l]
	if l == "guard" && strings.Contains(text, "\nUsed by:") {
		marks = append(slices.Clone(marks), "used")
	}
	for _, mark := range marks {
		text := text
		if l == "trap" && mark == "reclaimed" {
			text = explained(text)
		}
		for _, line := range p.marks[mark] {
			if !names(text, p.file, line) {
				return fmt.Sprintf("%s:%d, which is marked %q", p.file, line, mark)
			}
		}
	}
	return ""
}

// named is the lines that the reports of a layer must name.
var named = map[layer][]string{
	"panic":   {"used"},
	"race":    {"used", "reclaimed"},
	"asan":    {"used"},
	"resets":  {"reclaimed"},
	"guard":   {"reclaimed"},
	"objects": {"allocated", "reclaimed"},
	"noted":   {"allocated", "reclaimed"},
	"trap":    {"used", "reclaimed"},
	"written": {"allocated", "reclaimed"},
	"hidden":  {"allocated"},
	"leak":    {"lent"},
	"checked": {"used"},
}

func names(text, file string, line int) bool {
	return regexp.MustCompile(fmt.Sprintf(`\b%s:%d\b`, regexp.QuoteMeta(file), line)).MatchString(text)
}

func namesAny(text string, p *program, mark string) bool {
	return slices.ContainsFunc(p.marks[mark], func(line int) bool { return names(text, p.file, line) })
}
