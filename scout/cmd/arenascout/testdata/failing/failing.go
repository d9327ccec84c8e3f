// Package failing has a benchmark that fails, one that allocates nothing, and one that does its work once.
package failing

var Sink []byte

func Work(n int) { Sink = make([]byte, n) }

func Once() {
	for n := range 1000 {
		Work(n)
	}
}
