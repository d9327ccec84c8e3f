package arenajson_test

import (
	"fmt"
	"log"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/collections"
)

// All of this is in the arena, where Go's map would be on the heap.
func Example_collections() {
	type order struct {
		Items  collections.Slice[string]    `json:"items"`
		Prices collections.Map[string, int] `json:"prices"`
	}
	a := arena.NewArena(arena.WithNoScan())
	o, err := arenajson.New[order](a, []byte(`{"items":["tea","milk"],"prices":{"tea":3,"milk":1}}`))
	if err != nil {
		log.Fatal(err)
	}
	o.Items.Append("honey")
	o.Prices.Set("honey", 7)
	for _, item := range o.Items.Slice() {
		price, _ := o.Prices.Get(item)
		fmt.Println(item, price)
	}
	out, err := arenajson.Marshal(a, o)
	fmt.Println(string(out), err)
	// Output:
	// tea 3
	// milk 1
	// honey 7
	// {"items":["tea","milk","honey"],"prices":{"tea":3,"milk":1,"honey":7}} <nil>
}
