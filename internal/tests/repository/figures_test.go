package repository

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// This file makes the tables of figures in pages, and the ratios that arenascout knows, from bench/RESULTS.md:
//
//	<!-- figures
//	| what | gain | suite |
//	|---|---|---|
//	| a full GC | {gc/Full GC, 10,000,000 nodes live/heap:harena} | it was {gc/Full GC, 10,000,000 nodes live/heap} |
//	-->
//	the table: each row gets its suite
//	<!-- end -->
//
// {suite/row/peer} is a median, and {suite/row/other:peer} says how many times better the peer is than the other: of
// several rows, by a pattern as in package path, the geometric mean with the least and the largest. Of several peers,
// as in goccy,sonic:harena, the best counts. {machine/Go} is a fact about the machine. A row whose suite or peers
// aren't in RESULTS.md stays as it is.

// A figure is a cell of RESULTS.md.
type figure struct {
	text   string  // the median
	amount float64 // the same as a number: the less the better
	gain   float64 // against the base, or 0
	doubt  string  // "~" if the gain may be noise
}

// figures are the cells by suite, row and peer.
type figures map[string]map[string]map[string]figure

var (
	figureBlock = regexp.MustCompile(`(?s)<!-- figures\n(.*?)-->\n(.*?)<!-- end -->`)
	figureRatio = regexp.MustCompile(`// (\{.*\})\n(.* Times: )[\d.]+`)
	figureName  = regexp.MustCompile(`\{([a-z-]+)/([^{}]*?)(?:/([^{}/]+))?\}`)
	median      = regexp.MustCompile(`^([\d.,]+) ?(ns|µs|ms|s|B|KiB|MiB|GiB|/s|x|)(?: |$)`)
	gain        = regexp.MustCompile(`\((~?)([\d.]+)(k?)x\)`)
	units       = map[string]float64{"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
)

// TestFigures: the tables in pages are made from RESULTS.md. make generate makes them.
func TestFigures(t *testing.T) {
	results := readFigures(read(t, "bench/RESULTS.md"))
	blocks := 0
	for _, file := range tracked(t) {
		if path.Ext(file) != ".md" {
			continue
		}
		text := read(t, file)
		made := figureBlock.ReplaceAllStringFunc(text, func(block string) string {
			blocks++
			m := figureBlock.FindStringSubmatch(block)
			table, err := results.table(m[1], m[2])
			if err != nil {
				t.Errorf("%s: %v", file, err)
				return block
			}
			return "<!-- figures\n" + m[1] + "-->\n" + table + "<!-- end -->"
		})
		rewrite(t, file, text, made)
	}
	const library = "scout/internal/library/library.go"
	text := read(t, library)
	made := figureRatio.ReplaceAllStringFunc(text, func(line string) string {
		m := figureRatio.FindStringSubmatch(line)
		ratio, err := results.table(m[1], "")
		if err != nil || ratio == "" {
			t.Error(err)
		}
		ratio, _, _ = strings.Cut(ratio, "x")
		return "// " + m[1] + "\n" + m[2] + strings.TrimPrefix(ratio, "~")
	})
	rewrite(t, library, text, made)
	if blocks < 5 {
		t.Errorf("only %d tables", blocks)
	}
}

// rewrite writes a file if it has other figures, or without -update reports them.
func rewrite(t *testing.T, file, text, made string) {
	if made == text {
		return
	}
	if !*update {
		t.Errorf("%s has other figures than bench/RESULTS.md: make generate", file)
	} else if err := os.WriteFile(filepath.Join(root, file), []byte(made), 0o666); err != nil {
		t.Error(err)
	}
}

// readFigures reads the tables of RESULTS.md, whose lines are rows or peers.
func readFigures(text string) figures {
	all := figures{}
	suite := "machine"
	var head []string
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(line, "## "); ok {
			suite, _, _ = strings.Cut(name, ":")
		}
		if !strings.HasPrefix(line, "|") {
			head = nil
			continue
		}
		cells := cellsOf(line)
		if head == nil {
			head = cells
			continue
		}
		for i, cell := range cells[1:] {
			row, peer := cells[0], head[i+1]
			if head[0] == "peer" {
				row, peer = peer, row
			}
			all.add(suite, row, peer, cell)
		}
	}
	return all
}

func cellsOf(line string) (cells []string) {
	for cell := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(line)[1:], "|"), "|") {
		cells = append(cells, strings.TrimSpace(cell))
	}
	return cells
}

func (all figures) add(suite, row, peer, cell string) {
	if all[suite] == nil {
		all[suite] = map[string]map[string]figure{}
	}
	if all[suite][row] == nil {
		all[suite][row] = map[string]figure{}
	}
	cell = strings.ReplaceAll(cell, "*", "")
	f := figure{text: cell}
	m := median.FindStringSubmatch(cell)
	switch {
	case suite == "machine":
	case m == nil:
		return
	default:
		f.text = strings.TrimSpace(m[0])
		f.amount, _ = strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
		if m[2] == "/s" {
			f.amount = 1 / f.amount
		}
		f.amount *= cmp.Or(units[m[2]], 1)
		if g := gain.FindStringSubmatch(cell); g != nil {
			f.gain, _ = strconv.ParseFloat(g[2], 64)
			f.gain *= map[string]float64{"": 1, "k": 1000}[g[3]]
			f.doubt = g[1]
		}
	}
	all[suite][row][peer] = f
}

// table returns the lines of a template with their figures. old is the table as it is.
func (all figures) table(template, old string) (string, error) {
	var out strings.Builder
	for line := range strings.Lines(template) {
		suites := []string{}
		known := false
		var err error
		made := figureName.ReplaceAllStringFunc(line, func(name string) string {
			m := figureName.FindStringSubmatch(name)
			text, e := all.figure(m[1], m[2], m[3])
			err = cmp.Or(err, e)
			known = known || text != "–"
			if m[1] != "machine" && !slices.Contains(suites, m[1]) {
				suites = append(suites, m[1])
			}
			return text
		})
		if err != nil {
			return "", err
		}
		if len(suites) > 0 && strings.HasPrefix(line, "|") {
			made = strings.TrimSuffix(made, "\n") + " " + strings.Join(suites, ", ") + " |\n"
		}
		if len(suites) == 0 || known {
			out.WriteString(made)
			continue
		}
		for was := range strings.Lines(old) {
			if strings.HasPrefix(was, "|") && cellsOf(was)[0] == cellsOf(line)[0] {
				out.WriteString(was)
			}
		}
	}
	return out.String(), nil
}

// figure returns a median or a gain, or "–" if the suite or the peers weren't measured.
func (all figures) figure(suite, pattern, peers string) (string, error) {
	others, peer, compared := strings.Cut(peers, ":")
	text, matched := "–", all[suite] == nil
	gains, sum := []float64{}, 0.0
	for row, cells := range all[suite] {
		if ok, err := path.Match(pattern, row); err != nil || !ok {
			continue
		}
		other, ok := best(cells, others)
		if matched = true; !compared && ok {
			text = other.text
		}
		if ours, found := best(cells, peer); ok && found && ours.amount > 0 {
			gain := other.amount / ours.amount
			if other.gain == 0 && ours.gain > 0 {
				gain = ours.gain
			}
			gains, sum = append(gains, gain), sum+math.Log(gain)
			text = ours.doubt + times(gain) + "x"
		}
	}
	if !matched {
		return "", fmt.Errorf("suite %s of bench/RESULTS.md has no row %q", suite, pattern)
	}
	if len(gains) > 1 {
		text = fmt.Sprintf("%sx (%s-%s)", times(math.Exp(sum/float64(len(gains)))), times(slices.Min(gains)), times(slices.Max(gains)))
	}
	return text, nil
}

// best returns the least of the peers' figures.
func best(cells map[string]figure, peers string) (least figure, ok bool) {
	for peer := range strings.SplitSeq(peers, ",") {
		if f, found := cells[peer]; found && (!ok || f.amount < least.amount) {
			least, ok = f, true
		}
	}
	return least, ok
}

func times(x float64) string {
	switch {
	case x < 2:
		return fmt.Sprintf("%.2f", x)
	case x < 9.95:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}
