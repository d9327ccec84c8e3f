// Package hash hashes the keys of package collections, with Go's equality: keys
// that are equal have equal hashes.
//
// hash/maphash.Comparable does that for any type, but takes twice as long as the builtin
// map's own hashing. So this package looks at the type of the keys once for each table,
// and hashes their memory where that is enough.
//
// All of it is seeded with numbers that can't be known outside the process, so that an attacker
// can't choose keys that collide. Strings and anything of more than 16 bytes go through
// hash/maphash, that is, the runtime's own hash (AES, where the processor has it). Smaller keys are
// mixed as in the runtime's fallback for processors without AES (runtime/hash64.go,
// memhashFallback), which takes it from wyhash (https://github.com/wangyi-fudan/wyhash): two rounds
// of multiplying to 128 bits and folding the halves, with a secret in each factor.
package hash

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"sync"
	"unsafe"
)

// A Kind is a way to hash keys of a type.
type Kind uint8

const (
	None   Kind = iota // of the zero Hasher
	Other              // by maphash.Comparable, which may panic
	Word               // plain memory of 1, 2, 4 or 8 bytes
	Pair               // plain memory of 9 to 16 bytes
	Memory             // plain memory of another size, also zero
	String
	Float32
	Float64
)

// Distinguishes reports whether keys of the kind can be equal and yet different: +0 and
// -0, strings in two places, structs with blank fields.
func (k Kind) Distinguishes() bool { return k != Word && k != Pair && k != Memory }

// A Hasher hashes the keys of one table. The zero Hasher stands for a table that has none yet.
type Hasher struct {
	Kind Kind
	word uint64       // of the kinds hashed here
	seed maphash.Seed // of the rest
}

// New returns a Hasher for keys of type K with new seeds.
func New[K comparable]() Hasher {
	h := Hasher{Kind: KindOf(reflect.TypeFor[K]()), word: rand.Uint64()}
	if h.Kind != Word && h.Kind != Pair {
		h.seed = maphash.MakeSeed()
	}
	return h
}

// secrets are the process's own, as the runtime's hashkey.
var secrets = [...]uint64{rand.Uint64(), rand.Uint64(), rand.Uint64()}

// length is mixed with the length of the hashed data, as in the runtime.
const length = 0x1d8e4e27c47d124f

// fold multiplies two numbers to 128 bits and folds the halves of the product.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// Word64 is Of for a Word of 8 bytes.
func (h *Hasher) Word64(x uint64) uint32 { return h.pair(x, x, 8) }

// Pair hashes up to 16 bytes as two numbers, and their length.
func (h *Hasher) pair(a, b, n uint64) uint32 {
	return uint32(fold(length^n, fold(a^secrets[0], b^h.word)) >> 32)
}

// Of returns the hash of k, 32 bits. It panics as the builtin map does if k can't
// be hashed, because it contains an interface with, say, a slice.
func Of[K comparable](h *Hasher, k K) uint32 {
	p := unsafe.Pointer(&k)
	if h.Kind == Word { // the size is known to the compiler
		switch unsafe.Sizeof(k) {
		case 8:
			return h.Word64(*(*uint64)(p))
		case 4:
			x := uint64(*(*uint32)(p))
			return h.pair(x, x, 4)
		case 2:
			x := uint64(*(*uint16)(p))
			return h.pair(x, x, 2)
		case 1:
			x := uint64(*(*uint8)(p))
			return h.pair(x, x, 1)
		}
	}
	if h.Kind == String && unsafe.Sizeof(k) == unsafe.Sizeof("") {
		return h.Text(*(*string)(p))
	}
	return other(h, k)
}

// noKeys replaces the zero Hasher's seed, which maphash refuses.
var noKeys = maphash.MakeSeed()

// other hashes keys of the other kinds.
func other[K comparable](h *Hasher, k K) uint32 {
	p := unsafe.Pointer(&k)
	size := unsafe.Sizeof(k)
	switch h.Kind {
	case None: // a table without keys; but unhashable keys panic
		return uint32(comparableHash(noKeys, k) >> 32)
	case Pair:
		return h.pair(load64(p, 0), load64(p, int(size)-8), uint64(size))
	case Memory:
		return uint32(maphash.Bytes(h.seed, unsafe.Slice((*byte)(p), size)) >> 32)
	case Float64:
		if f := *(*float64)(p); f == f { // and -0 is 0
			x := math.Float64bits(f + 0)
			return h.pair(x, x, 8)
		}
	case Float32:
		if f := *(*float32)(p); f == f {
			x := uint64(math.Float32bits(f + 0))
			return h.pair(x, x, 4)
		}
	}
	return uint32(comparableHash(h.seed, k) >> 32)
}

// longText is the length in bytes from which on the runtime's own hash is faster, even
// when called through maphash.
const longText = 48

// Text is Of for a String.
func (h *Hasher) Text(s string) uint32 {
	p, n, seed := unsafe.Pointer(unsafe.StringData(s)), len(s), h.word // fact 9
	var a, b uint64
	switch {
	case n > longText:
		return uint32(maphash.String(h.seed, s) >> 32)
	case n > 16:
		for i := 0; i < n-16; i += 16 {
			seed = fold(load64(p, i)^secrets[1], load64(p, i+8)^seed)
		}
		a, b = load64(p, n-16), load64(p, n-8)
	case n >= 8:
		a, b = load64(p, 0), load64(p, n-8)
	case n >= 4:
		a, b = load32(p, 0), load32(p, n-4)
	case n > 0:
		a = uint64(s[0])<<16 | uint64(s[n/2])<<8 | uint64(s[n-1])
	}
	return uint32(fold(length^uint64(n), fold(a^secrets[0], b^seed)) >> 32)
}

// load64 returns the 8 bytes at i, which must be there, aligned or not.
func load64(p unsafe.Pointer, i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(p, i))[:]) // fact 11
}

// load32 is load64 for 4 bytes.
func load32(p unsafe.Pointer, i int) uint64 {
	return uint64(binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(p, i))[:])) // fact 11
}

// kinds caches the results of composite, by reflect.Type.
var kinds sync.Map

// KindOf returns the way to hash keys of type t.
func KindOf(t reflect.Type) Kind {
	switch k := t.Kind(); k {
	case reflect.String:
		return String
	case reflect.Float32:
		return Float32
	case reflect.Float64:
		return Float64
	case reflect.Interface, reflect.Complex64, reflect.Complex128:
		return Other
	case reflect.Array, reflect.Struct:
		if v, ok := kinds.Load(t); ok {
			return v.(Kind)
		}
		v := composite(t)
		kinds.Store(t, v)
		return v
	}
	return Word
}

func composite(t reflect.Type) Kind {
	if !plain(t) {
		return Other
	}
	switch n := t.Size(); {
	case n == 1 || n == 2 || n == 4 || n == 8:
		return Word
	case n > 8 && n <= 16:
		return Pair
	}
	return Memory
}

// plain reports whether values of type t are equal if and only if their memory is.
func plain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Float32, reflect.Float64, reflect.Interface, reflect.Complex64, reflect.Complex128:
		return false
	case reflect.Array:
		return t.Len() == 0 || plain(t.Elem())
	case reflect.Struct:
		end := uintptr(0)
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Name == "_" || !plain(f.Type) {
				return false
			}
			end += f.Type.Size()
		}
		return end == t.Size() // or there are gaps
	}
	return true
}
