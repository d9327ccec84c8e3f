// Package small measures requests that allocate little, where the cost of getting an arena and giving it back matters.
package small

import (
	"fmt"
	"time"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
)

const name = "small"

// Suite measures requests of 1 to 1,000 objects.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  name,
		Title: "Small requests",
		About: "One goroutine does one request after the other. A request allocates objects of 64 bytes, each with a " +
			"pointer and with a string of 24 bytes of its own, reads them, and drops them. Where an arena's line " +
			"crosses that of the heap it begins to pay; nothing else is live, so that the collector, which arenas " +
			"spare most of its work, has the least to do. \"harena\" and \"harena-self-contained\" get an arena from " +
			"an arena.Pool for each request and put it back; that of \"harena-first-gear\" reuses no memory. " +
			"The others need no pool: \"harena-reset\" resets the " +
			"goroutine's own arena, \"harena-mark\" rewinds it to a mark, and \"harena-fresh\" makes a new arena for " +
			"each request and frees it, which is the wrong way to use one.",
		Peers: []string{suite.Heap, suite.SyncPool, suite.Runtime, suite.Nuke, suite.FirstGear,
			suite.Harena, suite.SelfContained, Reset, Mark, Fresh},
		Rounds:  10,
		Plot:    suite.LogLog,
		Run:     run,
		Seconds: suite.Takes(0.1, 1),
	}
}

// sizes are the numbers of objects in a request.
var sizes = []int{1, 10, 100, 1000}

func run(peer string, c suite.Config) (out suite.Output, err error) {
	do, err := server(peer)
	if err != nil {
		return out, err
	}
	turn := 40 * time.Millisecond
	if c.Quick {
		turn = 2 * time.Millisecond
	}
	sum := int64(0)
	for _, n := range sizes {
		row := fmt.Sprintf("objects-%d", n)
		if !c.Wants(row) {
			continue
		}
		sum += do(n)
		took, _ := measure.PerRun(do, n, turn)
		out.Results = append(out.Results, suite.Result{
			Suite: name, Row: row, Title: title(n), Peer: peer, Unit: suite.Seconds, X: float64(n),
			Values: []float64{took},
		})
	}
	out.Checksum = fmt.Sprint(sum)
	if text := remarks[peer]; text != "" {
		out.Remarks = []suite.Remark{{Peer: peer, Text: text}}
	}
	return out, nil
}

var remarks = map[string]string{
	suite.SyncPool: "It uses objects again, but its strings come from the heap.",
	suite.Runtime:  "It can't be reset: each request makes an arena and frees it.",
	suite.Nuke: "One arena, which is reset after each request. " +
		"The collector doesn't see what its objects point to; here that is in the same arena.",
}

func title(objects int) string {
	switch objects {
	case 1:
		return "1 object"
	case 1000:
		return "1,000 objects"
	}
	return fmt.Sprintf("%d objects", objects)
}
