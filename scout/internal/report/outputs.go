package report

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/trial"
	"github.com/harena-go/arena/scout/internal/verdict"
)

// This file writes answers for other tools: benchstat, and the annotations of GitHub's workflows.

// Benchstat writes before.txt, after.txt and reuse.txt into a folder, in the format of benchmarks, a line for each
// round.
func Benchstat(dir string, l *scout.Look, r *trial.Result) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	write := func(name string, m *trial.Measured, i int) error {
		var b bytes.Buffer
		fmt.Fprintf(&b, "goos: %s\ngoarch: %s\npkg: %s\n", runtime.GOOS, runtime.GOARCH, l.Package.ImportPath)
		for k, line := range m.Runs[i] {
			fmt.Fprintf(&b, "%s-%d\t%d\t%d ns/op\t%d cpu-ns/op\t%d B/op\t%d allocs/op\n", line.Name,
				runtime.GOMAXPROCS(0), line.N, line.Op.Nanoseconds(), m.CPU[i][k].Nanoseconds(), line.Bytes,
				line.Objects)
		}
		if len(m.Runs[i]) == 0 {
			return nil
		}
		return os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o666)
	}
	err := errors.Join(write("before.txt", &r.Measured, 0), write("after.txt", &r.Measured, 1))
	if r.Reuse != nil {
		err = errors.Join(err, write("reuse.txt", &r.Reuse.Measured, 1))
	}
	return err
}

// Changed has the lines that a change added, by the files' absolute paths.
type Changed map[string][]Range

// A Range is a range of lines, both ends included.
type Range struct{ First, Last int }

// hunk matches the head of a hunk: its first line in the new file, and its number of lines there.
var hunk = regexp.MustCompile(`^@@ -\S+ \+(\d+)(?:,(\d+))? @@`)

// ReadDiff reads a diff without context, whose paths are relative to root.
func ReadDiff(diff []byte, root string) Changed {
	c := Changed{}
	file := ""
	lines := bufio.NewScanner(bytes.NewReader(diff))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "+++ b/"); ok {
			file = filepath.Join(root, filepath.FromSlash(name))
			continue
		}
		m := hunk.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		first, _ := strconv.Atoi(m[1])
		n := 1
		if m[2] != "" {
			n, _ = strconv.Atoi(m[2])
		}
		if n > 0 {
			c[file] = append(c[file], Range{first, first + n - 1})
		}
	}
	return c
}

// has reports whether the change added a line.
func (c Changed) has(file string, line int) bool {
	for _, r := range c[file] {
		if r.First <= line && line <= r.Last {
			return true
		}
	}
	return false
}

// GitHub writes an annotation for each actionable finding in a changed line. Paths are relative to root.
func GitHub(w io.Writer, l *scout.Look, changed Changed, root string) {
	for _, f := range l.Findings {
		if !changed.has(f.Place.File, f.Place.Line) || f.Verdict == verdict.Keep || f.Verdict == verdict.Leave {
			continue
		}
		name, err := filepath.Rel(root, f.Place.File)
		if err != nil {
			name = f.Place.File
		}
		fmt.Fprintf(w, "::notice file=%s,line=%d,title=arenascout: %s::%s\n", escaped(filepath.ToSlash(name), true),
			f.Place.Line, f.Verdict, escaped(Hint(f), false))
	}
}

// escaped escapes a text for GitHub's workflow commands, in a property or in the message.
func escaped(s string, property bool) string {
	s = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
	if property {
		s = strings.NewReplacer(":", "%3A", ",", "%2C").Replace(s)
	}
	return s
}

// Hint gives the advice for a finding in one line.
func Hint(f verdict.Finding) string {
	file := filepath.Base(f.Place.File) // so that Finding doesn't repeat it
	text := Finding(f, &file, false)
	_, text, _ = strings.Cut(text, " ")
	switch f.Verdict {
	case verdict.Move:
		return text + ": dies with its unit of work, and can be in an arena"
	case verdict.Hoist:
		return text + ": built again in each unit of work"
	case verdict.Helper:
		return text + ": dies with its unit of work"
	case verdict.Leave:
		return text + ": dies with its unit of work, but an arena has nothing for it"
	}
	return text
}
