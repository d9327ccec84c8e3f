package rewrite

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/types"
	"path/filepath"
	"strings"

	"github.com/harena-go/arena/scout/internal/source"
)

// This file has what decides which units are checked, and tells it the pools of the module's packages. What is in a
// sync.Pool the collector takes for dead, and the next unit takes it out: evanphx/json-patch keeps a scanner there to
// whose stack it appends.

//go:embed turns.txt
var turns []byte

// Turns returns the part of a module's package zzarenascout that decides which units are checked, and files by which
// other packages tell it which of their variables are pools. It serves others that give units arenas, too. dir is the
// module's folder.
func Turns(p *source.Program, module, dir string) map[string][]byte {
	files := map[string][]byte{filepath.Join(dir, name, "turns.go"): turns}
	for _, f := range p.Files() {
		path := filepath.Join(filepath.Dir(f.Path), name+"_pools.go")
		if f.Pkg == nil || files[path] != nil || !strings.HasPrefix(path, dir+string(filepath.Separator)) {
			continue
		}
		var text bytes.Buffer
		for _, v := range f.Pkg.Scope().Names() {
			of := f.Pkg.Scope().Lookup(v)
			if _, variable := of.(*types.Var); !variable ||
				strings.HasSuffix(p.Fset.PositionFor(of.Pos(), false).Filename, "_test.go") {
				continue
			}
			switch types.TypeString(of.Type(), nil) {
			case "sync.Pool":
				v = "&" + v
				fallthrough
			case "*sync.Pool":
				fmt.Fprintf(&text, "\t%s.Pools = append(%[1]s.Pools, %s)\n", name, v)
			}
		}
		if text.Len() > 0 {
			files[path] = fmt.Appendf(nil, "package %s\n\nimport %q\n\nfunc init() {\n%s}\n", f.Pkg.Name(),
				module+"/"+name, &text)
		}
	}
	return files
}
