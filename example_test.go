package arena_test

import (
	"fmt"
	"strings"

	"github.com/harena-go/arena"
)

// A loop that handles one request after another gives back the memory of each
// at once, and takes the same memory for the next.
func Example() {
	type Order struct {
		Customer string
		Items    []string
	}
	a := arena.NewArena()
	for _, line := range []string{"ada: tea, milk", "bob: rice"} {
		order := arena.New[Order](a)
		customer, items, _ := strings.Cut(line, ": ")
		order.Customer = a.AllocString(customer)
		for item := range strings.SplitSeq(items, ", ") {
			order.Items = arena.Append(a, order.Items, a.AllocString(item))
		}
		fmt.Println(order.Customer, len(order.Items), order.Items)
		a.Reset()
	}
	// Output:
	// ada 2 [tea milk]
	// bob 1 [rice]
}

// A function that takes an arena serves callers without one, too.
func Example_nilArena() {
	words := func(a *arena.Arena, s string) []string {
		return arena.Collect(a, strings.FieldsSeq(s))
	}
	a := arena.NewArena()
	fmt.Println(words(a, "in an arena"))
	fmt.Println(words(nil, "on the Go heap"))
	// Output:
	// [in an arena]
	// [on the Go heap]
}

func ExampleArena() {
	// The zero Arena is ready to use, so that it can be a field.
	type Parser struct {
		arena arena.Arena
		words []string
	}
	var p Parser
	for _, word := range []string{"one", "two"} {
		p.words = arena.Append(&p.arena, p.words, p.arena.AllocString(word))
	}
	fmt.Println(p.words)
	// Output: [one two]
}

func ExampleNewArena() {
	a := arena.NewArena()
	fmt.Println(*arena.New[float64](a))

	// One for a large index that the GC should not look into.
	index := arena.NewArena(arena.WithNoScan(), arena.WithName("index"), arena.WithChunkSize(64<<10))
	fmt.Println(index.AllocString("gopher"))
	// Output:
	// 0
	// gopher
}

func ExampleNew() {
	type Point struct {
		X, Y  int
		Label *string
	}
	a := arena.NewArena()
	p := arena.New[Point](a) // all fields are zero
	p.X = 3
	p.Label = arena.NewOf(a, "here")
	fmt.Println(p.X, p.Y, *p.Label)
	// Output: 3 0 here
}

func ExampleNewOf() {
	type Node struct {
		Value int
		Next  *Node
	}
	a := arena.NewArena()
	var list *Node
	for i := range 3 {
		list = arena.NewOf(a, Node{i, list})
	}
	for n := list; n != nil; n = n.Next {
		fmt.Print(n.Value, " ")
	}
	// Output: 2 1 0
}

func ExampleFor() {
	type Token struct{ Text string }
	a := arena.NewArena()
	tokens := arena.For[Token](a) // finds out once where tokens go
	for text := range strings.FieldsSeq("x := 1") {
		t := tokens.New()
		t.Text = text
		fmt.Printf("%q ", t.Text)
	}
	// Output: "x" ":=" "1"
}

func ExampleTyped() {
	type Node struct{ Left, Right *Node }
	type Builder struct {
		nodes *arena.Typed[Node]
	}
	b := Builder{arena.For[Node](arena.NewArena())}
	root := b.nodes.New()
	root.Left = b.nodes.New()
	fmt.Println(root.Left != nil, root.Right != nil)
	// Output: true false
}

func ExampleTyped_New() {
	a := arena.NewArena()
	names := arena.For[[]string](a)
	n := names.New()
	*n = append(*n, "ada")
	fmt.Println(*n)

	a.Reset() // names can still be used, *n can't
	fmt.Println(*names.New())
	// Output:
	// [ada]
	// []
}
