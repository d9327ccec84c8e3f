//go:build go1.27

package arena_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/harena-go/arena"
)

func ExampleArena_New() {
	type Point struct{ X, Y int }
	a := arena.NewArena()
	p := a.New[Point]()
	p.X = 3
	fmt.Println(*p)
	// Output: {3 0}
}

func ExampleArena_NewOf() {
	type Node struct {
		Value int
		Next  *Node
	}
	a := arena.NewArena()
	list := a.NewOf(Node{2, a.NewOf(Node{1, nil})})
	fmt.Println(list.Value, list.Next.Value)
	// Output: 2 1
}

func ExampleArena_NewFunc() {
	type page struct{ cells [512]byte }
	a := arena.NewArena()
	p := a.NewFunc(func(p *page) { p.cells[0] = 7 })
	fmt.Println(p.cells[:3])
	// Output: [7 0 0]
}

func ExampleArena_Box() {
	a := arena.NewArena()
	fmt.Println(a.Box("text"), a.Box(2.5))
	// Output: text 2.5
}

func ExampleArena_For() {
	type Token struct{ Text string }
	tokens := arena.NewArena().For[Token]()
	t := tokens.New()
	t.Text = ":="
	fmt.Println(*t)
	// Output: {:=}
}

func ExampleArena_MakeSlice() {
	a := arena.NewArena()
	row := a.MakeSlice[int](2, 8)
	fmt.Println(row, cap(row))
	// Output: [0 0] 8
}

func ExampleArena_MakeSliceUninit() {
	a := arena.NewArena()
	squares := a.MakeSliceUninit[int](5, 5)
	for i := range squares {
		squares[i] = i * i
	}
	fmt.Println(squares)
	// Output: [0 1 4 9 16]
}

func ExampleArena_Append() {
	a := arena.NewArena()
	var words []string
	for _, w := range []string{"tea", "milk"} {
		words = a.Append(words, a.AllocString(w))
	}
	fmt.Println(words)
	// Output: [tea milk]
}

func ExampleArena_AppendSeq() {
	a := arena.NewArena()
	lines := a.Append(nil, "first")
	lines = a.AppendSeq(lines, strings.SplitSeq("second|third", "|"))
	fmt.Println(lines)
	// Output: [first second third]
}

func ExampleArena_Collect() {
	a := arena.NewArena()
	names := a.Collect(maps.Keys(map[string]int{"tea": 3, "milk": 1}))
	slices.Sort(names)
	fmt.Println(names)
	// Output: [milk tea]
}

func ExampleArena_Grow() {
	a := arena.NewArena()
	line := a.Grow([]byte("> "), 10)
	fmt.Println(len(line), cap(line) >= 12)
	// Output: 2 true
}

func ExampleArena_CopySlice() {
	buffer := []byte("GET /index")
	a := arena.NewArena()
	method := a.CopySlice(buffer[:3])
	copy(buffer, "PUT")
	fmt.Printf("%s\n", method)
	// Output: GET
}
