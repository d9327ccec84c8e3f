package peers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/harena-go/arena/bench/suite"
)

// Suite checks the peers: a fast allocator that returns memory twice, or memory that the garbage collector can't see
// into, isn't comparable.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  "checks",
		Title: "What the peers keep of Go's promises",
		About: "Objects of many sizes are made through all operations of a peer, filled and compared, before and " +
			"after resets. " +
			"Pointers to heap objects are stored in " + fmt.Sprint(lostSteps) +
			" of them, and looked at again after collections. " +
			"All numbers are counts of objects and should be 0.",
		Peers: []string{
			suite.Heap, suite.SyncPool, suite.Runtime,
			suite.Nuke, suite.Pavanmanishd, suite.Goutil,
			suite.Harena, suite.Typed, suite.SelfContained,
		},
		Rounds:  1,
		Plot:    suite.TableOnly,
		Run:     run,
		Seconds: func(suite.Config) float64 { return 0.3 },
	}
}

func run(peer string, c suite.Config) (suite.Output, error) {
	f, err := inspectPeer(peer)
	if err != nil {
		return suite.Output{}, err
	}
	out := suite.Output{Remarks: f.remarks(peer), Note: fmt.Sprintf("%d objects", f.objects)}
	add := func(row, title string, value int) {
		if c.Wants(row) {
			out.Results = append(out.Results, suite.Result{
				Suite: "checks", Row: row, Title: title, Peer: peer,
				Unit: suite.Count, Values: []float64{float64(value)},
			})
		}
	}
	add("overlap", "content lost to other objects", f.overlap.sum())
	add("misaligned", "not aligned", f.misaligned.sum())
	add("dirty", "not zero when allocated", f.dirty.sum())
	add("lost-pointers", "pointers to the heap lost", f.lostThough)
	return out, nil
}

// remarks describes the defects in words.
func (f *findings) remarks(peer string) (all []suite.Remark) {
	say := func(format string, args ...any) {
		all = append(all, suite.Remark{Peer: peer, Text: fmt.Sprintf(format, args...)})
	}
	if n := f.overlap.sum(); n > 0 {
		say("returns memory twice: %d of %d objects lost their content to others (%s)", n, f.objects, f.overlap.names())
	}
	if n := f.misaligned.sum(); n > 0 {
		say("doesn't align: %d of %d objects (%s)", n, f.objects, f.misaligned.names())
	}
	if n := f.dirty.sum(); n > 0 {
		say("memory isn't zeroed: %d of %d objects had old content when they were allocated (%s)", n, f.objects,
			f.dirty.names())
	}
	switch {
	case f.lostThough > 0:
		say("loses heap pointers: %d of %d objects corrupted after a collection", f.lostThough, lostSteps)
	case f.lost > 0:
		say("loses heap pointers that it isn't told of through KeepAlive: %d of %d objects corrupted after a "+
			"collection", f.lost, lostSteps)
	}
	if len(f.fallback) > 0 {
		var per []string
		for _, name := range slices.Sorted(maps.Keys(f.fallback)) {
			per = append(per, fmt.Sprintf("%s %.4g", name, f.fallback[name]))
		}
		say("allocates on the heap, times for each operation: %s", strings.Join(per, ", "))
	}
	return all
}

func (t tally) names() string { return strings.Join(slices.Sorted(maps.Keys(t)), ", ") }
