package server

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// This file reads a line of logfmt, key=value pairs with blanks between them:
//
//	ts=2026-03-01T12:34:56.789Z level=warn service=cart host=web-17 route=/cart/items status=503
//	us=18234 trace=4bf9... span=00f067aa0ba902b7 msg="timed out" tags=retry,canary samples=12,9
//	label.region=eu
//
// A value with blanks or escapes is in quotes, as in JSON. Keys may be missing,
// and others are skipped.

func (p *parser[M]) logfmtLine() {
	c := &p.in
	r := p.make.record()
	var o origin
	for c.peek() != 0 {
		key := c.key()
		switch f := fieldCalled(key); f {
		case fieldOther, fieldLabels:
			p.otherPair(r, key)
		default:
			p.field(f, inLogfmt, r, &o)
		}
		if c.at < len(c.line) && c.line[c.at] > ' ' {
			c.fail("a blank should be between two pairs")
		}
	}
	if c.what == "" {
		p.finish(r, o)
	}
}

var labelPrefix = []byte("label.")

// otherPair reads a label, or a pair that nobody asked for.
func (p *parser[M]) otherPair(r *Record, key []byte) {
	value := p.in.value()
	if bytes.HasPrefix(key, labelPrefix) && p.in.what == "" {
		p.make.setLabel(r, key[len(labelPrefix):], value)
	}
}

// key reads up to the equals sign.
func (c *cursor) key() []byte {
	text := c.line[c.at:]
	for i, b := range text {
		if b == '=' && i > 0 {
			c.at += i + 1
			return text[:i]
		}
		if b <= ' ' || b == '"' {
			break
		}
	}
	c.fail("a key with an equals sign should be here")
	return nil
}

// value reads a value, in quotes or not. An empty one is allowed.
func (c *cursor) value() []byte {
	text := c.line[c.at:]
	if len(text) > 0 && text[0] == '"' {
		return c.quoted()
	}
	n := dense(text)
	c.at += n
	return text[:n]
}

// dense returns how many bytes come before a blank or a control character. It
// looks at eight at a time, as plain does.
func dense(text []byte) int {
	i := 0
	for ; i+8 <= len(text); i += 8 {
		w := binary.LittleEndian.Uint64(text[i:])
		if hit := (w - ones*(' '+1)) &^ w & highs; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	for i < len(text) && text[i] > ' ' {
		i++
	}
	return i
}

// logfmtTags reads tags with commas between them.
func (p *parser[M]) logfmtTags(r *Record) {
	list := p.in.value()
	for len(list) > 0 {
		tag, rest, _ := bytes.Cut(list, []byte{','})
		p.make.addTag(r, tag)
		list = rest
	}
}

// logfmtSamples reads numbers with commas between them.
func (p *parser[M]) logfmtSamples(r *Record) {
	c := &p.in
	for {
		n := c.integer(inLogfmt)
		if c.what != "" {
			return
		}
		p.make.addSample(r, n)
		if c.at >= len(c.line) || c.line[c.at] != ',' {
			return
		}
		c.at++
	}
}
