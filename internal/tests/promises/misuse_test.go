package promises_test

import (
	"math"
	"reflect"
	"strconv"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// This file tests that bad input is refused with a message that names the call, the request and the allowed values, and
// that the arena works afterwards. TestExtremeArguments in package attack tries all calls with absurd numbers.

// A badCall is a call that must panic. With msg, the whole message is known.
type badCall struct {
	name string
	call func(a *arena.Arena)
	msg  string
}

var (
	minInt = strconv.Itoa(math.MinInt)
	maxInt = strconv.Itoa(math.MaxInt)
	allMem = strconv.FormatUint(uint64(^uintptr(0)), 10)
	most   = strconv.FormatUint(uint64(testkit.MaxBytes), 10)
)

var badCalls = []badCall{
	{"negative length", func(a *arena.Arena) { arena.MakeSlice[int](a, -1, 3) }, "arena: MakeSlice: len -1 is negative"},
	{"negative capacity", func(a *arena.Arena) { arena.MakeSlice[int](a, 0, -7) }, "arena: MakeSlice: cap -7 is negative"},
	{"both negative", func(a *arena.Arena) { arena.MakeSlice[byte](a, -7, -7) }, "arena: MakeSlice: len -7 is negative"},
	{"smallest int", func(a *arena.Arena) { arena.MakeSlice[byte](a, 0, math.MinInt) }, "arena: MakeSlice: cap " + minInt + " is negative"},
	{"negative length, no size", func(a *arena.Arena) { arena.MakeSliceUninit[struct{}](a, -7, 7) }, "arena: MakeSliceUninit: len -7 is negative"},
	{"length beyond capacity", func(a *arena.Arena) { arena.MakeSlice[int](a, 5, 3) }, "arena: MakeSlice: len 5 exceeds cap 3"},
	{"length beyond none", func(a *arena.Arena) { arena.MakeSlice[int](a, 5, 0) }, "arena: MakeSlice: len 5 exceeds cap 0"},
	{"largest int", func(a *arena.Arena) { arena.MakeSlice[byte](a, math.MaxInt, math.MaxInt) },
		"arena: MakeSlice: cap " + maxInt + " of 1-byte elements exceeds the maximum of " + most + " bytes"},
	{"wraps to 8", func(a *arena.Arena) { arena.MakeSlice[uint64](a, 0, math.MaxInt/4+2) }, "arena: MakeSlice: cap "},
	{"just too many", func(a *arena.Arena) { arena.MakeSlice[byte](a, 0, testkit.MaxBytes+1) }, "arena: MakeSlice: cap " + strconv.Itoa(testkit.MaxBytes+1)},

	{"bytes", func(a *arena.Arena) { a.AllocBytes(-3) }, "arena: AllocBytes: len -3 is negative"},
	{"many bytes", func(a *arena.Arena) { a.AllocBytes(math.MaxInt) }, "arena: AllocBytes: "},

	{"Grow", func(a *arena.Arena) { arena.Grow(a, []int{1}, -2) }, "arena: Grow: n -2 is negative"},
	{"Grow to much", func(a *arena.Arena) { arena.Grow(a, []byte{1}, math.MaxInt) }, "arena: Grow: "},
	{"Grow to less", func(a *arena.Arena) { arena.Grow(a, []int64{1}, math.MaxInt/8) }, "-byte elements exceeds the maximum of " + most + " bytes"},
	{"Grow by very large ones", func(a *arena.Arena) { arena.Grow(a, [][1 << 20]byte{}, math.MaxInt>>20+1) }, "of 1048576-byte elements exceeds"},

	{"size", func(a *arena.Arena) { a.Alloc(^uintptr(0), 8) }, "arena: Alloc: size " + allMem + " exceeds the maximum of " + most + " bytes"},
	{"alignment 0", func(a *arena.Arena) { a.Alloc(8, 0) }, "arena: Alloc: alignment 0 is not a power of two from 1 to 4096"},
	{"alignment 3", func(a *arena.Arena) { a.Alloc(8, 3) }, "arena: Alloc: alignment 3 is not a power of two from 1 to 4096"},
	{"alignment 8192", func(a *arena.Arena) { a.Alloc(8, 8192) }, "arena: Alloc: alignment 8192 is not a power of two from 1 to 4096"},
	{"Realloc size", func(a *arena.Arena) { a.Realloc(a.Alloc(8, 8), 8, ^uintptr(0), 8) }, "arena: Realloc: size " + allMem + " exceeds"},
	{"Realloc alignment", func(a *arena.Arena) { a.Realloc(a.Alloc(8, 8), 8, 16, 24) }, "arena: Realloc: alignment 24 is not"},
	{"Reserve", func(a *arena.Arena) { a.Reserve(-5) }, "arena: Reserve: bytes -5 is negative"},
}

// badReallocs can only be noticed where there is an arena.
var badReallocs = []badCall{
	{"foreign pointer", func(a *arena.Arena) { a.Realloc(unsafe.Pointer(new([8]byte)), 8, 16, 8) }, "arena: Realloc: the 8 bytes at 0x"},
	{"foreign pointer, shrinking", func(a *arena.Arena) { a.Realloc(unsafe.Pointer(new([8]byte)), 8, 4, 1) }, "arena: Realloc: the 8 bytes at 0x"},
	{"old size", func(a *arena.Arena) { a.Realloc(a.Alloc(100, 8), 1<<20, 8, 8) }, "arena: Realloc: the 1048576 bytes at 0x"},
	{"largest old size", func(a *arena.Arena) { a.Realloc(a.Alloc(100, 8), ^uintptr(0), 8, 8) }, "arena: Realloc: the " + allMem + " bytes at 0x"},
	{"old size that wraps", func(a *arena.Arena) { p := a.Alloc(100, 8); a.Realloc(p, -uintptr(p), 8, 8) }, "arena: Realloc: the "},
	{"after Reset", func(a *arena.Arena) { p := a.Alloc(100, 8); a.Reset(); a.Realloc(p, 100, 200, 8) }, "arena: Realloc: the 100 bytes at 0x"},
	{"after Rewind", func(a *arena.Arena) { m := a.Mark(); p := a.Alloc(100, 8); a.Rewind(m); a.Realloc(p, 100, 200, 8) }, "not any more"},
	{"another arena's", func(a *arena.Arena) { a.Realloc(arena.NewArena().Alloc(8, 8), 8, 16, 8) }, "were not allocated from this arena"},

	{"zero mark", func(a *arena.Arena) { a.Rewind(arena.Mark{}) }, "arena: Rewind: the mark is of another arena"},
}

func TestBadInput(t *testing.T) {
	for kind, make := range arenakit.Kinds {
		calls := badCalls
		if kind != "nil" {
			calls = append(calls[:len(calls):len(calls)], badReallocs...)
		}
		a := make()
		for _, bad := range calls {
			used, keep := a.UsedBytes(), arena.NewOf(a, 12345)
			t.Run(kind+"/"+bad.name, func(t *testing.T) {
				for range 2 {
					testkit.WantPanic(t, func() { bad.call(a) }, bad.msg)
				}
				if err := arenakit.Works(a); err != nil {
					t.Errorf("afterwards: %v", err)
				}
				if kind != "nil" && a.UsedBytes() > used+2*2000+16 {
					t.Errorf("%d bytes used, %d before", a.UsedBytes(), used)
				}
			})
			if a.UsedBytes() > used && *keep != 12345 {
				t.Errorf("%s/%s: a value from before is %d", kind, bad.name, *keep)
			}
		}
	}
}

// TestValuesBeyondMemory: a single value has the same maximum as a slice, and refused requests aren't counted.
func TestValuesBeyondMemory(t *testing.T) {
	for _, elem := range []reflect.Type{reflect.TypeFor[byte](), reflect.TypeFor[*int]()} {
		key := arena.KeyOf(reflect.ArrayOf((testkit.MaxBytes+1)/int(elem.Size()), elem))
		for kind, make := range arenakit.Kinds {
			if kind == "nil" {
				continue
			}
			a := make()
			for _, f := range []func(){func() { key.New(a) }, func() { key.For(a).New() }} {
				testkit.WantPanic(t, f, "arena: New: size "+strconv.Itoa(testkit.MaxBytes+1)+" exceeds the maximum of "+most+" bytes")
			}
			if err := arenakit.Works(a); err != nil {
				t.Errorf("%s: %v", kind, err)
			}
		}
		p := arena.NewPool(arena.WithReuse())
		p.Do(func(a *arena.Arena) error {
			testkit.Caught(func() { key.New(a) })
			return nil
		})
		if s := p.Stats(); s.Reserved != 0 {
			t.Errorf("%d bytes are counted", s.Reserved)
		}
	}
}

func TestOptionsBeyondMemory(t *testing.T) {
	testkit.WantPanic(t, func() { arena.NewArena(arena.WithChunkSize(testkit.MaxBytes + 1)) }, "WithChunkSize", "at most "+most)
	testkit.WantPanic(t, func() { arena.NewArena(arena.WithMaxRetained(testkit.MaxBytes + 1)) }, "WithMaxRetained", "at most "+most)
}
