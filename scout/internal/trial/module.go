package trial

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/harena-go/arena/scout/internal/target"
)

// This file has the go.mod of copies.

// arenaModule is where package arena comes from.
const arenaModule = "github.com/harena-go/arena"

func (t *Rig) writeModfile() error {
	m := t.Look.Package.Module
	if m.Path == arenaModule {
		return errors.New("-try can't be used on package arena itself")
	}
	text, err := os.ReadFile(m.GoMod)
	if err != nil {
		return err
	}
	if err := os.WriteFile(t.Modfile, text, 0o666); err != nil {
		return err
	}
	if sum, err := os.ReadFile(strings.TrimSuffix(m.GoMod, ".mod") + ".sum"); err == nil {
		if err := os.WriteFile(filepath.Join(t.Dir, "try.sum"), sum, 0o666); err != nil {
			return err
		}
	}
	args := []string{"mod", "edit", "-go=1.26.0"}
	if dir := sourceDir(); dir != "" {
		args = append(args, "-require="+arenaModule+"@v0.0.0", "-replace="+arenaModule+"="+dir)
	} else {
		args = append(args, "-require="+arenaModule+"@"+version())
	}
	if out, err := exec.Command("go", append(args, t.Modfile)...).CombinedOutput(); err != nil {
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
