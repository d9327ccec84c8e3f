package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestCommand runs the command both ways over packages that need facts of
// another one: findings in them show that those came across.
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
}
