//go:build easyjson

package json

import (
	"bytes"
	"io"

	"github.com/harena-go/arena/bench/json/fixed"
	"github.com/harena-go/arena/bench/json/work"
	"github.com/mailru/easyjson"
)

func init() { newEasyPeer = func() work.Peer { return easy{} } }

// easy is easyjson, for those texts whose types it has made code for.
type easy struct{}

// An easyValue can be read and written by easyjson.
type easyValue interface {
	easyjson.Marshaler
	easyjson.Unmarshaler
}

// newEasy makes a value for a text, nil if there is no code for it.
func newEasy(name string) func() easyValue {
	switch name {
	case work.LogLine:
		return func() easyValue { return new(fixed.LogLine) }
	case work.Order:
		return func() easyValue { return new(fixed.Order) }
	case work.Members:
		return func() easyValue { return new(fixed.Members) }
	case work.Twitter, work.Compact:
		return func() easyValue { return new(fixed.Twitter) }
	}
	return nil
}

// Decoder is part of work.Peer.
func (easy) Decoder(t work.Text, k work.Kind) func(data []byte) (any, error) {
	newValue := newEasy(t.Name)
	if newValue == nil || k != work.Typed {
		return nil
	}
	return func(data []byte) (any, error) {
		v := newValue()
		return v, easyjson.Unmarshal(data, v)
	}
}

// Reader is part of work.Peer.
func (e easy) Reader(t work.Text) func(r io.Reader) (any, error) {
	if decode := e.Decoder(t, work.Typed); decode != nil {
		return work.Pooled(decode)
	}
	return nil
}

// Encoder is part of work.Peer.
func (easy) Encoder(t work.Text) (func() ([]byte, error), error) {
	newValue := newEasy(t.Name)
	if newValue == nil {
		return nil, nil
	}
	v := newValue()
	b := new(bytes.Buffer)
	return func() ([]byte, error) {
		b.Reset()
		_, err := easyjson.MarshalToWriter(v, b)
		return b.Bytes(), err
	}, easyjson.Unmarshal(t.Data, v)
}
