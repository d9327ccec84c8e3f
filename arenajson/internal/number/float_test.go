package number

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// wantFloat is how encoding/json writes a float: it has been the same since Go 1.8.
func wantFloat(b []byte, f float64, size int) []byte {
	abs := math.Abs(f)
	format := byte('f')
	if abs != 0 && (size == 64 && (abs < 1e-6 || abs >= 1e21) || size == 32 && (float32(abs) < 1e-6 || float32(abs) >= 1e21)) {
		format = 'e'
	}
	b = strconv.AppendFloat(b, f, format, -1, size)
	if n := len(b); format == 'e' && n >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' {
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b
}

// A floatChecker compares how floats are written.
type floatChecker struct {
	t         *testing.T
	got, want []byte
	n         int
}

func (c *floatChecker) check(f float64) {
	c.t.Helper()
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return
	}
	c.n++
	c.got, c.want = AppendFloat64(append(c.got[:0], "ab"...), f), wantFloat(append(c.want[:0], "ab"...), f, 64)
	if string(c.got) != string(c.want) {
		c.t.Fatalf("%x: %s, want %s", math.Float64bits(f), c.got, c.want)
	}
}

func (c *floatChecker) check32(f float32) {
	c.t.Helper()
	if f != f || math.IsInf(float64(f), 0) {
		return
	}
	c.n++
	c.got, c.want = AppendFloat32(append(c.got[:0], "ab"...), f), wantFloat(append(c.want[:0], "ab"...), float64(f), 32)
	if string(c.got) != string(c.want) {
		c.t.Fatalf("float32 %x: %s, want %s", math.Float32bits(f), c.got, c.want)
	}
}

// around checks a float, its negative, and the floats next to it.
func (c *floatChecker) around(f float64) {
	for u, i := math.Float64bits(f), uint64(0); i < 9; i++ {
		c.check(math.Float64frombits(u + i - 4))
		c.check(-math.Float64frombits(u + i - 4))
	}
	for u, i := math.Float32bits(float32(f)), uint32(0); i < 9; i++ {
		c.check32(math.Float32frombits(u + i - 4))
		c.check32(-math.Float32frombits(u + i - 4))
	}
}

// TestWrittenFloats: floats of all kinds are written as encoding/json writes them.
func TestWrittenFloats(t *testing.T) {
	n := 300_000
	if testkit.Long {
		n = 30_000_000
	}
	c := &floatChecker{t: t}
	for exp := -1080; exp <= 1024; exp++ { // powers of two
		c.around(math.Ldexp(1, exp))
		c.around(math.Ldexp(math.Pi, exp))
	}
	for exp := -330; exp <= 310; exp++ { // powers of ten, and few digits
		for d := 1; d < 1000; d++ {
			f, _ := strconv.ParseFloat(strconv.Itoa(d)+"e"+strconv.Itoa(exp), 64)
			c.check(f)
			c.check32(float32(f))
			if d == 1 {
				c.around(f)
			}
		}
	}
	for i := range uint64(2000) { // subnormals, and the largest
		c.check(math.Float64frombits(i))
		c.check(math.Float64frombits(0x7fefffffffffffff - i))
		c.check32(math.Float32frombits(uint32(i)))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range n {
		u := rng.Uint64()
		c.check(math.Float64frombits(u))
		c.check32(math.Float32frombits(uint32(u)))
		c.check(float64(u >> (u & 63)))                         // integers
		c.check(float64(int64(u>>8)) / 256)                     // exact fractions
		c.check(float64(u>>44) / exact[u%23])                   // short decimals
		c.check(float64(int64(u)>>20) / exact[u%23])            // longer ones
		c.check(math.Float64frombits(u&^(1<<52-1) | u>>58<<44)) // few bits
	}
	t.Logf("%d floats", c.n)
}

// TestShortestIsSure: random floats aren't left to strconv, except below 1e-292, and near the integers of 16 to 22
// digits, where some are exactly between two decimals.
func TestShortestIsSure(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 100_000 {
		u := rng.Uint64()
		q := 52 + rng.IntN(2047-53)
		if -80 < q-1075 && q-1075 < 80 {
			continue
		}
		if _, _, _, ok := shortest(u>>12|1<<52, q-1075, 0); !ok {
			t.Fatalf("unsure of %d * 2^%d", u>>12|1<<52, q-1075)
		}
	}
}

// TestShortestLogarithms: for all exponents the comments in shortest are right: k is the logarithm of 2^q,
// and u is from 1 to 10.
func TestShortestLogarithms(t *testing.T) {
	for q := -1022; q <= 971; q++ {
		k := q * 315653 >> 20
		shift := q + -k*217706>>16 + 1
		u := new(big.Rat).SetFrac(two(q), two(-q))
		ten := new(big.Rat).SetFrac(tenTo(k), tenTo(-k))
		u.Quo(u, ten)
		if u.Cmp(big.NewRat(1, 1)) < 0 || u.Cmp(big.NewRat(10, 1)) >= 0 || shift < 1 || shift > 4 {
			t.Fatalf("q %d: k %d, shift %d, u %v", q, k, shift, u)
		}
	}
}

// two returns 2 to the n, or 1 for a negative n.
func two(n int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(max(n, 0))) }

// tenTo is two for 10.
func tenTo(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n, 0))), nil)
}

// TestWrittenIntegers: integers of all lengths are written with all their digits.
func TestWrittenIntegers(t *testing.T) {
	check := func(u uint64) {
		if got := AppendUint(mem.Room([]byte("x"), Room), u); string(got) != "x"+strconv.FormatUint(u, 10) {
			t.Fatalf("%s, want x%d", got, u)
		}
		if got := AppendInt(mem.Room(nil, Room), int64(u)); string(got) != strconv.FormatInt(int64(u), 10) {
			t.Fatalf("%s, want %d", got, int64(u))
		}
	}
	for u := range uint64(200_000) {
		check(u)
		check(-u)
	}
	for _, p := range tens {
		for i := range uint64(200) {
			check(p + i - 100)
		}
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200_000 {
		u := rng.Uint64()
		check(u >> (u & 63))
	}
}

// TestFloatsAreAsInStandard: wantFloat is what encoding/json does.
func TestFloatsAreAsInStandard(t *testing.T) {
	for _, f := range []float64{0, math.Copysign(0, -1), 1, -1.5, 1e-6, 9.99e-7, 1e20, 1e21, 1e-9, 1e-10, 1e100, 5e-324, math.MaxFloat64, 123456.789} {
		want, _ := json.Marshal(f)
		if got := wantFloat(nil, f, 64); string(got) != string(want) {
			t.Errorf("%s, want %s", got, want)
		}
		if float32(f) == float32(math.Inf(1)) {
			continue
		}
		want, _ = json.Marshal(float32(f))
		if got := wantFloat(nil, float64(float32(f)), 32); string(got) != string(want) {
			t.Errorf("float32: %s, want %s", got, want)
		}
	}
}
