package arenaproto

import (
	"math/bits"
	"unsafe"

	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
)

// This file holds the fast way through fields that are most of a wide message: numbers, text and bytes that lie in the
// struct itself. It calls nothing, so that all that the loop needs stays in registers.

// isPlain reports whether plain reads a field.
func (f *op) isPlain() bool {
	switch f.kind {
	case kindString, kindBytes, kindBool, kindInt32, kindInt64, kindSint32, kindSint64, kindFixed32, kindFixed64:
		return f.indirect == direct && !f.present
	}
	return false
}

// plain reads fields to the message at p from i on, up to one that it can't read or that is wrong, and returns where
// that begins, which may be the end of b. Near the end of what may be read it reads nothing.
func (pl *plan) plain(p unsafe.Pointer, b []byte, i int, seen uint64) (int, uint64) {
	index := pl.index
	for end := min(len(b), cap(b)-10); i < end; {
		tag, j := uint(b[i]), i+1
		if tag >= 0x80 {
			if j >= len(b) || b[j] >= 0x80 {
				return i, seen
			}
			tag = tag&0x7f | uint(b[j])<<7
			j++
		}
		if tag >= uint(len(index)) {
			return i, seen
		}
		f := index[tag]
		if f == nil || !f.plain {
			return i, seen
		}
		at, w := mem.Add(p, f.off), mem.Load64(b, j)
		if k := f.kind; k >= kindFixed64 {
			if k == kindFixed64 {
				if j += 8; j > len(b) {
					return i, seen
				}
				mem.Set(at, w)
			} else {
				if j += 4; j > len(b) {
					return i, seen
				}
				mem.Set(at, uint32(w))
			}
		} else if k >= kindBool {
			v := w & 0x7f
			if w&0x80 != 0 {
				m := ^w & highs
				w &= (m ^ (m - 1)) & 0x7f7f7f7f7f7f7f7f
				w = w&0x007f007f007f007f | w&0x7f007f007f007f00>>1
				w = w&0x00003fff00003fff | w&0x3fff00003fff0000>>2
				v = w&0x0fffffff | w&0x0fffffff00000000>>4
				if m != 0 {
					j += bits.TrailingZeros64(m) >> 3
				} else if j += 8; j+1 < len(b) && b[j] < 0x80 {
					v |= uint64(b[j]) << 56
				} else if j+1 < len(b) && b[j+1] <= 1 {
					v |= uint64(b[j]&0x7f)<<56 | uint64(b[j+1])<<63
					j++
				} else {
					return i, seen
				}
			}
			if j++; j > len(b) {
				return i, seen
			}
			switch k {
			case kindInt64:
				mem.Set(at, v)
			case kindInt32:
				mem.Set(at, uint32(v))
			case kindBool:
				mem.Set(at, v != 0)
			case kindSint32:
				mem.Set(at, unzigzag32(v))
			case kindSint64:
				mem.Set(at, unzigzag64(v))
			}
		} else {
			n := int(w & 0xff)
			j++
			if n-1 >= 0x7f || j+n > len(b) { // 0 has a meaning of its own
				return i, seen
			}
			if k == kindBytes {
				mem.Set(at, mem.Bytes(b, j, n))
			} else {
				if f.check {
					var all uint64 // see valid
					if n < 8 {
						all = mem.Load64(b, j) & (1<<(8*uint(n)) - 1)
					} else {
						last := j + n - 8
						all = mem.Load64(b, last)
						for q := j; q < last; q += 8 {
							all |= mem.Load64(b, q)
						}
					}
					if all&highs != 0 {
						return i, seen
					}
				}
				mem.Set(at, mem.String(b, j, n))
			}
			j += n
		}
		seen |= f.required
		i = j
	}
	return i, seen
}
