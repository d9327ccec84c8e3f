package testkit

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/asan"
)

// RedZoneMax is the most bytes between two values of up to 64 bytes, not counting
// padding: 64 in builds with the address sanitizer, none in others.
const RedZoneMax = 4 * asan.RedZone

// BytesAt shows the memory at p.
func BytesAt(p unsafe.Pointer, n int) []byte { return unsafe.Slice((*byte)(p), n) }

// BytesOf shows the memory of a slice, up to its length.
func BytesOf[T any](s []T) []byte {
	return BytesAt(unsafe.Pointer(unsafe.SliceData(s)), len(s)*int(unsafe.Sizeof(*new(T))))
}

// DataOf returns the address of a slice's elements.
func DataOf[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// AllZero reports whether b holds zeros only.
func AllZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

// SizeOfType is the size of a value's type.
func SizeOfType(v any) int { return int(reflect.TypeOf(v).Size()) }

// MaxBytes is the largest request that is tried.
const MaxBytes = 1<<(30+17*(^uintptr(0)>>63)) - 1
