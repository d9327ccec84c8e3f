// Package trial moves what can be moved, in a copy, and finds out what comes of it: whether anything that was
// moved is still referenced when the next unit has begun, and how much less CPU a unit takes. It may not decide what can be
// moved: package verdict does.
package trial

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/harena-go/arena/scout/internal/rewrite"
	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
	"github.com/harena-go/arena/scout/internal/target"
	"github.com/harena-go/arena/scout/internal/testrun"
	"github.com/harena-go/arena/scout/internal/verdict"
)

// A Result is what the trial has shown.
type Result struct {
	Moved    int // expressions
	Files    int // in which they are
	Movable  int // expressions that the verdict was move of
	Left     []Left
	Checked  int           // units whose arenas were checked
	Before   time.Duration // CPU of a unit
	After    time.Duration
	Rounds   int
	PerRound []float64 // how many times less, of each round
	Expected float64   // how many times less it was estimated to be, of what was moved
}

// Times returns how many times less CPU a unit takes.
func (r *Result) Times() float64 { return float64(r.Before) / float64(max(r.After, 1)) }

// Left is an expression that wasn't moved, and why.
type Left struct {
	Finding verdict.Finding
	Why     string
	Escaped bool // what was moved there outlived its unit
}

// rounds is how many times original and copy are measured in turn; the best of each counts.
const rounds = 5

// A trial is one under way.
type trial struct {
	look *scout.Look
	say  func(format string, args ...any)
	dir  string

	left    map[string]Left // by line and kind
	modfile string
}

// Run tries. say tells of progress, as fmt.Printf.
func Run(look *scout.Look, say func(format string, args ...any)) (*Result, error) {
	switch {
	case look.AtOnce:
		return nil, errors.New("-try: units run at the same time; it can give an arena to one after the other only")
	case look.Benchmark == "":
		return nil, errors.New("-try needs a benchmark")
	case look.Program == nil:
		return nil, errors.New("-try: the source can't be read")
	case look.Package.Module.GoMod == "":
		return nil, fmt.Errorf("-try: %s is in no module", look.Package.ImportPath)
	}
	dir, remove, err := testrun.Scratch()
	if err != nil {
		return nil, err
	}
	defer remove()
	t := &trial{look: look, say: say, dir: dir, left: map[string]Left{}}
	if err := t.writeModfile(); err != nil {
		return nil, err
	}
	return t.run()
}

// attempts is how many times expressions may turn out not to compile, or to escape.
const attempts = 12

func (t *trial) run() (*Result, error) {
	plain, moved := filepath.Join(t.dir, "plain.test"), filepath.Join(t.dir, "moved.test")
	if err := testrun.Compile(t.look.Package, testrun.Build{Output: plain}); err != nil {
		return nil, err
	}
	for range attempts {
		c, r, err := t.copy()
		if err != nil {
			return nil, err
		}
		if r.Moved == 0 {
			return r, nil
		}
		overlay, err := c.Overlay(t.look.Package.Module.Dir)
		if err != nil {
			return nil, err
		}
		t.say("compiling a copy with %d expressions moved", r.Moved)
		if err := testrun.Compile(t.look.Package, testrun.Build{Overlay: overlay, Modfile: t.modfile, Output: moved}); err != nil {
			if !t.leaveUncompiled(err) {
				return nil, fmt.Errorf("-try: the copy of %w", err)
			}
			continue
		}
		t.say("checking that nothing outlives its unit")
		escapes, err := t.check(moved, r, checkFor)
		if err != nil {
			return nil, err
		}
		if t.leaveEscaped(escapes) {
			continue
		}
		if len(escapes) > 0 {
			return nil, fmt.Errorf("-try: something has outlived its unit that no moved line has allocated: %s", escapes[0].Lines)
		}
		t.say("measuring, %d times in turn", rounds)
		r.Expected = t.expected(r)
		return r, t.measure(plain, moved, r)
	}
	return nil, errors.New("-try: too many expressions can't be moved")
}

// expected estimates for what was moved.
func (t *trial) expected(r *Result) float64 {
	left := map[string]bool{}
	for _, l := range r.Left {
		left[key(l.Finding)] = true
	}
	return t.look.Expect(func(f verdict.Finding) bool { return t.wanted(f) && !left[key(f)] })
}

// key names what a finding and what was left of it have in common.
func key(f verdict.Finding) string { return sites.Key(f.Place) + " " + f.Kind + " " + f.Lib }

// copy moves all that may be.
func (t *trial) copy() (*rewrite.Copy, *Result, error) {
	c := rewrite.New(t.look.Program, t.look.Package.Module.Path)
	r := &Result{}
	files, calls := map[string]bool{}, map[string]bool{}
	for _, f := range t.look.Findings {
		if !t.wanted(f) || f.Lib != "" && calls[sites.Key(f.Place)+f.Lib] {
			continue
		}
		calls[sites.Key(f.Place)+f.Lib] = f.Lib != ""
		r.Movable += max(1, len(f.Exprs))
		if left, ok := t.left[key(f)]; ok {
			r.Left = append(r.Left, left)
			continue
		}
		n, why := t.move(c, f)
		if r.Moved += n; n > 0 {
			files[f.Place.File] = true
		}
		if why != "" {
			r.Left = append(r.Left, Left{Finding: f, Why: why})
		}
	}
	r.Files = len(files)
	return c, r, c.Unit(t.look.Unit.File, t.look.Unit.Line)
}

// wanted tells whether a finding is to be moved: by its verdict, or as the call of a library's function for which
// there is another.
func (t *trial) wanted(f verdict.Finding) bool {
	return f.Verdict == verdict.Move || f.Verdict == verdict.Helper && rewrite.Known(f.Lib)
}

// move returns how many expressions were moved, or why not.
func (t *trial) move(c *rewrite.Copy, f verdict.Finding) (n int, why string) {
	for _, other := range t.look.Findings {
		same := sites.Key(other.Place) == sites.Key(f.Place) && other.Kind == f.Kind && other.Lib == f.Lib
		if same && (other.Verdict == verdict.Clone || other.Verdict == verdict.Keep) {
			return 0, "what another caller has it allocate lives on"
		}
	}
	switch {
	case t.look.All.Elsewhere[sites.Key(f.Place)]:
		return 0, "other goroutines allocate there too"
	case f.ByHand:
		return 0, "a variable, to be declared as what arena.New returns"
	case f.Lib != "":
		if n = c.Library(f.Place.File, f.Place.Line, f.Lib); n == 0 {
			return 0, "no call of " + sites.Short(f.Lib) + " by this name"
		}
		return n, ""
	case len(f.Exprs) == 0:
		return 0, "no expression of this kind is seen in the line"
	}
	for _, e := range f.Exprs {
		if e.Form() != source.Movable {
			why = "a " + e.Text
		} else if err := c.Move(f.Place.File, e); err != nil {
			why = err.Error()
		} else {
			n++
		}
	}
	return n, why
}

var inError = regexp.MustCompile(`([^\s:]+\.go):(\d+):`)

// leaveUncompiled leaves out what is in the line that the compiler complains about, and returns false if nothing is.
func (t *trial) leaveUncompiled(err error) bool {
	m := inError.FindStringSubmatch(err.Error())
	if m == nil {
		return false
	}
	line, _ := strconv.Atoi(m[2])
	return t.leave(func(f verdict.Finding) bool {
		return f.Place.Line == line && filepath.Base(f.Place.File) == filepath.Base(m[1])
	}, "it doesn't compile: "+err.Error(), false)
}

// leave leaves out findings, and tells whether there was one that wasn't.
func (t *trial) leave(is func(verdict.Finding) bool, why string, escaped bool) (any bool) {
	for _, f := range t.look.Findings {
		if _, known := t.left[key(f)]; !known && t.wanted(f) && is(f) {
			t.left[key(f)] = Left{Finding: f, Why: why, Escaped: escaped}
			any = true
		}
	}
	return any
}

// leaveEscaped leaves out what escapes have been allocated by.
func (t *trial) leaveEscaped(escapes []escape) (any bool) {
	for _, e := range escapes {
		for _, line := range e.Lines {
			left := t.leave(func(f verdict.Finding) bool { return sites.Key(f.Place) == line }, "it outlives its unit, as checked arenas have found", true)
			if any = any || left; left {
				break
			}
		}
	}
	return any
}

// arenaModule is where package arena comes from.
const arenaModule = "github.com/harena-go/arena"

// writeModfile writes a go.mod that also requires package arena. The module's own go.mod isn't touched.
func (t *trial) writeModfile() error {
	m := t.look.Package.Module
	if m.Path == arenaModule {
		return errors.New("-try can't be used on package arena itself")
	}
	text, err := os.ReadFile(m.GoMod)
	if err != nil {
		return err
	}
	t.modfile = filepath.Join(t.dir, "try.mod")
	if err := os.WriteFile(t.modfile, text, 0o666); err != nil {
		return err
	}
	if sum, err := os.ReadFile(strings.TrimSuffix(m.GoMod, ".mod") + ".sum"); err == nil {
		if err := os.WriteFile(filepath.Join(t.dir, "try.sum"), sum, 0o666); err != nil {
			return err
		}
	}
	args := []string{"mod", "edit", "-go=1.26.0"}
	if dir := sourceDir(); dir != "" {
		args = append(args, "-require="+arenaModule+"@v0.0.0", "-replace="+arenaModule+"="+dir)
	} else {
		args = append(args, "-require="+arenaModule+"@"+version())
	}
	if out, err := exec.Command("go", append(args, t.modfile)...).CombinedOutput(); err != nil {
		return fmt.Errorf("-try: %s", target.FirstLine(string(out)))
	}
	return nil
}

// sourceDir returns the folder of package arena if this program was built in a clone, "" otherwise.
func sourceDir() string {
	_, file, _, _ := runtime.Caller(0)
	root := filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(file))))
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil || !strings.HasPrefix(string(text), "module "+arenaModule+"\n") {
		return ""
	}
	return root
}

// version returns that of package arena in this program.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "latest"
	}
	for _, d := range info.Deps {
		if d.Path == arenaModule {
			return d.Version
		}
	}
	return "latest"
}
