package arenasql_test

import (
	"database/sql"
	"fmt"
	"log"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenasql"
	_ "modernc.org/sqlite"
)

type Customer struct {
	ID    int64
	Name  string
	Email *string // NULL is nil
}

// query asks a database with two customers.
func query(text string) *sql.Rows {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		log.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`create table customers (id integer, name text, email text);
		insert into customers values (1, 'Ada', 'ada@example.com'), (2, 'Grace', null)`); err != nil {
		log.Fatal(err)
	}
	rows, err := db.Query(text)
	if err != nil {
		log.Fatal(err)
	}
	return rows
}

// Rows in the arena of a request.
func Example() {
	pool := arena.NewPool()
	err := pool.Do(func(a *arena.Arena) error {
		customers, err := arenasql.Collect[Customer](a, query("select * from customers"))
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
	customers, err := arenasql.Collect[Customer](a, query("select * from customers"))
	fmt.Println(len(customers), *customers[0].Email, customers[1].Email == nil, err)
	// Output: 2 ada@example.com true <nil>
}

// Without an arena: ordinary values, allocated together.
func ExampleCollect_batch() {
	customers, err := arenasql.Collect[Customer](nil, query("select * from customers"), arenasql.Batch)
	fmt.Println(len(customers), customers[1].Name, err)
	// Output: 2 Grace <nil>
}

func ExampleCollectAddr() {
	a := arena.NewArena()
	customers, err := arenasql.CollectAddr[Customer](a, query("select * from customers"))
	fmt.Println(customers[1].Name, err)
	// Output: Grace <nil>
}

func ExampleCollectOne() {
	a := arena.NewArena()
	n, err := arenasql.CollectOne[int](a, query("select count(*) from customers"))
	fmt.Println(n, err)
	_, err = arenasql.CollectOne[Customer](a, query("select * from customers where id = 3"))
	fmt.Println(err)
	// Output:
	// 2 <nil>
	// sql: no rows in result set
}

// The rows are read one after the other, in the memory of one.
func ExampleEach() {
	a := arena.NewArena()
	var first string
	for c, err := range arenasql.Each[Customer](a, query("select * from customers")) {
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
		Age  int    `db:"-"`
		City string // no column
	}
	_, err := arenasql.CollectOne[Person](nil, query("select name from customers"))
	fmt.Println(err)
	p, err := arenasql.CollectOne[Person](nil, query("select name from customers"), arenasql.Lax)
	fmt.Println(p.Name, err)
	// Output:
	// arenasql: there is no column for the field City of arenasql_test.Person
	// Ada <nil>
}
