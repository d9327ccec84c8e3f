package hash

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"strings"
	"testing"
)

func TestKinds(t *testing.T) {
	type named string
	for _, c := range []struct {
		v    any
		want Kind
	}{
		{1, Word}, {int8(1), Word}, {uint16(1), Word}, {true, Word}, {'x', Word}, {uintptr(1), Word}, {new(int), Word},
		{make(chan int), Word}, {[2]uint16{}, Word}, {struct{ a, b uint32 }{}, Word}, {[1][1]int64{}, Word},
		{"", String}, {named(""), String}, {1.5, Float64}, {float32(1), Float32}, {1i, Other}, {complex64(1), Other},
		{[2]int64{}, Pair}, {[3]uint32{}, Pair}, {[9]byte{}, Pair}, {struct {
			p *int
			n int64
		}{}, Pair},
		{struct{}{}, Memory}, {[0]string{}, Memory}, {[3]byte{}, Memory}, {[5]int64{}, Memory}, {[0]int{}, Memory},
		{[1]string{}, Other}, {struct{ v any }{}, Other}, {[1]any{}, Other}, {[2]float64{}, Other}, {struct{ f float32 }{}, Other},
		{struct {
			a byte
			b int32
		}{}, Other}, // a gap
		{struct {
			a int32
			b byte
		}{}, Other}, // a gap at the end
		{struct {
			a, _ int32
		}{}, Other},
		{struct {
			a struct{}
			b int64
		}{}, Word},
	} {
		want := c.want
		if bits.UintSize == 32 && reflect.TypeOf(c.v).Kind() == reflect.Struct {
			continue // sizes and gaps differ
		}
		if got := KindOf(reflect.TypeOf(c.v)); got != want {
			t.Errorf("%T: kind %d; want %d", c.v, got, want)
		}
	}
	if got := KindOf(reflect.TypeFor[fmt.Stringer]()); got != Other {
		t.Errorf("an interface: kind %d", got)
	}
}

// TestDistinguishes: keys of these kinds may be equal and have different bytes.
func TestDistinguishes(t *testing.T) {
	for kind, want := range map[Kind]bool{Other: true, String: true, Float32: true, Float64: true, Word: false, Pair: false, Memory: false} {
		if kind.Distinguishes() != want {
			t.Errorf("kind %d: %t", kind, !want)
		}
	}
}

// TestEqualKeysHaveEqualHashes, and others don't, but by chance.
func TestEqualKeysHaveEqualHashes(t *testing.T) {
	pair(t, 0.0, math.Copysign(0, -1), true)
	pair(t, float32(0), float32(math.Copysign(0, -1)), true)
	pair(t, 1.0, -1.0, false)
	pair(t, math.NaN(), math.NaN(), false)
	pair(t, float32(math.NaN()), float32(math.NaN()), false)
	pair(t, any(1), any(1), true)
	pair(t, any(1), any(2), false)
	pair(t, [2]int64{1, 2}, [2]int64{1, 2}, true)
	pair(t, [2]int64{1, 2}, [2]int64{2, 1}, false)
	pair(t, [9]byte{0: 1}, [9]byte{8: 1}, false)
	pair(t, [3]byte{1, 2, 3}, [3]byte{1, 2, 4}, false)
	pair(t, uint8(1), uint8(2), false)
	pair(t, uint16(1), uint16(2), false)
	for n := range 100 {
		s := strings.Repeat("x", n)
		pair(t, s, string([]byte(s)), true)
		pair(t, s, s+"x", false)
		pair(t, s+"\x00", s, false)
		for i := range n {
			b := []byte(s)
			b[i] ^= 1
			pair(t, s, string(b), false)
		}
	}
}

func pair[K comparable](t *testing.T, x, y K, equal bool) {
	t.Helper()
	same := 0
	for range 3 {
		h := New[K]()
		if Of(&h, x) == Of(&h, y) {
			same++
		}
	}
	if equal && same != 3 || !equal && same > 1 {
		t.Errorf("%#v and %#v: %d hashes of 3 are equal", x, y, same)
	}
}

// TestSeeds: two hashers agree on nothing, so that one can't learn from one table
// how to attack another.
func TestSeeds(t *testing.T) {
	seeds(t, 5)
	seeds(t, uint32(5))
	seeds(t, "short")
	seeds(t, "x")
	seeds(t, strings.Repeat("long", 10))
	seeds(t, strings.Repeat("long", 100))
	seeds(t, [2]int64{1, 2})
	seeds(t, [5]int64{1, 2})
	seeds(t, 1.5)
	seeds(t, any("x"))
}

func seeds[K comparable](t *testing.T, k K) {
	t.Helper()
	seen := map[uint32]bool{}
	for range 100 {
		h := New[K]()
		seen[Of(&h, k)] = true
	}
	if len(seen) < 98 {
		t.Errorf("%#v: %d hashes by 100 hashers", k, len(seen))
	}
}

// TestSpread: keys that differ in few bits, or follow one another, are spread over a
// table as random numbers are.
func TestSpread(t *testing.T) {
	for name, key := range map[string]func(i uint64) uint64{
		"one after the other": func(i uint64) uint64 { return i },
		"pages":               func(i uint64) uint64 { return i << 12 },
		"upper half":          func(i uint64) uint64 { return i << 32 },
		"top":                 func(i uint64) uint64 { return i << 48 },
		"reversed":            bits.Reverse64,
		"gray":                func(i uint64) uint64 { return i ^ i>>1 },
		"both halves":         func(i uint64) uint64 { return i | i<<32 },
	} {
		for range 5 {
			h, p, s := New[uint64](), New[[2]uint64](), New[string]()
			spread(t, name, func(i uint64) uint32 { return Of(&h, key(i)) })
			spread(t, name+", pairs", func(i uint64) uint32 { return Of(&p, [2]uint64{key(i), 7}) })
			spread(t, name+", text", func(i uint64) uint32 { return Of(&s, fmt.Sprint("key ", key(i))) })
		}
	}
}

// spread puts 2^14 keys on 2^14 places. With random numbers, 36.8% stay empty,
// give or take 0.3; the upper bits choose the place, as in a Map.
func spread(t *testing.T, name string, hash func(i uint64) uint32) {
	t.Helper()
	const n = 1 << 14
	var upper, lower [n]bool
	for i := range uint64(n) {
		x := hash(i)
		upper[x>>18] = true
		lower[x%n] = true
	}
	for part, places := range map[string]*[n]bool{"upper": &upper, "lower": &lower} {
		empty := 0
		for _, taken := range places {
			if !taken {
				empty++
			}
		}
		if f := float64(empty) / n; f < 0.35 || f > 0.387 {
			t.Errorf("%s: %.1f%% of the places by the %s bits are empty; want 36.8%%", name, f*100, part)
		}
	}
}

func TestUnhashablePanics(t *testing.T) {
	defer func() {
		if v := fmt.Sprint(recover()); v != "runtime error: hash of unhashable type []int" {
			t.Errorf("panic: %s", v)
		}
	}()
	h := New[any]()
	Of(&h, any([]int{1}))
}
