package server

import "bytes"

// maxDepth is how deep a value may be nested that nobody asked for.
const maxDepth = 32

// skip reads a JSON value of any kind and forgets it.
func (c *cursor) skip(depth int) {
	if depth == 0 {
		c.fail("nested too deep")
		return
	}
	switch b := c.peek(); {
	case b == '"':
		c.quoted()
	case b == '{':
		c.at++
		for more := c.first('}'); more; more = c.next('}') {
			c.quoted()
			if !c.accept(':') {
				c.fail("a colon should be here")
				return
			}
			c.skip(depth - 1)
		}
	case b == '[':
		c.at++
		for more := c.first(']'); more; more = c.next(']') {
			c.skip(depth - 1)
		}
	case b == '-' || b-'0' <= 9:
		c.skipNumber()
	default:
		c.skipWord()
	}
}

var words = [][]byte{[]byte("null"), []byte("true"), []byte("false")}

func (c *cursor) skipWord() {
	for _, w := range words {
		if bytes.HasPrefix(c.line[c.at:], w) {
			c.at += len(w)
			return
		}
	}
	c.fail("a value should be here")
}

// skipNumber skips a number with all that JSON allows: a fraction, an exponent.
func (c *cursor) skipNumber() {
	has := func(set string) bool {
		if c.at < len(c.line) && bytes.IndexByte([]byte(set), c.line[c.at]) >= 0 {
			c.at++
			return true
		}
		return false
	}
	digits := func() {
		begin := c.at
		for c.at < len(c.line) && c.line[c.at]-'0' <= 9 {
			c.at++
		}
		if c.at == begin {
			c.fail("a digit should be here")
		}
	}
	has("-")
	if !has("0") {
		digits()
	}
	if has(".") {
		digits()
	}
	if has("eE") {
		has("+-")
		digits()
	}
}
