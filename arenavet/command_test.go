package arenavet_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// BenchmarkCommand compares the time of the command with arenavet to go vet's, as users run them: go vet ./..., and go
// vet -vettool=arenavet ./... . Before each run a line is added to the package, so that for both only the dependencies
// are in the go command's cache. Both times are the best of all runs.
//
// On a busy machine of 2 cores, with -benchtime 3x:
//
//	                 go vet  x/vet
//	125 functions     0.24s    1.5  mostly start-up, and looking for changes
//	2000 functions     19s     1.3  most of it is go/types', for which functions that call each other are n*n steps
//	go/types          1.02s    2.2  moved to arenas
func BenchmarkCommand(b *testing.B) {
	tool := filepath.Join(b.TempDir(), "arenavet")
	if runtime.GOOS == "windows" {
		tool += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", tool, "./cmd/arenavet").CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	for _, program := range []struct {
		name  string
		files map[string]string
	}{
		{"125 functions", map[string]string{"p/p.go": calls(125)}},
		{"2000 functions", map[string]string{"p/p.go": calls(2000)}},
		{"go-types", typesModule(b)},
	} {
		b.Run(program.name, func(b *testing.B) {
			m := newModule(b, program.files)
			m.vet(b)
			m.vet(b, "-vettool="+tool)
			theirs, ours := time.Hour, time.Hour
			for b.Loop() {
				theirs, ours = min(theirs, m.vet(b)), min(ours, m.vet(b, "-vettool="+tool))
			}
			b.ReportMetric(float64(ours)/float64(theirs), "x/vet")
			b.ReportMetric(float64(theirs.Milliseconds()), "vet-ms")
			b.ReportMetric(float64(ours.Milliseconds()), "ours-ms")
		})
	}
}

// A module is a module in a directory of its own, with this version of package arena.
type module struct {
	dir  string
	runs int
}

func newModule(b *testing.B, files map[string]string) *module {
	m := &module{dir: b.TempDir()}
	root, err := filepath.Abs("..")
	if err != nil {
		b.Fatal(err)
	}
	m.write(b, "go.mod", fmt.Sprintf("module subject\n\ngo 1.26.0\n\nrequire github.com/harena-go/arena v0.0.0\n\nreplace github.com/harena-go/arena => %s\n", root))
	for name, text := range files {
		m.write(b, name, text)
	}
	return m
}

func (m *module) write(b *testing.B, name, text string) {
	path := filepath.Join(m.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
		b.Fatal(err)
	}
}

// vet changes the package and returns the time that go vet takes for it. Findings are no errors here.
func (m *module) vet(b *testing.B, flags ...string) time.Duration {
	m.runs++
	m.write(b, "p/run.go", fmt.Sprintf("package %s\n\nconst run_ = %d\n", m.packageName(b), m.runs))
	cmd := exec.Command("go", append(append([]string{"vet"}, flags...), "./p")...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if failed := new(exec.ExitError); err != nil && (!errors.As(err, &failed) || !strings.Contains(out.String(), ".go:") || strings.Contains(out.String(), "go: ")) {
		b.Fatalf("go vet: %v\n%s", err, &out)
	}
	return took
}

func (m *module) packageName(b *testing.B) string {
	if _, err := os.Stat(filepath.Join(m.dir, "p", "p.go")); err != nil {
		return "types"
	}
	return "p"
}

// typesModule is package go/types, moved to arenas and out of the standard library, with its internal dependencies;
// package godebug becomes one without settings.
func typesModule(b *testing.B) map[string]string {
	files := map[string]string{"internal/godebug/godebug.go": `// Package godebug knows no settings.
package godebug

type Setting struct{}

func New(string) *Setting { return nil }

func (*Setting) Value() string { return "" }

func (*Setting) IncNonDefault() {}
`}
	add := func(dir string, from map[string]string) {
		for name, text := range from {
			files[dir+"/"+name] = strings.ReplaceAll(text, `"internal/`, `"subject/internal/`)
		}
	}
	add("p", withArenas(b, "go/types"))
	for _, path := range []string{"internal/types/errors", "internal/goversion"} {
		add(path, source(b, path))
	}
	return files
}
