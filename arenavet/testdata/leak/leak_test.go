package leak

import "testing"

func TestOK(t *testing.T) {
	a := pool.Get() // ends with the test
	a.Reserve(100)
}
