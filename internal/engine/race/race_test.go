//go:build race

package race_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

// This file tests that the race detector reports uses of memory that an arena has
// reclaimed, by the goroutine that made it do so too. Each misuse runs in a process of
// its own, since a report makes the test in which it happens fail.

const misuseVariable = "HARENA_TEST_MISUSE"

type raceNode struct {
	next  *raceNode
	value int
}

var raceSink int

// misuses use dead memory in the line that says so. testdata/misuse of arenatest has more.
var misuses = map[string]func(){
	"Reset": func() {
		a := arena.NewArena()
		p := arena.New[int](a)
		a.Reset()
		raceSink = *p // dead
	},
	"Reset, write": func() {
		a := arena.NewArena(arena.WithNoScan())
		p := arena.New[raceNode](a)
		a.Reset()
		p.value = 1 // dead
	},
	"Reset, big": func() {
		a := arena.NewArena()
		arena.New[int](a)
		s := a.AllocBytes(10 << 20)
		a.Reset()
		raceSink = int(s[5<<20]) // dead
	},
	"Reset, scrub": func() {
		a := arena.NewArena(arena.WithScrub())
		s := a.AllocBytes(100)
		a.Reset()
		raceSink = int(s[50]) // dead
	},
	"Reset, long ago": func() {
		a := arena.NewArena()
		p := arena.New[int](a)
		a.Reset()
		for range 10 {
			arena.New[int](a)
			a.Reset()
		}
		raceSink = *p // dead
	},
	"Rewind": func() {
		a := arena.NewArena()
		arena.New[int](a)
		m := a.Mark()
		p := arena.New[int](a)
		a.Rewind(m)
		raceSink = *p // dead
	},
	"Rewind to the second mark": func() {
		a := arena.NewArena()
		arena.New[raceNode](a)
		a.Mark()
		arena.New[raceNode](a)
		m := a.Mark()
		p := arena.New[raceNode](a)
		a.Rewind(m)
		arena.New[raceNode](a)
		raceSink = p.value // dead
	},
	"Slots.Free": func() {
		s := collections.NewSlots[raceNode](arena.NewArena())
		p := s.New()
		s.Free(p)
		s.New()
		raceSink = p.value // dead
	},
	"Slots.Free, long ago": func() {
		s := collections.NewSlots[raceNode](arena.NewArena(arena.WithNoScan()))
		p := s.New()
		s.Free(p)
		for range 50 {
			s.Free(s.New())
		}
		raceSink = p.value // dead
	},
}

// TestMisuseWithRaceDetector runs this binary once for each misuse.
func TestMisuseWithRaceDetector(t *testing.T) {
	if name := os.Getenv(misuseVariable); name != "" {
		misuses[name]()
		return
	}
	source, err := os.ReadFile("race_test.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(source), "\n")
	place := regexp.MustCompile(`race_test\.go:(\d+)`)
	for name := range misuses {
		c := exec.Command(os.Args[0], "-test.run", "^TestMisuseWithRaceDetector$")
		c.Env = append(os.Environ(), misuseVariable+"="+name)
		out, err := c.CombinedOutput()
		report := string(out)
		if err == nil || !strings.Contains(report, "DATA RACE") {
			t.Errorf("%s: no report: %v\n%s", name, err, report)
			continue
		}
		named := false
		for _, m := range place.FindAllStringSubmatch(report, 3) {
			named = named || strings.Contains(line(lines, m[1]), "// dead")
		}
		if !named || !strings.Contains(report, "reclaimed") || !strings.Contains(report, "arenaReclaimedThis") {
			t.Errorf("%s: the report lacks the use, or where the memory was reclaimed:\n%s", name, report)
		}
	}
}

func line(lines []string, number string) string {
	n := 0
	for _, digit := range number {
		n = 10*n + int(digit-'0')
	}
	return lines[n-1]
}
