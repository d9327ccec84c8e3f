package testkit

import (
	"testing"
	"time"
)

// WithinTimes fails the test if the second time that f measures is more than most times the first,
// three times in a row, since other work on the machine may spoil a measurement.
func WithinTimes(t testing.TB, most time.Duration, what string, f func() (short, long time.Duration)) {
	t.Helper()
	for try := 1; ; try++ {
		short, long := f()
		if long <= most*short {
			return
		}
		if try == 3 {
			t.Errorf("%s: %v, and %v where it should be less than %d times as long", what, short, long, most)
			return
		}
	}
}
