package arena

// A family is the children of an arena in the order of their births, linked by
// Arena.older and Arena.younger. So those that were born after a mark are found
// without a look at the others, and each can leave it at any time.
type family struct{ youngest *Arena }

// add adds a child that was just born.
func (f *family) add(c *Arena) {
	c.older = f.youngest
	if c.older != nil {
		c.older.younger = c
	}
	f.youngest = c
}

// remove removes a child.
func (f *family) remove(c *Arena) {
	if c.younger != nil {
		c.younger.older = c.older
	} else {
		f.youngest = c.older
	}
	if c.older != nil {
		c.older.younger = c.younger
	}
	c.older, c.younger = nil, nil
}

// all yields the children, the youngest first. It may be removed meanwhile.
func (f *family) all(yield func(c *Arena) bool) {
	for c := f.youngest; c != nil; {
		older := c.older
		if !yield(c) {
			return
		}
		c = older
	}
}

// bornAfter says whether there is a child with a larger serial number.
func (f *family) bornAfter(serial uint64) bool {
	return f.youngest != nil && f.youngest.born > serial
}

// only says whether c is the only child.
func (f *family) only(c *Arena) bool { return f.youngest == c && c.older == nil }
