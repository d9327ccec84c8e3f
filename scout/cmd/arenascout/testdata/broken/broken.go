// Package broken doesn't compile.
package broken

func Work() []int { return undefinedName }
