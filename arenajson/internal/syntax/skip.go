package syntax

import (
	"github.com/harena-go/arena/arenajson/internal/number"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file skips values without a destination. They are checked all the same: syntax, UTF-8,
// unique names, and depth. So the validity of a text doesn't depend on the fields of a type.

// Skip returns the end of the value at i, or -1 if it isn't valid.
func (d *Reader) Skip(i int) int {
	data := d.Data
	if uint(i) >= uint(len(data)) {
		return -1
	}
	switch data[i] {
	case '"':
		return d.SkipText(i)
	case '{':
		return d.skipObject(i)
	case '[':
		return d.skipArray(i)
	case 't':
		return text.SkipWord(data, i, text.WordTrue)
	// The last four bytes of the word begin one byte later.
	case 'f':
		return text.SkipWord(data, i+1, text.WordFalse)
	case 'n':
		return text.SkipWord(data, i, text.WordNull)
	}
	return number.Skip(data, i)
}

// Word returns the end of the word w at i, or -1 if it isn't there. The caller checks the text
// after it.
func (d *Reader) Word(i int, w string) int {
	if len(d.Data)-i < len(w) || string(d.Data[i:i+len(w)]) != w {
		return -1
	}
	return i + len(w)
}

// Enter counts a level of nesting, and reports whether it is allowed. The caller leaves it by
// adding one to Depth.
func (d *Reader) Enter() bool {
	d.Depth--
	return d.Depth >= 0
}

// skipArray is Skip for an array.
func (d *Reader) skipArray(i int) int {
	if !d.Enter() {
		return -1
	}
	data := d.Data
	i = text.SkipSpace(data, i+1)
	if uint(i) < uint(len(data)) && data[i] == ']' {
		d.Depth++
		return i + 1
	}
	for {
		if i = d.Skip(i); i < 0 {
			return -1
		}
		i = text.SkipSpace(data, i)
		switch {
		case uint(i) >= uint(len(data)):
			return -1
		case data[i] == ',':
			i = text.SkipSpace(data, i+1)
		case data[i] == ']':
			d.Depth++
			return i + 1
		default:
			return -1
		}
	}
}

// skipObject is Skip for an object. It removes the object's names from the stack on an error as
// well.
func (d *Reader) skipObject(i int) int {
	if !d.Enter() {
		return -1
	}
	data := d.Data
	i = text.SkipSpace(data, i+1)
	if uint(i) < uint(len(data)) && data[i] == '}' {
		d.Depth++
		return i + 1
	}
	// Each object has its own set of names.
	names := d.OpenNames()
	for {
		var ok bool
		if i, ok = d.skipName(&names, i); !ok {
			break
		}
		if i = d.Skip(i); i < 0 {
			break
		}
		i = text.SkipSpace(data, i)
		if uint(i) >= uint(len(data)) {
			break
		}
		if data[i] == ',' {
			i = text.SkipSpace(data, i+1)
			continue
		}
		if data[i] != '}' {
			break
		}
		d.CloseNames(&names)
		d.Depth++
		return i + 1
	}
	d.CloseNames(&names)
	return -1
}

// skipName reads the name at i, checks that it is new, and returns the start of its value. The
// second result is false on an error.
func (d *Reader) skipName(names *NameSet, i int) (int, bool) {
	start := i + 1
	// Without the check of names the text isn't needed.
	if d.Flags&option.AllowDuplicateNames != 0 {
		i = d.SkipText(i)
	} else {
		var name []byte
		name, i = d.Text(i)
		if i >= 0 && !d.AddName(names, name, start, !text.Within(d.Data, name, start)) {
			return 0, false
		}
	}
	if i < 0 {
		return 0, false
	}
	return d.Colon(i)
}

// Colon returns the start of the value behind a name that ends at i. The second result is false if
// there is no colon.
func (d *Reader) Colon(i int) (int, bool) {
	data := d.Data
	if uint(i) < uint(len(data)) && data[i] != ':' {
		i = text.SkipSpace(data, i)
	}
	if uint(i) >= uint(len(data)) || data[i] != ':' {
		return 0, false
	}
	return text.SkipSpace(data, i+1), true
}
