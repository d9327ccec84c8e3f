package collections_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

func ExampleNewBuffer() {
	b := collections.NewBuffer(arena.NewArena(), 1<<10)
	fmt.Println(b.Len(), b.Cap())
	// Output: 0 1024
}

func ExampleBuffer() {
	b := collections.NewBuffer(arena.NewArena(), 0)
	b.WriteString("some")
	b.WriteByte(' ')
	b.Write([]byte("text"))
	n, _ := b.WriteRune('é')
	fmt.Fprintf(b, ", %d", 42)
	fmt.Println(b, n, b.Len())
	s := b.String() // not a copy
	b.Truncate(4)
	b.WriteString(" more")
	fmt.Println(s, "/", b)
	b.Reset()
	b.Grow(100)
	fmt.Println(len(b.Bytes()), b.Cap() >= 100)
	// Output:
	// some texté, 42 2 15
	// some texté, 42 / some more
	// 0 true
}

func ExampleBuffer_read() {
	b := collections.NewBuffer(arena.NewArena(), 0)
	n, err := b.ReadFrom(strings.NewReader("some text"))
	fmt.Println(n, err)
	c, err := b.ReadByte()
	p := make([]byte, 3)
	m, _ := b.Read(p)
	fmt.Printf("%c %v %d %s %q\n", c, err, m, p, b.Next(1))
	b.WriteTo(os.Stdout)
	_, err = b.ReadByte()
	fmt.Println("", err)
	// Output:
	// 9 <nil>
	// s <nil> 3 ome " "
	// text EOF
}

func ExampleBuffer_Format() {
	b := collections.NewBuffer(arena.NewArena(), 0)
	b.WriteString("some text")
	fmt.Printf("%v %q %.4s\n", b, b, b)
	// Output: some text "some text" some
}
