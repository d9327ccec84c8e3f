package model_test

import (
	"bytes"
	"slices"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// FuzzModel runs programs of the model test. Seeds beyond these are in testdata/fuzz.
func FuzzModel(f *testing.F) {
	for i := range optionSets {
		f.Add(byte(i), []byte("\x00\x05\x00\x03\x04\x00\x07\x02\x10\x00\x19\x00\x00\x0f\x00\x20\x00\x1b\x00"))
	}
	f.Fuzz(func(t *testing.T, set byte, program []byte) {
		run(t, optionSets[int(set)%len(optionSets)], program[:min(len(program), 4000)])
	})
}

// FuzzRealloc changes the size of two blocks in turn, so that only one of them
// is ever the newest. Each step is a byte for the size and one for the rest.
func FuzzRealloc(f *testing.F) {
	f.Add([]byte("\x08\x00\x10\x01\x20\x00\x00\x00\x05\x00"))
	f.Add([]byte("\xff\x0f\xff\x1f\xff\x0e\x01\x0e\xff\xff"))
	f.Fuzz(func(t *testing.T, steps []byte) {
		for _, a := range []*arena.Arena{nil, arena.NewArena(arena.WithChunkSize(512)), arena.NewArena(arena.WithNoScan(), arena.WithScrub())} {
			var ptrs [2]unsafe.Pointer
			var want [2][]byte
			for i := 0; i+1 < min(len(steps), 400); i += 2 {
				which, align := steps[i+1]&1, uintptr(1)<<(steps[i+1]>>1%13)
				size := int(steps[i]) * (1 + int(steps[i+1]>>5))
				old := len(want[which])
				p := a.Realloc(ptrs[which], uintptr(old), uintptr(size), align)
				grown := make([]byte, size)
				copy(grown, want[which])
				if size > 0 && (uintptr(p)%align != 0 || size >= 8 && uintptr(p)%8 != 0) {
					t.Fatalf("step %d: %d bytes at %x, alignment %d", i/2, size, p, align)
				}
				if got := testkit.BytesAt(p, size); !bytes.Equal(got, grown) {
					t.Fatalf("step %d: from %d to %d bytes: %x; want %x", i/2, old, size, got, grown)
				}
				for j := old; j < size; j++ {
					grown[j] = byte(i+j) | 1
				}
				copy(testkit.BytesAt(p, size), grown)
				ptrs[which], want[which] = p, grown
				other := 1 - which
				if got := testkit.BytesAt(ptrs[other], len(want[other])); !bytes.Equal(got, want[other]) {
					t.Fatalf("step %d: the other block is %x; want %x", i/2, got, want[other])
				}
			}
		}
	})
}

// FuzzAppend grows several slices at once, each as the builtin append does, and takes them apart.
func FuzzAppend(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x00\x41\x82\xc3\x00\x01"), false)
	f.Add([]byte("\x00\x00\x00\x00\xff\xff\x40\x80\x00\x04\x0c"), true)
	f.Fuzz(func(t *testing.T, steps []byte, noScan bool) {
		opts := []arena.Option{arena.WithChunkSize(300)}
		if noScan {
			opts = append(opts, arena.WithNoScan())
		}
		a := arena.NewArena(opts...)
		var got, want [4][]uint32
		var gotStrings, wantStrings [4][]string
		for i, b := range steps[:min(len(steps), 400)] {
			k := b & 3
			n := int(b >> 4)
			switch b >> 2 & 3 {
			case 0:
				for j := range n {
					got[k] = arena.Append(a, got[k], uint32(i<<8+j))
					want[k] = append(want[k], uint32(i<<8+j))
					gotStrings[k] = arena.Append(a, gotStrings[k], testkit.Static[:n])
					wantStrings[k] = append(wantStrings[k], testkit.Static[:n])
				}
			case 1:
				n = min(n, len(got[k]))
				got[k], want[k] = got[k][n:], want[k][n:]
				gotStrings[k], wantStrings[k] = gotStrings[k][n:], wantStrings[k][n:]
			case 2:
				n = min(n, len(got[k]))
				got[k], want[k] = got[k][:n:n], want[k][:n:n]
				gotStrings[k], wantStrings[k] = gotStrings[k][:n:n], wantStrings[k][:n:n]
			default:
				got[k] = arena.Grow(a, got[k], n*8)
				if spare := got[k][len(got[k]):cap(got[k])]; len(spare) < n*8 {
					t.Fatalf("step %d: Grow by %d: room for %d", i, n*8, len(spare))
				}
				arena.New[uint64](a)
			}
			for k := range got {
				if !slices.Equal(got[k], want[k]) || !slices.Equal(gotStrings[k], wantStrings[k]) {
					t.Fatalf("step %d: slice %d is %v, %q; want %v, %q", i, k, got[k], gotStrings[k], want[k], wantStrings[k])
				}
			}
		}
	})
}

// FuzzOptions makes arenas with any sizes: they are refused with a message, or they work.
func FuzzOptions(f *testing.F) {
	f.Add(4096, 1<<20, 1<<26, 0, byte(0))
	f.Add(-1, 1, 2, 3, byte(3))
	f.Add(512, 256, 0, 1001, byte(1))
	f.Add(1<<17, 0, 0, 0, byte(2))
	f.Fuzz(func(t *testing.T, chunk, maxChunk, maxRetained, limit int, flags byte) {
		const most = 1 << 22 // lest the machine runs out of memory
		if chunk > most || maxChunk > most {
			t.Skip()
		}
		opts := []arena.Option{arena.WithMaxRetained(maxRetained % most), arena.WithLimit(limit)}
		if flags&1 != 0 {
			opts = append(opts, arena.WithNoScan())
		}
		if flags&2 != 0 {
			opts = append(opts, arena.WithScrub())
		}
		if flags&4 == 0 {
			opts = append(opts, arena.WithChunkSize(chunk))
		}
		if flags&8 == 0 {
			opts = append(opts, arena.WithMaxChunkSize(maxChunk))
		}
		bad := chunk < 0 && flags&4 == 0 || maxChunk < 0 && flags&8 == 0 || maxRetained%most < 0 || limit < 0 ||
			flags&12 == 0 && maxChunk != 0 && chunk != 0 && max(chunk, 256) > max(maxChunk, 256)
		var a *arena.Arena
		v := testkit.Caught(func() { a = arena.NewArena(opts...) })
		if bad != (v != nil) && max(maxChunk, chunk) != 0 && (chunk+7)&^7 != (maxChunk+7)&^7 && limit < 1<<30 {
			t.Fatalf("WithChunkSize(%d), WithMaxChunkSize(%d), WithMaxRetained(%d), WithLimit(%d), flags %b: %v",
				chunk, maxChunk, maxRetained%most, limit, flags, v)
		}
		if v != nil {
			return
		}
		for range 3 {
			if v := testkit.Caught(func() {
				for i := range 40 {
					*arena.New[uint64](a) = 1
					a.AllocString(testkit.Static[:i])
					arena.Append(a, arena.MakeSlice[*int](a, i, i), &testkit.Decoy)
				}
			}); v != nil {
				if e, ok := v.(*arena.LimitError); !ok || limit == 0 || e.Limit != limit {
					t.Fatalf("limit %d: %v", limit, v)
				}
			}
			if used := a.UsedBytes(); limit > 0 && used > limit {
				t.Fatalf("%d bytes used, limit %d", used, limit)
			}
			a.Reset()
			if s := a.Stats(); s.Used != 0 || s.Reserved > maxRetained%most {
				t.Fatalf("after Reset with %d retained: %v", maxRetained%most, s)
			}
		}
	})
}
