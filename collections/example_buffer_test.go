package collections_test

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

func ExampleBuffer() {
	b := collections.NewBuffer(arena.NewArena(), 0)
	b.WriteString("some text")
	fmt.Fprintf(b, ", %d", 42)
	b.Next(5)
	fmt.Println(b.String())
	// Output:
	// text, 42
}

func ExampleNewBuffer() {
	b := collections.NewBuffer(arena.NewArena(), 1<<10)
	fmt.Println(b.Len(), b.Cap())
	// Output:
	// 0 1024
}

func ExampleBuffer_String() {
	b := collections.NewBuffer(arena.NewArena(), 0)
	b.WriteString("some text")
	s := b.String() // not a copy
	b.Reset()
	b.WriteString("more text")
	fmt.Println(s)
	// Output:
	// some text
}

func ExampleBuffer_Bytes() {
	b := collections.NewBuffer(arena.NewArena(), 0)
	b.WriteString("some text")
	fmt.Println(len(b.Bytes()))
	// Output:
	// 9
}

func ExampleBuffer_Len() {
	b := collections.NewBuffer(arena.NewArena(), 0)
	b.WriteString("some text")
	b.ReadByte()
	fmt.Println(b.Len())
	// Output:
	// 8
}

func ExampleBuffer_Cap() {
	b := collections.NewBuffer(arena.NewArena(), 0)
	b.WriteString("some text")
	fmt.Println(b.Cap() >= b.Len())
	// Output:
	// true
}

func ExampleBuffer_Truncate() {
	b := collections.NewBuffer(arena.NewArena(), 0)
	b.WriteString("some text")
	b.Truncate(4)
	fmt.Println(b)
	// Output:
	// some
}

func ExampleBuffer_Reset() {
	b := collections.NewBuffer(arena.NewArena(), 0)
	b.WriteString("some text")
	b.Reset()
	fmt.Println(b.Len())
	// Output:
	// 0
}

func ExampleBuffer_Grow() {
	b := collections.NewBuffer(arena.NewArena(), 0)
	b.WriteString("some text")
	b.Grow(100)
	fmt.Println(b.Cap() >= 109)
	// Output:
	// true
}

func ExampleBuffer_Write() {
	b := collections.NewBuffer(arena.NewArena(), 0)
	b.WriteString("some text")
	b.Write([]byte(" and more"))
	fmt.Println(b)
	// Output:
	// some text and more
}

func ExampleBuffer_WriteString() {
	b := collections.NewBuffer(arena.NewArena(), 0)
	b.WriteString("some text")
	b.WriteString("s")
	fmt.Println(b)
	// Output:
	// some texts
}

func ExampleBuffer_WriteByte() {
	b := collections.NewBuffer(arena.NewArena(), 0)
	b.WriteString("some text")
	b.WriteByte('!')
	fmt.Println(b)
	// Output:
	// some text!
}

func ExampleBuffer_WriteRune() {
	b := collections.NewBuffer(arena.NewArena(), 0)
	b.WriteString("some text")
	n, _ := b.WriteRune('é')
	fmt.Println(b, n)
	// Output:
	// some texté 2
}

func ExampleBuffer_Read() {
	b := collections.NewBuffer(arena.NewArena(), 0)
	b.WriteString("some text")
	p := make([]byte, 4)
	n, err := b.Read(p)
	fmt.Println(n, err, string(p))
	// Output:
	// 4 <nil> some
}

func ExampleBuffer_ReadByte() {
	b := collections.NewBuffer(arena.NewArena(), 0)
	b.WriteString("some text")
	c, err := b.ReadByte()
	fmt.Printf("%c %v\n", c, err)
	// Output:
	// s <nil>
}

func ExampleBuffer_Next() {
	b := collections.NewBuffer(arena.NewArena(), 0)
	b.WriteString("some text")
	fmt.Printf("%s\n", b.Next(4))
	// Output:
	// some
}

func ExampleBuffer_ReadFrom() {
	b := collections.NewBuffer(arena.NewArena(), 0)
	b.WriteString("some text")
	n, err := b.ReadFrom(strings.NewReader(" and a lot more"))
	fmt.Println(n, err, b)
	// Output:
	// 15 <nil> some text and a lot more
}

func ExampleBuffer_WriteTo() {
	b := collections.NewBuffer(arena.NewArena(), 0)
	b.WriteString("some text")
	b.WriteTo(os.Stdout)
	_, err := b.ReadByte()
	fmt.Println("", err == io.EOF)
	// Output:
	// some text true
}

func ExampleBuffer_Format() {
	b := collections.NewBuffer(arena.NewArena(), 0)
	b.WriteString("some text")
	fmt.Printf("%v %q %.4s\n", b, b, b)
	// Output:
	// some text "some text" some
}
