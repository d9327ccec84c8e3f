//go:build !purego

package hash

import "hash/maphash"

// comparableHash hashes keys of any comparable type.
func comparableHash[K comparable](seed maphash.Seed, k K) uint64 { return maphash.Comparable(seed, k) }
