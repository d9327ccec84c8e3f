package summary

import (
	"slices"
)

// Add adds to a list what isn't in it.
func Add[T comparable](s *[]T, x T) {
	if !slices.Contains(*s, x) {
		*s = append(*s, x)
	}
}
