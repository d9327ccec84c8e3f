package index

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/harena-go/arena"
)

// Scan reads and tokenises everything and builds nothing: the floor that every
// build stands on.
func Scan(root string, dirs []string) (*Index, error) { return build(root, dirs, nil) }

// OnHeap builds the index on the Go heap.
func OnHeap(root string, dirs []string) (*Index, error) { return build(root, dirs, heap{}) }

// InArena builds the index in a, which may be a default arena or a
// self-contained one. The Index is dead once a is Reset.
func InArena(root string, dirs []string, a *arena.Arena) (*Index, error) {
	return build(root, dirs, inArena{a})
}

// build indexes the .go files below the given directories of root, or below
// root itself if there are none.
func build(root string, dirs []string, m maker) (*Index, error) {
	files, err := List(root, dirs)
	if err != nil {
		return nil, err
	}
	x := new(Index)
	if in, ok := m.(inArena); ok {
		x = arena.New[Index](in.a)
	}
	b := builder{m: m, x: x}
	var buf []byte
	for _, name := range files {
		buf, err = readInto(buf[:0], filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		b.add(name, buf)
	}
	return b.x, nil
}

// List finds the .go files below dirs, sorted, as slash paths relative to root.
func List(root string, dirs []string) ([]string, error) {
	// The root itself is a link on systems that split GOROOT in two.
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, fmt.Errorf("no Go source to index: %w", err)
	}
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	var files []string
	for _, dir := range dirs {
		err := filepath.WalkDir(filepath.Join(root, dir), func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.Type().IsRegular() && strings.HasSuffix(p, ".go") {
				rel, err := filepath.Rel(root, p)
				if err != nil {
					return err
				}
				files = append(files, filepath.ToSlash(rel))
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("no Go source to index: %w", err)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no Go source to index: %s has no .go files", root)
	}
	slices.Sort(files)
	return files, nil
}

// readInto reads a whole file into buf, which grows if it must.
func readInto(buf []byte, name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return buf, err
	}
	defer f.Close()
	for {
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, max(cap(buf), 64<<10))
		}
		n, err := f.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return buf, err
		}
	}
}

// Warm reads every file once, so that the first build that is measured doesn't
// pay for the disk.
func Warm(root string, dirs []string) error {
	files, err := List(root, dirs)
	if err != nil {
		return err
	}
	var buf []byte
	for _, name := range files {
		if buf, err = readInto(buf[:0], filepath.Join(root, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	return nil
}
