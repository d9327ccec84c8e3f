//go:build purego

package hash

import (
	"hash/maphash"
	"reflect"
)

// builtin isn't empty, as an empty map panics with another message for unhashable keys.
var builtin = map[any]bool{nil: true}

// comparableHash hashes keys of any comparable type. With this build tag, maphash.Comparable
// panics for interfaces that are nil, and equal structs with different blank fields have
// different hashes (Go 1.26 and 1.27).
func comparableHash[K comparable](seed maphash.Seed, k K) uint64 {
	_ = builtin[k] // panics if k can't be hashed
	var h maphash.Hash
	h.SetSeed(seed)
	write(&h, reflect.ValueOf(&k).Elem())
	return h.Sum64()
}

// write adds v to the data of h.
func write(h *maphash.Hash, v reflect.Value) {
	switch k := v.Kind(); {
	case k == reflect.Interface:
		if v.IsNil() {
			h.WriteByte(0)
			return
		}
		h.WriteString(v.Elem().Type().String())
		write(h, v.Elem())
	case k == reflect.Array:
		for i := range v.Len() {
			write(h, v.Index(i))
		}
	case k == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "_" {
				write(h, v.Field(i))
			}
		}
	case k == reflect.String:
		maphash.WriteComparable(h, v.String())
	case k == reflect.Bool:
		maphash.WriteComparable(h, v.Bool())
	case v.CanInt():
		maphash.WriteComparable(h, v.Int())
	case v.CanUint():
		maphash.WriteComparable(h, v.Uint())
	case v.CanFloat():
		maphash.WriteComparable(h, v.Float())
	case v.CanComplex():
		maphash.WriteComparable(h, v.Complex())
	default: // a pointer or channel
		maphash.WriteComparable(h, v.Pointer())
	}
}
