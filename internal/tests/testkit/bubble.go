package testkit

import (
	"testing"
	"testing/synctest"
	"time"
)

// InBubbles runs each test of a package once more, as TestXInBubble, within a synctest bubble, except those in not,
// which maps their names to the reasons. TestMain calls it.
func InBubbles(m *testing.M, not map[string]string) {
	tests := Field[[]testing.InternalTest](m, "tests")
	for _, test := range *tests {
		*tests = append(*tests, testing.InternalTest{Name: test.Name + "InBubble", F: func(t *testing.T) {
			why := not[test.Name]
			if why == "" && testing.Short() {
				why = "in a bubble once more"
			}
			if why != "" {
				t.Skip(why)
			}
			synctest.Test(t, test.F)
		}})
	}
}

// InBubble reports whether it is called within a synctest bubble, where time begins in the year
// 2000.
func InBubble() bool { return time.Now().Year() < 2020 }

// Run is t.Run, which panics within a synctest bubble: there, f runs as a part of the test.
func Run(t *testing.T, name string, f func(t *testing.T)) {
	if InBubble() {
		f(t)
		return
	}
	t.Run(name, f)
}
