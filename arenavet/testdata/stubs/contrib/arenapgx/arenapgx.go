// Package arenapgx has what programs call of the package of that name.
package arenapgx

import (
	"iter"

	"github.com/harena-go/arena"
)

func Collect[T any](*arena.Arena, any) ([]T, error)      { return nil, nil }
func CollectOne[T any](*arena.Arena, any) (v T, _ error) { return v, nil }
func Each[T any](*arena.Arena, any) iter.Seq2[*T, error] { return nil }
