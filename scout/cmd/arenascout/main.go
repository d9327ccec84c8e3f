// Arenascout reports whether an arena would help a program, where, and by how much.
//
//	arenascout http://localhost:6060
//	arenascout ./pkg
//	arenascout -bench Handle ./pkg
//	arenascout -try ./pkg
//	arenascout -fix ./pkg > arena.patch
//
// It needs a benchmark, or a test that runs the work many times, and changes files only with -fix -w. "Nothing to gain"
// is an answer, too. If it has no answer it writes one line to standard error and exits with status 2.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/harena-go/arena/scout/internal/fix"
	"github.com/harena-go/arena/scout/internal/page"
	"github.com/harena-go/arena/scout/internal/production"
	"github.com/harena-go/arena/scout/internal/report"
	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/testrun"
	"github.com/harena-go/arena/scout/internal/trial"
)

// main keeps the go command's linked packages while the program runs: -try and -fix build the same package again and
// again. All temporary files are in one folder, which is removed at the end, even after an interrupt.
func main() {
	dir, remove, err := testrun.Scratch()
	if err == nil {
		testrun.Kept = dir
		os.Setenv("TMPDIR", dir)
		stop := make(chan os.Signal, 1)
		signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
		go func() {
			<-stop
			// Commands that still run may write there.
			for i := 0; i < 10 && os.RemoveAll(dir) != nil; i++ {
				time.Sleep(100 * time.Millisecond)
			}
			os.Exit(interrupted)
		}()
	}
	code := run(os.Args[1:], os.Stdout, os.Stderr)
	if err == nil {
		remove()
	}
	os.Exit(code)
}

// interrupted is the exit status after Ctrl-C, as in shells.
const interrupted = 130

// usage stands above the flags in the output of -h.
const usage = `usage: arenascout [flags] http://host:port
       arenascout [flags] [package]
       arenascout cpu.pprof heap.pprof

Of a server with net/http/pprof, or of two profiles of one, it says what arenas could save at most: in ten seconds,
without any change. Of a package it says which lines allocate what dies with its unit of work, what lives on and
who holds it, and how much CPU arenas would save. The package is a folder or an import path, . if there is none.

`

// A request holds the values of the flags.
type request struct {
	scout.Options
	format, html, out           string
	all, quiet, try, fix, write bool
	live                        amount
	seconds                     int
}

// define declares the flags.
func (r *request) define(flags *flag.FlagSet) {
	flags.StringVar(&r.Bench, "bench", "", "look at each of the benchmarks that match this `regexp` (default the "+
		"one with the most to gain)")
	flags.StringVar(&r.Test, "run", "", "look at the tests that match this `regexp`, "+
		"each in a loop as a benchmark (default all if benchmarks have nothing)")
	flags.StringVar(&r.Unit, "unit", "", "the unit of work is this `function`: Handle, (*Service).Handle (default "+
		"the outermost outside of tests that allocates most)")
	flags.IntVar(&r.Times, "n", 0, "run the benchmark `n` times while allocations are recorded (default up to "+
		"3000, in some seconds)")
	flags.DurationVar(&r.Within, "within", 2*time.Minute, "end with the best answer so far after this `time` from the "+
		"first build on; -try has as much again")
	flags.StringVar(&r.CPU, "cpu", "", "estimate the gain by this CPU `profile` from production, too (default the "+
		"package's or the module's default.pgo)")
	flags.Var(&r.live, "live", "measure with so many `bytes` alive beside the program's own, such as 500MB")
	flags.BoolVar(&r.try, "try", false, "move what can be moved in a copy, and measure: in arenas of a Pool without "+
		"reuse, which are safe for any program, and with reuse, if nothing outlives its unit")
	flags.StringVar(&r.out, "out", "", "with -try: write before.txt and after.txt into this `folder`, for benchstat")
	flags.BoolVar(&r.fix, "fix", false, "print a patch with a Pool without reuse that passes the package's own tests; "+
		"all else goes to standard error")
	flags.BoolVar(&r.write, "w", false, "with -fix: change the files instead of printing a patch")
	flags.StringVar(&r.format, "format", "text", "write `text`, json, or github: annotations for the lines that "+
		"differ from the base of a pull request, or from the commit before")
	flags.BoolFunc("json", "the same as -format json", func(string) error { r.format = "json"; return nil })
	flags.StringVar(&r.html, "html", "", "write a page with a flame graph into this `file`, too")
	flags.IntVar(&r.seconds, "seconds", 10, "look at a server for `n` seconds")
	flags.BoolVar(&r.all, "all", false, "write all lines that allocate, and the whole way to what is held; "+
		"with -fix: move also what saves next to nothing")
	flags.BoolVar(&r.quiet, "q", false, "don't say on standard error what is being done")
}

// check returns the first error in the flags, or nil.
func (r *request) check() error {
	switch {
	case r.format != "text" && r.format != "json" && r.format != "github":
		return fmt.Errorf("-format %s is none of text, json and github", r.format)
	case r.Test != "" && r.Bench != "":
		return errors.New("-run and -bench exclude each other")
	case r.write && !r.fix:
		return errors.New("-w is for -fix")
	case r.out != "" && !r.try:
		return errors.New("-out is for -try")
	}
	r.Live = int64(r.live)
	switch {
	case r.fix:
		r.One = "-fix"
	case r.html != "":
		r.One = "-html"
	case r.out != "":
		r.One = "-out"
	}
	return nil
}

// run is the program. It returns the exit status: 0, or 2 without an answer.
func run(args []string, stdout, stderr io.Writer) int {
	var r request
	flags := flag.NewFlagSet("arenascout", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	r.define(flags)
	switch err := flags.Parse(args); {
	case err == flag.ErrHelp:
		return 0
	case err != nil:
		return 2
	}
	end := func(err error) int {
		if err == nil {
			return 0
		}
		fmt.Fprintln(stderr, "arenascout:", err)
		return 2
	}
	asJSON := r.format == "json"
	switch flags.NArg() {
	case 0:
		r.Pattern = "."
	case 1:
		r.Pattern = flags.Arg(0)
	case 2: // profiles of production; two of anything else are a mistake
		if isFile(flags.Arg(0)) && isFile(flags.Arg(1)) {
			return end(first(production.Read(flags.Arg(0), flags.Arg(1)))(stdout, asJSON))
		}
		fallthrough
	default:
		return end(fmt.Errorf("one package at a time, not %q; flags come first", flags.Args()))
	}
	if strings.HasPrefix(r.Pattern, "http://") || strings.HasPrefix(r.Pattern, "https://") {
		return end(first(production.Fetch(context.Background(), r.Pattern, r.seconds))(stdout, asJSON))
	}
	if err := r.check(); err != nil {
		return end(err)
	}
	if !r.quiet {
		r.Progress = stderr
	}
	shown := shown{request: &r, stdout: stdout, stderr: stderr}
	if r.format == "github" {
		var err error
		if shown.root, shown.changed, err = changes(); err != nil {
			return end(err)
		}
	}
	return end(shown.each())
}

// changes returns the folder of the repository, and the lines that differ from the base of a pull request, or from the
// commit before.
func changes() (root string, changed report.Changed, err error) {
	git := func(args ...string) []byte {
		if err != nil {
			return nil
		}
		out, failed := exec.Command("git", args...).Output()
		if failed != nil {
			err = fmt.Errorf("-format github: git %s: %w", strings.Join(args, " "), failed)
		}
		return out
	}
	root = strings.TrimSpace(string(git("rev-parse", "--show-toplevel")))
	base := "HEAD~1"
	if branch := os.Getenv("GITHUB_BASE_REF"); branch != "" {
		base = "origin/" + branch
	}
	diff := git("diff", "-U0", "--no-ext-diff", "--no-color", "--src-prefix=a/", "--dst-prefix=b/", "--merge-base",
		base)
	return root, report.ReadDiff(diff, root), err
}

// shown shows looks. There are several if -bench matches several benchmarks.
type shown struct {
	*request
	stdout, stderr io.Writer
	looks          int

	// For annotations: the repository's folder, and the lines that are new.
	root    string
	changed report.Changed
}

// each shows all looks, or the answer that there is nothing for an arena.
func (s *shown) each() error {
	if s.format == "text" {
		s.Table = func(benches []scout.Bench) { report.Table(s.text(), benches, s.all) }
	}
	err := scout.Each(s.Options, s.look)
	var no *scout.No
	switch {
	case !errors.As(err, &no):
		return err
	case s.format == "json":
		return report.JSONNo(s.stdout, no)
	}
	fmt.Fprintln(s.text(), "expect  no:", no.Why)
	return nil
}

// look shows one look in all requested forms. The screen gets each part as soon as it is ready, so that a failing patch
// doesn't cost the earlier results; the other forms are written at the end.
func (s *shown) look(look *scout.Look) (err error) {
	s.looks++
	text := s.text()
	if s.format != "text" {
		text = io.Discard
	}
	if s.looks > 1 {
		fmt.Fprintln(text)
	}
	trial.Replay(look, s.Say)
	report.Text(text, look, s.all)
	var tried *trial.Result
	if s.try {
		if tried, err = trial.Run(look, s.Say); err != nil {
			return err
		}
		report.Trial(text, look, tried)
	}
	if s.out != "" {
		if err := report.Benchstat(s.out, look, tried); err != nil {
			return err
		}
	}
	var fixed *fix.Result
	if s.fix {
		if fixed, err = fix.Run(look, s.all, s.Say); err != nil {
			return err
		}
		report.Fix(text, look, fixed)
		if s.write {
			if err := fixed.Write(); err != nil {
				return err
			}
		}
	}
	if s.html != "" {
		if err := writePage(s.html, look, tried); err != nil {
			return err
		}
	}
	switch {
	case s.format == "json":
		return report.JSON(s.stdout, look, tried, fixed)
	case s.format == "github":
		report.GitHub(s.stdout, look, s.changed, s.root)
	case fixed != nil && !s.write:
		fmt.Fprint(s.stdout, fixed.Patch)
	}
	return nil
}

// text returns the writer for the screen: standard output, or standard error if the patch goes to standard output.
func (s *shown) text() io.Writer {
	if s.fix && !s.write {
		return s.stderr
	}
	return s.stdout
}

// first returns a function that shows a first look at production, or its error.
func first(look *production.Look, err error) func(w io.Writer, asJSON bool) error {
	return func(w io.Writer, asJSON bool) error {
		if err == nil && asJSON {
			return report.Encode(w, look)
		} else if err == nil {
			look.Text(w)
		}
		return err
	}
}

// isFile reports whether there is a file of that name, not a folder.
func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// writePage writes the page into a file, or leaves none.
func writePage(file string, look *scout.Look, tried *trial.Result) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := errors.Join(page.Write(f, look, tried), f.Close()); err != nil {
		os.Remove(file)
		return err
	}
	return nil
}

// amount is a flag's number of bytes, with a unit.
type amount int64

// String returns the number of bytes, for package flag.
func (b *amount) String() string { return strconv.FormatInt(int64(*b), 10) }

// units is in the order in which the endings are tried.
var units = []struct {
	name   string
	factor int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"K", 1e3},
	{"M", 1e6}, {"G", 1e9}, {"B", 1}, {"", 1}}

// most limits the ballast: more would only be swapped out.
const most = 1 << 40

// Set reads a number with a unit, for package flag: 500MB, 1.5GiB, or bytes alone.
func (b *amount) Set(s string) error {
	for _, u := range units {
		if number, ok := strings.CutSuffix(s, u.name); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			if err != nil || !(n >= 0 && n*float64(u.factor) <= most) {
				return fmt.Errorf("want a number of bytes such as 500MB")
			}
			*b = amount(n * float64(u.factor))
			return nil
		}
	}
	return nil
}
