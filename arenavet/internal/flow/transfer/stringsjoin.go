package transfer

import (
	"go/token"
	"math"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/defuse"
	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// This file holds strings.Join, which returns the only element of a list as it is. Whether
// there may be only one is told by how the list was made; if that isn't seen, or the function
// asks for its length, there are others.

// stringsJoin is strings.Join.
func (f *interpreter) stringsJoin(s *state.State, i ssa.CallInstruction) state.Value {
	list := i.Common().Args[0]
	switch n := f.minLen(list, map[ssa.Value]bool{}); {
	case n == 1 && code.IsArray(list), n == 0 && !f.counted(list):
		return s.Content(s.Of(list), state.Elements)
	}
	return nil
}

// What is said of a list whose length isn't known, and of one that only grows by
// what a loop adds to it.
const (
	notKnown = -1
	itself   = math.MaxInt / 2
)

// minLen returns how many elements a list has at least.
func (f *interpreter) minLen(v ssa.Value, seen map[ssa.Value]bool) int {
	f.Spend(1)
	if seen[v] {
		return itself
	}
	seen[v] = true
	switch x := v.(type) {
	case *ssa.Const:
		return 0
	case *ssa.MakeSlice:
		if defuse.IsZero(x.Len) {
			return 0
		}
	case *ssa.Slice:
		if array, ok := code.WholeArray(x); ok {
			return len(code.Stores(array))
		}
		if defuse.IsZero(x.High) {
			return 0
		}
		if n := f.minLen(x.X, seen); x.High == nil && n != notKnown { // list[1:]
			return 0
		}
	case *ssa.Phi:
		return f.least(x.Edges, seen)
	case *ssa.UnOp:
		if x.Op == token.MUL {
			return f.minLenIn(x.X, seen)
		}
	case *ssa.Call:
		return f.minLenOf(x, seen)
	}
	return notKnown
}

func (f *interpreter) least(list []ssa.Value, seen map[ssa.Value]bool) int {
	least := itself
	for _, v := range list {
		least = min(least, f.minLen(v, seen))
	}
	return least
}

// minLenIn is minLen of the lists that are stored in a variable.
func (f *interpreter) minLenIn(addr ssa.Value, seen map[ssa.Value]bool) int {
	if v, ok := addr.(*ssa.FreeVar); ok {
		addr = defuse.Captured(v)
	}
	if _, ok := addr.(*ssa.Alloc); !ok {
		return notKnown
	}
	if seen[addr] {
		return itself
	}
	seen[addr] = true
	if n := f.least(defuse.Stored(addr), seen); n < itself {
		return n
	}
	return 0 // var list []string
}

// minLenOf is minLen of the result of a call.
func (f *interpreter) minLenOf(c *ssa.Call, seen map[ssa.Value]bool) int {
	switch code.CalleeName(&c.Call) {
	case "strings.Split", "strings.SplitN", "strings.SplitAfter", "strings.Fields", "strings.FieldsFunc":
		return 0
	}
	args := c.Call.Args
	if api.IsBuiltin(c, "append") && len(args) == 2 {
		return more(f.minLen(args[0], seen), args[1])
	}
	if k := api.Callee(&c.Call); k != nil {
		switch k.Name {
		case "Append", "AppendSeq":
			return more(f.minLen(api.Arg(&c.Call, k.Alias), seen), api.Arg(&c.Call, k.Into))
		case "MakeSlice":
			if defuse.IsZero(api.Arg(&c.Call, 1)) {
				return 0
			}
		case "Collect":
			return 0
		}
	}
	return notKnown
}

// more is the length of a list to which items are appended at once.
func more(n int, items ssa.Value) int {
	if array, ok := code.WholeArray(items); ok && n != notKnown {
		n += len(code.Stores(array))
	}
	return n
}

// counted reports whether the function compares the length of a list with more than 0.
func (f *interpreter) counted(list ssa.Value) bool {
	these := defuse.All(list)
	for _, b := range f.Fn.Blocks {
		for _, i := range b.Instrs {
			c, ok := i.(*ssa.Call)
			if !ok || !api.IsBuiltin(c, "len") {
				continue
			}
			for v := range defuse.All(c.Call.Args[0]) {
				if _, isConst := v.(*ssa.Const); these[v] && !isConst && comparedWithMore(c) {
					return true
				}
			}
		}
	}
	return false
}

// comparedWithMore reports whether a length is compared with anything but 0.
func comparedWithMore(n ssa.Value) bool {
	for _, use := range api.Uses(n) {
		if cmp, ok := use.(*ssa.BinOp); ok {
			switch cmp.Op {
			case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
				if !defuse.IsZero(cmp.X) && !defuse.IsZero(cmp.Y) {
					return true
				}
			}
		}
	}
	return false
}
