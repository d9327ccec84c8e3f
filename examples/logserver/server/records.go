package server

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/harena-go/arena"
)

// A Record is the content of a line. The record, its strings, and the records that it points to are in the arena of the
// request. They may point to one another: all end together.
type Record struct {
	Line     int           `json:"line"`
	Level    string        `json:"level"`
	Service  string        `json:"service"`
	Message  string        `json:"msg"`
	Took     time.Duration `json:"took"` // ns in the answer
	Fields   []Field       `json:"fields,omitempty"`
	Previous *Record       `json:"-"` // of the same service
}

// A Field is another key of a line, with its value.
type Field struct {
	Key   string `json:"key"`
	Value string `json:"value"` // numbers, arrays and the like as written
}

// Counts are the numbers of records by level.
type Counts struct {
	Debug int `json:"debug"`
	Info  int `json:"info"`
	Warn  int `json:"warn"`
	Error int `json:"error"`
}

// of returns the count of a level, or nil if there is no such level.
func (c *Counts) of(level string) *int {
	switch level {
	case "debug":
		return &c.Debug
	case "info":
		return &c.Info
	case "warn":
		return &c.Warn
	case "error":
		return &c.Error
	}
	return nil
}

func (c *Counts) add(d Counts) {
	c.Debug += d.Debug
	c.Info += d.Info
	c.Warn += d.Warn
	c.Error += d.Error
}

// parse returns the records of a body, in a, or on the Go heap if a is nil.
func parse(a *arena.Arena, contentType string, body []byte) (records []*Record, err error) {
	json := IsJSON(contentType, body)
	n := 0
	for line := range bytes.Lines(body) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		r := arena.NewOf(a, Record{Line: n})
		if err := r.Parse(a, json, line); err != nil {
			return nil, err
		}
		records = arena.Append(a, records, r)
	}
	return records, nil
}

// IsJSON reports whether records are JSON, by the content type or the first byte. Otherwise they are logfmt.
func IsJSON(contentType string, body []byte) bool {
	return strings.Contains(contentType, "json") ||
		!strings.Contains(contentType, "logfmt") && bytes.HasPrefix(bytes.TrimSpace(body), []byte("{"))
}

// Parse fills r, which only has the line's number, from a line.
func (r *Record) Parse(a *arena.Arena, json bool, line []byte) (err error) {
	if json {
		err = r.setJSON(a, line)
	} else {
		err = r.setLogfmt(a, line)
	}
	switch {
	case err != nil:
	case r.Service == "":
		err = errors.New("it has no service")
	case new(Counts).of(r.Level) == nil:
		err = fmt.Errorf("its level %.20q is not debug, info, warn or error", r.Level)
	}
	if err != nil {
		// The caller may keep an error. This one has a copy of its part of the line, and no string of the arena.
		return fmt.Errorf("line %d: %w", r.Line, err)
	}
	return nil
}

func (r *Record) set(a *arena.Arena, key, value string) (err error) {
	switch key {
	case "level":
		r.Level = value
	case "service":
		r.Service = value
	case "msg":
		r.Message = value
	case "took":
		if r.Took, err = time.ParseDuration(value); err != nil {
			err = fmt.Errorf("took %.20q is not a time such as 5ms", value)
		}
	default:
		r.Fields = arena.Append(a, r.Fields, Field{key, value})
	}
	return err
}

// setLogfmt fills r from a logfmt line, such as level=info msg="hello, world".
func (r *Record) setLogfmt(a *arena.Arena, line []byte) error {
	// One copy. All keys and values are parts of it.
	for rest := a.AllocBytesToString(line); rest != ""; rest = strings.TrimLeft(rest, " \t") {
		key, value, ok := strings.Cut(rest, "=")
		if !ok || key == "" || strings.ContainsAny(key, " \t\"") {
			return fmt.Errorf("no key=value at %.20q", rest)
		}
		n := quoted(value)
		if n == 0 {
			n = len(value)
			if i := strings.IndexAny(value, " \t"); i >= 0 {
				n = i
			}
		}
		value, rest = value[:n], value[n:]
		if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
			return fmt.Errorf("no space at %.20q", rest)
		}
		value, err := unquote(a, value)
		if err == nil {
			err = r.set(a, key, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// setJSON fills r from a line that is a JSON object.
func (r *Record) setJSON(a *arena.Arena, line []byte) error {
	if line[0] != '{' || !json.Valid(line) {
		return errors.New("it is not a JSON object")
	}
	key, value, rest := "", "", a.AllocBytesToString(line[1:])
	for {
		if key, rest = cutJSON(rest); key == "" {
			return nil
		}
		value, rest = cutJSON(rest)
		key, err := unquote(a, key)
		if err == nil {
			value, err = unquote(a, value)
		}
		if err == nil {
			err = r.set(a, key, value)
		}
		if err != nil {
			return err
		}
	}
}

// cutJSON returns the first value in s, which is the rest of a valid object, and the rest after it. At the object's end
// there is no value.
func cutJSON(s string) (value, rest string) {
	s = strings.TrimLeft(s, " \t\r:,")
	depth := 0
	for i := 0; i < len(s); i++ {
		if depth == 0 && strings.IndexByte(" \t\r:,}", s[i]) >= 0 {
			return s[:i], s[i:]
		}
		switch s[i] {
		case '"':
			i += quoted(s[i:]) - 1
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
	}
	return s, ""
}

// quoted returns the length of a quoted string at the beginning of s, or 0.
func quoted(s string) int {
	for i := 1; i < len(s) && s[0] == '"'; i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// unquote returns the content of a quoted value: a part of it, or, if it has escapes, a string that package json makes
// on the Go heap. That one is copied to the arena, so that the budget counts it.
func unquote(a *arena.Arena, s string) (string, error) {
	switch {
	case s == "" || s[0] != '"':
		return s, nil
	case quoted(s) != len(s):
		return "", fmt.Errorf("no end of the quotes at %.20q", s)
	case strings.IndexByte(s, '\\') < 0:
		return s[1 : len(s)-1], nil
	}
	var u string
	err := json.Unmarshal([]byte(s), &u)
	return a.AllocString(u), err
}

// A Summary is the answer to a request.
type Summary struct {
	Records  int       `json:"records"`
	Services []Service `json:"services,omitempty"` // by name
	Slowest  *Record   `json:"slowest,omitempty"`
	Before   []*Record `json:"before,omitempty"` // earlier records of its service, the latest first
}

// A Service is the source of some records.
type Service struct {
	Name string `json:"name"`
	Counts
}

// Add sorts the records by service, links those of each, and counts them in s, which is empty. A map would be on the Go
// heap; sorting takes no memory.
func (s *Summary) Add(a *arena.Arena, records []*Record) {
	s.Records = len(records)
	slices.SortFunc(records, func(r, q *Record) int {
		return cmp.Or(strings.Compare(r.Service, q.Service), r.Line-q.Line)
	})
	for i, r := range records {
		if i > 0 && records[i-1].Service == r.Service {
			r.Previous = records[i-1]
		} else {
			s.Services = arena.Append(a, s.Services, Service{Name: r.Service})
		}
		*s.Services[len(s.Services)-1].of(r.Level)++
		if s.Slowest == nil || r.Took > s.Slowest.Took || r.Took == s.Slowest.Took && r.Line < s.Slowest.Line {
			s.Slowest = r
		}
	}
	if s.Slowest != nil {
		for r := s.Slowest.Previous; r != nil && len(s.Before) < 3; r = r.Previous {
			s.Before = arena.Append(a, s.Before, r)
		}
	}
}
