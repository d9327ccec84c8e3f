package attack

import (
	"testing"
	"unsafe"
)

// TestClass compares what two values say that have changed: if they are of one kind, that is one
// failure, or else no program that has it could become shorter.
func TestClass(t *testing.T) {
	wrong := func(number uint64, kind uint8) string {
		v := node{name: textOf(number)}
		return "a value has changed: " + kinds[kind].wrong(&piece{p: unsafe.Pointer(&v), len: 1, cap: int(number), kind: kind, form: many, seed: mix(number)}) + "; from here"
	}
	const stringKind = 14
	for i := range uint64(20) {
		if a, b := class(wrong(i, nodeKind)), class(wrong(i+1, nodeKind)); a != b {
			t.Errorf("one failure is two:\n%s\n%s", a, b)
		}
	}
	if a, b := class(wrong(1, nodeKind)), class(wrong(1, stringKind)); a == b {
		t.Errorf("two failures are one:\n%s", a)
	}
}
