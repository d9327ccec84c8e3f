package memory

import (
	"math"
	"math/bits"
	"testing"
)

// TestBinsCoverAllSizes: each size belongs to the one bin that ends at it
// or above, and by no more than a quarter.
func TestBinsCoverAllSizes(t *testing.T) {
	check := func(n uintptr) {
		i := BinOf(n)
		end := BinEnd(i)
		if i < 0 || i >= Bins || n > end || i > 0 && n <= BinEnd(i-1) || i > 0 && float64(end) > 1.25*float64(n) {
			t.Errorf("%d is in bin %d, which ends at %d", n, i, end)
		}
	}
	for n := range uintptr(5000) {
		check(n)
	}
	for n := uintptr(5000); n < 1<<(bits.UintSize-2); n += n/7 + 1 {
		check(n)
	}
	for i := range Bins - 1 {
		end := BinEnd(i)
		if BinOf(end) != i || BinOf(end+1) != i+1 {
			t.Errorf("bin %d ends at %d, which is in bin %d; 1 more in %d", i, end, BinOf(end), BinOf(end+1))
		}
	}
	if i := BinOf(math.MaxUint); i != Bins-1 {
		t.Errorf("the largest size is in bin %d of %d", i, Bins)
	}
}
