package arenapgx

import (
	"encoding/binary"
	"unsafe"

	"github.com/harena-go/arena"
)

// array reads an array of one dimension. If an element can't be read, the whole array is left to pgx.
func array(a *arena.Arena, c *column, src []byte, p unsafe.Pointer) bool {
	if src == nil {
		return true
	}
	const header = 12 // dimensions, flags, type of the elements; then length and lower bound of each dimension
	if len(src) < header {
		return false
	}
	n := 0
	switch binary.BigEndian.Uint32(src) {
	case 0:
		src = src[header:]
	case 1:
		if len(src) < header+8 {
			return false
		}
		n = int(int32(binary.BigEndian.Uint32(src[header:])))
		src = src[header+8:]
	default:
		return false
	}
	if n < 0 || n > len(src)/4 {
		return false
	}
	size := c.elem.typ.Size()
	all := c.key.MakeSlice(a, n)
	*(*[]struct{})(p) = unsafe.Slice((*struct{})(all), n)
	for i := range n {
		if len(src) < 4 {
			return false
		}
		length := int(int32(binary.BigEndian.Uint32(src)))
		src = src[4:]
		var elem []byte
		if length >= 0 {
			if length > len(src) {
				return false
			}
			elem, src = src[:length:length], src[length:]
		} else if length != -1 {
			return false
		}
		if !value(a, c.elem, elem, unsafe.Add(all, uintptr(i)*size)) {
			return false
		}
	}
	return len(src) == 0
}
