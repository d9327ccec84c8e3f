package summary

// This file holds names: how a function and its callers speak of the same thing.
// The idea is that of invocation graphs' "extended parameters" (Emami, Ghiya and
// Hendren, PLDI 1994): what a caller has passed is named by the way to it, and
// each caller puts its own values in place of the name.

// A Sym names something in terms that a caller understands: parameter Param
// (free variables follow the parameters), or a global if that is -1, and the way
// from there.
//
//	""             the parameter itself
//	".name"        its field, if it is a struct
//	"*"            what it points to
//	"*.name*"      what a pointer in a field of that points to
//	"*.name&"      the address of that field
//	"*[]"  "*[k]"  elements of a slice, an array, a map; keys of a map
//
// Its path is at most MaxPath long: the code that makes it sees to that.
type Sym struct {
	Param  int
	Global string
	Path   string
}

// MaxPath bounds the paths that are followed, in bytes. In recursive types there
// would be no end of them: this is k-limiting (Jones and Muchnick, POPL 1979)
// with k in letters, since what costs is the number of different paths.
const MaxPath = 60

// Add returns the name of what a path leads to from s, nil if it has none: if
// there is no s, or the way is too long.
func (s *Sym) Add(path string) *Sym {
	if s == nil || len(s.Path)+len(path) > MaxPath {
		return nil
	}
	return &Sym{s.Param, s.Global, s.Path + path}
}

// Whole returns the name of the parameter or global that another name is a part of.
func Whole(x *Sym) Sym { return Sym{Param: x.Param, Global: x.Global} }
