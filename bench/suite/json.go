package suite

import "slices"

// The names of the libraries that read and write JSON.
const (
	StandardJSON    = "std"         // encoding/json
	V2JSON          = "std-v2"      // encoding/json/v2, as a module
	NewerJSON       = "std-1.27"    // encoding/json of Go 1.27; a program of its own
	NewerV2JSON     = "std-1.27-v2" // encoding/json/v2 of Go 1.27; a program of its own
	GoccyJSON       = "goccy"
	SonicJSON       = "sonic"
	HarenaOnHeap    = "harena-heap"
	HarenaBatch     = "harena-batch"
	HarenaReference = "harena-reference"
)

// JSONPeers describe the peers of suite json.
var JSONPeers = []Peer{
	{StandardJSON, "encoding/json", "the standard library"},
	{V2JSON, "github.com/go-json-experiment/json", "encoding/json/v2, as a module"},
	{NewerJSON, "encoding/json", "the standard library of Go 1.27"},
	{NewerV2JSON, "encoding/json/v2", "version 2, in the standard library of Go 1.27"},
	{GoccyJSON, "github.com/goccy/go-json", "goccy/go-json"},
	{SonicJSON, "github.com/bytedance/sonic", "sonic in its standard mode, which validates"},
	{HarenaOnHeap, "github.com/harena-go/arena", "arenajson, arenaproto or a ported program without an arena"},
	{HarenaBatch, "github.com/harena-go/arena", "arenajson with Batch, without an arena; arenaproto likewise"},
	{HarenaReference, "github.com/harena-go/arena", "arenajson whose strings lie in the body that Arena.ReadAll read"},
}

// All are the peers of all suites, in the order of the tables.
func All() []Peer { return slices.Concat(Peers, JSONPeers, WirePeers, RowPeers) }
