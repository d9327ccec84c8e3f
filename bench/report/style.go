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

	// Libraries for JSON and protobuf, which no other suite has. Those in Rust have one colour.
	suite.StandardJSON:    {Class: "heap", Marker: chart.Square},
	suite.V2JSON:          {Class: "heap", Marker: chart.Up},
	suite.NewerJSON:       {Class: "runtime", Marker: chart.Square},
	suite.NewerV2JSON:     {Class: "runtime", Marker: chart.Up},
	suite.GoccyJSON:       {Class: "peer1", Marker: chart.Circle},
	suite.SonicJSON:       {Class: "pool", Marker: chart.Diamond},
	suite.SegmentioJSON:   {Class: "peer5", Marker: chart.Down},
	suite.JsoniterJSON:    {Class: "peer4", Marker: chart.Cross},
	suite.EasyJSON:        {Class: "peer3", Marker: chart.Square},
	suite.SimdjsonGo:      {Class: "peer6", Marker: chart.Plus},
	suite.SerdeJSON:       {Class: "rust", Marker: chart.Diamond},
	suite.SonicRs:         {Class: "rust", Marker: chart.Up},
	suite.SimdJSON:        {Class: "rust", Marker: chart.Cross},
	suite.HarenaOnHeap:    {Class: "self", Marker: chart.Square, Strong: true},
	suite.HarenaReference: {Class: "typed", Marker: chart.Up, Strong: true},

	suite.Protobuf:        {Class: "heap", Marker: chart.Square},
	suite.Gogo:            {Class: "peer4", Marker: chart.Circle},
	suite.VTProto:         {Class: "peer2", Marker: chart.Down},
	suite.VTProtoPool:     {Class: "pool", Marker: chart.Diamond},
	suite.Hyperpb:         {Class: "peer3", Marker: chart.Up},
	suite.HyperpbProfiled: {Class: "peer3", Marker: chart.Square},

	suite.Pgx:         {Class: "heap", Marker: chart.Square},
	suite.PgxScan:     {Class: "heap", Marker: chart.Up},
	suite.DatabaseSQL: {Class: "peer4", Marker: chart.Cross},
	suite.BytesAlone:  {Class: "runtime", Marker: chart.Down},
	suite.HarenaEach:  {Class: "typed", Marker: chart.Up, Strong: true},
	suite.HarenaSQL:   {Class: "self", Marker: chart.Square, Strong: true},

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

// known reports whether the peer is an allocator that has a name, as opposed to a
// floor that is measured beside them.
func known(peer string) bool {
	_, ok := styles[peer]
	return ok
}
