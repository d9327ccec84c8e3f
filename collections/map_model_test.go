package collections_test

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file compares Map with Go's map, by programs. Each byte of a program is an
// operation or its operand.

// A pair is a Map and a model of it.
type pair[K comparable] struct {
	t    testing.TB
	got  *collections.Map[K, int]
	want map[K]int
	key  func(x byte) K
	next int // a value that wasn't used yet
}

// keyTypes are those of the model test. Keys are made from bytes so that few are different.
var keyTypes = map[string]func(t testing.TB, a *arena.Arena, program []byte){
	"int": func(t testing.TB, a *arena.Arena, p []byte) {
		compareMaps(t, a, p, func(x byte) int { return int(x) << 20 })
	},
	"uint8": func(t testing.TB, a *arena.Arena, p []byte) { compareMaps(t, a, p, func(x byte) uint8 { return x }) },
	"uint16": func(t testing.TB, a *arena.Arena, p []byte) {
		compareMaps(t, a, p, func(x byte) uint16 { return uint16(x) << 7 })
	},
	"rune": func(t testing.TB, a *arena.Arena, p []byte) {
		compareMaps(t, a, p, func(x byte) rune { return rune(x) * 1000 })
	},
	"bool": func(t testing.TB, a *arena.Arena, p []byte) {
		compareMaps(t, a, p, func(x byte) bool { return x&1 == 0 })
	},
	"empty": func(t testing.TB, a *arena.Arena, p []byte) {
		compareMaps(t, a, p, func(x byte) struct{} { return struct{}{} })
	},
	"string":  func(t testing.TB, a *arena.Arena, p []byte) { compareMaps(t, a, p, text) },
	"float64": func(t testing.TB, a *arena.Arena, p []byte) { compareMaps(t, a, p, float) },
	"float32": func(t testing.TB, a *arena.Arena, p []byte) {
		compareMaps(t, a, p, func(x byte) float32 { return float32(float(x)) })
	},
	"complex": func(t testing.TB, a *arena.Arena, p []byte) {
		compareMaps(t, a, p, func(x byte) complex128 { return complex(1, float(x)) })
	},
	"pointer": func(t testing.TB, a *arena.Arena, p []byte) {
		compareMaps(t, a, p, func(x byte) *int { return &targets[x] })
	},
	"array": func(t testing.TB, a *arena.Arena, p []byte) {
		compareMaps(t, a, p, func(x byte) [3]uint32 { return [3]uint32{1, 2, uint32(x)} })
	},
	"long": func(t testing.TB, a *arena.Arena, p []byte) {
		compareMaps(t, a, p, func(x byte) [5]int64 { return [5]int64{3: int64(x)} })
	},
	"odd": func(t testing.TB, a *arena.Arena, p []byte) {
		compareMaps(t, a, p, func(x byte) [3]byte { return [3]byte{x, x, 1} })
	},
	"any": func(t testing.TB, a *arena.Arena, p []byte) { compareMaps(t, a, p, anything) },
	"padded": func(t testing.TB, a *arena.Arena, p []byte) {
		compareMaps(t, a, p, func(x byte) padded {
			var k padded
			dirty(&k)
			k.a, k.b = x&15, int64(x>>4)
			return k
		})
	},
	"blank": func(t testing.TB, a *arena.Arena, p []byte) {
		compareMaps(t, a, p, func(x byte) blank { b := blanks[x%4]; b.a = int32(x); return b })
	},
	"mixed": func(t testing.TB, a *arena.Arena, p []byte) {
		compareMaps(t, a, p, func(x byte) mixed { return mixed{text(x), float(x >> 1), int(x)} })
	},
}

type (
	padded struct {
		a byte
		b int64
	}
	blank struct {
		a int32
		_ int32
		b int64
	}
	mixed struct {
		s string
		f float64
		n int
	}
)

var (
	targets [256]int
	blanks  [4]blank
)

func init() {
	for i := range blanks {
		dirty(&blanks[i])
		blanks[i].a, blanks[i].b = 0, 0
	}
}

// text returns strings of all lengths that are hashed differently.
func text(x byte) string {
	n := []int{0, 1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 49, 200}[x%16]
	return fmt.Sprintf("%*d", n, x>>4)[:max(n, 0)]
}

// float returns floats, including NaNs, and zeros that are equal but not the same.
func float(x byte) float64 {
	switch x {
	case 1, 2:
		return math.NaN()
	case 3:
		return math.Copysign(0, -1)
	}
	return float64(x&^1) / 3
}

func anything(x byte) any {
	switch x % 5 {
	case 0:
		return int(x)
	case 1:
		return text(x)
	case 2:
		return float(x)
	case 3:
		return padded{a: x}
	}
	return nil
}

// compareMaps runs a program.
func compareMaps[K comparable](t testing.TB, a *arena.Arena, program []byte, key func(byte) K) {
	p := &pair[K]{t: t, got: collections.NewMap[K, int](a, 0), want: map[K]int{}, key: key}
	if len(program) > 0 && program[0]&1 != 0 {
		p.got = collections.NewMap[K, int](a, int(program[0]))
	}
	for len(program) >= 2 {
		p.step(a, program[0], program[1])
		program = program[2:]
	}
	p.same(p.got.All(), p.got.Len())
}

// step is one operation.
func (p *pair[K]) step(a *arena.Arena, op, x byte) {
	p.next++
	k, v := p.key(x), p.next
	old, had := p.want[k]
	check := func(what string, gotV int, got bool, wantV int, want bool) {
		if got != want || gotV != wantV {
			p.t.Fatalf("%s(%v): %d, %t; want %d, %t", what, k, gotV, got, wantV, want)
		}
	}
	switch op % 16 {
	case 0, 1, 2, 3:
		p.got.Set(k, v)
		p.want[k] = v
	case 4:
		got, loaded := p.got.LoadOrStore(k, v)
		if !had {
			p.want[k] = v
			old = v
		}
		check("LoadOrStore", got, loaded, old, had)
	case 5:
		got, loaded := p.got.Swap(k, v)
		check("Swap", got, loaded, old, had)
		setLikeSwap(p.want, k, v, had)
	case 6:
		got, loaded := p.got.LoadAndDelete(k)
		check("LoadAndDelete", got, loaded, old, had)
		delete(p.want, k)
	case 7, 8, 9:
		p.got.Delete(k)
		delete(p.want, k)
	case 10:
		r := p.got.Ref(k)
		check("Ref", *r, had, old, had)
		*r = v
		setLikeSwap(p.want, k, v, had)
	case 11:
		for i := range x { // many at once
			k := p.key(x ^ i)
			p.got.Set(k, v+int(i))
			p.want[k] = v + int(i)
		}
		p.next += int(x)
	case 12:
		if x < 16 {
			p.got.Clear()
			clear(p.want)
		}
	case 13:
		if x < 16 {
			p.got = p.got.Clone(a)
		}
	case 14:
		p.same(p.got.All(), p.got.Len())
	case 15:
		p.mutateInLoop(x)
	}
	got, ok := p.got.Get(k)
	old, had = p.want[k]
	check("Get", got, ok, old, had)
	if p.got.Has(k) != had || p.got.Len() != len(p.want) {
		p.t.Fatalf("Has(%v) %t, Len %d; want %t, %d", k, p.got.Has(k), p.got.Len(), had, len(p.want))
	}
}

// setLikeSwap sets the value of a key, without storing the key anew.
func setLikeSwap[K comparable](m map[K]int, k K, v int, had bool) {
	if !had {
		m[k] = v
		return
	}
	for old := range m {
		if old == k {
			m[old] = v
		}
	}
}

// same compares entries, with those that can't be found. Values are unique, so that
// they can serve as keys. Keys must be the very same: +0 isn't -0.
func (p *pair[K]) same(all iter.Seq2[K, int], n int) {
	byValue := map[int]string{}
	for k, v := range p.want {
		byValue[v] = fmt.Sprintf("%#v", k)
	}
	count := 0
	for k, v := range all {
		count++
		if got := fmt.Sprintf("%#v", k); byValue[v] != got {
			p.t.Fatalf("entry %s: %d, but %d belongs to %s", got, v, v, byValue[v])
		}
		delete(byValue, v)
	}
	if count != len(p.want) || n != count {
		p.t.Fatalf("%d entries in the loop, Len %d; want %d", count, n, len(p.want))
	}
}

// mutateInLoop changes the maps in a loop over the one.
func (p *pair[K]) mutateInLoop(x byte) {
	before := maps.Clone(p.want)
	values := map[int]bool{}
	for _, v := range before {
		values[v] = true
	}
	deleted := map[int]bool{}
	seen := map[int]bool{}
	i := byte(0)
	for k, v := range p.got.All() {
		if seen[v] || deleted[v] {
			p.t.Fatalf("%v: %d: produced before: %t, deleted: %t", k, v, seen[v], deleted[v])
		}
		seen[v] = true
		i += x | 1
		other := p.key(i)
		if old, ok := p.want[other]; ok && i&4 != 0 {
			deleted[old] = true
			p.got.Delete(other)
			delete(p.want, other)
		} else if !ok && i&8 != 0 {
			p.next++
			p.got.Set(other, p.next)
			p.want[other] = p.next
		}
		if x == 255 {
			p.got.Clear()
			clear(p.want)
		}
		if i&63 == 63 {
			break
		}
	}
	if i&63 != 63 && x != 255 {
		for v := range values {
			if !seen[v] && !deleted[v] {
				p.t.Fatalf("a loop left out %d, which was there all the time", v)
			}
		}
	}
}

// dirty fills the memory of a value, also where it has no fields.
func dirty[T any](p *T) {
	b := bytesOf(p)
	for i := range b {
		dirt += 77
		b[i] = dirt
	}
}

var dirt byte

// FuzzMap runs each program with one type and in one arena, which the first
// argument chooses: all of them would be a handful of programs in a second.
func FuzzMap(f *testing.F) {
	types, arenas := slices.Sorted(maps.Keys(keyTypes)), slices.Sorted(maps.Keys(kinds))
	for which := range len(types) * len(arenas) {
		f.Add(byte(which), program(which, 100))
	}
	f.Fuzz(func(t *testing.T, which byte, program []byte) {
		in := arenas[int(which)/len(types)%len(arenas)]
		keyTypes[types[int(which)%len(types)]](t, kinds[in](), program[:min(len(program), 2000)])
	})
}

// program returns n random bytes.
func program(seed, n int) []byte {
	b := make([]byte, n)
	x := uint32(seed)*2654435761 + 1
	for i := range b {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		b[i] = byte(x >> 8)
	}
	return b
}

func TestMapLikeGosMap(t *testing.T) {
	for name, run := range keyTypes {
		t.Run(name, func(t *testing.T) {
			for seed := range 3 {
				for _, make := range kinds {
					run(t, make(), program(seed, testkit.Cases(1200)))
				}
			}
		})
	}
}
