package json

import (
	"io"
	"reflect"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/bench/json/work"
)

// asStd makes arenajson write the same bytes as encoding/json, like the libraries that it is compared with.
var asStd = arenajson.DefaultOptionsV1()

// ours is arenajson with an arena, and in a handler with a pool of arenas.
type ours struct {
	a    *arena.Arena
	pool *arena.Pool
	held *arena.Arena // of the pool; has the last value read
}

func newOurs() *ours { return &ours{a: arena.NewArena(), pool: arena.NewPool(arena.WithReuse())} }

// Decoder is part of work.Peer.
func (o *ours) Decoder(t work.Text, k work.Kind) func(data []byte) (any, error) {
	var opts []arenajson.Options
	if k == work.Objects {
		opts = append(opts, arenajson.OrderedObjects(true))
	}
	typ := work.Target(t, k)
	key := arena.KeyOf(typ)
	return func(data []byte) (any, error) {
		o.a.Reset()
		v := reflect.NewAt(typ, key.New(o.a)).Interface()
		return v, arenajson.Unmarshal(o.a, data, v, opts...)
	}
}

// Reader is part of work.Peer. A server would write its answer before Put; here the next request puts the arena back,
// so that the value can be compared.
func (o *ours) Reader(t work.Text) func(r io.Reader) (any, error) {
	return o.reader(t, func(a *arena.Arena, r io.Reader, v any) error { return arenajson.UnmarshalRead(a, r, v) })
}

func (o *ours) reader(t work.Text, read func(a *arena.Arena, r io.Reader, v any) error) func(r io.Reader) (any, error) {
	key := arena.KeyOf(t.Type)
	return func(r io.Reader) (any, error) {
		if o.held != nil {
			o.pool.Put(o.held)
		}
		o.held = o.pool.Get()
		v := reflect.NewAt(t.Type, key.New(o.held)).Interface()
		return v, read(o.held, r, v)
	}
}

// Encoder is part of work.Peer.
func (o *ours) Encoder(t work.Text) (func() ([]byte, error), error) {
	v := reflect.New(t.Type).Interface()
	encode := toBytes(func(b []byte, v any) ([]byte, error) { return arenajson.Append(b, v, asStd) })
	return encode(v), arenajson.Unmarshal(nil, t.Data, v)
}

// reference is ours with the body read to the arena, where its strings stay.
type reference struct{ *ours }

// Decoder is part of work.Peer: data needn't be valid for as long as the value, so it isn't measured.
func (reference) Decoder(work.Text, work.Kind) func([]byte) (any, error) { return nil }

// Encoder is part of work.Peer.
func (reference) Encoder(work.Text) (func() ([]byte, error), error) { return nil, nil }

// Reader is part of work.Peer.
func (o reference) Reader(t work.Text) func(r io.Reader) (any, error) {
	return o.reader(t, func(a *arena.Arena, r io.Reader, v any) error {
		data, err := a.ReadAll(r, int64(len(t.Data))) // the request's ContentLength
		if err != nil {
			return err
		}
		return arenajson.Unmarshal(a, data, v, arenajson.ReferenceInput(true))
	})
}
