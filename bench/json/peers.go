package json

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"reflect"

	"github.com/bytedance/sonic"
	jsonv2 "github.com/go-json-experiment/json"
	goccy "github.com/goccy/go-json"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
	jsoniter "github.com/json-iterator/go"
	segmentio "github.com/segmentio/encoding/json"
)

// The names of those that take part.
const (
	Standard  = "std"    // encoding/json
	V2        = "std-v2" // encoding/json/v2, as a module
	Goccy     = "goccy"
	Sonic     = "sonic"
	Segmentio = "segmentio"
	Jsoniter  = "jsoniter"
	OurHeap   = "harena-heap"
)

// A peer reads and writes JSON.
type peer interface {
	// decode reads data to a new value of a type.
	decode(data []byte, t reflect.Type) error
	// decodeTo reads data to what v points to; the value stays valid until the next call.
	decodeTo(data []byte, v any) error
	encode(v any) error
}

func newPeer(name string) (peer, error) {
	switch name {
	case Standard:
		return newStandard(), nil
	case V2:
		return library{func(b []byte, v any) error { return jsonv2.Unmarshal(b, v) }, func(v any) error {
			_, err := jsonv2.Marshal(v)
			return err
		}}, nil
	case Goccy:
		return library{goccy.Unmarshal, func(v any) error { return second(goccy.Marshal(v)) }}, nil
	case Sonic:
		return library{sonic.ConfigStd.Unmarshal, func(v any) error { return second(sonic.ConfigStd.Marshal(v)) }}, nil
	case Segmentio:
		return library{segmentio.Unmarshal, func(v any) error { return second(segmentio.Marshal(v)) }}, nil
	case Jsoniter:
		c := jsoniter.ConfigCompatibleWithStandardLibrary
		return library{c.Unmarshal, func(v any) error { return second(c.Marshal(v)) }}, nil
	case OurHeap:
		return library{func(b []byte, v any) error { return arenajson.Unmarshal(nil, b, v) },
			func(v any) error { return second(arenajson.Append(nil, v)) }}, nil
	case "harena":
		return &ours{a: arena.NewArena()}, nil
	}
	return nil, fmt.Errorf("json: no peer %q", name)
}

func second(_ []byte, err error) error { return err }

// A library makes its values on the Go heap.
type library struct {
	unmarshal func(b []byte, v any) error
	marshal   func(v any) error
}

func newStandard() peer {
	return library{stdjson.Unmarshal, func(v any) error { return second(stdjson.Marshal(v)) }}
}

func (l library) decode(data []byte, t reflect.Type) error {
	return l.unmarshal(data, reflect.New(t).Interface())
}
func (l library) decodeTo(data []byte, v any) error { return l.unmarshal(data, v) }
func (l library) encode(v any) error                { return l.marshal(v) }

// ours is arenajson with an arena.
type ours struct {
	a   *arena.Arena
	key arena.TypeKey
	buf bytes.Buffer
}

func (o *ours) decode(data []byte, t reflect.Type) error {
	o.a.Reset()
	if o.key == (arena.TypeKey{}) || o.key.Type() != t {
		o.key = arena.KeyOf(t)
	}
	return arenajson.Unmarshal(o.a, data, reflect.NewAt(t, arena.NewType(o.a, o.key)).Interface())
}

func (o *ours) decodeTo(data []byte, v any) error {
	o.a.Reset()
	return arenajson.Unmarshal(o.a, data, v)
}

func (o *ours) encode(v any) error {
	o.buf.Reset()
	return arenajson.MarshalWrite(&o.buf, v)
}
