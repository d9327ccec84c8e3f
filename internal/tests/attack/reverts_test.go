package attack

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// This file reverts fixes, one at a time, and expects the attack to find the bugs again. A revert is a file in
// testdata/reverts:
//
//	# what goes wrong without the fix
//	run: TestAttack             the tests that may find it; this is the default
//	package: internal/engine/memory    whose tests, for what worlds can't see; the attack's by default
//	profile: torture            of these worlds, all if there is no such line
//	env: GODEBUG=clobberfree=1  any number of these
//	flag: -race                 of the build; any number of these
//	operations: 300000          this is the default
//	file: rewind.go
//	<<<<<<< now
//	lines as they are
//	=======
//	lines as they were
//	>>>>>>> then
//
// with any number of files, and of changes of each. A change is of whole lines, which
// must be in the file exactly once; TestRevertsApply says if they no longer are.

// A revert is one such file.
type revert struct {
	name       string
	run        string
	pkg        string // its folder
	profile    string
	operations string
	env        []string
	flags      []string
	changes    []change1
}

// A change1 is one of a file's text.
type change1 struct{ file, now, then string }

func reverts(t *testing.T) (all []revert) {
	t.Helper()
	names, err := filepath.Glob("testdata/reverts/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no reverts: %v", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := parseRevert(string(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r.name = strings.TrimSuffix(filepath.Base(name), ".txt")
		all = append(all, r)
	}
	return all
}

func parseRevert(text string) (r revert, err error) {
	r.run, r.pkg, r.operations = "TestAttack", "internal/tests/attack", "300000"
	file := ""
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		key, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "" || line[0] == '#':
		case key == "run":
			r.run = value
		case key == "package":
			r.pkg = value
		case key == "profile":
			r.profile = value
		case key == "env":
			r.env = append(r.env, value)
		case key == "flag":
			r.flags = append(r.flags, value)
		case key == "operations":
			r.operations = value
		case key == "file":
			file = value
		case line == "<<<<<<< now":
			now, rest, ok1 := strings.Cut(text, "=======\n")
			then, rest, ok2 := strings.Cut(rest, ">>>>>>> then\n")
			if !ok1 || !ok2 || file == "" {
				return r, fmt.Errorf("a change without its end, or without a file")
			}
			text = rest
			r.changes = append(r.changes, change1{file, now, then})
		default:
			return r, fmt.Errorf("unknown line %q", line)
		}
	}
	if len(r.changes) == 0 {
		err = fmt.Errorf("no change")
	}
	return r, err
}

// apply makes the changes in a copy of the module.
func (r *revert) apply(dir string) error {
	for _, c := range r.changes {
		name := filepath.Join(dir, c.file)
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if n := strings.Count("\n"+string(text), "\n"+c.now); n != 1 {
			return fmt.Errorf("%s has these lines %d times; want once:\n%s", c.file, n, c.now)
		}
		if err := os.WriteFile(name, []byte(strings.Replace("\n"+string(text), "\n"+c.now, "\n"+c.then, 1)[1:]), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// copied copies the part of the module that the tests of a package need: its code, and the package's tests.
func copied(t *testing.T, pkg string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	root := filepath.Join("..", "..", "..")
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		ours := filepath.Dir(name) == filepath.Join(root, pkg)
		if d.IsDir() {
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			if name != root && (err == nil || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")) {
				return filepath.SkipDir // another module
			}
			return os.MkdirAll(filepath.Join(dir, strings.TrimPrefix(name, root)), 0o777)
		}
		source := strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".s")
		if !source && !ours && d.Name() != "go.mod" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, strings.TrimPrefix(name, root)), text, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestRevertsApply: the source still has the lines that the reverts change.
func TestRevertsApply(t *testing.T) {
	for _, r := range reverts(t) {
		if err := r.apply(copied(t, r.pkg)); err != nil {
			t.Errorf("%s: %v", r.name, err)
		}
	}
}

// TestReverts: without any of the fixes the attack fails, and with all of them it
// doesn't. It takes a minute each, and runs only with HARENA_REVERTS set: to 1, or to
// the names of some, separated by commas.
func TestReverts(t *testing.T) {
	only := os.Getenv("HARENA_REVERTS")
	if only == "" {
		t.Skip("HARENA_REVERTS isn't set")
	}
	all := append([]revert{{name: "none", pkg: "internal/tests/attack", run: "TestAttack|TestExtremeArguments", operations: "100000"}}, reverts(t)...)
	for _, r := range all {
		if only != "1" && !slices.Contains(strings.Split(only, ","), r.name) {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			dir := copied(t, r.pkg)
			if err := r.apply(dir); err != nil {
				t.Fatal(err)
			}
			out, failed := r.attack(t, dir)
			switch {
			case r.name == "none" && failed:
				t.Errorf("the attack fails without a change:\n%s", out)
			case r.name != "none" && !failed:
				t.Errorf("the attack doesn't find it:\n%s", out)
			default:
				t.Logf("found: %v\n%s", failed, out)
			}
		})
	}
}

// attack runs the attack, or other tests, on a copy, and reports whether it has failed.
func (r *revert) attack(t *testing.T, dir string) (out string, failed bool) {
	t.Helper()
	build := exec.Command("go", slices.Concat([]string{"test", "-c", "-o", "attack.test"}, r.flags, []string{"./" + r.pkg})...)
	build.Dir, build.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the changed code doesn't build: %v\n%s", err, text)
	}
	run := exec.Command(filepath.Join(dir, "attack.test"), "-test.run", "^("+r.run+")$", "-test.timeout", "20m")
	run.Dir = filepath.Join(dir, r.pkg)
	run.Env = append(os.Environ(), "HARENA_REVERTS=", "HARENA_ATTACK="+r.operations, "HARENA_ATTACK_FIRST=1", "HARENA_ATTACK_PROFILE="+r.profile)
	run.Env = append(run.Env, r.env...)
	text, err := run.CombinedOutput()
	return lastOf(string(text)), err != nil
}

// lastOf returns the failure in the output of an attack, without the text before.
func lastOf(out string) string {
	var lines []string
	for _, line := range strings.Split(out, "\n") {
		if !strings.HasPrefix(line, "world ") && !strings.Contains(line, "operations, ") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[:min(len(lines), 12)], "\n")
}
