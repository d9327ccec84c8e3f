package state

import (
	"strconv"
)

// Inside is the path from a container to its contents.
const Inside = "[in]"

// InContext is the path to a context's arena, which no field can have.
const InContext = "@ctx"

// CalledBack is the path from a function to its results, "()#0", and from an interface to the results of its methods:
// "()Visit#0".
const CalledBack = "()"

const (
	Elements  = "[]"
	Keys      = "[k]"
	InChannel = "[<-]"
)

// Result is the path to the n-th result of a call with several results.
func Result(n int) string { return "#" + strconv.Itoa(n) }

// First is Result(0).
const First = "#0"

const (
	OnceFunc   = ".once"   // the path to the other function, which is called the first time
	OnceResult = ".result" // and to the result of the first call
)
