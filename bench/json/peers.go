package json

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"

	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/encoder"
	jsonv2 "github.com/go-json-experiment/json"
	goccy "github.com/goccy/go-json"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/bench/json/work"
	"github.com/harena-go/arena/bench/suite"
)

// newPeer returns a library in Go that is part of this program. Each writes to a reused buffer, through its own means
// for that.
func newPeer(name string) (work.Peer, error) {
	switch name {
	case suite.StandardJSON:
		return work.Library{Unmarshal: stdjson.Unmarshal, NewEncode: toBuffer(func(b *bytes.Buffer) func(v any) error {
			return stdjson.NewEncoder(b).Encode
		})}, nil
	case suite.V2JSON:
		return work.Library{Unmarshal: func(b []byte, v any) error { return jsonv2.Unmarshal(b, v) },
			NewEncode: toBuffer(func(b *bytes.Buffer) func(v any) error {
				return func(v any) error { return jsonv2.MarshalWrite(b, v) }
			})}, nil
	case suite.GoccyJSON:
		return work.Library{Unmarshal: goccy.Unmarshal, NewEncode: toBuffer(func(b *bytes.Buffer) func(v any) error {
			return goccy.NewEncoder(b).Encode
		})}, nil
	case suite.SonicJSON:
		return work.Library{Unmarshal: sonic.ConfigStd.Unmarshal, NewEncode: sonicEncode}, nil
	case suite.HarenaOnHeap, suite.HarenaBatch:
		var opts []arenajson.Options
		if name == suite.HarenaBatch {
			opts = append(opts, arenajson.Batch())
		}
		return work.Library{Unmarshal: func(b []byte, v any) error { return arenajson.Unmarshal(nil, b, v, opts...) },
			NewEncode: toBytes(func(b []byte, v any) ([]byte, error) { return arenajson.Append(b, v, asStd) })}, nil
	case suite.Harena:
		return newOurs(), nil
	case suite.HarenaReference:
		return reference{newOurs()}, nil
	}
	return nil, fmt.Errorf("json: no peer %q", name)
}

// toBuffer writes to one buffer with a library's encoder.
func toBuffer(newEncoder func(b *bytes.Buffer) func(v any) error) func(v any) func() ([]byte, error) {
	return func(v any) func() ([]byte, error) {
		b := new(bytes.Buffer)
		encode := newEncoder(b)
		return func() ([]byte, error) {
			b.Reset()
			err := encode(v)
			return b.Bytes(), err
		}
	}
}

// toBytes writes with a function that appends.
func toBytes(encode func(b []byte, v any) ([]byte, error)) func(v any) func() ([]byte, error) {
	return func(v any) func() ([]byte, error) {
		var b []byte
		return func() (_ []byte, err error) {
			b, err = encode(b[:0], v)
			return b, err
		}
	}
}

// sonicEncode writes like sonic.ConfigStd, to a reused buffer.
var sonicEncode = toBytes(func(b []byte, v any) ([]byte, error) {
	const std = encoder.EscapeHTML | encoder.SortMapKeys | encoder.CompactMarshaler | encoder.ValidateString
	err := encoder.EncodeInto(&b, v, std)
	return b, err
})
