// Package testrun builds a package's test binary, and runs its benchmarks. It must not depend on the measurements: its
// callers decide on overlay, environment and flags.
package testrun

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/target"
)

// Nothing in the user's module is ever written. Changed files reach the compiler through the go command's
// -overlay, and a changed go.mod through -modfile. Both name files of the session's own folder.

// A Build describes the contents of a binary beside the package.
type Build struct {
	Overlay map[string][]byte // contents of files, by their absolute paths
	Modfile string            // replaces the module's go.mod, "" for that itself
	Output  string            // the binary's path
}

// ErrNoTests is returned by Compile for a package without tests.
var ErrNoTests = errors.New("no benchmark found: the package has no test files")

// Kept is a folder that keeps the binaries that Compile built, so that an equal build needs no second link. If it is
// "", nothing is kept. Sources must not change while it is used.
var Kept string

// Compile builds the test binary of a package. It has symbols and debugging information, and its stacks name the source
// files, even if GOFLAGS has -trimpath. With Kept the binary is a hard link to that of an equal build, and must not be
// written to.
func Compile(p *target.Package, b Build) error {
	os.Remove(b.Output) // the go command leaves an old one for a package without tests
	files := map[string][]byte{}
	maps.Copy(files, p.Plain)
	maps.Copy(files, p.Loops)
	maps.Copy(files, b.Overlay)
	b.Overlay = files
	if Kept == "" {
		return compile(p, b)
	}
	// A hard link costs nothing; linking a test binary again takes seconds.
	kept, err := b.kept(p)
	if err != nil {
		return err
	}
	if os.Link(kept, b.Output) == nil {
		return nil
	}
	if err := compile(p, b); err != nil {
		return err
	}
	if err := os.Link(b.Output, kept); err != nil && !errors.Is(err, fs.ErrExist) {
		Kept = "" // this file system has no links
	}
	return nil
}

// kept returns the path for the binary in Kept: a separate one for each package, overlay and go.mod.
func (b Build) kept(p *target.Package) (string, error) {
	modfile := ""
	if b.Modfile != "" {
		text, err := os.ReadFile(b.Modfile)
		if err != nil {
			return "", err
		}
		modfile = string(text)
	}
	// The binary depends on nothing else: the other sources don't change while the program runs.
	key, err := json.Marshal([]any{p.Dir, b.Overlay, modfile})
	return filepath.Join(Kept, fmt.Sprintf("%x.test", sha256.Sum256(key))), err
}

// compile runs the go command. The files of an overlay have other names on disk, which Original replaces in the
// compiler's messages.
func compile(p *target.Package, b Build) error {
	args := []string{"test", "-c", "-o", b.Output, "-vet=off", "-trimpath=false"}
	if len(b.Overlay) > 0 {
		file, err := Overlay(b.Overlay, b.Output)
		if err != nil {
			return err
		}
		args = append(args, "-overlay="+file)
	}
	cmd := exec.Command("go", append(args, ".")...)
	cmd.Dir = p.Dir
	if b.Modfile != "" {
		// A workspace and flags of the user would contradict the other go.mod. What is built with that is run and never
		// dumped, so it is linked without debugging information, in two thirds of the time.
		cmd.Args = append(cmd.Args[:len(cmd.Args)-1], "-modfile="+b.Modfile, "-mod=mod", "-ldflags=-w", ".")
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		// The compiler names the overlay's files, but the user knows only the originals.
		if line := target.FirstLine(Original(string(out), b.Overlay, b.Output)); line != "" {
			err = errors.New(line)
		}
		return fmt.Errorf("%s doesn't compile: %w", p.ImportPath, err)
	}
	if _, err := os.Stat(b.Output); err != nil {
		return fmt.Errorf("%s: %w", p.ImportPath, ErrNoTests)
	}
	return nil
}

// Overlay writes files and their list, at paths that begin with prefix, and returns the list's path for the go command.
// The compiler names their own lines, regardless of //line directives.
func Overlay(files map[string][]byte, prefix string) (string, error) {
	replace := map[string]string{}
	for i, path := range slices.Sorted(maps.Keys(files)) {
		replace[path] = prefix + ending(i)
		if err := os.WriteFile(replace[path], target.Plain(files[path]), 0o666); err != nil {
			return "", err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := prefix + ".overlay.json"
	return file, os.WriteFile(file, list, 0o666)
}

// ending returns the suffix of an overlay's file, which the go command expects to be distinct and a .go file.
func ending(i int) string { return fmt.Sprintf(".overlay%d.go", i) }

// Original replaces the names of an overlay's files by those of the originals.
func Original(text string, files map[string][]byte, prefix string) string {
	for i, path := range slices.Sorted(maps.Keys(files)) {
		named := regexp.MustCompile(`[^\s:]*` + regexp.QuoteMeta(filepath.Base(prefix)+ending(i)))
		text = named.ReplaceAllLiteralString(text, path)
	}
	return text
}

// inError finds file and line in a message of the compiler.
var inError = regexp.MustCompile(`([^\s:]+\.go):(\d+):`)

// ErrorAt returns the first place that the compiler names in an error, or no file.
func ErrorAt(err error) (file string, line int) {
	if m := inError.FindStringSubmatch(err.Error()); m != nil {
		file = m[1]
		line, _ = strconv.Atoi(m[2])
	}
	return file, line
}

// Each run is a process of its own, never a second benchmark in the same one: the heap of a benchmark decides how often
// the collector runs in the next.

// A Run is one process of a test binary.
type Run struct {
	Binary string
	Dir    string        // the package's folder
	Bench  string        // a regular expression, as for go test -bench; "" for none
	Test   string        // the same for -run
	Time   string        // as for -benchtime: 3000x, 1s
	Env    []string      // in addition to the process's own
	Flags  []string      // such as -test.cpuprofile=FILE
	Limit  time.Duration // after which the process is killed; 0 means five minutes
}

// A Result is the output of a run of benchmarks.
type Result struct {
	Lines []Line
	CPU   time.Duration // of the process, on all its threads
	Wall  time.Duration
	Marks time.Duration // part of Wall in which the collector marked: with GODEBUG=gctrace=1
	// Passed and Failed are the tests that the output names: with -test.v, all.
	Passed, Failed []string
	Panicked       []probe.Frame // the calls of a panic that ended the process, the innermost first
}

// A Line is the result line of one benchmark.
type Line struct {
	Name string        // with the names of sub-benchmarks, without the number of processors
	N    int           // iterations
	Op   time.Duration // wall time of an iteration

	Objects, Bytes int64 // of an iteration, with -test.benchmem
}

// errCut is the error of a benchmark that panicked without a message.
var errCut = errors.New("panicked, and the process ended before it said why")

// Do runs the process and waits for it. A failing benchmark is an error of one line. The Result then has the lines
// printed so far, and, unless the run took too long, everything else.
func (r Run) Do() (result Result, err error) {
	for range 4 { // one of 20 ends like that on a machine with more work than cores
		if result, err = r.once(); !errors.Is(err, errCut) {
			break
		}
	}
	return result, err
}

func (r Run) once() (Result, error) {
	// The process has its own timeout of 20 minutes, which is never reached: timer below ends it earlier, with a
	// message that names the benchmark.
	args := []string{"-test.run", cmp.Or(r.Test, "^$"), "-test.timeout", "20m", "-test.count=1"}
	if r.Bench != "" {
		args = append(args, "-test.bench", r.Bench, "-test.benchtime", cmp.Or(r.Time, "100x"))
	}
	cmd := exec.Command(r.Binary, append(args, r.Flags...)...)
	cmd.Dir = r.Dir
	cmd.Env = append(os.Environ(), r.Env...)
	// Children of the benchmark may hold the output open after it has ended.
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return Result{}, err
	}
	limit := cmp.Or(r.Limit, 5*time.Minute)
	timer := time.AfterFunc(limit, func() { cmd.Process.Kill() })
	err := cmd.Wait()
	if !timer.Stop() {
		return Result{Lines: lines(out.String())}, fmt.Errorf("%s takes more than %v", r.what(), limit)
	}
	result := Result{Lines: lines(out.String()), Wall: time.Since(began), Marks: marks(out.String()),
		Passed: named(out.String(), "PASS"), Failed: named(out.String(), "FAIL"), Panicked: panicked(out.String())}
	if cmd.ProcessState != nil {
		result.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	if err != nil {
		return result, fmt.Errorf("%s: %s", r.what(), complaint(out.String(), err))
	}
	if name := cut.FindStringSubmatch(out.String()); name != nil {
		return result, fmt.Errorf("%s: %s %w", r.what(), name[1], errCut)
	}
	return result, nil
}

// List returns the benchmark functions of a binary, in their order.
func List(binary, dir string) (names []string, err error) {
	cmd := exec.Command(binary, "-test.list", "^Benchmark")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("-list ^Benchmark: %s", complaint(string(out), err))
	}
	for line := range strings.Lines(string(out)) { // a TestMain may print other lines
		if name := strings.TrimSpace(line); strings.HasPrefix(name, "Benchmark") {
			names = append(names, name)
		}
	}
	return names, nil
}

// what names the run by its flag.
func (r Run) what() string {
	if r.Bench != "" {
		return "-bench " + r.Bench
	}
	return "-run " + r.Test
}

// benchLine matches testing's line for a benchmark: name, processors, iterations, time, and perhaps memory.
var benchLine = regexp.MustCompile(`(?m)^(Benchmark\S*?)(-\d+)?\s+(\d+)\s+([\d.]+) ns/op` +
	`(?:.*?\s(\d+) B/op\s+(\d+) allocs/op)?`)

// cut matches the line of a benchmark that panicked: package testing considers it ended as soon as it unwinds, and may
// exit the process, with status 0, before the panic is printed.
var cut = regexp.MustCompile(`(?m)^(Benchmark\S*?)(-\d+)?\s+0\s+NaN ns/op`)

// lines reads the results of benchmarks. If a benchmark prints between its name and its result, the line doesn't match,
// and the benchmark has no result.
func lines(out string) (lines []Line) {
	for _, m := range benchLine.FindAllStringSubmatch(out, -1) {
		n, _ := strconv.Atoi(m[3])
		op, _ := strconv.ParseFloat(m[4], 64)
		bytes, _ := strconv.ParseInt(m[5], 10, 64) // 0 without -test.benchmem
		objects, _ := strconv.ParseInt(m[6], 10, 64)
		lines = append(lines, Line{Name: m[1], N: n, Op: time.Duration(op), Objects: objects, Bytes: bytes})
	}
	return lines
}

// traced matches the runtime's line for a collection: the wall time of its three phases. It marks in the second.
var traced = regexp.MustCompile(`\bgc \d+ @.*?: [\d.]+\+([\d.]+)\+[\d.]+ ms clock`)

// marks adds up the time in which the collector marked.
func marks(out string) (sum time.Duration) {
	for _, m := range traced.FindAllStringSubmatch(out, -1) {
		ms, _ := strconv.ParseFloat(m[1], 64)
		sum += time.Duration(ms * float64(time.Millisecond))
	}
	return sum
}

// named returns the tests, without subtests, that ended in a way.
func named(out, how string) (names []string) {
	for line := range strings.Lines(out) {
		if rest, ok := strings.CutPrefix(line, "--- "+how+": "); ok {
			name, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			names = append(names, name)
		}
	}
	return names
}

// called matches a call in the runtime's output: function and arguments, and in the next line its place.
var called = regexp.MustCompile(`(?m)^(\S.*)\(.*\)\n\t(.*):(\d+)`)

// panicked returns the stack of a panic. For a panic recovered and raised again it is the first one's.
func panicked(out string) (calls []probe.Frame) {
	_, stack, _ := strings.Cut(out, " [running]:\n")
	stack, _, _ = strings.Cut(stack, "\n\n")
	for _, m := range called.FindAllStringSubmatch(stack, -1) {
		if m[1] == "panic" {
			calls = nil
			continue
		}
		line, _ := strconv.Atoi(m[3])
		calls = append(calls, probe.Frame{Function: m[1], File: m[2], Line: line})
	}
	return calls
}

// location matches the place in the output of t.Error and t.Fatal.
var location = regexp.MustCompile(`^\s+\S+\.go:\d+: `)

// complaint finds the output line that explains a failed run. A recovered panic says less than the one that a deferred
// call raises after it.
func complaint(out string, err error) string {
	failed, panicked := "", ""
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		if _, after, ok := strings.Cut(line, "\tpanic: "); ok && strings.HasPrefix(line, "Benchmark") {
			line = "panic: " + after // its name is there already
		}
		switch {
		case panicked != "" && strings.HasPrefix(line, "\tpanic: "), strings.HasPrefix(line, "panic: "):
			panicked = strings.TrimSpace(line)
		case panicked != "":
			return panicked
		// The most precise line wins: a panic or a line of t.Fatal says more than the name of the test.
		case strings.HasPrefix(line, "fatal error: "), location.MatchString(line):
			return strings.TrimSpace(line)
		case failed == "" && strings.HasPrefix(line, "--- FAIL"):
			failed = line
		}
	}
	return cmp.Or(panicked, failed, err.Error())
}

// Exact returns the regular expression that selects one benchmark by its full name.
func Exact(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// Scratch returns a folder for a session's files, and the function that removes it.
func Scratch() (dir string, remove func(), err error) {
	dir, err = os.MkdirTemp("", "arenascout-")
	if err != nil {
		return "", nil, err
	}
	// Stacks and compilers name files without symbolic links, as in /tmp of macOS.
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	return dir, func() { os.RemoveAll(dir) }, nil
}
