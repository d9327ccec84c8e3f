package arenastatsviz_test

import (
	"fmt"
	"net/http"

	"github.com/arl/statsviz"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenastatsviz"
)

func Example() {
	mux := http.NewServeMux() // whose page is /debug/statsviz/
	fmt.Println(statsviz.Register(mux, arenastatsviz.Plots()...))
	// Output: <nil>
}

func ExamplePlots() {
	orders := arena.NewPool(arena.WithName("orders"))
	options := append(arenastatsviz.Plots(orders), statsviz.Root("/plots"))
	server, err := statsviz.NewServer(options...)
	fmt.Println(server != nil, err)
	// Output: true <nil>
}
