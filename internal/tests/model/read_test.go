package model_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// TestReadAll compares with io.ReadAll, whatever size was announced and however the reader behaves.
func TestReadAll(t *testing.T) {
	broken := errors.New("broken")
	readers := map[string]func(data []byte) io.Reader{
		"plain":     func(data []byte) io.Reader { return bytes.NewReader(data) },
		"one byte":  func(data []byte) io.Reader { return iotest.OneByteReader(bytes.NewReader(data)) },
		"lazy":      func(data []byte) io.Reader { return &lazy{Reader: iotest.HalfReader(bytes.NewReader(data))} },
		"half":      func(data []byte) io.Reader { return iotest.HalfReader(bytes.NewReader(data)) },
		"end early": func(data []byte) io.Reader { return iotest.DataErrReader(bytes.NewReader(data)) },
		"broken":    func(data []byte) io.Reader { return io.MultiReader(bytes.NewReader(data), iotest.ErrReader(broken)) },
	}
	for kind, make := range arenakit.Kinds {
		for name, reader := range readers {
			for _, size := range []int{0, 1, 511, 512, 513, 5000, 100_000} {
				data := bytes.Repeat([]byte{0xC3, 1, 2}, size/3+1)[:size]
				for _, announced := range []int64{-1, 0, 1, int64(size) - 1, int64(size), int64(size) + 1, 1 << 60} {
					a := make()
					used := a.UsedBytes()
					got, err := a.ReadAll(reader(data), announced)
					want, wantErr := io.ReadAll(reader(data))
					if !bytes.Equal(got, want) || err != wantErr || cap(got) != len(got) {
						t.Fatalf("%s, %s, %d bytes, %d announced: %d bytes, %v", kind, name, size, announced, len(got), err)
					}
					// A chunk of its own isn't given back in part.
					if right := size > 511 && announced == int64(size); a != nil && right && a.UsedBytes() > used+size+1 {
						t.Errorf("%s, %s, %d bytes, %d announced: %d bytes used", kind, name, size, announced, a.UsedBytes()-used)
					}
				}
			}
		}
	}
}

// TestReadAllBelievesNobody: who announces much must send it to get memory.
func TestReadAllBelievesNobody(t *testing.T) {
	a := arena.NewArena()
	if _, err := a.ReadAll(bytes.NewReader(nil), 1<<40); err != nil || a.Stats().Reserved > 2<<20 {
		t.Errorf("%v; %v", err, a.Stats())
	}
}

// A lazy reader returns nothing now and then.
type lazy struct {
	io.Reader
	calls int
}

func (r *lazy) Read(b []byte) (int, error) {
	if r.calls++; r.calls%3 == 1 {
		return 0, nil
	}
	return r.Reader.Read(b)
}
