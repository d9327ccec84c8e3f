package arenajson

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/number"
	"github.com/harena-go/arena/arenajson/internal/option"
)

// This file holds what a string or number is copied to: bytes, raw values and json.Number.

// bytes reads a string of base64 to a slice or array of bytes.
func (d *decoder) bytes(n *node, p unsafe.Pointer, i int) int {
	array := n.kind == kindByteArray
	switch c := d.peek(i); {
	case n.namedByte && d.flags&option.Legacy == 0, array && d.flags&option.Legacy != 0, c == '[' && d.flags&option.Legacy != 0:
		if array {
			return d.array(n, p, i)
		}
		return d.slice(n, p, i)
	case c == 'n':
		end := d.word(i, "null")
		if end >= 0 && (d.flags&option.Legacy == 0 || !array) {
			setZero(n, p)
		}
		return end
	case c != '"':
		return d.mismatch(n.typ, i, nil)
	}
	b, end := d.text(i)
	if end < 0 {
		return -1
	}
	if err := d.base64(n, p, b); err != nil {
		if d.flags&option.Legacy != 0 && option.Classic {
			d.note(err)
			return end
		}
		return d.mismatchValueless(n.typ, i, err)
	}
	return end
}

// base64 decodes b to the bytes at p.
func (d *decoder) base64(n *node, p unsafe.Pointer, b []byte) error {
	if n.kind == kindByteArray {
		dst := unsafe.Slice(mem.At[byte](p), n.len)
		out, err := base64.StdEncoding.AppendDecode(dst[:0], b)
		if err != nil {
			return err
		}
		if err := d.strictBase64(b, len(out)); err != nil {
			return err
		}
		clear(dst[copy(dst, out):])
		if len(out) != n.len {
			return fmt.Errorf("decoded length of %d mismatches array length of %d", len(out), n.len)
		}
		return nil
	}
	s := mem.At[[]byte](p)
	room := base64.StdEncoding.DecodedLen(len(b))
	dst := (*s)[:0]
	if cap(dst) < room || option.Classic && d.flags&option.Legacy != 0 {
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

// strictBase64 finds fault with line ends, which package base64 skips.
func (d *decoder) strictBase64(b []byte, n int) error {
	if d.flags&option.Legacy != 0 || len(b) == base64.StdEncoding.EncodedLen(n) {
		return nil
	}
	for i, c := range b {
		if c == '\r' || c == '\n' {
			return fmt.Errorf("illegal character %s at offset %d", strconv.QuoteRune(rune(c)), i)
		}
	}
	return nil
}

// raw copies a value as it is.
func (d *decoder) raw(p unsafe.Pointer, i int) int {
	end := d.skip(i)
	if end < 0 {
		return -1
	}
	s := mem.At[[]byte](p)
	dst := (*s)[:0]
	if cap(dst) < end-i {
		dst = d.a.AllocBytesUninit(end - i)[:0]
	}
	*s = append(dst, d.data[i:end]...)
	return end
}

// jsonNumber reads a number to a json.Number.
func (d *decoder) jsonNumber(p unsafe.Pointer, i int, stringify bool) int {
	switch c := d.peek(i); {
	case c == 'n':
		end := d.word(i, "null")
		if end >= 0 && d.flags&option.Legacy == 0 {
			mem.Set(p, "")
		}
		return end
	case c == '"':
		b, end := d.text(i)
		if end < 0 {
			return -1
		}
		if len(b) == 0 || number.Skip(b, 0) != len(b) {
			if option.Classic && d.flags&option.Legacy != 0 {
				return d.stop(invalidNumber(d.data[i:end]))
			}
			return d.mismatch(numberType, i, strconv.ErrSyntax)
		}
		mem.Set(p, d.keep(b, i+1))
		return end
	case (c == '-' || c-'0' <= 9) && !stringify:
		end := number.Skip(d.data, i)
		if end >= 0 {
			mem.Set(p, d.keep(d.data[i:end:end], i))
		}
		return end
	}
	return d.mismatch(numberType, i, nil)
}
