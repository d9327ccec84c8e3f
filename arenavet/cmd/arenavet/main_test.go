package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestCommand runs the command both ways over packages that need facts of another one: their findings show that the
// facts came across.
func TestCommand(t *testing.T) {
	arenavet := filepath.Join(t.TempDir(), "arenavet")
	if runtime.GOOS == "windows" {
		arenavet += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", arenavet, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for name, command := range map[string][]string{
		"by itself": {arenavet, "./leak", "./noscan", "./appendgrow"},
		"vettool":   {"go", "vet", "-vettool=" + arenavet, "./leak", "./noscan", "./appendgrow"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(command[0], command[1:]...)
			cmd.Dir = filepath.Join("..", "..", "testdata")
			cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off")
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Error("it says that all is well")
			}
			for _, want := range []string{
				": the arena from Acquire is never put back",
				": Number stores the result of strconv.Itoa on the heap",
				": append may move this arena slice, from Names, to the heap",
			} {
				if !strings.Contains(string(out), want) {
					t.Errorf("%q isn't in its output", want)
				}
			}
			if strings.Contains(string(out), "ok.go") || strings.Contains(string(out), "panic") && !strings.Contains(string(out), "after the panic") {
				t.Error("it finds something in correct code, or fails")
			}
			if t.Failed() {
				t.Logf("%s", out)
			}
		})
	}
	t.Run("flags", func(t *testing.T) { flags(t, arenavet) })
	t.Run("package with an error", func(t *testing.T) {
		dir := t.TempDir()
		here, err := filepath.Abs("../../..")
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			"go.mod": "module broken\n\ngo 1.26.0\n\nrequire github.com/harena-go/arena v0.0.0\n\n" +
				"replace github.com/harena-go/arena => " + here + "\n",
			"b.go": "package broken\n\nimport \"github.com/harena-go/arena\"\n\nfunc F(a *arena.Arena) { a.Nothing() }\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(arenavet, "./...")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off")
		out, err := cmd.CombinedOutput()
		if err == nil || strings.Count(string(out), "\n") != 1 || !strings.Contains(string(out), "a.Nothing undefined") {
			t.Errorf("%v, and not one line:\n%s", err, out)
		}
	})
}

// flags: -reuse=never drops the findings about unseen Pools, and -escape.kept adds values that keep an epoch. By itself
// the command takes a third of the time of go vet, which passes flags on in the same way.
func flags(t *testing.T, arenavet string) {
	const either, epoch, broken = "memory that stays without)", "keeps an epoch of the Pool", "the global last keeps arena memory"
	for _, c := range []struct {
		flags                 []string
		either, epoch, broken bool
	}{
		{nil, true, false, false},
		{[]string{"-reuse=never"}, false, false, false},
		{[]string{"-reuse=always"}, false, false, true},
		{[]string{"-reuse=never", "-escape.kept"}, false, true, false},
	} {
		command := []string{arenavet}
		if c.epoch {
			command = []string{"go", "vet", "-vettool=" + arenavet}
		}
		args := slices.Concat(command, c.flags, []string{"./escape/lasting"})
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = filepath.Join("..", "..", "testdata")
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off")
		out, _ := cmd.CombinedOutput()
		if strings.Contains(string(out), either) != c.either || strings.Contains(string(out), epoch) != c.epoch ||
			strings.Contains(string(out), broken) != c.broken ||
			!strings.Contains(string(out), "the deferred Reset") {
			t.Errorf("%s:\n%s", c.flags, out)
		}
	}
}
