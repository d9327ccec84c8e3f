// Package api describes package arena to the analyzers: its types, and the effect of each of its functions on memory.
// The package is recognised by its import path and never imported.
package api

import (
	"go/types"
	"strings"
)

// The import paths of the packages in the table.
const (
	Path     = "github.com/harena-go/arena"
	TestPath = Path + "/arenatest"
	JSONPath = Path + "/arenajson"
)

// Inside reports whether a package is the arena package itself or a part of it, which implements the rules and isn't
// bound by them; or one that, like the decoders of arenajson, stores memory of the caller's arena in values that it
// keeps for later, and reclaims it itself.
func Inside(pkg *types.Package) bool {
	path, _, _ := strings.Cut(pkg.Path(), " ")
	return path == Path || path == TestPath || path == JSONPath ||
		strings.HasPrefix(path, Path+"/internal/") || strings.HasPrefix(path, JSONPath+"/internal/")
}

// A Type is a type of package arena that matters for lifetimes.
type Type uint8

const (
	None Type = iota
	Arena
	Pool
	Shared
	Typed
	Mark
	Option // also PoolOption
)

var typeNames = map[string]Type{
	"Arena": Arena, "Pool": Pool, "Shared": Shared, "Typed": Typed, "TypeAllocator": Typed, "Mark": Mark,
	"Option": Option, "PoolOption": Option,
}

// TypeOf returns the Type of t, or of t's target.
func TypeOf(t types.Type) Type {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == Path {
		return typeNames[n.Obj().Name()]
	}
	return None
}
