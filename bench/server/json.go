package server

// This file reads a line that is a JSON object:
//
//	{"ts":"2026-03-01T12:34:56.789Z","level":"warn","service":"cart","host":"web-17",
//	 "route":"/cart/items","status":503,"us":18234,"trace":"4bf9...","span":"00f067aa0ba902b7",
//	 "parent":"...","msg":"timed out","tags":["retry"],"samples":[12,9],"labels":{"region":"eu"}}
//
// The members come in any order, and others are skipped.

func (p *parser[M]) jsonLine() {
	c := &p.in
	r := p.make.record()
	var o origin
	c.at++ // the brace, which the caller saw
	for more := c.first('}'); more; more = c.next('}') {
		name := c.quoted()
		if !c.accept(':') {
			c.fail("a colon should be here")
			break
		}
		if f := fieldCalled(name); f != fieldOther {
			p.field(f, inJSON, r, &o)
		} else {
			c.skip(maxDepth)
		}
	}
	if c.what == "" && c.peek() != 0 {
		c.fail("more after the end of the object")
	}
	if c.what == "" {
		p.finish(r, o)
	}
}

// first reports whether a list, whose opening bracket was read, has an element.
func (c *cursor) first(end byte) bool {
	return !c.accept(end) && c.what == ""
}

// next reports whether a list has another element after this one.
func (c *cursor) next(end byte) bool {
	if c.accept(',') {
		return c.what == ""
	}
	if !c.accept(end) {
		c.fail("a comma or the end of the list should be here")
	}
	return false
}

func (p *parser[M]) jsonTags(r *Record) {
	c := &p.in
	if !c.accept('[') {
		c.fail("a list should be here")
		return
	}
	for more := c.first(']'); more; more = c.next(']') {
		if tag := c.quoted(); c.what == "" {
			p.make.addTag(r, tag)
		}
	}
}

func (p *parser[M]) jsonSamples(r *Record) {
	c := &p.in
	if !c.accept('[') {
		c.fail("a list should be here")
		return
	}
	for more := c.first(']'); more; more = c.next(']') {
		if n := c.number(); c.what == "" {
			p.make.addSample(r, n)
		}
	}
}

func (p *parser[M]) labels(r *Record) {
	c := &p.in
	if !c.accept('{') {
		c.fail("an object should be here")
		return
	}
	for more := c.first('}'); more; more = c.next('}') {
		name := c.quoted()
		if !c.accept(':') {
			c.fail("a colon should be here")
			return
		}
		if value := c.quoted(); c.what == "" {
			p.make.setLabel(r, name, value)
		}
	}
}
