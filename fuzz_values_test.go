package arena_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
)

// This file fuzzes single functions: each does what its counterpart in Go does,
// and leaves alone what else is in the arena.

// fuzzed returns an arena of one of the kinds without a limit, or nil.
func fuzzed(kind byte) *arena.Arena {
	sets := slices.DeleteFunc(slices.Clone(optionSets), func(s optionSet) bool { return s.limit > 0 || s.untrusted })
	if int(kind)%(len(sets)+1) == len(sets) {
		return nil
	}
	return (&world{set: sets[int(kind)%(len(sets)+1)]}).newRoot().a
}

// addKinds adds seeds, one for each kind of arena.
func addKinds(f *testing.F, args ...any) {
	for kind := range byte(12) {
		f.Add(append([]any{kind}, args...)...)
	}
}

// neighbours are values around the one that a test is about.
type neighbours struct {
	p *[3]uint64
	s []byte
	q []*int
}

func newNeighbours(a *arena.Arena) neighbours {
	return neighbours{
		arena.NewOf(a, [3]uint64{1, 2, 3}), arena.Append(a, nil, []byte("the slice before")...), arena.Append(a, nil, &decoy, &decoy),
	}
}

func (n neighbours) check(t *testing.T) {
	t.Helper()
	if *n.p != [3]uint64{1, 2, 3} || string(n.s) != "the slice before" || n.q[0] != &decoy || n.q[1] != &decoy {
		t.Fatalf("a neighbour was overwritten: %v, %q, %v", *n.p, n.s, n.q)
	}
}

// FuzzStrings copies all parts of a text.
func FuzzStrings(f *testing.F) {
	addKinds(f, []byte("some text of which all parts are copied, one after the other"), byte(5))
	f.Fuzz(func(t *testing.T, kind byte, text []byte, step byte) {
		a := fuzzed(kind)
		near := newNeighbours(a)
		text = bytes.Clone(text) // what fuzz targets are given must not be changed
		var got, want []string
		for i := 0; i <= len(text); i += 1 + int(step) {
			got = append(got, a.AllocString(string(text[i:])), a.AllocBytesToString(text[:i]))
			want = append(want, string(text[i:]), string(text[:i]))
			if len(got) > 40 {
				break
			}
		}
		clear(text) // they are copies
		if !slices.Equal(got, want) {
			t.Fatalf("%q; want %q", got, want)
		}
		near.check(t)
	})
}

// FuzzSprintf compares with fmt.Sprintf.
func FuzzSprintf(f *testing.F) {
	addKinds(f, "%d %s %5.2f %v", "text", 42, 1.5)
	f.Add(byte(0), "%300d|%!|%[5]*d", "x", -1, math.Inf(1))
	f.Fuzz(func(t *testing.T, kind byte, format, s string, n int, x float64) {
		if strings.Count(format, "%") > 8 || len(format) > 1000 { // widths of a million add up
			return
		}
		a := fuzzed(kind)
		near := newNeighbours(a)
		got := a.Sprintf(format, s, n, x, []string{s})
		near.s = arena.Append(a, near.s, '!')
		if want := fmt.Sprintf(format, s, n, x, []string{s}); got != want {
			t.Fatalf("%q; want %q", got, want)
		}
		near.s = near.s[:len(near.s)-1]
		near.check(t)
	})
}

// FuzzAppendSeq compares with slices.AppendSeq. The sequence allocates too.
func FuzzAppendSeq(f *testing.F) {
	addKinds(f, []byte("sequence"), 3)
	f.Fuzz(func(t *testing.T, kind byte, data []byte, have int) {
		a := fuzzed(kind)
		near := newNeighbours(a)
		data = data[:min(len(data), 300)]
		have = min(max(have, 0), len(data))
		seq := func(yield func(string) bool) {
			for i, b := range data {
				arena.MakeSlice[byte](a, int(b)%9, int(b)%9)
				if !yield(a.AllocString(string(data[:i]))) {
					return
				}
			}
		}
		var some []string
		for range have {
			some = append(some, "before")
		}
		got, want := arena.AppendSeq(a, arena.CopySlice(a, some), seq), slices.AppendSeq(slices.Clone(some), seq)
		all := arena.Collect(a, seq)
		if !slices.Equal(got, want) || !slices.Equal(all, want[have:]) || (all == nil) != (len(data) == 0) {
			t.Fatalf("AppendSeq: %q, Collect: %q; want %q", got, all, want)
		}
		near.check(t)
	})
}

// FuzzAlloc takes raw memory of any size and alignment: three bytes each.
func FuzzAlloc(f *testing.F) {
	addKinds(f, []byte("\x00\x01\x00\x00\x08\x03\x01\x00\x06\x00\x40\x0c\x00\x05\x0d\x07\xff\x02"))
	f.Fuzz(func(t *testing.T, kind byte, steps []byte) {
		a := fuzzed(kind)
		near := newNeighbours(a)
		var all [][]byte
		for i := 0; i+2 < min(len(steps), 150); i += 3 {
			size, align := uintptr(steps[i])<<8|uintptr(steps[i+1]), uintptr(1)<<(steps[i+2]%14)
			if steps[i+2] >= 0xF0 {
				align = uintptr(steps[i])
			}
			var p unsafe.Pointer
			v := caught(func() { p = a.Alloc(size, align) })
			if bad := align > 4096 || align == 0 || align&(align-1) != 0; bad != (v != nil) {
				t.Fatalf("Alloc(%d, %d): panic %v", size, align, v)
			}
			if v != nil || size == 0 {
				continue
			}
			b := bytesAt(p, int(size))
			if !allZero(b) || uintptr(p)%align != 0 || size >= 8 && uintptr(p)%8 != 0 {
				t.Fatalf("Alloc(%d, %d): %x, zero: %v", size, align, p, allZero(b))
			}
			for j := range b {
				b[j] = byte(len(all) + 1)
			}
			all = append(all, b)
		}
		for i, b := range all {
			if bytes.Count(b, []byte{byte(i + 1)}) != len(b) {
				t.Fatalf("block %d of %d bytes was overwritten", i, len(b))
			}
		}
		near.check(t)
	})
}

// FuzzMakeSlice asks for any length and capacity, negative and absurd ones too:
// a slice as from make, or a panic that says why, and the arena is as before.
func FuzzMakeSlice(f *testing.F) {
	f.Add(1, 2, false)
	f.Add(-1, 2, true)
	f.Add(3, 2, false)
	f.Add(0, math.MaxInt, false)
	f.Add(math.MaxInt/4, math.MaxInt/2, true)
	f.Add(1000, 70000, true)
	f.Fuzz(func(t *testing.T, length, capacity int, uninit bool) {
		a := arena.NewArena(arena.WithLimit(makeLimit))
		near := newNeighbours(a)
		fuzzMakeSlice[byte](t, a, length, capacity, uninit)
		fuzzMakeSlice[[3]uint32](t, a, length, capacity, uninit)
		fuzzMakeSlice[*int](t, a, length, capacity, uninit)
		fuzzMakeSlice[struct{}](t, a, length, capacity, uninit)
		near.check(t)
		a.Reset() // there may be no room left
		if err := works(a); err != nil {
			t.Fatal(err)
		}
	})
}

const makeLimit = 1 << 16 // bytes

func fuzzMakeSlice[T any](t *testing.T, a *arena.Arena, length, capacity int, uninit bool) {
	t.Helper()
	make := arena.MakeSlice[T]
	if uninit {
		make = arena.MakeSliceUninit[T]
	}
	var s []T
	used := a.UsedBytes()
	v := caught(func() { s = make(a, length, capacity) })
	size, valid := int(unsafe.Sizeof(*new(T))), 0 <= length && length <= capacity
	_, over := v.(*arena.LimitError)
	text, _ := v.(string)
	switch {
	case v == nil && valid && len(s) == length && cap(s) == capacity && a.UsedBytes() >= used+size*capacity:
		if all := bytesOf(s[:capacity]); !uninit && !allZero(all) {
			t.Fatalf("MakeSlice[%T](%d, %d) isn't zero", *new(T), length, capacity)
		}
		return
	case over && valid && size > 0 && capacity > (makeLimit-used-8)/size: // up to 8 bytes are padding
	case strings.HasPrefix(text, "arena: MakeSlice") && (!valid || size > 0 && capacity > math.MaxInt/8/size):
	default:
		t.Fatalf("MakeSlice[%T](%d, %d): length %d, capacity %d, panic %v", *new(T), length, capacity, len(s), cap(s), v)
	}
	if a.UsedBytes() != used {
		t.Fatalf("%d bytes used after %v, %d before", a.UsedBytes(), v, used)
	}
}

// FuzzCopyOut copies into an arena and out again. The clones outlive it.
func FuzzCopyOut(f *testing.F) {
	addKinds(f, []byte("to be copied"))
	f.Fuzz(func(t *testing.T, kind byte, data []byte) {
		a := fuzzed(kind)
		in := arena.CopySlice(a, data)
		if !bytes.Equal(in, data) || (in == nil) != (data == nil) || cap(in) != len(data) {
			t.Fatalf("CopySlice: %q, capacity %d", in, cap(in))
		}
		words := arena.Append(a, nil, a.AllocString(string(data)), "", a.AllocBytesToString(data[:len(data)/2]))
		out, deep, want := arena.Clone(in), arena.DeepClone(words), slices.Clone(data)
		for range 2 {
			a.Reset()
			s := a.AllocBytesUninit(2*len(data) + 64)
			for i := range s {
				s[i] = 0xA5
			}
		}
		if !bytes.Equal(out, want) || deep[0] != string(want) || deep[1] != "" || deep[2] != string(want[:len(want)/2]) {
			t.Fatalf("clones %q, %q; want %q", out, deep, want)
		}
	})
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
