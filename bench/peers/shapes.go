package peers

import "unsafe"

// The fixed shapes. The first word of each isn't a pointer, so that a number can be written there.
type (
	Bytes64 [8]int64
	Bytes1K [1024]byte
	Node    struct {
		Value       int64
		Left, Right *Node
	}
)

// Sink holds the address of the newest object, so that the compiler can't omit anything.
var Sink unsafe.Pointer

// Keep writes to the first word of an object and stores its address.
func Keep[T any](p *T, i int) {
	*(*int)(unsafe.Pointer(p)) = i
	Sink = unsafe.Pointer(p)
}

// KeepInts writes to the first element of a slice and stores its address.
func KeepInts(s []int, i int) {
	s[0] = i
	Sink = unsafe.Pointer(&s[0])
}

// KeepCopy stores the address of bytes that already have their content.
func KeepCopy(s []byte) { Sink = unsafe.Pointer(unsafe.SliceData(s)) }

// KeepString stores the address of a string's content.
func KeepString(s string) { Sink = unsafe.Pointer(unsafe.StringData(s)) }
