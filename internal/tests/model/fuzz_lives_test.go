package model_test

import (
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// FuzzLetters runs programs of the enumeration's letters, longer ones than those.
func FuzzLetters(f *testing.F) {
	for i := range optionSets {
		f.Add(byte(i), []byte("\x05\x0e\x14\x06\x0c\x15\x17\x07\x16\x08\x18\x20\x2a\x30"))
	}
	chunks := map[string]int{}
	for _, set := range optionSets {
		chunks[set.name] = offered(set)
	}
	f.Fuzz(func(t *testing.T, kind byte, program []byte) {
		set := optionSets[int(kind)%len(optionSets)]
		if set.untrusted {
			defer setTrusted(false)()
		}
		program = slices.Clone(program[:min(len(program), 100)])
		for i := range program {
			program[i] %= byte(len(alphabet))
		}
		(&world{t: t, set: set, program: program, chunk: chunks[set.name]}).spell(alphabet)
	})
}

// texts is the strings that a test has allocated, with their places and expected contents.
type texts struct {
	got  []*string
	want []string
}

// add allocates a string, in one of several ways.
func (s *texts) add(a *arena.Arena, n, how int) {
	want := fmt.Sprintf("%0*d", n%200, len(s.want))
	s.want = append(s.want, want)
	var got string
	switch how % 3 {
	case 0:
		got = a.AllocString(want)
	case 1:
		b := arena.Append(a, nil, []byte(want)...)
		got = unsafe.String(unsafe.SliceData(b), len(b))
	default:
		s.got = append(s.got, arena.NewOf(a, a.Sprintf("%s", want)))
		return
	}
	s.got = append(s.got, &got)
}

func (s *texts) check(t *testing.T) {
	t.Helper()
	for i, p := range s.got {
		if *p != s.want[i] {
			t.Fatalf("text %d of %d is %q; want %q", i, len(s.got), *p, s.want[i])
		}
	}
}

// checkFreed is check after Free, which may have erased all.
func (s *texts) checkFreed(t *testing.T, scrubbed bool) {
	t.Helper()
	if !scrubbed {
		s.check(t)
		return
	}
	for i, p := range s.got {
		if !testkit.AllZero([]byte(*p)) {
			t.Fatalf("text %d of %d is %q after Free; want zeros", i, len(s.got), *p)
		}
	}
}

// FuzzShared uses several locals in turn, resets all of them, and frees them, with all their values and children.
func FuzzShared(f *testing.F) {
	for i := range len(fuzzedSets) {
		f.Add(byte(i), []byte("\x01\x42\x83\xc1\xf0\x42\xf9\x05\xf1\x11\x22"))
		f.Add(byte(i), []byte("\x00\x01\x02\x40\xc1\xc2\x12"))
	}
	f.Fuzz(func(t *testing.T, kind byte, steps []byte) {
		set := fuzzedSets[int(kind)%len(fuzzedSets)]
		s := arena.NewShared(set.opts...)
		var locals [3]*arena.Arena
		all := make([]texts, len(locals))
		var freed []texts // by a Free that erases
		for step, b := range steps[:min(len(steps), 200)] {
			i := int(b) % len(locals)
			switch {
			case locals[i] == nil:
				locals[i] = s.Local()
			case b < 192:
				all[i].add(locals[i], int(b), step)
			case b < 240:
				all[i].add(locals[i].Child(), int(b), step)
			case b < 248:
				locals[i].Free() // its values stay
				if set.scrub {
					freed = append(freed, all[i])
					all[i] = texts{}
				}
				if v := testkit.Caught(func() { locals[i].AllocString("x") }); v == nil {
					t.Fatal("AllocString after Free doesn't panic")
				}
				locals[i] = nil
			default:
				s.Reset()
				for _, a := range locals {
					if v := testkit.Caught(func() { a.AllocString("x") }); v == nil && a != nil {
						t.Fatal("a local is usable after Reset")
					}
				}
				clear(locals[:])
				clear(all)
				freed = nil
			}
			for i := range all {
				all[i].check(t)
			}
		}
		s.Free()
		for _, x := range append(freed, all...) {
			x.checkFreed(t, set.scrub)
		}
	})
}

// FuzzLimit takes multiples of 8 bytes, which need no padding: the limit is
// reached to the byte, and never exceeded.
func FuzzLimit(f *testing.F) {
	f.Add(uint16(100), []byte("\x01\x02\x03\x45\x86\xc7\x0a\x0a\x0a"))
	f.Add(uint16(9000), []byte("\xff\xfe\x7f\x3f\xc0\x80\x40\x00\x11\xff\xff"))
	f.Fuzz(func(t *testing.T, limit uint16, steps []byte) {
		most := int(limit)&^7 + 8
		a := arena.NewArena(arena.WithLimit(most))
		c := a.Child()
		left := most
		for i, b := range steps[:min(len(steps), 400)] {
			n := 8 * (1 + int(b&63)*(1+i%5))
			of := [...]*arena.Arena{a, c}[i%2]
			v := testkit.Caught(func() {
				switch b >> 6 {
				case 0:
					n = 8
					arena.New[uint64](of)
				case 1:
					of.AllocBytes(n)
				case 2:
					arena.MakeSlice[uint64](of, n/8, n/8)
				default:
					of.Alloc(uintptr(n), 8)
				}
			})
			if e, ok := v.(*arena.LimitError); v != nil && (!ok || e.Limit != most || e.Used != most-left || e.Asked != n) {
				t.Fatalf("%v; %d of %d left, %d asked for", v, left, most, n)
			}
			if fits := n <= left; fits != (v == nil) {
				t.Fatalf("%d bytes with %d of %d left: %v", n, left, most, v)
			} else if fits {
				left -= n
			}
		}
	})
}
