package model_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// This file fuzzes single functions: each does the same as its counterpart in Go, and leaves alone the rest of the
// arena.

// fuzzedSets are the kinds of arenas without a limit.
var fuzzedSets = slices.DeleteFunc(slices.Clone(optionSets), func(s optionSet) bool { return s.limit > 0 || s.untrusted })

// fuzzed returns an arena of one of these kinds, or nil, and whether it scrubs.
func fuzzed(kind byte) (a *arena.Arena, scrub bool) {
	i := int(kind) % (len(fuzzedSets) + 1)
	if i == len(fuzzedSets) {
		return nil, false
	}
	return (&world{set: fuzzedSets[i]}).newRoot().a, fuzzedSets[i].scrub
}

// addKinds adds seeds, one for each kind of arena.
func addKinds(f *testing.F, args ...any) {
	for kind := range byte(len(fuzzedSets) + 1) {
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
		arena.NewOf(a, [3]uint64{1, 2, 3}), arena.Append(a, nil, []byte("the slice before")...), arena.Append(a, nil, &testkit.Decoy, &testkit.Decoy),
	}
}

func (n neighbours) check(t *testing.T) {
	t.Helper()
	if *n.p != [3]uint64{1, 2, 3} || string(n.s) != "the slice before" || n.q[0] != &testkit.Decoy || n.q[1] != &testkit.Decoy {
		t.Fatalf("a neighbour was overwritten: %v, %q, %v", *n.p, n.s, n.q)
	}
}

// FuzzStrings copies all parts of a text.
func FuzzStrings(f *testing.F) {
	addKinds(f, []byte("some text; all parts of it are copied, one after the other"), byte(5))
	f.Fuzz(func(t *testing.T, kind byte, text []byte, step byte) {
		a, _ := fuzzed(kind)
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
	f.Add(byte(1), "%s%d%f%p", "x", 0, 0.5)
	f.Fuzz(func(t *testing.T, kind byte, format, s string, n int, x float64) {
		if strings.Count(format, "%") > 8 || len(format) > 1000 { // widths of a million add up
			return
		}
		a, _ := fuzzed(kind)
		near := newNeighbours(a)
		list := []string{s} // the same one for both, for %p
		got := a.Sprintf(format, s, n, x, list)
		near.s = arena.Append(a, near.s, '!')
		if want := fmt.Sprintf(format, s, n, x, list); got != want {
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
		a, _ := fuzzed(kind)
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

// FuzzAlloc takes raw memory of any size and alignment, three bytes each, in
// two lives of an arena, and objects in between, which open windows.
func FuzzAlloc(f *testing.F) {
	addKinds(f, []byte("\x00\x01\x00\x00\x08\x03\x01\x00\x06\x00\x40\x0c\x00\x05\x0d\x07\xff\x02"))
	f.Fuzz(func(t *testing.T, kind byte, steps []byte) {
		a, _ := fuzzed(kind)
		for range 2 {
			near := newNeighbours(a)
			var all [][]byte
			for i := 0; i+2 < min(len(steps), 150); i += 3 {
				size, align := uintptr(steps[i])<<8|uintptr(steps[i+1]), uintptr(1)<<(steps[i+2]%14)
				if steps[i+2] >= 0xF0 {
					align = uintptr(steps[i])
				}
				all = append(all, fuzzAlloc(t, a, size, align, byte(len(all)+1)))
				if steps[i+2]&0x40 != 0 {
					all = append(all, fuzzAlloc(t, a, 0, 1, 0), arena.NewOf(a, [1]byte{byte(len(all) + 2)})[:])
				}
			}
			for i, b := range all {
				if bytes.Count(b, []byte{byte(i + 1)}) != len(b) {
					t.Fatalf("block %d of %d bytes was overwritten", i, len(b))
				}
			}
			near.check(t)
			a.Reset()
		}
	})
}

// fuzzAlloc returns size bytes that it has set to fill; none if that must panic.
func fuzzAlloc(t *testing.T, a *arena.Arena, size, align uintptr, fill byte) []byte {
	t.Helper()
	var p unsafe.Pointer
	v := testkit.Caught(func() { p = a.Alloc(size, align) })
	if bad := align > 4096 || align == 0 || align&(align-1) != 0; bad != (v != nil) {
		t.Fatalf("Alloc(%d, %d): panic %v", size, align, v)
	}
	if v != nil {
		return nil
	}
	b := testkit.BytesAt(p, int(size))
	if !testkit.AllZero(b) || uintptr(p)%align != 0 || size >= 8 && uintptr(p)%8 != 0 {
		t.Fatalf("Alloc(%d, %d): %x, zero: %v", size, align, p, testkit.AllZero(b))
	}
	for i := range b {
		b[i] = fill
	}
	return b
}

// FuzzMakeSlice asks for any length and capacity, negative and absurd ones too:
// a slice as from make, or a panic that says why, and the arena is as before.
// Without a limit, it doesn't ask for what would take much memory.
func FuzzMakeSlice(f *testing.F) {
	for _, limit := range []int{0, 1 << 16} {
		f.Add(limit, 1, 2, false)
		f.Add(limit, -1, 2, true)
		f.Add(limit, 3, 2, false)
		f.Add(limit, 0, math.MaxInt, false)
		f.Add(limit, math.MaxInt/4, math.MaxInt/2, true)
		f.Add(limit, 0, math.MaxInt/2+2, false) // times 12 is 12
		f.Add(limit, 1000, 70000, true)
	}
	f.Fuzz(func(t *testing.T, limit, length, capacity int, uninit bool) {
		limit = min(max(limit, 0), 1<<20)
		if limit > 0 {
			limit += 1 << 10
		}
		a := arena.NewArena(arena.WithLimit(limit))
		near := newNeighbours(a)
		fuzzMakeSlice[byte](t, a, limit, length, capacity, uninit)
		fuzzMakeSlice[[3]uint32](t, a, limit, length, capacity, uninit)
		fuzzMakeSlice[*int](t, a, limit, length, capacity, uninit)
		fuzzMakeSlice[struct{}](t, a, limit, length, capacity, uninit)
		near.check(t)
		a.Reset() // there may be no room left
		if err := arenakit.Works(a); err != nil {
			t.Fatal(err)
		}
	})
}

func fuzzMakeSlice[T any](t *testing.T, a *arena.Arena, limit, length, capacity int, uninit bool) {
	t.Helper()
	make := arena.MakeSlice[T]
	if uninit {
		make = arena.MakeSliceUninit[T]
	}
	var s []T
	used, size, valid := a.UsedBytes(), int(unsafe.Sizeof(*new(T))), 0 <= length && length <= capacity
	absurd := size > 0 && capacity > testkit.MaxBytes/size
	if limit == 0 && valid && !absurd && size*capacity > 1<<20 {
		return
	}
	v := testkit.Caught(func() { s = make(a, length, capacity) })
	_, over := v.(*arena.LimitError)
	text, _ := v.(string)
	switch {
	case v == nil && valid && len(s) == length && cap(s) == capacity && a.UsedBytes() >= used+size*capacity:
		if all := testkit.BytesOf(s[:capacity]); !uninit && !testkit.AllZero(all) {
			t.Fatalf("MakeSlice[%T](%d, %d) isn't zero", *new(T), length, capacity)
		}
		return
	case over && valid && limit > 0 && !absurd && size*capacity > limit-used-8: // up to 8 bytes are padding
	case strings.HasPrefix(text, "arena: MakeSlice") && (!valid || absurd):
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
		a, _ := fuzzed(kind)
		in := arena.CopySlice(a, data)
		if !bytes.Equal(in, data) || (in == nil) != (data == nil) || cap(in) != len(data) {
			t.Fatalf("CopySlice: %q, capacity %d", in, cap(in))
		}
		words := arena.Append(a, nil, a.AllocString(string(data)), "", a.AllocBytesToString(data[:len(data)/2]))
		out, deep, want := arena.Clone(in), arena.DeepClone(words), slices.Clone(data)
		text := arena.Clone(words[0])
		for range 2 {
			a.Reset()
			s := a.AllocBytesUninit(2*len(data) + 64)
			for i := range s {
				s[i] = 0xA5
			}
		}
		if !bytes.Equal(out, want) || text != string(want) || deep[0] != string(want) || deep[1] != "" || deep[2] != string(want[:len(want)/2]) {
			t.Fatalf("clones %q, %q, %q; want %q", out, text, deep, want)
		}
	})
}
