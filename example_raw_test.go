package arena_test

import (
	"fmt"
	"os"
	"strings"
	"unsafe"

	"github.com/harena-go/arena"
)

// newMatrix takes its memory from whoever has some.
func newMatrix(from arena.Allocator, rows, columns int) []float64 {
	p := from.Alloc(uintptr(rows*columns)*8, 64)
	return unsafe.Slice((*float64)(p), rows*columns)
}

func ExampleAllocator() {
	m := newMatrix(arena.NewArena(), 3, 4)
	fmt.Println(len(m), m[11])
	// Output: 12 0
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

// The body of a request lives as long as what is parsed from it.
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
