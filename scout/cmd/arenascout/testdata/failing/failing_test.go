package failing

import (
	"syscall"
	"testing"
)

func BenchmarkFails(b *testing.B) {
	for b.Loop() {
		Work(10)
	}
	b.Fatal("not what was wanted")
}

func BenchmarkPanics(b *testing.B) {
	for b.Loop() {
		Work(-1)
	}
}

func BenchmarkNothing(b *testing.B) {
	for b.Loop() {
	}
}

func BenchmarkOnce(b *testing.B) {
	Once()
}

func TestNothing(t *testing.T) {}

func TestWork(t *testing.T) {
	for n := range 300 {
		Work(100 + n)
	}
}

// BenchmarkBlocked works while another goroutine is in a system call.
func BenchmarkBlocked(b *testing.B) {
	var ends [2]int
	if err := syscall.Pipe(ends[:]); err != nil {
		b.Fatal(err)
	}
	go syscall.Read(ends[0], make([]byte, 1))
	for b.Loop() {
		Work(100)
	}
	syscall.Write(ends[1], []byte{1})
}

func BenchmarkSeldom(b *testing.B) {
	for range b.N {
		for i := range 16 {
			Seldom(i)
		}
	}
}

func BenchmarkHelped(b *testing.B) { helped(b) }

var kept []int

func helped(b *testing.B) {
	for b.Loop() {
		kept = make([]int, 100)
	}
}
