package arenajson_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
)

type user struct {
	Name string   `json:"name"`
	Age  int      `json:"age,omitzero"`
	Tags []string `json:"tags,omitempty"`
}

func Example() {
	a := arena.NewArena()
	for _, text := range []string{`{"name":"Ann","tags":["x","y"]}`, `{"name":"Bob","age":33}`} {
		u, err := arenajson.New[user](a, []byte(text))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(u.Name, u.Age, u.Tags)
		a.Reset() // u is gone
	}
	// Output:
	// Ann 0 [x y]
	// Bob 33 []
}

func ExampleUnmarshal() {
	a := arena.NewArena()
	u := user{Age: 7}
	err := arenajson.Unmarshal(a, []byte(`{"name":"Ann"}`), &u)
	fmt.Println(u, err)
	// Output: {Ann 7 []} <nil>
}

func ExampleNew() {
	a := arena.NewArena()
	u, err := arenajson.New[user](a, []byte(`{"name":"Ann","age":"old"}`))
	fmt.Println(u, err)
	// Output: <nil> arenajson: cannot unmarshal JSON string into Go int within "/age" at offset 20
}

func ExampleValid() {
	fmt.Println(arenajson.Valid([]byte(`[1, 2]`)), arenajson.Valid([]byte(`[1, 2`)))
	// Output: true false
}

func ExampleUnmarshalRead() {
	var u user
	err := arenajson.UnmarshalRead(arena.NewArena(), strings.NewReader(`{"name":"Ann"}`), &u)
	fmt.Println(u.Name, err)
	// Output: Ann <nil>
}

func ExampleRead() {
	u, err := arenajson.Read[user](arena.NewArena(), strings.NewReader(`{"name":"Ann"}`))
	fmt.Println(u.Name, err)
	// Output: Ann <nil>
}

func ExampleDecoder() {
	a := arena.NewArena()
	d := arenajson.NewDecoder(strings.NewReader(`{"name":"Ann"} {"name":"Bob"} `))
	for d.More() {
		a.Reset()
		var u user
		if err := d.Decode(a, &u); err != nil {
			log.Fatal(err)
		}
		rest, _ := io.ReadAll(d.Buffered())
		fmt.Printf("%s, to offset %d, then %q\n", u.Name, d.InputOffset(), rest)
	}
	// Output:
	// Ann, to offset 14, then " {\"name\":\"Bob\"} "
	// Bob, to offset 29, then " "
}

func ExampleNewDecoder() {
	d := arenajson.NewDecoder(strings.NewReader(`[1,2,3,4]`), arenajson.WithByteLimit(5))
	fmt.Println(d.Decode(nil, new([]int)))
	// Output: arenajson: exceeded max bytes at offset 5
}

func ExampleDecoder_Decode() {
	d := arenajson.NewDecoder(strings.NewReader(`1 "two" 3`))
	for range 4 {
		var n int
		err := d.Decode(nil, &n)
		fmt.Println(n, err)
	}
	// Output:
	// 1 <nil>
	// 0 arenajson: cannot unmarshal JSON string into Go int at offset 2
	// 3 <nil>
	// 0 EOF
}

func ExampleDecoder_Token() {
	d := arenajson.NewDecoder(strings.NewReader(`{"a":[true,null]}`))
	for {
		t, err := d.Token()
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Print(t, " ")
	}
	// Output: { a [ true <nil> ] } EOF
}

func ExampleAppend() {
	b, err := arenajson.Append([]byte("data: "), user{Name: "Ann", Tags: []string{"x"}})
	fmt.Println(string(b), err)
	// Output: data: {"name":"Ann","tags":["x"]} <nil>
}

func ExampleMarshal() {
	a := arena.NewArena()
	b, err := arenajson.Marshal(a, []any{1, "two", nil})
	fmt.Println(string(b), err)
	// Output: [1,"two",null] <nil>
}

func ExampleMarshalWrite() {
	arenajson.MarshalWrite(os.Stdout, map[string]int{"a": 1})
	// Output: {"a":1}
}

func ExampleObject() {
	a := arena.NewArena()
	v, _ := arenajson.New[any](a, []byte(`{"z":1,"a":{"y":2}}`), arenajson.OrderedObjects(true))
	for _, m := range (*v).(arenajson.Object) {
		fmt.Println(m.Name, m.Value)
	}
	fmt.Println((*v).(arenajson.Object).Get("z"))
	// Output:
	// z 1
	// a [{y 2}]
	// 1 true
}

func ExampleMember() {
	b, _ := arenajson.Append(nil, arenajson.Object{{Name: "second", Value: 2.0}, {Name: "first", Value: 1.0}})
	fmt.Println(string(b))
	// Output: {"second":2,"first":1}
}

// A color is written #rrggbb.
type color struct{ hex string }

func (c *color) UnmarshalJSONArena(a *arena.Arena, data []byte) error {
	if len(data) != 9 || data[1] != '#' {
		return errors.New("not a color")
	}
	c.hex = a.AllocBytesToString(data[2:8])
	return nil
}

func ExampleUnmarshalerArena() {
	a := arena.NewArena(arena.WithNoScan()) // where UnmarshalJSON is refused
	v, err := arenajson.New[[]color](a, []byte(`["#ff0000","#00ff00"]`))
	fmt.Println(*v, err)
	// Output: [{ff0000} {00ff00}] <nil>
}

func ExampleError() {
	_, err := arenajson.New[[]user](nil, []byte(`[{"name":"Ann"},{"name":17}]`))
	var e *arenajson.Error
	if errors.As(err, &e) {
		fmt.Println(e.Offset, e.Pointer, e.Type)
		fmt.Println(e.Error(), e.Unwrap())
	}
	fmt.Println(errors.Is(arenajson.Unmarshal(nil, []byte(`{"a":1,"a":2}`), new(any)), arenajson.ErrDuplicateName))
	// Output:
	// 24 /1/name string
	// arenajson: cannot unmarshal JSON number into Go string within "/1/name" at offset 24 <nil>
	// true
}

func ExampleError_As() {
	err := arenajson.Unmarshal(nil, []byte(`[1,]`), new([]int))
	var e *json.SyntaxError
	if errors.As(err, &e) {
		fmt.Println(e.Offset, e)
	}
	// Output: 4 invalid character ']' looking for beginning of value
}

func ExampleJoinOptions() {
	mine := arenajson.JoinOptions(arenajson.DefaultOptionsV1(), arenajson.AllowDuplicateNames(false))
	fmt.Println(arenajson.Unmarshal(nil, []byte(`{"a":1,"a":2}`), new(any), mine) != nil)
	// Output: true
}

func ExampleOptions() {
	opts := []arenajson.Options{arenajson.RejectUnknownMembers(true), arenajson.WithDepthLimit(10)}
	fmt.Println(arenajson.Unmarshal(nil, []byte(`{"Name":1}`), new(user), opts...))
	// Output: arenajson: cannot unmarshal JSON string into Go arenajson_test.user: unknown object member name within "/Name" at offset 1
}

func ExampleDefaultOptionsV1() {
	var u user
	err := arenajson.Unmarshal(nil, []byte(`{"NAME":"Ann","age":"?","tags":["x"]}`), &u, arenajson.DefaultOptionsV1())
	fmt.Println(u, err)
	// Output: {Ann 0 [x]} arenajson: cannot unmarshal JSON string into Go int within "/age" at offset 20
}

func ExampleDefaultOptionsV2() {
	var u user
	err := arenajson.Unmarshal(nil, []byte(`{"NAME":"Ann"}`), &u, arenajson.DefaultOptionsV1(), arenajson.DefaultOptionsV2())
	fmt.Printf("%q %v\n", u.Name, err)
	// Output: "" <nil>
}
