// Package untested has no tests.
package untested

func Work() []int { return make([]int, 100) }
