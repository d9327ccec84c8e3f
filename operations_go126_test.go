//go:build !go1.27

package arena_test

// methodsFor returns the functions: there are no generic methods yet.
func methodsFor[T any]() operations[T] { return functionsFor[T]() }
