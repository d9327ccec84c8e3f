package api

import (
	"iter"

	"golang.org/x/tools/go/ssa"
)

// Builtin returns the name of the built-in function that a call calls, "" if it calls another function.
func Builtin(c *ssa.CallCommon) string {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return b.Name()
	}
	return ""
}

// IsBuiltin reports whether an instruction calls the built-in function with a name.
func IsBuiltin(i ssa.Instruction, name string) bool {
	c, ok := i.(ssa.CallInstruction)
	return ok && Builtin(c.Common()) == name
}

// CallsBuiltin reports whether a function calls the built-in function with a name.
func CallsBuiltin(fn *ssa.Function, name string) bool {
	for c := range Calls(fn) {
		if Builtin(c.Common()) == name {
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
func Instrs(fn *ssa.Function) iter.Seq[ssa.Instruction] { return Of[ssa.Instruction](fn) }

// Calls returns the calls of a function, and its go and defer statements.
func Calls(fn *ssa.Function) iter.Seq[ssa.CallInstruction] { return Of[ssa.CallInstruction](fn) }

// Of returns the instructions of a kind in a function.
func Of[I ssa.Instruction](fn *ssa.Function) iter.Seq[I] {
	return func(yield func(I) bool) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if x, ok := i.(I); ok && !yield(x) {
					return
				}
			}
		}
	}
}
