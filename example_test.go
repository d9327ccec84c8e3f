package arena_test

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"
	"unsafe"

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

func ExampleNewFunc() {
	a := arena.NewArena()
	type page struct{ cells [512]byte }
	p := arena.NewFunc(a, func(p *page) { p.cells[0] = 7 })
	fmt.Println(p.cells[:3])
	// Output: [7 0 0]
}

func ExampleBox() {
	a := arena.NewArena()
	var stack []any // of an interpreter, say
	stack = arena.Append[any](a, stack, arena.Box(a, 2.5), arena.Box(a, "text"), arena.Box(a, 7))
	fmt.Println(stack...)
	// Output: 2.5 text 7
}

func ExampleConcat() {
	a := arena.NewArena()
	fmt.Println(arena.Concat(a, "item ", "4711"))
	// Output: item 4711
}

func ExampleJoin() {
	a := arena.NewArena()
	fmt.Println(arena.Join(a, []string{"usr", "local", "bin"}, "/"))
	// Output: usr/local/bin
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

func ExampleMakeSlice() {
	a := arena.NewArena()
	row := arena.MakeSlice[int](a, 2, 8)
	fmt.Println(row, cap(row))
	// Output: [0 0] 8
}

// Memory that is overwritten in any case need not be zeroed first.
func ExampleMakeSliceUninit() {
	a := arena.NewArena()
	squares := arena.MakeSliceUninit[int](a, 5, 5)
	for i := range squares {
		squares[i] = i * i
	}
	fmt.Println(squares)
	// Output: [0 1 4 9 16]
}

func ExampleAppend() {
	a := arena.NewArena()
	var primes []int
	for n := 2; n < 20; n++ {
		if !slices.ContainsFunc(primes, func(p int) bool { return n%p == 0 }) {
			primes = arena.Append(a, primes, n)
		}
	}
	fmt.Println(primes)
	// Output: [2 3 5 7 11 13 17 19]
}

// A slice grows where it is, also while objects and strings are allocated.
func ExampleAppend_inPlace() {
	a := arena.NewArena()
	words := arena.MakeSlice[string](a, 0, 1)
	words = arena.Append(a, words, a.AllocString("one"))
	first := &words[0]
	for _, w := range []string{"two", "three", "four"} {
		words = arena.Append(a, words, a.AllocString(w))
	}
	fmt.Println(words, &words[0] == first)
	// Output: [one two three four] true
}

func ExampleAppendSeq() {
	stock := map[string]int{"tea": 3, "milk": 1, "rice": 2}
	a := arena.NewArena()
	names := arena.MakeSlice[string](a, 0, len(stock))
	names = arena.AppendSeq(a, names, maps.Keys(stock))
	slices.Sort(names)
	fmt.Println(names)
	// Output: [milk rice tea]
}

func ExampleCollect() {
	a := arena.NewArena()
	fields := arena.Collect(a, strings.SplitSeq("2026-03-14", "-"))
	fmt.Println(len(fields), fields)
	// Output: 3 [2026 03 14]
}

func ExampleGrow() {
	a := arena.NewArena()
	line := arena.Grow(a, []byte("> "), 10)
	fmt.Println(len(line), cap(line) >= 12)
	line = append(line, "ten bytes!"...) // there is room
	fmt.Printf("%s\n", line)
	// Output:
	// 2 true
	// > ten bytes!
}

func ExampleCopySlice() {
	buffer := []byte("GET /index")
	a := arena.NewArena()
	method := arena.CopySlice(a, buffer[:3])
	copy(buffer, "PUT") // the next request overwrites the buffer
	fmt.Printf("%s\n", method)
	// Output: GET
}

func ExampleArena_Alloc() {
	a := arena.NewArena()
	p := a.Alloc(16, 64) // 16 bytes at the beginning of a cache line
	counters := (*[4]int32)(p)
	counters[2]++
	fmt.Println(*counters, uintptr(p)%64)
	// Output: [0 0 1 0] 0
}

func ExampleArena_Realloc() {
	a := arena.NewArena()
	p := a.Alloc(8, 8)
	*(*int64)(p) = 42
	q := a.Realloc(p, 8, 4000, 8) // the newest allocation grows where it is
	fmt.Println(p == q, *(*int64)(q))
	// Output: true 42
}

func ExampleArena_AllocBytes() {
	a := arena.NewArena()
	header := a.AllocBytes(6)
	copy(header, "PNG")
	fmt.Printf("%q\n", header)
	// Output: "PNG\x00\x00\x00"
}

func ExampleArena_AllocBytesUninit() {
	f, err := os.Open("go.mod")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()

	a := arena.NewArena()
	buffer := a.AllocBytesUninit(6)
	n, _ := f.Read(buffer) // only buffer[:n] has a meaning now
	fmt.Printf("%s\n", buffer[:n])
	// Output: module
}

func ExampleArena_AllocString() {
	line := []byte("user=ada")
	a := arena.NewArena()
	user := a.AllocString(string(line[5:])) // a copy: line may be overwritten
	clear(line)
	fmt.Println(user)
	// Output: ada
}

func ExampleArena_AllocBytesToString() {
	line := []byte("user=ada")
	a := arena.NewArena()
	user := a.AllocBytesToString(line[5:]) // as string(line[5:]), in the arena
	clear(line)
	fmt.Println(user)
	// Output: ada
}

// The body of a request lives as long as the values parsed from it.
func ExampleArena_ReadAll() {
	a := arena.NewArena()
	request := strings.NewReader("level=info service=web")
	body, err := a.ReadAll(request, request.Size())
	fmt.Printf("%s %d %v\n", body, a.UsedBytes(), err)
	// Output: level=info service=web 22 <nil>
}

func ExampleArena_Sprintf() {
	a := arena.NewArena()
	key := a.Sprintf("%s/%04d", "orders", 17)
	fmt.Println(key)
	// Output: orders/0017
}

type place struct{ X, Y int }

func ExampleKeyOf() {
	key := arena.KeyOf(reflect.TypeFor[place]()) // once, for all arenas
	a := arena.NewArena()
	p := (*place)(key.New(a))
	p.X = 3
	fmt.Println(*p)
	// Output: {3 0}
}

func ExampleTypeKey() {
	a := arena.NewArena()
	key := arena.KeyOf(reflect.TypeFor[place]())
	v := reflect.NewAt(key.Type(), key.New(a)).Elem()
	v.Field(1).SetInt(4)
	s := unsafe.Slice((*place)(key.MakeSlice(a, 2)), 2)
	p := (*place)(key.For(a).New())
	p.X = 1
	fmt.Println(v, s, *p)
	// Output: {0 4} [{0 0} {0 0}] {1 0}
}

func ExampleTypeAllocator() {
	a := arena.NewArena()
	names := arena.KeyOf(reflect.TypeFor[string]()).For(a)
	p, room := names.Grow(nil, 0, 0, 8) // more than is needed
	*(*string)(p) = "one"
	*(*string)(unsafe.Add(p, names.Size())) = "two"
	room = names.Trim(p, 2, room)
	fmt.Printf("%q\n", unsafe.Slice((*string)(p), room))
	fmt.Printf("%q %q\n", *(*string)(names.New()), unsafe.Slice((*string)(names.NewN(2)), 2))
	// Output:
	// ["one" "two"]
	// "" ["" ""]
}

func ExampleArena_CopyAll() {
	a := arena.NewArena()
	fmt.Printf("%s\n", a.CopyAll([]byte("in several "), []byte("pieces")))
	// Output: in several pieces
}

func ExampleArena_SelfContained() {
	fmt.Println(arena.NewArena(arena.WithNoScan()).SelfContained(), arena.NewArena().SelfContained())
	// Output: true false
}

func ExampleArena_UsedBytes() {
	a := arena.NewArena()
	a.AllocBytes(1000)
	fmt.Println(a.UsedBytes() >= 1000) // the sanitizer takes some more
	a.Reset()
	fmt.Println(a.UsedBytes())
	// Output:
	// true
	// 0
}

// With Reserve, a known number of values needs one chunk and no growing.
func ExampleArena_Reserve() {
	type Vertex struct{ X, Y, Z float64 }
	a, b := arena.NewArena(), arena.NewArena()
	a.Reserve(10_000 * int(unsafe.Sizeof(Vertex{})))
	for range 10_000 {
		arena.New[Vertex](a)
		arena.New[Vertex](b)
	}
	fmt.Println(a.Stats().Chunks < b.Stats().Chunks)
	// Output: true
}

func ExampleStats() {
	a := arena.NewArena()
	for range 2 {
		a.Reset()
		a.AllocBytes(5000)
	}
	s := a.Stats()
	fmt.Println(s.Used, s.HighWater, s.Resets, s.Reserved >= s.Used)
	// Output: 5000 5000 2 true
}

func ExampleStats_String() {
	a := arena.NewArena(arena.WithName("requests"))
	a.AllocBytes(1000)
	a.Reset()
	a.AllocBytes(200)
	fmt.Println(a.Stats())
	// Output: arena "requests": 200 B used (high water 1000 B) of 4096 B in 1 chunk; 0 B retained, 0 B wasted; 0 slabs, 1 reset
}

func ExampleArena_Stats() {
	type Node struct{ Next *Node }
	a := arena.NewArena(arena.WithName("list"))
	arena.New[Node](a)  // in a slab
	arena.New[int64](a) // in a plain chunk
	s := a.Stats()
	fmt.Println(s.Name, s.Slabs, s.Chunks)
	// Output: list 1 2
}

func ExampleArena_words() {
	a := arena.NewArena()
	digits := func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}
	name := "ada" // is returned as it is
	fmt.Println(a.ToUpper("sku-17é"), a.ToLower("Ada@Example.org"), a.ToLower(name), a.Map(digits, "+49 (30) 1234"))
	fmt.Println(a.Replace("a/b/c", "/", ".", -1), a.Replace("a/b/c", "/", ".", 1), a.Repeat("=", 10))
	// Output:
	// SKU-17É ada@example.org ada 49301234
	// a.b.c a.b/c ==========
}

func ExampleArena_Text() {
	a := arena.NewArena()
	s := a.Text().Str("order ").Int(17).Str(": ").Float(9.5, 'f', 2).String()
	fmt.Println(s)
	// Output: order 17: 9.50
}

func ExampleText() {
	a := arena.NewArena()
	t := a.Text().Str("order ").Int(17).Byte('/').Int64(1 << 40).Byte('/').Uint64(1 << 63)
	fmt.Println(t.Len(), t.String())
	when := time.Unix(0, 0).UTC()
	fmt.Println(a.Text().Quote("Ada").Rune('é').Bytes([]byte("raw")).Bool(true).Float(9.5, 'f', 2).Time(when, time.DateOnly))
	// Output:
	// 42 order 17/1099511627776/9223372036854775808
	// "Ada"érawtrue9.501970-01-01
}
