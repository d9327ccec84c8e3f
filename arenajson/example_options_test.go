package arenajson_test

import (
	"fmt"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
)

// try prints a text decoded as a T.
func try[T any](text string, opts ...arenajson.Options) {
	v, err := arenajson.New[T](nil, []byte(text), opts...)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%+v\n", *v)
}

// write prints v as JSON.
func write(v any, opts ...arenajson.Options) {
	b, err := arenajson.Append(nil, v, opts...)
	fmt.Println(string(b), err)
}

func ExampleAllowDuplicateNames() {
	try[map[string]int](`{"a":1,"a":2}`)
	try[map[string]int](`{"a":1,"a":2}`, arenajson.AllowDuplicateNames(true))
	// Output:
	// arenajson: duplicate object member name within "/a" at offset 7
	// map[a:2]
}

func ExampleAllowInvalidUTF8() {
	try[string]("\"a\xff\"")
	try[string]("\"a\xff\"", arenajson.AllowInvalidUTF8(true))
	// Output:
	// arenajson: invalid UTF-8 at offset 2
	// a�
}

func ExampleMatchCaseInsensitiveNames() {
	try[struct{ UserName string }](`{"user_name":"Ann"}`, arenajson.MatchCaseInsensitiveNames(true))
	// Output: {UserName:Ann}
}

func ExampleRejectUnknownMembers() {
	try[struct{ A int }](`{"A":1,"B":2}`, arenajson.RejectUnknownMembers(true))
	// Output: arenajson: cannot unmarshal JSON string into Go struct { A int }: unknown object member name within "/B" at offset 7
}

func ExampleStringifyNumbers() {
	try[[]int](`["1","2"]`, arenajson.StringifyNumbers(true))
	write([]float64{1.5}, arenajson.StringifyNumbers(true))
	// Output:
	// [1 2]
	// ["1.5"] <nil>
}

func ExampleUseNumber() {
	try[any](`12345678901234567890`)
	try[any](`12345678901234567890`, arenajson.UseNumber(true))
	// Output:
	// 1.2345678901234567e+19
	// 12345678901234567890
}

func ExampleOrderedObjects() {
	try[any](`{"b":1,"a":2}`, arenajson.OrderedObjects(true))
	// Output: [{Name:b Value:1} {Name:a Value:2}]
}

func ExampleReferenceInput() {
	a := arena.NewArena()
	text := arena.CopySlice(a, []byte(`["in the arena already"]`))
	s, err := arenajson.New[[]string](a, text, arenajson.ReferenceInput(true))
	fmt.Println((*s)[0], err)
	// Output: in the arena already <nil>
}

func ExampleDeterministic() {
	write(map[string]int{"b": 2, "a": 1, "c": 3}, arenajson.Deterministic(true))
	// Output: {"a":1,"b":2,"c":3} <nil>
}

func ExampleEscapeForHTML() {
	write("<b>", arenajson.EscapeForHTML(true))
	// Output: "\u003cb\u003e" <nil>
}

func ExampleEscapeForJS() {
	write("\u2028", arenajson.EscapeForJS(true))
	// Output: "\u2028" <nil>
}

func ExampleFormatNilSliceAsNull() {
	write([]int(nil))
	write([]int(nil), arenajson.FormatNilSliceAsNull(true))
	// Output:
	// [] <nil>
	// null <nil>
}

func ExampleFormatNilMapAsNull() {
	write(map[string]int(nil))
	write(map[string]int(nil), arenajson.FormatNilMapAsNull(true))
	// Output:
	// {} <nil>
	// null <nil>
}

func ExampleWithDepthLimit() {
	try[any](`[[[1]]]`, arenajson.WithDepthLimit(2))
	// Output: arenajson: exceeded max depth within "/0/0" at offset 2
}

func ExampleWithByteLimit() {
	try[any](`[1,2,3]`, arenajson.WithByteLimit(4))
	// Output: arenajson: exceeded max bytes at offset 4
}

// The values of a text are allocated together, without an arena.
func ExampleBatch() {
	var orders []struct {
		ID    string
		Items []string
	}
	text := []byte(`[{"ID":"A-1","Items":["pen","ink"]},{"ID":"A-2","Items":["paper"]}]`)
	if err := arenajson.Unmarshal(nil, text, &orders, arenajson.Batch()); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(orders) // an ordinary value: nothing has to be put back
	// Output: [{A-1 [pen ink]} {A-2 [paper]}]
}
