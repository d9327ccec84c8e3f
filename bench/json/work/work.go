package work

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"sync"
	"time"

	"github.com/harena-go/arena/bench/measure"
)

// A Kind is the kind of value into which a text is read.
type Kind int

const (
	Typed   Kind = iota // Text.Type
	Maps                // any, with Go's maps
	Objects             // any, with a library's own objects
)

// A Peer is a library. A method returns nil if the library can't do its work.
type Peer interface {
	// Decoder reads data to a new value, to which it returns a pointer. The value is valid until the next call.
	Decoder(t Text, k Kind) func(data []byte) (any, error)
	// Reader reads a body to a new value of Text.Type, as a server does. The value is valid until the next call.
	Reader(t Text) func(r io.Reader) (any, error)
	// Encoder writes a value made from t. The bytes are valid until the next call.
	Encoder(t Text) (func() ([]byte, error), error)
}

// A Line is a row of one peer, in the output of a program.
type Line struct {
	Row   string
	Value float64 // seconds of the processors, or heap allocations
}

// A Row is one kind of work with one text.
type Row struct {
	Name, Group, Title string
	Allocs             bool // count heap allocations
	prepare            func(p Peer) (func() error, error)
}

// The groups of rows, whose names are prefixes of the rows' names.
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

// Rows returns all rows with the texts.
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

// InHandler reports whether a text is of a kind that arrives as a body.
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

// warm runs the work a few times before it counts.
func warm(prepare func(p Peer) (func() error, error)) func(p Peer) (func() error, error) {
	return func(p Peer) (func() error, error) {
		do, err := prepare(p)
		for i := 0; do != nil && err == nil && i < 5; i++ {
			err = do()
		}
		return do, err
	}
}

// body has only the method Read, like that of a request.
type body struct{ r io.Reader }

func (b *body) Read(p []byte) (int, error) { return b.r.Read(p) }

// Measure measures the rows with wanted names. turn is the time for each.
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

// Any is the empty interface type.
var Any = reflect.TypeFor[any]()

// Target returns the type into which a kind of work reads a text.
func Target(t Text, k Kind) reflect.Type {
	if k == Typed {
		return t.Type
	}
	return Any
}

// A Library is a peer that makes its values on the Go heap. It reads no Objects by itself.
type Library struct {
	Unmarshal func(data []byte, v any) error
	// NewEncode returns a function that writes a value; each call may reuse the buffer of the last one.
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

// Pooled reads a body to a reused buffer, and decodes it, like a server that avoids garbage. The decoder must not keep
// the bytes.
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
