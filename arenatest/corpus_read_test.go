//go:build !msan

package arenatest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A program is one of those in testdata/misuse.
type program struct {
	name   string
	clean  bool
	file   string
	about  string           // the first sentences of its comment
	want   []layer          // that must report it
	may    []layer          // that may, but not where arenas are checked
	holder string           // the holder that a report must name
	marks  map[string][]int // marked lines, by their marks

	judged bool // it lists the layers that must report it
}

// registration begins a program, which reaches up to the next one.
var registration = regexp.MustCompile(`^var _ = (plant|clean)\("([^"]+)", (\w+)\)$`)

// readPrograms reads the programs and their expectations.
func readPrograms(t *testing.T) (all []*program) {
	files, err := filepath.Glob("testdata/misuse/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, parsePrograms(t, filepath.Base(file), string(source))...)
	}
	return all
}

func parsePrograms(t *testing.T, file, source string) (all []*program) {
	var p *program
	for i, line := range strings.Split(source, "\n") {
		if m := registration.FindStringSubmatch(line); m != nil {
			p = &program{name: m[2], clean: m[1] == "clean", file: file, marks: map[string][]int{}}
			all = append(all, p)
		}
		if p != nil {
			p.read(t, line, i+1)
		}
	}
	return all
}

// read evaluates the comment of a line.
func (p *program) read(t *testing.T, line string, number int) {
	before, comment, ok := strings.Cut(line, "// ")
	if !ok {
		return
	}
	if before != "" {
		for mark := range strings.SplitSeq(comment, ", ") {
			switch mark {
			case "allocated", "reclaimed", "used", "lent":
				p.marks[mark] = append(p.marks[mark], number)
			case "used by another goroutine":
				p.marks["used"] = append(p.marks["used"], number)
			}
		}
		return
	}
	key, value, _ := strings.Cut(comment, ": ")
	switch key {
	case "want":
		p.judged = true
		if value != "nothing" {
			p.want = p.layers(t, value)
		}
	case "may":
		p.may = p.layers(t, value)
	case "held by":
		p.holder = value
	default:
		if !p.judged {
			p.about = strings.TrimSpace(p.about + " " + comment)
		}
	}
}

func (p *program) layers(t *testing.T, list string) (layers []layer) {
	for name := range strings.SplitSeq(list, ", ") {
		if !slices.Contains(allLayers, layer(name)) {
			t.Errorf("%s: %s: no layer is called %q", p.file, p.name, name)
		}
		layers = append(layers, layer(name))
	}
	if p.clean && !slices.Equal(layers, []layer{"noted"}) {
		t.Errorf("%s: %s is correct, and nothing but a note should report it", p.file, p.name)
	}
	return layers
}

// A report is one of several that a program may get.
type report struct {
	layer  layer
	text   string
	holder string
}

// heads are the beginnings of reports.
var heads = []struct {
	layer layer
	begin *regexp.Regexp
}{
	{"race", regexp.MustCompile(`^WARNING: DATA RACE`)},
	{"asan", regexp.MustCompile(`^==\d+==ERROR: AddressSanitizer`)},
	{"objects", regexp.MustCompile(`^ARENA ESCAPE: .* is still referenced`)},
	{"noted", regexp.MustCompile(`^ARENA NOTE: .* is still referenced`)},
	{"written", regexp.MustCompile(`^ARENA ESCAPE: .* was written to`)},
	{"guard", regexp.MustCompile(`^ARENA ESCAPE: .* was used`)},
	{"hidden", regexp.MustCompile(`^ARENA POINTER: `)},
	{"leak", regexp.MustCompile(`^an arena of pool .* was neither put back nor freed|^arena .* was never freed`)},
	{crash, regexp.MustCompile(`^panic: |^fatal error: |^unexpected fault address |^The test has touched|^ARENA FAULT: `)},
}

// crash is a report of none of the layers, unless it turns out to be from one.
const crash layer = "crash"

// parse finds the reports in a program's output. Notes written when a program crashes belong to the crash.
func parse(out string, s setting) (reports []report) {
	var r *report
	for line := range strings.Lines(out) {
		if l := head(line); l != "" && !(r != nil && r.layer == crash && (l == crash || l == "noted")) {
			reports = append(reports, report{layer: l})
			r = &reports[len(reports)-1]
		}
		if r != nil {
			r.text += line
		}
	}
	for i := range reports {
		r := &reports[i]
		_, r.holder, _ = strings.Cut(r.text, "\nHeld by:\n")
		r.holder, _, _ = strings.Cut(r.holder, "\n\n")
		switch {
		case r.layer == "objects" && s.mode == "resets":
			r.layer = "resets"
		case s.mode == "guard" && (r.layer == "objects" || r.layer == "written"):
			r.layer = "guard"
		case r.layer == crash && s.mode != "guard" && fault(r.text) > 1<<16:
			r.layer = "trap"
		case r.layer == crash && strings.HasPrefix(r.text, "panic: arena"):
			r.layer = "panic"
		}
	}
	return reports
}

var (
	faultAddress = regexp.MustCompile(`(?:fault address |addr=)0x([0-9a-f]+)`)
	trapRange    = regexp.MustCompile(`0x([0-9a-f]+) to 0x([0-9a-f]+)`)
)

// fault returns the address at which a program has faulted, or 0.
func fault(text string) uint64 {
	if m := faultAddress.FindStringSubmatch(text); m != nil {
		return hex(m[1])
	}
	return 0
}

// explained returns the report of the fault, or for a fault in another goroutine than the test's,
// the monitor's line about the address.
func explained(text string) string {
	if _, report, ok := strings.Cut(text, "ARENA FAULT: "); ok {
		report, _, _ = strings.Cut(report, "\npanic: ")
		return report
	}
	addr := fault(text)
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "arenatest: the program ") && strings.Contains(line, fmt.Sprintf("(%#x)", addr)) {
			return line
		}
		for _, m := range trapRange.FindAllStringSubmatch(line, -1) {
			if hex(m[1]) <= addr && addr <= hex(m[2]) {
				return line
			}
		}
	}
	return ""
}

func hex(digits string) uint64 {
	n, _ := strconv.ParseUint(digits, 16, 64)
	return n
}

// head returns the layer whose report begins with a line, or "".
func head(line string) layer {
	for _, h := range heads {
		if h.begin.MatchString(line) {
			return h.layer
		}
	}
	return ""
}
