package arenapgx_test

import (
	"fmt"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenapgx"
	"github.com/jackc/pgx/v5"
)

type Customer struct {
	ID    int64
	Name  string
	Email *string // NULL is nil
}

// query stands for the Query of a connection.
func query(string) pgx.Rows { return arenapgx.Customers() }

// Rows in the arena of a request.
func Example() {
	pool := arena.NewPool()
	err := pool.Do(func(a *arena.Arena) error {
		customers, err := arenapgx.Collect[Customer](a, query("select id, name, email from customers"))
		for _, c := range customers {
			fmt.Println(c.ID, c.Name)
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 1 Ada
	// 2 Grace
	// <nil>
}

func ExampleCollect() {
	a := arena.NewArena()
	customers, err := arenapgx.Collect[Customer](a, query("select id, name, email from customers"))
	fmt.Println(len(customers), *customers[0].Email, customers[1].Email == nil, err)
	// Output: 2 ada@example.com true <nil>
}

// Without an arena: ordinary values, allocated together.
func ExampleCollect_batch() {
	customers, err := arenapgx.Collect[Customer](nil, query("select id, name, email from customers"), arenapgx.Batch)
	fmt.Println(len(customers), customers[1].Name, err)
	// Output: 2 Grace <nil>
}

func ExampleCollectAddr() {
	a := arena.NewArena()
	customers, err := arenapgx.CollectAddr[Customer](a, query("select id, name, email from customers"))
	fmt.Println(customers[1].Name, err)
	// Output: Grace <nil>
}

func ExampleCollectOne() {
	a := arena.NewArena()
	c, err := arenapgx.CollectOne[Customer](a, query("select id, name, email from customers order by id"))
	fmt.Println(c.Name, err)
	// Output: Ada <nil>
}

func ExampleCollectExactlyOne() {
	a := arena.NewArena()
	_, err := arenapgx.CollectExactlyOne[Customer](a, query("select id, name, email from customers"))
	fmt.Println(err)
	// Output: too many rows in result set
}

// The rows are read one after the other, in the memory of one.
func ExampleEach() {
	a := arena.NewArena()
	var first string
	for c, err := range arenapgx.Each[Customer](a, query("select id, name, email from customers")) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if first == "" {
			first = arena.Clone(c.Name) // c is dead when the next row is read
		}
		fmt.Println(c.ID)
	}
	fmt.Println(first)
	// Output:
	// 1
	// 2
	// Ada
}

func ExampleMode() {
	type Person struct {
		Name string `db:"name"`
		ID   int64  `db:"id"`
		Age  int    `db:"-"`
		Mail string `db:"email"`
		City string // no column
	}
	rows := query("select id, name, email from customers limit 1")
	_, err := arenapgx.CollectOne[Person](nil, rows)
	fmt.Println(err)
	rows = query("select id, name, email from customers limit 1")
	p, err := arenapgx.CollectOne[Person](nil, rows, arenapgx.Lax)
	fmt.Println(p.Name, err)
	// Output:
	// cannot find field City in returned row
	// Ada <nil>
}
