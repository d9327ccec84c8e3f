package summary

// This file defines names, by which a function and its callers refer to the same value. The idea is that of invocation
// graphs' "extended parameters" (Emami, Ghiya and Hendren, PLDI 1994): a value of the caller is named by the path to
// it, and each caller substitutes its own values for the names.

// A Sym names a value in terms that a caller understands: parameter Param (free variables follow the parameters), or a
// global if that is -1, and the path from there.
//
//	""             the parameter itself
//	".name"        its field, if it is a struct
//	"*"            its target
//	"*.name*"      the target of a pointer in a field of that
//	"*.name&"      the address of that field
//	"*[]"  "*[k]"  elements of a slice, an array, a map; keys of a map
//
// Path is at most MaxPath long: the code that makes it ensures that.
type Sym struct {
	Param  int
	Global string
	Path   string
}

// MaxPath bounds the length of paths, in bytes, which recursive types would make endless: this is k-limiting (Jones and
// Muchnick, POPL 1979) with k in letters, since the number of different paths is the cost.
const MaxPath = 60

// Add returns the name of the value at a path from s, nil if it has none: if s is nil, or the path is too long.
func (s *Sym) Add(path string) *Sym {
	if s == nil || len(s.Path)+len(path) > MaxPath {
		return nil
	}
	return &Sym{s.Param, s.Global, s.Path + path}
}

// Whole returns the name of the parameter or global that a name starts from.
func Whole(x *Sym) Sym { return Sym{Param: x.Param, Global: x.Global} }
