package script

import (
	"strconv"
	"strings"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

// A List is a list of values.
type List struct{ Items []any }

// A Dict is a table of values, which keeps the order in which keys came.
type Dict struct {
	Keys   []string
	a      *arena.Arena
	onHeap map[string]any // if a is nil: small ones take two thirds of the time
	values *collections.Map[string, any]
}

// NewDict returns an empty dict with room for n keys.
func NewDict(n int) *Dict { return NewDictIn(nil, n) }

// NewDictIn is NewDict with the dict in an arena.
func NewDictIn(a *arena.Arena, n int) *Dict {
	if a == nil {
		return &Dict{Keys: make([]string, 0, n), onHeap: make(map[string]any, n)}
	}
	keys := arena.MakeSlice[string](a, 0, n)
	return arena.NewOf(a, Dict{Keys: keys, a: a, values: collections.NewMap[string, any](a, n)})
}

// Get returns the value of a key, nil if there is none.
func (d *Dict) Get(key string) any {
	if d.a == nil {
		return d.onHeap[key]
	}
	v, _ := d.values.Get(key)
	return v
}

// Set gives a key a value.
func (d *Dict) Set(key string, v any) {
	var known bool
	if d.a == nil {
		_, known = d.onHeap[key]
		d.onHeap[key] = v
	} else {
		known = d.values.Has(key)
		d.values.Set(key, v)
	}
	if !known {
		d.Keys = arena.Append(d.a, d.Keys, key)
	}
}

// A builtin is a function that every script has.
type builtin struct {
	name string
	args int
	call func(in *interp, line int, args []any) any
}

var builtins = [...]builtin{
	{"len", 1, func(in *interp, line int, args []any) any { return arena.Box(in.a, length(line, args[0])) }},
	{"str", 1, func(in *interp, line int, args []any) any { return arena.Box(in.a, in.str(line, args[0])) }},
	{"int", 1, func(in *interp, line int, args []any) any {
		n, err := strconv.ParseInt(want[string](line, args[0]), 10, 64)
		if err != nil {
			return nil
		}
		return arena.Box(in.a, n)
	}},
	{"push", 2, func(in *interp, line int, args []any) any {
		l := want[*List](line, args[0])
		l.Items = arena.Append[any](in.a, l.Items, args[1])
		return l
	}},
	{"keys", 1, func(in *interp, line int, args []any) any {
		d := want[*Dict](line, args[0])
		l := in.list(len(d.Keys))
		for i, k := range d.Keys {
			l.Items[i] = arena.Box(in.a, k)
		}
		return l
	}},
	{"range", 1, func(in *interp, line int, args []any) any {
		n := want[int64](line, args[0])
		if n < 0 || n > maxText {
			fail(line, "a range of %d", n)
		}
		l := in.list(int(n))
		for i := range l.Items {
			l.Items[i] = arena.Box(in.a, int64(i))
		}
		return l
	}},
	{"split", 2, func(in *interp, line int, args []any) any {
		l := in.list(0)
		for part := range strings.SplitSeq(want[string](line, args[0]), want[string](line, args[1])) {
			l.Items = arena.Append(in.a, l.Items, arena.Box(in.a, part))
		}
		return l
	}},
	{"join", 2, func(in *interp, line int, args []any) any {
		sep := want[string](line, args[1])
		in.buf = in.buf[:0]
		for i, v := range want[*List](line, args[0]).Items {
			if i > 0 {
				in.buf = append(in.buf, sep...)
			}
			in.buf = appendValue(in.buf, line, v, 0)
		}
		return arena.Box(in.a, in.a.AllocBytesToString(in.buf))
	}},
	{"print", 1, func(in *interp, line int, args []any) any {
		in.buf = append(appendValue(in.buf[:0], line, args[0], 0), '\n')
		in.out.Write(in.buf)
		return nil
	}},
}

// want returns a value of a type, or fails.
func want[T any](line int, v any) T {
	t, ok := v.(T)
	if !ok {
		fail(line, "this is %s", kindOf(v))
	}
	return t
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "nil"
	case bool:
		return "a truth value"
	case int64:
		return "a number"
	case string:
		return "a text"
	case *List:
		return "a list"
	case *Dict:
		return "a dict"
	}
	return "a function"
}

func length(line int, v any) int64 {
	switch v := v.(type) {
	case string:
		return int64(len(v))
	case *List:
		return int64(len(v.Items))
	case *Dict:
		return int64(len(v.Keys))
	}
	fail(line, "%s has no length", kindOf(v))
	return 0
}

// str returns a value as a text.
func (in *interp) str(line int, v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	in.buf = appendValue(in.buf[:0], line, v, 0)
	return in.a.AllocBytesToString(in.buf)
}

// appendValue appends a value as a text, a part of another one if depth isn't 0.
func appendValue(b []byte, line int, v any, depth int) []byte {
	if depth > maxDepth || len(b) > maxText {
		fail(line, "this is too large for a text")
	}
	switch v := v.(type) {
	case nil:
		return append(b, "nil"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case string:
		if depth == 0 {
			return append(b, v...)
		}
		return strconv.AppendQuote(b, v)
	case *List:
		b = append(b, '[')
		for i, item := range v.Items {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = appendValue(b, line, item, depth+1)
		}
		return append(b, ']')
	case *Dict:
		b = append(b, '{')
		for i, key := range v.Keys {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = append(append(b, key...), ": "...)
			b = appendValue(b, line, v.Get(key), depth+1)
		}
		return append(b, '}')
	case *Func:
		return append(append(b, "fn "...), v.name...)
	case *builtin:
		return append(append(b, "fn "...), v.name...)
	}
	return append(b, '?')
}

// Format returns a value of a script as a text, "..." if it is too large for one.
func Format(v any) (s string) {
	defer func() {
		if _, tooLarge := recover().(*Error); tooLarge {
			s = "..."
		}
	}()
	return string(appendValue(nil, 0, v, 0))
}
