// Package lib returns slices in arenas.
package lib

import "github.com/harena-go/arena"

func Names(a *arena.Arena) []string { return arena.MakeSlice[string](a, 0, 4) }

func Split(a *arena.Arena, s string) (head, tail []byte) {
	h := a.AllocBytes(1)
	h[0] = s[0]
	return h, []byte(s[1:])
}

func OnHeap(a *arena.Arena) []string { return arena.Clone(Names(a)) }
