package decode

import (
	"strings"
	"unsafe"

	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
)

// pad is the number of bytes after a copy of the input. They may be loaded, and mean nothing.
const pad = 8

// Input returns the input that strings and bytes of the message share: a copy in the arena with pad after it,
// or b itself if alias is set.
func (d *Decoder) Input(b []byte, alias bool) []byte {
	if alias {
		if d.Contained {
			d.Arena.KeepAlive(unsafe.SliceData(b))
		}
		return b[:len(b):len(b)]
	}
	if len(b) < cacheFrom { // an arena has zeroed memory ready for so little
		c := mem.Raw(d.Arena.Alloc(uintptr(len(b)+pad), 8), len(b)+pad)
		return c[:copy(c, b)]
	}
	if d.Arena == nil { // a Builder doesn't clear its memory first, as make would
		var c strings.Builder
		c.Grow(len(b) + pad)
		c.Write(b)
		c.WriteString("\x00\x00\x00\x00\x00\x00\x00\x00")
		return mem.Raw(unsafe.Pointer(unsafe.StringData(c.String())), len(b)+pad)[:len(b)]
	}
	c := d.Arena.AllocBytesUninit(len(b) + pad)
	clear(c[copy(c, b):])
	return c[:len(b)]
}
