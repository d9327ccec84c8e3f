// Survey says what arenas would do for some packages of others, at pinned versions, and what they do: it predicts the
// gain, moves what can be moved in a copy, proves and measures, and writes the patch, with which it runs their own
// tests. With -update it writes the table into scout's README.
//
//	go run ./scout/survey
//	go run ./scout/survey -run yaml
//	go run ./scout/survey -keep /tmp/patched
//	go run ./scout/survey -contact
//
// It needs the network, for Go's module proxy, and some minutes.
package main

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/harena-go/arena/scout/internal/fix"
	"github.com/harena-go/arena/scout/internal/report"
	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/target"
	"github.com/harena-go/arena/scout/internal/testrun"
	"github.com/harena-go/arena/scout/internal/trial"
)

// The survey keeps the estimates honest: for each subject it prints what was predicted beside what was
// measured, and a change of the scout that makes the two drift apart shows in the table.

// A subject is a package, and the benchmark that it is run with: work/NAME.txt.
type subject struct {
	name    string
	what    string
	module  string // its path; see standard
	version string // "" for the standard library, which has that of the toolchain
	dir     string // within the module
	unit    string // "" for the one that is suggested
}

// subjects are pinned to versions, so that their rows change with the scout only. They are chosen by what they
// do, not by what arenas save there: some gain nothing.
var subjects = []subject{
	{"yaml", "YAML", "gopkg.in/yaml.v3", "v3.0.1", "", ""},
	{"toml", "TOML", "github.com/BurntSushi/toml", "v1.5.0", "", ""},
	{"sql", "SQL parser", "github.com/xwb1989/sqlparser", "v0.0.0-20180606152119-120387863bf2", "", ""},
	{"graphql", "GraphQL parser", "github.com/vektah/gqlparser/v2", "v2.5.27", "parser", ""},
	{"expr", "expression language", "github.com/expr-lang/expr", "v1.17.5", "parser", ""},
	{"shell", "shell parser", "mvdan.cc/sh/v3", "v3.10.0", "syntax", ""},
	{"javascript", "JavaScript parser", "github.com/robertkrimen/otto", "v0.5.1", "parser", ""},
	{"goparser", "Go parser", standard, "", "parser", ""},
	{"html", "HTML parser", "golang.org/x/net", "v0.42.0", "html", ""},
	{"goldmark", "Markdown renderer", "github.com/yuin/goldmark", "v1.7.12", "", ""},
	{"blackfriday", "Markdown renderer", "github.com/russross/blackfriday/v2", "v2.1.0", "", ""},
	{"template", "template engine", "github.com/flosch/pongo2/v6", "v6.0.0", "", ""},
	{"fastjson", "JSON parser with pooled memory", "github.com/valyala/fastjson", "v1.6.4", "", ""},
}

// standard stands for a copy of the standard library's go/parser, in a module of its own.
const standard = "example.com/go"

//go:embed work
var work embed.FS

func main() {
	only := flag.String("run", "", "only packages whose name matches this `regexp`")
	update := flag.String("update", "", "write the table into this `file`, between its marks")
	kept := flag.String("keep", "", "leave the patched modules in this `folder`, for other tools to look at")
	first := flag.Bool("contact", false, "ask packages with benchmarks of their own, as a user does first")
	flag.Parse()
	if err := run(*only, *update, *kept, *first); err != nil {
		fmt.Fprintln(os.Stderr, "survey:", err)
		os.Exit(1)
	}
}

// run surveys the subjects whose names match, prints their rows, and writes the table if it is told where.
func run(only, update, kept string, first bool) error {
	match, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	// The subjects are in no workspace.
	os.Setenv("GOWORK", "off")
	if first {
		return contacts(match, update)
	}
	var rows []string
	for _, s := range subjects {
		if !match.MatchString(s.name) {
			continue
		}
		row, err := s.row(kept)
		if err != nil {
			row = fmt.Sprintf("| %s | %s | | | | | | %s |", s.what, s.title(),
				strings.ReplaceAll(err.Error(), "|", "/"))
		}
		fmt.Println(row)
		rows = append(rows, row)
	}
	if update == "" {
		return nil
	}
	return write(update, "survey", title, rows)
}

// path returns the import path of the package.
func (s subject) path() string { return strings.TrimSuffix(s.module+"/"+s.dir, "/") }

// row makes a row of the table: it looks at a package, moves what can be moved in a copy, and writes the patch. What
// fails after the look is said in its column, so that the prediction isn't lost. If kept isn't "", the patched module
// is left in that folder.
func (s subject) row(kept string) (string, error) {
	dir, remove, err := testrun.Scratch()
	if err != nil {
		return "", err
	}
	defer remove()
	if err := s.fetch(dir); err != nil {
		return "", err
	}
	o := scout.Options{Pattern: filepath.Join(dir, s.dir), Bench: "^BenchmarkSurvey", Unit: s.unit, Progress: os.Stderr}
	look, err := scout.Run(o)
	if err != nil {
		return "", err
	}
	report.Text(os.Stderr, look, false)
	objects, size := report.Sum(look.Findings)
	head := fmt.Sprintf("| %s | %s | %.0f, %.1f KB | %.0f%%, %.0f%% | %.2f-%.2fx", s.what, s.title(), objects, size/1e3,
		100*look.Costs.Allocator, 100*look.Costs.GC, look.Costs.Expect.Moved,
		max(look.Costs.Expect.All, look.Costs.Expect.Moved))
	r, err := trial.Run(look, o.Say)
	if err != nil {
		return head + " | | " + strings.ReplaceAll(err.Error(), "|", "/") + " | |", nil
	}
	report.Trial(os.Stderr, look, r)
	// What escapes in a trial was judged wrong by the look: the number that this survey is for.
	escaped := 0
	for _, l := range r.Left {
		if l.Escaped {
			escaped++
		}
	}
	// Nothing to move is an answer, too, and stays in the table.
	if r.Moved == 0 {
		return head + " | | nothing to move | |", nil
	}
	note := fmt.Sprintf("%d of %d", r.Moved, r.Movable)
	if escaped > 0 {
		note += fmt.Sprintf(", %d escaped", escaped)
	}
	return head + fmt.Sprintf(" | %.2fx, %.2fx | %s | %s |", r.Expected, r.Times(), note,
		patched(look, r, o.Say, dir, s.folder(kept))), nil
}

// folder is where the patched module is left.
func (s subject) folder(kept string) string {
	if kept == "" {
		return ""
	}
	return filepath.Join(kept, s.name)
}

// patched writes the patch and returns what is known of it, as a table's last column: the expressions moved, the share
// of what all would save that they do, lines, tests that pass, and how many times less CPU a unit takes. If kept isn't
// "" it leaves the patched module, a copy of dir, there. An error becomes the text of the column.
func patched(look *scout.Look, r *trial.Result, say func(format string, args ...any), dir, kept string) string {
	p, err := fix.Run(look, r, false, say)
	if err != nil {
		return strings.ReplaceAll(err.Error(), "|", "/")
	}
	report.Fix(os.Stderr, look, p)
	if p.Moved == 0 {
		return cmp.Or(p.Why, "nothing")
	}
	if kept != "" {
		if err := keep(p, dir, kept); err != nil {
			return strings.ReplaceAll(err.Error(), "|", "/")
		}
	}
	passed, failed := 0, 0
	for _, t := range p.Tests {
		passed += t.Passed
		failed += len(t.Failed)
	}
	text := fmt.Sprintf("%d of %d, %.0f%%, %d lines, %d tests pass", p.Moved, p.Movable, 100*p.Share, p.Lines(), passed)
	if failed > 0 {
		text += fmt.Sprintf(" (%d fail as before)", failed)
	}
	return text + fmt.Sprintf(", %.2fx", p.Measured.Times())
}

// title names the package and its version in the table.
func (s subject) title() string {
	if s.module == standard {
		return "`go/parser` of " + runtime.Version()
	}
	return "`" + s.path() + "` " + s.version
}

// fetch makes a copy of the module in dir, with its own tests and the survey's benchmark. The copy can be written to,
// and has a complete go.mod.
func (s subject) fetch(dir string) error {
	var err error
	if s.module == standard {
		err = fetchStandard(dir)
	} else {
		err = s.download(dir)
	}
	if err != nil {
		return err
	}
	bench, err := work.ReadFile("work/" + s.name + ".txt")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, s.dir, "survey_test.go"), bench, 0o666); err != nil {
		return err
	}
	// Modules from before modules have none in their archive.
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		text := "module " + s.module + "\n\ngo 1.21\n"
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return tidy(dir)
}

// download copies a module from the go command's cache, where nothing can be written.
func (s subject) download(dir string) error {
	cmd := exec.Command("go", "mod", "download", "-json", s.module+"@"+s.version)
	cmd.Dir = dir
	out, err := cmd.Output()
	var module struct{ Dir, Error string }
	if json.Unmarshal(out, &module); module.Error != "" {
		return errors.New(target.FirstLine(module.Error))
	}
	if err != nil {
		return fmt.Errorf("%s can't be fetched: %w", s.module, err)
	}
	if err := os.CopyFS(dir, os.DirFS(module.Dir)); err != nil {
		return err
	}
	// The module cache is read-only, and so is what is copied from it.
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := os.FileMode(0o666)
		if d.IsDir() {
			mode = 0o777
		}
		return os.Chmod(path, mode)
	})
	if err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(dir, "vendor")) // an archive has only the list of it
}

// fetchStandard copies go/parser, what is internal to it and go/scanner, and go/printer, which the parser's tests
// parse.
func fetchStandard(dir string) error {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	// Outside of the standard library its internal packages can't be imported, so the copies import each
	// other.
	own := strings.NewReplacer(`"go/parser"`, `"`+standard+`/parser"`, `"go/scanner"`, `"`+standard+`/scanner"`,
		`"go/internal/`, `"`+standard+`/internal/`)
	for _, folder := range []string{"parser", "scanner", "printer", "internal/scannerhooks"} {
		from := filepath.Join(strings.TrimSpace(string(root)), "src", "go", folder)
		if err := os.CopyFS(filepath.Join(dir, folder), os.DirFS(from)); err != nil {
			return err
		}
	}
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		// Only the parser's own tests judge the patch.
		if strings.HasSuffix(path, "_test.go") && filepath.Base(filepath.Dir(path)) != "parser" {
			return os.Remove(path)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, []byte(own.Replace(string(text))), 0o666)
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+standard+"\n\ngo 1.26\n"), 0o666)
}

// tidy completes go.mod and go.sum of a subject for its tests and our benchmark.
func tidy(dir string) error {
	tidy := exec.Command("go", "mod", "tidy")
	tidy.Dir = dir
	if out, err := tidy.CombinedOutput(); err != nil {
		// The go command says last what is wrong.
		lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
		return fmt.Errorf("go mod tidy: %s", lines[len(lines)-1])
	}
	return nil
}

const title = "| what | package | objects, bytes a unit | allocator, GC | expected | expected of what was moved, " +
	"measured | moved by -try | by the patch of -fix |\n|---|---|---|---|---|---|---|---|\n"

// write puts a table between the marks of a file.
func write(file, name, title string, rows []string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s has no marks of %s", file, name)
	}
	return os.WriteFile(file, []byte(before+begin+title+strings.Join(rows, "\n")+"\n"+end+after), 0o666)
}
