// Package lib has pools that other packages use by its functions.
package lib

import (
	"bytes"
	"sync"
	"unsafe"
)

type Buffer struct{ B []byte }

func (b *Buffer) Reset() { b.B = b.B[:0] }

func (b *Buffer) WriteString(s string) { b.B = append(b.B, s...) }

func (b *Buffer) Bytes() []byte { return b.B }

func (b *Buffer) Unsafe() string { return b2s(b.B) }

func (b *Buffer) String() string { return string(b.B) }

func b2s(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

const largest = 1 << 16

var pool = sync.Pool{New: func() any { return new(Buffer) }}

func Get() *Buffer { return pool.Get().(*Buffer) }

func Put(b *Buffer) {
	if cap(b.B) > largest {
		return
	}
	b.Reset()
	pool.Put(b)
}

func (b *Buffer) Free() { Put(b) }

type Pool interface {
	Get() *[]byte
	Put(*[]byte)
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func GetBuffer() *bytes.Buffer { return buffers.Get().(*bytes.Buffer) }

func PutBuffer(b *bytes.Buffer) {
	b.Reset()
	buffers.Put(b)
}
