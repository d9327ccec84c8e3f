package std

import (
	"maps"
	"slices"
)

// Names returns the functions of the tables written by hand.
func Names() []string {
	var all []string
	for _, m := range []map[string]bool{sequences, shows, changes, Deleters} {
		all = slices.AppendSeq(all, maps.Keys(m))
	}
	for _, m := range []map[string]string{Watchers, containers, added} {
		all = slices.AppendSeq(all, maps.Keys(m))
	}
	return slices.AppendSeq(all, maps.Keys(Spawns))
}
