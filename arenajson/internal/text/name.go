package text

import (
	"hash/maphash"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file distinguishes names: by a key of a few bytes for the fields of a struct, a fast hash of
// it, a hash with a secret for names that an attacker chooses, and a form for matching without
// regard to case.

// NameKey returns a key that distinguishes most names of a struct: of the first and last bytes and
// the length. Names of up to four bytes always have different keys.
func NameKey(b []byte) uint64 {
	n := len(b)
	switch {
	case n >= 8:
		return mem.Load64(b, 0)*0x9e3779b97f4a7c15 ^ bits.RotateLeft64(mem.Load64(b, n-8), 23) + uint64(n)
	case n >= 4:
		return (uint64(mem.Load32(b, 0)) | uint64(mem.Load32(b, n-4))<<32) + uint64(n)<<56
	case n > 0:
		return uint64(b[0]) | uint64(b[n/2])<<8 | uint64(b[n-1])<<16 | uint64(n)<<24
	}
	return 0
}

// Fold appends the form of a name for matching without regard to case, dashes and underscores: each
// letter becomes the smallest of those that differ in case only.
func Fold(b, name []byte) []byte {
	for i := 0; i < len(name); {
		c := name[i]
		switch {
		case c == '_' || c == '-':
			i++
		case c < utf8.RuneSelf:
			if 'a' <= c && c <= 'z' {
				c -= 'a' - 'A'
			}
			b = append(b, c)
			i++
		default:
			r, n := utf8.DecodeRune(name[i:])
			b = utf8.AppendRune(b, foldRune(r))
			i += n
		}
	}
	return b
}

// foldRune returns the smallest rune that differs from r in case only. SimpleFold cycles through
// them, with one step down.
func foldRune(r rune) rune {
	for {
		next := unicode.SimpleFold(r)
		if next <= r {
			return next
		}
		r = next
	}
}

// EqualFold reports whether two names are equal but for case. Unlike in Fold, dashes and
// underscores count.
func EqualFold(b []byte, s string) bool { return strings.EqualFold(mem.String(b), s) }

// nameSeed is new in each process, so that nobody can prepare names that collide.
var nameSeed = maphash.MakeSeed()

// NameHash returns a hash of a name. Its upper bits are the best. Names can be chosen to collide,
// so use it where few names are compared.
func NameHash(name []byte) uint64 {
	key := NameKey(name)
	return (key ^ key>>32) * 0x9e3779b97f4a7c15
}

// SecretHash returns an unpredictable hash of a name, for tables of many names.
func SecretHash(name []byte) uint32 { return uint32(maphash.String(nameSeed, mem.String(name))) }
