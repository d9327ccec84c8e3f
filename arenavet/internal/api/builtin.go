package api

import (
	"iter"

	"golang.org/x/tools/go/ssa"
)

// IsBuiltin reports whether a call is of the built-in function with a name.
func IsBuiltin(call *ssa.Call, name string) bool {
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == name
}

// CallsBuiltin reports whether a function calls the built-in function with a name.
func CallsBuiltin(fn *ssa.Function, name string) bool {
	for instr := range Instrs(fn) {
		if call, ok := instr.(*ssa.Call); ok && IsBuiltin(call, name) {
			return true
		}
	}
	return false
}

// Uses returns the instructions that use a value: none for package-level variables, functions and constants, whose uses
// SSA doesn't list.
func Uses(v ssa.Value) []ssa.Instruction {
	if list := v.Referrers(); list != nil {
		return *list
	}
	return nil
}

// Instrs returns the instructions of a function.
func Instrs(fn *ssa.Function) iter.Seq[ssa.Instruction] {
	return func(yield func(ssa.Instruction) bool) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if !yield(i) {
					return
				}
			}
		}
	}
}
