package report

import (
	"github.com/harena-go/arena/bench/chart"
	"github.com/harena-go/arena/bench/suite"
)

// styles are how the peers look in all charts. Those of this project are solid,
// larger and drawn last.
var styles = map[string]chart.Style{
	suite.Heap:           {Class: "heap", Marker: chart.Square},
	suite.SyncPool:       {Class: "pool", Marker: chart.Diamond},
	suite.Runtime:        {Class: "runtime", Marker: chart.Up},
	suite.Nuke:           {Class: "peer1", Marker: chart.Circle},
	suite.Wundergraph:    {Class: "peer2", Marker: chart.Down},
	suite.Pavanmanishd:   {Class: "peer3", Marker: chart.Square},
	suite.Limpo1989:      {Class: "peer4", Marker: chart.Cross},
	suite.Goutil:         {Class: "peer5", Marker: chart.Plus},
	suite.ByteBufferPool: {Class: "peer6", Marker: chart.Up},
	suite.Bumpalo:        {Class: "rust", Marker: chart.Diamond},
	suite.Harena:         {Class: "harena", Marker: chart.Circle, Strong: true},
	suite.Typed:          {Class: "typed", Marker: chart.Up, Strong: true},
	suite.SelfContained:  {Class: "self", Marker: chart.Diamond, Strong: true},

	// Ways to use one, which single suites have.
	"harena-shared":  {Class: "typed", Marker: chart.Square, Strong: true},
	"harena-sampled": {Class: "typed", Marker: chart.Square, Strong: true},

	"harena-observed": {Class: "typed", Marker: chart.Square, Strong: true},
	"harena-reset":    {Class: "typed", Marker: chart.Square, Strong: true},
	"harena-mark":     {Class: "typed", Marker: chart.Down, Strong: true},
	"harena-fresh":    {Class: "pool", Marker: chart.Square, Strong: true},
}

// style is how a peer looks. One without a style of its own is there to explain
// the others.
func style(peer string) chart.Style {
	if s, ok := styles[peer]; ok {
		return s
	}
	return chart.Style{Class: "other", Marker: chart.Cross}
}

// known says whether the peer is an allocator that has a name, as opposed to a
// floor that is measured beside them.
func known(peer string) bool {
	_, ok := styles[peer]
	return ok
}
