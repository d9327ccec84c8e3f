package plan

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file parses the tags of fields. A tag is a name and options, separated by commas. It is
// parsed as in encoding/json/v2: the first error is kept, and the rest of the tag still counts,
// since the options of v1 report no error.

// A Tag is the contents of a field's tag `json:"..."`, and the name from it or from the field.
type Tag struct {
	Name      string
	hasName   bool // it is from the tag
	casing    int8
	embed     bool
	OmitZero  bool
	OmitEmpty bool
	quoted    bool
	format    string
}

// The values of the tag option case. Both at once is an error.
const (
	caseIgnore = 1
	caseStrict = 2
)

// A tagError collects the errors in a tag; the first counts.
type tagError struct {
	field string
	err   error
}

// add records an error, unless there is one.
func (e *tagError) add(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf("Go struct field "+e.field+" "+format, args...)
	}
}

// parseTag returns the contents of a field's tag, and whether the field is ignored. On an error,
// the rest of the tag still counts.
func parseTag(sf reflect.StructField) (t Tag, ignored bool, err error) {
	s, has := sf.Tag.Lookup("json")
	if s == "-" {
		return t, true, nil
	}
	e := tagError{field: sf.Name}
	// Unexported fields have no tag, unless they are embedded.
	if !sf.IsExported() && !sf.Anonymous {
		if has {
			err = fmt.Errorf("unexported Go struct field %s cannot have non-ignored `json:%q` tag", sf.Name, s)
		}
		return t, true, err
	}
	t.Name = sf.Name
	if s != "" && s[0] != ',' {
		s = t.parseName(s, &e)
	}
	seen := map[string]bool{}
	ended := false // format was seen, which must be the last
	for s != "" {
		// One comma separates two options.
		if s[0] != ',' {
			e.add("has malformed `json` tag: invalid character %q before next option (expecting ',')", s[0])
		} else if s = s[1:]; s == "" {
			e.add("has malformed `json` tag: invalid trailing ',' character")
			break
		}
		if ended {
			e.add("has `format` tag option that was not specified last")
		}
		s = t.option(s, seen, &e)
		ended = ended || t.format != ""
	}
	return t, false, e.err
}

// parseName parses the name at the beginning of a tag, and returns the rest. A name with quotes or
// backslashes is invalid, and the field keeps its own.
func (t *Tag) parseName(s string, e *tagError) string {
	n := strings.IndexAny(s, ",\\'\"`")
	if n < 0 {
		n = len(s)
	}
	// A name ends at a comma; with quotes in it, it is parsed as an identifier, and is an error.
	name, bad := s[:n], error(nil)
	if n < len(s) && s[n] != ',' {
		if name, n, bad = tagWord(s); bad != nil {
			e.add("has malformed `json` tag: %v", bad)
		}
	}
	if !utf8.ValidString(name) {
		e.add("has JSON object name %q with invalid UTF-8", name)
		name = string([]rune(name))
	}
	if bad == nil {
		t.Name, t.hasName = name, true
	}
	return s[n:]
}

// option parses one option, and returns the rest. seen are the options before it: a second of the
// same kind is an error. Unknown options are skipped, unless one looks like a misspelled known one.
func (t *Tag) option(s string, seen map[string]bool, e *tagError) string {
	word, n, err := tagWord(s)
	if err != nil {
		e.add("has malformed `json` tag: %v", err)
	}
	s = s[n:]
	switch word {
	case "case":
		s = t.parseCasing(s, e)
	case "embed":
		t.embed = true
	case "omitzero":
		t.OmitZero = true
	case "omitempty":
		t.OmitEmpty = true
	case "string":
		t.quoted = true
	// The format is the whole rest, commas too.
	case "format":
		if s = strings.TrimPrefix(s, ":"); s == "" {
			e.add("is missing value for `format` tag option")
			break
		}
		t.format, s = s, ""
	default:
		// A known option in upper case, or with underscores, is most likely a mistake.
		switch norm := strings.ReplaceAll(strings.ToLower(word), "_", ""); norm {
		case "case", "embed", "omitzero", "omitempty", "string", "format":
			e.add("has invalid appearance of `%s` tag option; specify `%s` instead", word, norm)
		}
	}
	if t.casing == caseIgnore|caseStrict {
		e.add("cannot have both `case:ignore` and `case:strict` tag options")
	} else if seen[word] {
		e.add("has duplicate appearance of `%s` tag option", word)
	}
	seen[word] = true
	return s
}

// parseCasing parses the value of the option case, and returns the rest.
func (t *Tag) parseCasing(s string, e *tagError) string {
	if !strings.HasPrefix(s, ":") {
		e.add("is missing value for `case` tag option; specify `case:ignore` or `case:strict` instead")
		return s
	}
	word, n, err := tagWord(s[1:])
	switch {
	case err != nil:
		e.add("has malformed value for `case` tag option: %v", err)
		return s[1:]
	case word == "ignore":
		t.casing |= caseIgnore
	case word == "strict":
		t.casing |= caseStrict
	default:
		e.add("has unknown `case:%s` tag value", word)
	}
	return s[1+n:]
}

// tagWord returns the identifier that s begins with, and its length. If there is none, it returns
// the text up to the next comma, and an error.
func tagWord(s string) (string, int, error) {
	if r, _ := utf8.DecodeRuneInString(s); s != "" && (r == '_' || unicode.IsLetter(r)) {
		n := strings.IndexFunc(s, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r) })
		if n < 0 {
			n = len(s)
		}
		return s[:n], n, nil
	}
	n := strings.IndexByte(s, ',')
	if n < 0 {
		n = len(s)
	}
	if s == "" {
		return s, 0, errors.New("unexpected EOF")
	}
	r, _ := utf8.DecodeRuneInString(s)
	return s[:n], n, fmt.Errorf("invalid character %q at start of option (expecting Unicode letter)", r)
}
