package trial

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/harena-go/arena/scout/internal/target"
)

// This file writes the go.mod of copies.

// arenaModule is the module of package arena.
const arenaModule = "github.com/harena-go/arena"

// writeModfile writes a copy of the module's go.mod that also requires package arena: this program's version of it, or
// the clone in which this program was built. It is in the rig's folder, with a copy of go.sum.
func (t *Rig) writeModfile() error {
	m := t.Look.Package.Module
	// The copy would require another version of its own module.
	if m.Path == arenaModule {
		return errors.New("package arena itself can't be tried")
	}
	text, err := os.ReadFile(m.GoMod)
	if err != nil {
		return err
	}
	if err := os.WriteFile(t.Modfile, text, 0o666); err != nil {
		return err
	}
	// The go command looks for go.sum beside the -modfile, under the same name.
	if sum, err := os.ReadFile(strings.TrimSuffix(m.GoMod, ".mod") + ".sum"); err == nil {
		if err := os.WriteFile(filepath.Join(t.Dir, "try.sum"), sum, 0o666); err != nil {
			return err
		}
	}
	// Package arena needs that version of the language; the whole copy is built with it.
	args := []string{"mod", "edit", "-go=1.26.0"}
	_, file, _, _ := runtime.Caller(0)
	if dir := clone(file, version()); dir != "" {
		args = append(args, "-require="+arenaModule+"@v0.0.0", "-replace="+arenaModule+"="+dir)
	} else if v := version(); v != "" {
		args = append(args, "-require="+arenaModule+"@"+v)
	} else {
		return errors.New("this program was built in a clone of " + arenaModule + ", and has to run there")
	}
	if out, err := exec.Command("go", append(args, t.Modfile)...).CombinedOutput(); err != nil {
		return errors.New(target.FirstLine(string(out)))
	}
	return nil
}

// clone returns the folder of package arena if this program, one of whose files is given, was built in a clone, ""
// otherwise. With -trimpath it only finds a clone in which the program runs.
func clone(file, version string) string {
	// From scout/internal/trial/module.go up to the root of the clone.
	root := filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(file))))
	if !filepath.IsAbs(file) && version == "" {
		out, _ := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", arenaModule).Output()
		root = strings.TrimSpace(string(out))
	}
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil || !strings.HasPrefix(string(text), "module "+arenaModule+"\n") {
		return ""
	}
	return root
}

// version returns the version of package arena in this program, "" if it isn't a released one.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, d := range info.Deps {
		if d.Path == arenaModule && d.Replace == nil && d.Version != "(devel)" {
			return d.Version
		}
	}
	return ""
}
