package arena_test

import (
	"fmt"

	"github.com/harena-go/arena"
)

func ExampleClone() {
	a := arena.NewArena()
	name := arena.Clone(a.AllocString("Ada")) // now on the heap
	a.Reset()
	fmt.Println(name)
	// Output: Ada
}

func ExampleDeepClone() {
	type person struct {
		name   string
		friend *person
	}
	a := arena.NewArena()
	ada, bob := arena.New[person](a), arena.New[person](a)
	*ada = person{a.AllocString("Ada"), bob}
	*bob = person{a.AllocString("Bob"), ada}

	ada = arena.DeepClone(ada) // all of it is on the heap now
	a.Reset()
	fmt.Println(ada.friend.name, ada.friend.friend == ada)
	// Output: Bob true
}
