package decode

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
)

// This file decodes bytes and raw values. Memory with room is written to again, as in the standard
// library.

// base64 decodes b into the slice or array of bytes at p. Its length must be that of an array.
func (d *decoder) base64(n *plan.Node, p unsafe.Pointer, b []byte) error {
	if n.Kind == plan.KindByteArray {
		dst := unsafe.Slice(mem.At[byte](p), n.Len)
		out, err := base64.StdEncoding.AppendDecode(dst[:0], b)
		if err != nil {
			return err
		}
		if err := d.strictBase64(b, len(out)); err != nil {
			return err
		}
		// A length other than the array's is an error, but the array has the bytes.
		clear(dst[copy(dst, out):])
		if len(out) != n.Len {
			return fmt.Errorf("decoded length of %d mismatches array length of %d", len(out), n.Len)
		}
		return nil
	}
	// Decode into the present memory if it has room, which the original doesn't do.
	s := mem.At[[]byte](p)
	room := base64.StdEncoding.DecodedLen(len(b))
	dst := (*s)[:0]
	if cap(dst) < room || option.Classic && d.Flags&option.Legacy != 0 {
		dst = d.a.AllocBytesUninit(room)[:0]
	}
	k, err := base64.StdEncoding.Decode(dst[:room], b)
	if err != nil {
		return err
	}
	if err := d.strictBase64(b, k); err != nil {
		return err
	}
	if dst == nil {
		dst = []byte{}
	}
	*s = dst[:k:cap(dst)]
	return nil
}

// strictBase64 reports line ends, which package base64 skips. n is the decoded length of b: if it
// accounts for all of b, there are none.
func (d *decoder) strictBase64(b []byte, n int) error {
	if d.Flags&option.Legacy != 0 || len(b) == base64.StdEncoding.EncodedLen(n) {
		return nil
	}
	for i, c := range b {
		if c == '\r' || c == '\n' {
			return fmt.Errorf("illegal character %s at offset %d", strconv.QuoteRune(rune(c)), i)
		}
	}
	return nil
}

// raw copies a value unchanged.
func (d *decoder) raw(p unsafe.Pointer, i int) int {
	end := d.Skip(i)
	if end < 0 {
		return -1
	}
	// Use the present memory if it has room.
	s := mem.At[[]byte](p)
	dst := (*s)[:0]
	if cap(dst) < end-i {
		dst = d.a.AllocBytesUninit(end - i)[:0]
	}
	*s = append(dst, d.Data[i:end]...)
	return end
}
