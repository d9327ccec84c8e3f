//go:build !go1.27

package model_test

// methodsFor returns the functions: there are no generic methods yet.
func methodsFor[T any]() operations[T] { return functionsFor[T]() }
