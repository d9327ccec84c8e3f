package state

import (
	"strconv"
)

// Inside is the path to what a container keeps, in the container.
const Inside = "[in]"

// InContext is the path to a context's arena, which no field can have.
const InContext = "@ctx"

// CalledBack is the path from a function to what it returns, "()#0", and from an interface to
// what a method of it returns: "()Visit#0".
const CalledBack = "()"

const (
	Elements  = "[]"
	Keys      = "[k]"
	InChannel = "[<-]"
)

// Result is the path to the n-th result of a call, or of what returns several.
func Result(n int) string { return "#" + strconv.Itoa(n) }

// First is result(0).
const First = "#0"

const (
	OnceFunc   = ".once"   // the path to the other function, which is called the first time
	OnceResult = ".result" // and to the result of the first call
)
