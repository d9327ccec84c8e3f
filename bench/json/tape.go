package json

import (
	"errors"
	"io"

	"github.com/harena-go/arena/bench/json/work"
	"github.com/minio/simdjson-go"
)

// tape is simdjson-go. It reads to a tape, which it uses again. Go's maps can be made of the tape, with
// integers as int64. As objects of its own kind the tape itself counts: each value on it is looked
// at once.
type tape struct{ parsed *simdjson.ParsedJson }

func newTape() (work.Peer, error) {
	if !simdjson.SupportedCPU() {
		return nil, errors.New("simdjson-go needs a processor with AVX2 and CLMUL")
	}
	return &tape{}, nil
}

// Decoder is part of work.Peer.
func (p *tape) Decoder(_ work.Text, k work.Kind) func(data []byte) (any, error) {
	switch k {
	case work.Maps:
		return func(data []byte) (any, error) {
			root, err := p.parse(data)
			if err != nil {
				return nil, err
			}
			v, err := root.Interface()
			return &v, err
		}
	case work.Objects:
		return func(data []byte) (any, error) {
			root, err := p.parse(data)
			if err != nil {
				return nil, err
			}
			return p.parsed, look(root)
		}
	}
	return nil
}

// parse returns the place of the value on the tape.
func (p *tape) parse(data []byte) (simdjson.Iter, error) {
	parsed, err := simdjson.Parse(data, p.parsed)
	if err != nil {
		return simdjson.Iter{}, err
	}
	p.parsed = parsed
	top := parsed.Iter()
	top.Advance()
	var root simdjson.Iter
	_, _, err = top.Root(&root)
	return root, err
}

// seen keeps what look looks at from being left out.
var seen uint64

// look reads each value on the tape.
func look(i simdjson.Iter) error {
	all := seen
	for t := i.Type(); t != simdjson.TypeNone; t = i.AdvanceInto().Type() {
		switch t {
		case simdjson.TypeString:
			s, err := i.StringBytes()
			if err != nil {
				return err
			}
			all += uint64(len(s))
		case simdjson.TypeInt:
			n, err := i.Int()
			if err != nil {
				return err
			}
			all += uint64(n)
		case simdjson.TypeFloat:
			f, err := i.Float()
			if err != nil {
				return err
			}
			all += uint64(int64(f))
		}
	}
	seen = all
	return nil
}

// Reader is part of work.Peer: there are no types to read to.
func (*tape) Reader(work.Text) func(io.Reader) (any, error) { return nil }

// Encoder is part of work.Peer.
func (*tape) Encoder(work.Text) (func() ([]byte, error), error) { return nil, nil }
