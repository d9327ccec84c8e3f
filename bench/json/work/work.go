package work

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/harena-go/arena/bench/measure"
)

// A Kind is what a text is read to.
type Kind int

const (
	Typed   Kind = iota // Text.Type
	Maps                // any, with Go's maps
	Objects             // any, with whatever a library has for objects
)

// A Peer is a library. It answers nil for what it doesn't do.
type Peer interface {
	// Decoder reads data to a new value, to which it returns a pointer. The value is good until
	// the next call.
	Decoder(t Text, k Kind) func(data []byte) (any, error)
	// Reader reads a body to a new value of Text.Type, as a server does, which is good until
	// the next call.
	Reader(t Text) func(r io.Reader) (any, error)
	// Encoder writes a value that was made of t. The bytes are good until the next call.
	Encoder(t Text) (func() ([]byte, error), error)
}

// A Line is a row of one peer, as programs print it.
type Line struct {
	Row   string
	Value float64 // seconds of the processors, or heap allocations
}

// A Row is one kind of work with one text.
type Row struct {
	Name, Group, Title string
	Allocs             bool // it counts heap allocations
	prepare            func(p Peer) (func() error, error)
}

// The groups of rows, which begin the rows' names.
const (
	First   = "first"
	ToType  = "typed"
	ToMaps  = "any"
	ToAny   = "object"
	Write   = "write"
	Body    = "handler"
	Few     = "members"
	Server  = "server"
	InAny   = "server-any"
	Mallocs = "allocs"
)

var titles = map[string]string{
	First:   "the first time",
	ToType:  "to structs",
	ToMaps:  "to any",
	ToAny:   "to any, objects as the library likes",
	Write:   "from structs",
	Body:    "handler: body to value",
	Few:     "4 of 60 members wanted, rest validated",
	Server:  "to structs, 32 MB beside",
	InAny:   "to any, 32 MB beside",
	Mallocs: "heap allocations",
}

// Rows are all rows with the texts.
func Rows(texts []Text) (rows []Row) {
	for _, t := range texts {
		add := func(group string, prepare func(p Peer) (func() error, error)) {
			rows = append(rows, Row{group + "-" + t.Name, group, titles[group] + ", " + t.Title(), false, prepare})
		}
		if t.Name == Twitter {
			add(First, func(p Peer) (func() error, error) { return decoding(p, t, Typed), nil })
		}
		if t.Some {
			add(Few, warm(func(p Peer) (func() error, error) { return decoding(p, t, Typed), nil }))
			continue
		}
		if Served(t.Name) {
			add(Server, warm(func(p Peer) (func() error, error) { return decoding(p, t, Typed), nil }))
			if t.Name == Pods || t.Name == Events {
				add(InAny, warm(func(p Peer) (func() error, error) { return decoding(p, t, Maps), nil }))
			}
			continue
		}
		add(ToType, warm(func(p Peer) (func() error, error) { return decoding(p, t, Typed), nil }))
		add(ToMaps, warm(func(p Peer) (func() error, error) { return decoding(p, t, Maps), nil }))
		add(ToAny, warm(func(p Peer) (func() error, error) { return decoding(p, t, Objects), nil }))
		add(Write, warm(func(p Peer) (func() error, error) { return encoding(p, t) }))
		if InHandler(t.Name) {
			add(Body, warm(func(p Peer) (func() error, error) { return reading(p, t), nil }))
		}
	}
	for _, r := range rows {
		if r.Group == Body || r.Group == Write || r.Group == Server || r.Group == InAny {
			rows = append(rows, Row{Mallocs + "-" + r.Name, Mallocs, titles[Mallocs] + ", " + r.Title, true, r.prepare})
		}
	}
	return rows
}

// InHandler reports whether a text is of a kind that comes as a body.
func InHandler(name string) bool { return name == LogLine || name == Order || name == Compact }

func decoding(p Peer, t Text, k Kind) func() error {
	decode := p.Decoder(t, k)
	if decode == nil {
		return nil
	}
	return func() error { return second(decode(t.Data)) }
}

func reading(p Peer, t Text) func() error {
	read := p.Reader(t)
	if read == nil {
		return nil
	}
	r := bytes.NewReader(nil)
	b := &body{r}
	return func() error {
		r.Reset(t.Data)
		return second(read(b))
	}
}

func encoding(p Peer, t Text) (func() error, error) {
	encode, err := p.Encoder(t)
	if encode == nil || err != nil {
		return nil, err
	}
	return func() error { return second(encode()) }, nil
}

func second[T any](_ T, err error) error { return err }

// warm does the work a few times before it counts.
func warm(prepare func(p Peer) (func() error, error)) func(p Peer) (func() error, error) {
	return func(p Peer) (func() error, error) {
		do, err := prepare(p)
		for i := 0; do != nil && err == nil && i < 5; i++ {
			err = do()
		}
		return do, err
	}
}

// body has no method but Read, as that of a request.
type body struct{ r io.Reader }

func (b *body) Read(p []byte) (int, error) { return b.r.Read(p) }

// Measure does the rows whose names are wanted. turn is how long each takes.
func Measure(p Peer, rows []Row, wants func(name string) bool, turn time.Duration) (lines []Line, err error) {
	for _, r := range rows {
		if !wants(r.Name) {
			continue
		}
		beside = nil
		if r.Group == Server || r.Group == InAny {
			fill()
		}
		do, err := r.prepare(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Name, err)
		}
		if do == nil {
			continue
		}
		value := 0.0
		switch {
		case r.Allocs:
			value, err = measure.AllocsPerCall(do, turn)
		case r.Group == First:
			value, err = measure.Once(do)
		default:
			value, err = measure.PerCall(do, turn)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Name, err)
		}
		lines = append(lines, Line{r.Name, value})
	}
	return lines, nil
}

// Any is the type of what may be anything.
var Any = reflect.TypeFor[any]()

// Target is the type of what a kind of work makes of a text.
func Target(t Text, k Kind) reflect.Type {
	if k == Typed {
		return t.Type
	}
	return Any
}

// A Library is a peer that makes its values on the Go heap. Objects it does only if it says how.
type Library struct {
	Unmarshal func(data []byte, v any) error
	// NewEncode returns what writes a value; each call may use the buffer of the last one.
	NewEncode func(v any) func() ([]byte, error)
}

// Decoder is part of Peer.
func (l Library) Decoder(t Text, k Kind) func(data []byte) (any, error) {
	if k == Objects {
		return nil
	}
	typ := Target(t, k)
	return func(data []byte) (any, error) {
		v := reflect.New(typ).Interface()
		return v, l.Unmarshal(data, v)
	}
}

// Reader is part of Peer.
func (l Library) Reader(t Text) func(r io.Reader) (any, error) { return Pooled(l.Decoder(t, Typed)) }

// Encoder is part of Peer.
func (l Library) Encoder(t Text) (func() ([]byte, error), error) {
	v := reflect.New(t.Type)
	return l.NewEncode(v.Interface()), l.Unmarshal(t.Data, v.Interface())
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Pooled reads a body to a buffer that is used again, and decodes that: what a server does that
// looks at its garbage. The decoder must not keep the bytes.
func Pooled(decode func(data []byte) (any, error)) func(r io.Reader) (any, error) {
	return func(r io.Reader) (any, error) {
		b := buffers.Get().(*bytes.Buffer)
		defer buffers.Put(b)
		b.Reset()
		if _, err := b.ReadFrom(r); err != nil {
			return nil, err
		}
		return decode(b.Bytes())
	}
}

// Wants is the choice of rows whose names begin so.
func Wants(prefix string) func(name string) bool {
	return func(name string) bool { return strings.HasPrefix(name, prefix) }
}
