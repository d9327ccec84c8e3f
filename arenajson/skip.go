package arenajson

import (
	"github.com/harena-go/arena/arenajson/internal/number"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// skip returns where the value at i ends, or -1 if it isn't valid.
func (d *reader) skip(i int) int {
	data := d.data
	if uint(i) >= uint(len(data)) {
		return -1
	}
	switch data[i] {
	case '"':
		return d.skipText(i)
	case '{':
		return d.skipObject(i)
	case '[':
		return d.skipArray(i)
	case 't':
		return text.SkipWord(data, i, text.WordTrue)
	case 'f':
		return text.SkipWord(data, i+1, text.WordFalse)
	case 'n':
		return text.SkipWord(data, i, text.WordNull)
	}
	return number.Skip(data, i)
}

// word returns where a word at i ends, or -1 if it isn't there.
func (d *reader) word(i int, w string) int {
	if len(d.data)-i < len(w) || string(d.data[i:i+len(w)]) != w {
		return -1
	}
	return i + len(w)
}

// enter counts a level of nesting, and says whether there may be one more.
func (d *reader) enter() bool {
	d.depth--
	return d.depth >= 0
}

func (d *reader) skipArray(i int) int {
	if !d.enter() {
		return -1
	}
	data := d.data
	i = text.SkipSpace(data, i+1)
	if uint(i) < uint(len(data)) && data[i] == ']' {
		d.depth++
		return i + 1
	}
	for {
		if i = d.skip(i); i < 0 {
			return -1
		}
		i = text.SkipSpace(data, i)
		switch {
		case uint(i) >= uint(len(data)):
			return -1
		case data[i] == ',':
			i = text.SkipSpace(data, i+1)
		case data[i] == ']':
			d.depth++
			return i + 1
		default:
			return -1
		}
	}
}

func (d *reader) skipObject(i int) int {
	if !d.enter() {
		return -1
	}
	data := d.data
	i = text.SkipSpace(data, i+1)
	if uint(i) < uint(len(data)) && data[i] == '}' {
		d.depth++
		return i + 1
	}
	names := d.openNames()
	for {
		var ok bool
		if i, ok = d.skipName(&names, i); !ok {
			break
		}
		if i = d.skip(i); i < 0 {
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
		d.closeNames(&names)
		d.depth++
		return i + 1
	}
	d.closeNames(&names)
	return -1
}

// skipName reads the name at i, checks that it is new, and returns where its value begins.
func (d *reader) skipName(names *nameSet, i int) (int, bool) {
	start := i + 1
	if d.flags&option.AllowDuplicateNames != 0 {
		i = d.skipText(i)
	} else {
		var name []byte
		name, i = d.text(i)
		if i >= 0 && !d.addName(names, name, start, !text.Within(d.data, name, start)) {
			return 0, false
		}
	}
	if i < 0 {
		return 0, false
	}
	return d.colon(i)
}

// colon returns where the value behind a name begins that ends at i.
func (d *reader) colon(i int) (int, bool) {
	data := d.data
	if uint(i) < uint(len(data)) && data[i] != ':' {
		i = text.SkipSpace(data, i)
	}
	if uint(i) >= uint(len(data)) || data[i] != ':' {
		return 0, false
	}
	return text.SkipSpace(data, i+1), true
}
