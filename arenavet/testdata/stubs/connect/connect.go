// Package connect has what handlers are given by the package of that name.
package connect

type Request[T any] struct{ Msg *T }
type Response[T any] struct{ Msg *T }
