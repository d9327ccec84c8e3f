// Package api is what the analyzers know of package arena: which types it has,
// and what each of its functions does with memory. The package is recognised
// by its import path and never imported.
package api

import (
	"go/types"
	"strings"
)

// The import paths of the packages that the table is about.
const (
	Path     = "github.com/harena-go/arena"
	TestPath = Path + "/arenatest"
	JSONPath = Path + "/arenajson"
)

// Inside reports whether a package is the arena package itself or a part of it,
// which implements the rules and isn't bound by them; or one that lends memory of the
// caller's arena to what it keeps for later, and reclaims it itself, as the decoders of
// arenajson are.
func Inside(pkg *types.Package) bool {
	path, _, _ := strings.Cut(pkg.Path(), " ")
	return path == Path || path == TestPath || path == JSONPath ||
		strings.HasPrefix(path, Path+"/internal/") || strings.HasPrefix(path, JSONPath+"/internal/")
}

// A Type is one of package arena's types that lifetimes depend on.
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

// TypeOf returns which of them t, or what t points to, is.
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
