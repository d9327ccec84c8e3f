package source

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
)

// PackagePath returns the path of a function's package. The linker's names escape the dots in
// its last part, and unusual characters.
func PackagePath(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	path, _, _ := strings.Cut(function[slash:], ".")
	path = function[:slash] + path
	for i := 0; i+2 < len(path); i++ {
		if path[i] == '%' {
			if c, err := strconv.ParseUint(path[i+1:i+3], 16, 8); err == nil {
				path = path[:i] + string(byte(c)) + path[i+3:]
			}
		}
	}
	return path
}

// Locate returns where a file is. With -trimpath, programs know only the paths of packages,
// and Locate finds those of the main module.
func (r *Reader) Locate(file string) string {
	if filepath.IsAbs(file) {
		return filepath.Clean(filepath.FromSlash(file))
	}
	if rest, ok := strings.CutPrefix(file, mainModule().path+"/"); ok {
		return filepath.Join(mainModule().dir, filepath.FromSlash(rest))
	}
	return filepath.Join(r.goroot, filepath.FromSlash(file))
}

type module struct{ path, dir string }

// mainModule is the one that go test was started in, found by its go.mod.
var mainModule = sync.OnceValue(func() (m module) {
	info, ok := debug.ReadBuildInfo()
	if !ok || start == "" {
		return module{}
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return module{info.Main.Path, dir}
		}
		if filepath.Dir(dir) == dir {
			return module{}
		}
	}
})
