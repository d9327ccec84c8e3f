package api

import "golang.org/x/tools/go/ssa"

// IsBuiltin says whether a call is one of the builtin function with a name.
func IsBuiltin(call *ssa.Call, name string) bool {
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == name
}

// CallsBuiltin says whether a function calls the builtin function with a name.
func CallsBuiltin(fn *ssa.Function, name string) bool {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if call, ok := instr.(*ssa.Call); ok && IsBuiltin(call, name) {
				return true
			}
		}
	}
	return false
}
