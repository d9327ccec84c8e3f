package decode

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/syntax"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// readBoth reads a number as the decoder and as strconv do.
func readBoth(s string) (got, want float64, err error) {
	d := decoder{Reader: syntax.Reader{Data: append([]byte(s), ",                                        "...)}}
	n := plan.Of(floatKey.Type())
	var f float64
	_, p := plan.OfPointer(&f)
	end := d.value(n, p, 0)
	if short := (&decoder{Reader: syntax.Reader{Data: []byte(s)}}); short.value(n, p, 0) != end {
		return math.NaN(), 0, nil
	}
	d.value(n, p, 0)
	want, err = strconv.ParseFloat(s, 64)
	if err == nil && end != len(s) {
		return math.NaN(), want, nil
	}
	return f, want, err
}

// TestFloats: numbers of all kinds are the floats that strconv says they are.
func TestFloats(t *testing.T) {
	n := 200_000
	if testkit.Long {
		n = 20_000_000
	}
	rng := rand.New(rand.NewPCG(5, 6))
	digits := func(k int) string {
		b := make([]byte, k)
		for i := range b {
			b[i] = byte('0' + rng.IntN(10))
		}
		return string(b)
	}
	for i := range n {
		var s string
		switch i % 8 {
		case 0: // any float, in the shortest way
			s = strconv.FormatFloat(math.Float64frombits(rng.Uint64()), 'e', -1, 64)
		case 1: // and with more digits
			s = strconv.FormatFloat(math.Float64frombits(rng.Uint64()), 'e', 17+rng.IntN(20), 64)
		case 2:
			s = strconv.FormatFloat(rng.NormFloat64(), 'f', rng.IntN(25), 64)
		case 3:
			s = "0." + digits(1+rng.IntN(30))
		case 4:
			s = strconv.Itoa(1+rng.IntN(9)) + digits(rng.IntN(30)) + "e" + strconv.Itoa(rng.IntN(700)-360)
		case 5: // halfway between two floats
			m := rng.Uint64()>>11 | 1<<52
			s = strconv.FormatUint(m, 10) + ".5"
			if i%2 == 0 {
				s += digits(rng.IntN(5))
			}
		case 7: // what quickFloat reads
			s = strconv.Itoa(rng.IntN(10_000_000)) + "." + digits(1+rng.IntN(16))
		case 6:
			s = "0.00000" + digits(1+rng.IntN(25)) + "E+" + strconv.Itoa(rng.IntN(30))
		}
		if s == "NaN" || s == "+Inf" || s == "-Inf" {
			continue
		}
		got, want, err := readBoth(s)
		if err == nil && math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%s: %v, not %v", s, got, want)
		}
	}
	for _, s := range []string{"0", "-0", "0e5", "-0.0e-400", "9007199254740993", "9007199254740992.5", "1e22", "1e23", "4.9e-324", "2.4703282292062327e-324",
		"2.4703282292062328e-324", "1.7976931348623157e308", "1.7976931348623159e308", "2.2250738585072011e-308", "18446744073709551615", "18446744073709551616", "1e-5000", "0.1e+000001"} {
		got, want, err := readBoth(s)
		if err == nil && math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%s: %v, not %v", s, got, want)
		}
	}
}
