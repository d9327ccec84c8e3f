package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
)

// Generated are sources that aren't in git. They are generated once for each state of their inputs.
type Generated struct {
	Name string   // of the directory in the cache
	From []string // patterns of the input files, from the directory of module bench
	Into string   // the package's directory, from there
	// Write generates the files to dir.
	Write func(dir string) error
}

// overlay is the file that lists the package's sources for the go command.
const overlay = "overlay.json"

// Make returns the directory with the files, and generates them if it is missing.
func (g *Generated) Make() (dir string, err error) {
	key, err := g.key()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(cache(), g.Name+"-"+key)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), g.Name)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if err := errors.Join(os.Chmod(tmp, 0o755), g.Write(tmp)); err != nil {
		return "", fmt.Errorf("%s can't be generated: %w", g.Name, err)
	}
	if err := g.writeOverlay(tmp, dir); err != nil {
		return "", err
	}
	if err := os.Rename(tmp, dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return dir, nil
}

// key returns a hash of the input files.
func (g *Generated) key() (string, error) {
	h := fnv.New128a()
	for _, pattern := range g.From {
		files, err := filepath.Glob(filepath.Join(Source(), pattern))
		if err != nil || files == nil {
			return "", fmt.Errorf("%s: no files %s", g.Name, pattern)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(h, "%s %d\n", filepath.Base(file), len(text))
			h.Write(text)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// writeOverlay adds the Go files in tmp, which will be dir, to the package.
func (g *Generated) writeOverlay(tmp, dir string) error {
	files, err := filepath.Glob(filepath.Join(tmp, "*.go"))
	if err != nil {
		return err
	}
	replace := map[string]string{}
	for _, file := range files {
		name := filepath.Base(file)
		replace[filepath.Join(Source(), g.Into, name)] = filepath.Join(dir, name)
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(tmp, overlay), text, 0o666)
}
