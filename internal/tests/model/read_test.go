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

// A moody reader returns as much at a time as its plan says, or nothing, and
// its error with the last bytes or after them.
type moody struct {
	data, plan []byte
	err        error
	with       bool
	calls      int
}

func (r *moody) Read(b []byte) (n int, err error) {
	n = min(len(r.data), len(b))
	if len(r.plan) > 0 && r.calls < 1000 {
		n = min(n, int(r.plan[r.calls%len(r.plan)]))
	}
	r.calls++
	copy(b, r.data[:n])
	r.data = r.data[n:]
	if len(r.data) == 0 && (r.with || n == 0) {
		err = r.err
	}
	return n, err
}

// FuzzReadAll compares with io.ReadAll.
func FuzzReadAll(f *testing.F) {
	addKinds(f, bytes.Repeat([]byte("body"), 200), []byte{100, 0, 1, 255}, int64(512), byte(1))
	f.Fuzz(func(t *testing.T, kind byte, data, plan []byte, size int64, how byte) {
		a := fuzzed(kind)
		near := newNeighbours(a)
		err := io.EOF
		if how&2 != 0 {
			err = errors.New("broken")
		}
		reader := func() io.Reader { return &moody{data: data, plan: plan, err: err, with: how&1 != 0} }
		got, gotErr := a.ReadAll(reader(), size)
		want, wantErr := io.ReadAll(reader())
		after := a.AllocString("what comes after")
		if !bytes.Equal(got, want) || gotErr != wantErr || cap(got) != len(got) || after != "what comes after" {
			t.Fatalf("%d bytes, %v; want %d, %v", len(got), gotErr, len(want), wantErr)
		}
		near.check(t)
	})
}
