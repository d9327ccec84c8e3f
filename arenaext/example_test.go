package arenaext_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
)

// A table is a result with one column.
type table struct{ next []string }

func (t *table) Next() bool {
	t.next = t.next[1:]
	return len(t.next) > 0
}
func (*table) Err() error   { return nil }
func (*table) Close() error { return nil }

// Scan is the driver's way to read the current row.
func (t *table) Scan(targets ...any) error {
	_, err := fmt.Sscan(t.next[0], targets[0])
	return err
}

// A reader reads the rows of a table to strings in an arena.
type reader struct {
	arena *arena.Arena
	table *table
}

func (reader) Prepare() {}

func (r reader) Row(p unsafe.Pointer) error {
	*(*string)(p) = r.arena.AllocString(r.table.next[0])
	return nil
}

// rows returns a table with rows.
func rows(values ...string) *table { return &table{append([]string{""}, values...)} }

func Example() {
	a, t := arena.NewArena(), rows("one", "two")
	all, err := arenaext.CollectRows[string](a, t, reader{a, t})
	fmt.Println(all, err)
	// Output: [one two] <nil>
}

func ExampleContextKey() {
	a := arena.NewArena()
	ctx := context.WithValue(context.Background(), arenaext.ContextKey{}, a)
	fmt.Println(arena.FromContext(ctx) == a)
	// Output: true
}

func ExampleRowSource() {
	var s arenaext.RowSource = rows("one")
	fmt.Println(s.Next(), s.Next(), s.Err(), s.Close())
	// Output: true false <nil> <nil>
}

func ExampleRowReader() {
	t := rows("one")
	var r arenaext.RowReader = reader{nil, t}
	t.Next()
	var v string
	fmt.Println(r.Row(unsafe.Pointer(&v)), v)
	// Output: <nil> one
}

func ExampleCollectRows() {
	a, t := arena.NewArena(), rows("one", "two")
	all, _ := arenaext.CollectRows[string](a, t, reader{a, t})
	fmt.Println(all, a.Owns(unsafe.Pointer(&all[0])))
	// Output: [one two] true
}

func ExampleCollectRowAddrs() {
	a, t := arena.NewArena(), rows("one", "two")
	all, _ := arenaext.CollectRowAddrs[string](a, t, reader{a, t})
	fmt.Println(*all[0], *all[1])
	// Output: one two
}

func ExampleOneRow() {
	errNone, errMore := errors.New("no row"), errors.New("too many rows")
	a, t := arena.NewArena(), rows("one", "two")
	v, err := arenaext.OneRow[string](a, t, reader{a, t}, errNone, errMore)
	fmt.Printf("%q %v\n", v, err)
	// Output: "" too many rows
}

func ExampleEachRow() {
	a, t := arena.NewArena(), rows("one", "two")
	for v, err := range arenaext.EachRow[string](a, t, func(a *arena.Arena) arenaext.RowReader { return reader{a, t} }) {
		fmt.Println(*v, err)
	}
	// Output:
	// one <nil>
	// two <nil>
}

func ExampleDriverColumns() {
	a, t := arena.NewArena(arena.WithNoScan()), rows("text")
	columns, s := arenaext.NewDriverColumns(a, nil), arena.New[string](a)
	t.Next()
	columns.Add(0, 1, reflect.TypeFor[string](), unsafe.Pointer(s))
	err := columns.Scan(t.Scan)
	fmt.Println(err, *s, a.Owns(unsafe.Pointer(unsafe.StringData(*s))))
	// Output: <nil> text true
}

func ExampleNewDriverColumns() {
	columns := arenaext.NewDriverColumns(arena.NewArena(), new(any)) // a *any takes any value
	columns.Add(1, 2, reflect.TypeFor[int](), unsafe.Pointer(new(int)))
	columns.Scan(func(targets ...any) error {
		fmt.Printf("%T %T\n", targets[0], targets[1])
		return nil
	})
	// Output: *interface {} *int
}

func ExampleRowPlans() {
	var plans arenaext.RowPlans[int]
	for i := range 100 {
		plans.Add(reflect.TypeFor[string](), &i)
	}
	all := plans.Of(reflect.TypeFor[string]())
	fmt.Println(len(all), *all[0], len(plans.Of(reflect.TypeFor[int]())))
	// Output: 64 99 0
}

func ExampleStoreInt() {
	var n int8
	fmt.Println(arenaext.StoreInt(reflect.Int8, unsafe.Pointer(&n), 100), n)
	fmt.Println(arenaext.StoreInt(reflect.Int8, unsafe.Pointer(&n), 1000))
	// Output:
	// true 100
	// false
}

func ExampleStoreFloat() {
	var f float32
	fmt.Println(arenaext.StoreFloat(reflect.Float32, unsafe.Pointer(&f), 1.5), f)
	// Output: true 1.5
}

func ExampleIsInt() {
	fmt.Println(arenaext.IsInt(reflect.Uint8), arenaext.IsInt(reflect.Uintptr))
	// Output: true false
}

func ExampleIsFloat() {
	fmt.Println(arenaext.IsFloat(reflect.Float32), arenaext.IsFloat(reflect.Complex64))
	// Output: true false
}

// A decoder makes maps of a type that only the running program knows.
func ExampleMapBuilder() {
	type entry struct {
		key  string
		elem int
	}
	b := arenaext.NewMapBuilder(reflect.TypeFor[map[string]int]())
	a := arena.NewArena()
	var m map[string]int
	b.New(a, unsafe.Pointer(&m), 2)
	for _, e := range []entry{{"one", 1}, {"two", 2}} {
		b.Put(unsafe.Pointer(&m), unsafe.Pointer(&e.key), unsafe.Pointer(&e.elem))
	}
	fmt.Println(m)
	one := "one"
	b.Drop(unsafe.Pointer(&m), unsafe.Pointer(&one))
	fmt.Println(m, b.Usable(arena.NewArena(arena.WithNoScan()), 1))
	// Output:
	// map[one:1 two:2]
	// map[two:2] false
}

func ExampleNewMapBuilder() {
	b := arenaext.NewMapBuilder(reflect.TypeFor[map[int][]byte]())
	fmt.Println(b.Usable(nil, 1))
	// Output: false
}
