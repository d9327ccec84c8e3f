package server

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// An oracle reads a line as the parser should, by means of encoding/json.
type oracle struct{ ok bool }

func (o *oracle) into(raw json.RawMessage, v any) {
	// null leaves any Go value as it is, and is no value of a field's type here.
	if bytes.Equal(bytes.TrimSpace(raw), []byte("null")) || json.Unmarshal(raw, v) != nil {
		o.ok = false
	}
}

// number is stricter than encoding/json about the digits, and like it about the rest.
func (o *oracle) number(raw json.RawMessage) (n int64) {
	text := string(bytes.TrimSpace(raw))
	n, err := strconv.ParseInt(text, 10, 64)
	o.ok = o.ok && err == nil && len(strings.TrimPrefix(text, "-")) <= maxDigits
	return n
}

func (o *oracle) list(raw json.RawMessage) (elements []json.RawMessage) {
	o.into(raw, &elements)
	return elements
}

func (o *oracle) text(raw json.RawMessage) (s string) {
	o.into(raw, &s)
	return s
}

var (
	timeFormat = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$`)
	spanFormat = regexp.MustCompile(`^([0-9a-fA-F]{16})?$`)
)

func (o *oracle) span(raw json.RawMessage) uint64 {
	text := o.text(raw)
	o.ok = o.ok && spanFormat.MatchString(text)
	n, _ := strconv.ParseUint(text, 16, 64)
	return n
}

func (o *oracle) time(raw json.RawMessage) int64 {
	text := o.text(raw)
	t, err := time.Parse(time.RFC3339Nano, text)
	o.ok = o.ok && err == nil && timeFormat.MatchString(text)
	return t.UnixMicro()
}

// record reads an object; nil if it is wrong.
func (o *oracle) record(line []byte) *Record {
	var members map[string]json.RawMessage
	o.ok = json.Unmarshal(line, &members) == nil && !repeated(line)
	r := &Record{Source: &Source{}}
	for name, raw := range members {
		switch name {
		case "ts":
			r.Time = o.time(raw)
		case "level":
			i := slices.Index(levelNames[:], o.text(raw))
			o.ok = o.ok && i >= 0
			r.Level = Level(max(i, 0))
		case "service":
			r.Source.Service = o.text(raw)
		case "host":
			r.Source.Host = o.text(raw)
		case "route":
			r.Route = o.text(raw)
		case "status":
			r.Status = o.number(raw)
		case "us":
			r.Duration = o.number(raw)
		case "trace":
			r.Trace = o.text(raw)
		case "span":
			r.Span = o.span(raw)
		case "parent":
			o.span(raw)
		case "msg":
			r.Message = o.text(raw)
		case "tags":
			for _, e := range o.list(raw) {
				r.Tags = append(r.Tags, o.text(e))
			}
		case "samples":
			for _, e := range o.list(raw) {
				r.Samples = append(r.Samples, o.number(e))
			}
		case "labels":
			values := map[string]json.RawMessage{}
			o.into(raw, &values)
			r.Labels.built = map[string]string{}
			for k, v := range values {
				r.Labels.built[k] = o.text(v)
			}
		}
	}
	if !o.ok {
		r = nil
	}
	return r
}

// repeated reports whether an object, which is correct, has a field twice. The map
// that encoding/json makes of it doesn't tell.
func repeated(line []byte) bool {
	d := json.NewDecoder(bytes.NewReader(line))
	d.Token()
	seen := map[any]bool{}
	for d.More() {
		name, _ := d.Token()
		if seen[name] && fieldCalled([]byte(name.(string))) != fieldOther {
			return true
		}
		seen[name] = true
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return false
		}
	}
	return false
}

// FuzzJSON: what encoding/json makes of a line is what the parser makes of it,
// and what it rejects the parser rejects.
func FuzzJSON(f *testing.F) {
	f.Add([]byte(wholeJSON))
	f.Add([]byte(`{"msg":"\ud83d\ude00","x":[1,{"y":null}],"tags":["a","b"],"samples":[1,2],"labels":{"a":"b"}}`))
	f.Add([]byte(`{"us":1,"us":2}`))
	f.Add([]byte(`{"x":"\u0000","y":1e5}`))
	for _, b := range Batches(4) {
		line, _, _ := bytes.Cut(b, []byte{'\n'})
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		line = bytes.TrimLeft(line, " \t\r")
		if len(line) == 0 || line[0] != '{' || bytes.IndexByte(line, '\n') >= 0 || !utf8.Valid(line) {
			t.Skip()
		}
		want := new(oracle).record(line)
		b, err := new(parser[heap]).parse(heap{}, line)
		switch {
		case err != nil && strings.Contains(err.Error(), "nested too deep"):
		case err != nil && want != nil:
			t.Errorf("%q: %v; encoding/json takes it", line, err)
		case err == nil && want == nil:
			t.Errorf("%q: no error; encoding/json has one", line)
		case err == nil && b.First.String() != want.String():
			t.Errorf("%q:\ngot  %s\nwant %s", line, b.First, want)
		}
	})
}

// FuzzBatch: whatever comes in, all handlers answer the same, or find the same
// wrong.
func FuzzBatch(f *testing.F) {
	for _, b := range Batches(6) {
		lines := bytes.SplitAfterN(b, []byte{'\n'}, 3)
		f.Add(slices.Concat(lines[0], lines[1])) // shorter ones are easier to make smaller
	}
	f.Add([]byte(wholeJSON + "\n" + wholeLogfmt + "\n{"))
	f.Add([]byte("label.a=1 label.b=2 label.c=3 label.d=4 label.e=5 label.f=6 label.g=7 label.h=8 label.i=9 label.region=x label.a=2"))
	var handlers []Handler
	for _, name := range answering {
		h, err := NewHandler(name)
		if err != nil {
			f.Fatal(err)
		}
		handlers = append(handlers, h)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var want string
		for i, h := range handlers {
			var out bytes.Buffer
			err := h.HandleFrom(bytes.NewReader(body), len(body), &out)
			got := out.String()
			if err != nil {
				if got != "" {
					t.Errorf("%s wrote %q, and failed", answering[i], got)
				}
				got = err.Error()
			}
			if i == 0 {
				want = got
			}
			if got != want {
				t.Errorf("%q:\n%s answers  %s\nthe heap %s", body, answering[i], got, want)
			}
			if err == nil && !json.Valid(out.Bytes()) {
				t.Errorf("%q: the answer is no JSON: %s", body, got)
			}
		}
	})
}
