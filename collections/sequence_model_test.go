package collections_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file compares Slice and Buffer, which may be given parts of themselves, with the builtin types,
// by programs. Each byte of a program is an operation or its operand. internal/tests/attack does so with all others.

// element is an element of a sequence of the model test: pointers and scalars.
type element struct {
	s string
	p *int
	n int
}

func elementOf(x int) element { return element{names[x%100], &targets[x%256], x} }

// want fails the test unless the elements are those expected.
func want[T comparable](t testing.TB, what string, got, expected []T) {
	t.Helper()
	if !slices.Equal(got, expected) {
		t.Fatalf("%s: %v; want %v", what, got, expected)
	}
}

func sliceProgram(t testing.TB, a *arena.Arena, program []byte) {
	s := collections.NewSlice[element](a, int(program[0])%20)
	var model []element
	for i := 0; i+1 < len(program); i += 2 {
		x := int(program[i+1])
		e := elementOf(x + i)
		at := 0
		if len(model) > 0 {
			at = x % (len(model) + 1)
		}
		switch program[i] % 13 {
		case 0, 1, 2:
			s.Append(e)
			model = append(model, e)
		case 3:
			s.Append(model[:at]...)
			model = append(model, model[:at]...)
		case 4:
			s.Insert(at, e, elementOf(i))
			model = slices.Insert(model, at, e, elementOf(i))
		case 5: // with a part of itself
			s.Insert(at, s.Slice()[at/2:at]...)
			model = slices.Insert(model, at, model[at/2:at]...)
		case 6:
			s.Delete(at/2, at)
			model = slices.Delete(model, at/2, at)
		case 7:
			s.Grow(x)
			if s.Cap() < s.Len()+x {
				t.Fatalf("capacity %d after Grow by %d of %d", s.Cap(), x, s.Len())
			}
		case 8:
			s.Clip()
			if s.Cap() != s.Len() {
				t.Fatalf("capacity %d after Clip of %d", s.Cap(), s.Len())
			}
		case 9:
			byNumber := func(x, y element) int { return cmp.Compare(x.n, y.n) }
			s.SortStable(byNumber)
			slices.SortStableFunc(model, byNumber)
			if x%2 == 0 {
				s.Sort(byNumber) // of sorted elements
			}
		case 10:
			if at < len(model) {
				s.Set(at, e)
				model[at] = e
				if s.At(at) != e {
					t.Fatalf("At(%d): %v", at, s.At(at))
				}
			}
		case 11:
			s = s.Clone(a)
			s.AppendSeq(slices.Values(model[:at]))
			model = append(model, model[:at]...)
		case 12:
			if x < 20 {
				s.Clear()
				model = model[:0]
			}
			if len(model) > 2000 {
				s.Delete(100, s.Len())
				model = model[:100]
			}
		}
		want(t, "Slice", s.Slice(), model)
	}
	want(t, "Values", slices.Collect(s.Values()), model)
	for i, e := range s.All() {
		if e != model[i] {
			t.Fatalf("All: %d is %v", i, e)
		}
	}
	n := len(model)
	for i, e := range s.Backward() {
		n--
		if i != n || e != model[i] {
			t.Fatalf("Backward: %d is %v", i, e)
		}
	}
}

func bufferProgram(t testing.TB, a *arena.Arena, program []byte) {
	b := collections.NewBuffer(a, int(program[0]))
	var model bytes.Buffer
	type taken struct{ got, want string }
	var strs []taken
	check := func(what string, gotN, wantN any, got, want error) {
		if gotN != wantN || got != want {
			t.Fatalf("%s: %v, %v; want %v, %v", what, gotN, got, wantN, want)
		}
	}
	for i := 0; i+1 < len(program); i += 2 {
		x := int(program[i+1])
		v := strings.Repeat(names[x], x%7)
		switch program[i] % 16 {
		case 0:
			n, err := b.WriteString(v)
			wantN, wantErr := model.WriteString(v)
			check("WriteString", n, wantN, err, wantErr)
		case 1:
			n, err := b.Write([]byte(v))
			wantN, wantErr := model.Write([]byte(v))
			check("Write", n, wantN, err, wantErr)
		case 2:
			check("WriteByte", nil, nil, b.WriteByte(byte(x)), model.WriteByte(byte(x)))
		case 3:
			n, err := b.WriteRune(rune(x * x * x))
			wantN, wantErr := model.WriteRune(rune(x * x * x))
			check("WriteRune", n, wantN, err, wantErr)
		case 4:
			n, err := fmt.Fprintf(b, "%d %s", x, v)
			wantN, wantErr := fmt.Fprintf(&model, "%d %s", x, v)
			check("Fprintf", n, wantN, err, wantErr)
		case 5, 6:
			p, q := make([]byte, x), make([]byte, x)
			n, err := b.Read(p)
			wantN, wantErr := model.Read(q)
			if x > 0 || model.Len() > 0 { // package bytes returns nil for both
				check("Read", n, wantN, err, wantErr)
			}
			if !bytes.Equal(p, q) {
				t.Fatalf("Read: %q; want %q", p, q)
			}
		case 7:
			c, err := b.ReadByte()
			wantC, wantErr := model.ReadByte()
			check("ReadByte", c, wantC, err, wantErr)
		case 8:
			if got, want := b.Next(x), model.Next(x); !bytes.Equal(got, want) {
				t.Fatalf("Next(%d): %q; want %q", x, got, want)
			}
		case 9:
			r := func() io.Reader { return iotest.OneByteReader(strings.NewReader(v)) }
			if x%2 == 0 {
				r = func() io.Reader { return iotest.TimeoutReader(strings.NewReader(v)) }
			}
			n, err := b.ReadFrom(r())
			wantN, wantErr := model.ReadFrom(r())
			check("ReadFrom", n, wantN, err, wantErr)
		case 10:
			if x < 64 {
				var got, want bytes.Buffer
				n, err := b.WriteTo(&got)
				wantN, wantErr := model.WriteTo(&want)
				check("WriteTo", n, wantN, err, wantErr)
				check("WriteTo", got.String(), want.String(), nil, nil)
			}
		case 11:
			n := min(x, model.Len())
			b.Truncate(n)
			model.Truncate(n)
		case 12, 13:
			strs = append(strs, taken{b.String(), model.String()})
		case 14:
			if x < 32 {
				b.Reset()
				model.Reset()
			}
		case 15:
			b.Grow(x)
		}
		if got := b.Bytes(); !bytes.Equal(got, model.Bytes()) || b.Len() != model.Len() || b.Cap() < b.Len() {
			t.Fatalf("%q (%d of %d); want %q", got, b.Len(), b.Cap(), model.Bytes())
		}
		for _, s := range strs {
			if s.got != s.want {
				t.Fatalf("a string has become %q; it was %q", s.got, s.want)
			}
		}
	}
}

var programs = map[string]func(testing.TB, *arena.Arena, []byte){
	"slice": sliceProgram, "buffer": bufferProgram,
}

// FuzzSequences runs each program with one type and in one arena, as FuzzMap does.
func FuzzSequences(f *testing.F) {
	types, arenas := slices.Sorted(maps.Keys(programs)), slices.Sorted(maps.Keys(kinds))
	for which := range len(types) * len(arenas) {
		f.Add(byte(which), program(which, 100))
	}
	f.Fuzz(func(t *testing.T, which byte, program []byte) {
		if len(program) == 0 {
			return
		}
		in := arenas[int(which)/len(types)%len(arenas)]
		programs[types[int(which)%len(types)]](t, kinds[in](), program[:min(len(program), 2000)])
	})
}

func TestSequencesLikeGos(t *testing.T) {
	for name, run := range programs {
		inEach(t, func(t *testing.T, a *arena.Arena) {
			t.Run(name, func(t *testing.T) {
				for seed := range testkit.Cases(10) {
					run(t, a, program(seed, 1000))
				}
			})
		})
	}
}
