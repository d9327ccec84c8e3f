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
	SegmentioJSON   = "segmentio"
	JsoniterJSON    = "jsoniter"
	EasyJSON        = "easyjson"
	SimdjsonGo      = "simdjson-go" // only with AVX2 and CLMUL
	SerdeJSON       = "serde_json"  // in Rust; only where cargo is
	SonicRs         = "sonic-rs"
	SimdJSON        = "simd-json"
	HarenaOnHeap    = "harena-heap"
	HarenaReference = "harena-reference"
)

// JSONPeers describe those of the suite json.
var JSONPeers = []Peer{
	{StandardJSON, "encoding/json", "the standard library"},
	{V2JSON, "github.com/go-json-experiment/json", "encoding/json/v2, as a module"},
	{NewerJSON, "encoding/json", "the standard library of Go 1.27"},
	{NewerV2JSON, "encoding/json/v2", "version 2, in the standard library of Go 1.27"},
	{GoccyJSON, "github.com/goccy/go-json", "goccy/go-json"},
	{SonicJSON, "github.com/bytedance/sonic", "sonic in its standard mode, which validates"},
	{SegmentioJSON, "github.com/segmentio/encoding", "segmentio's encoding/json"},
	{JsoniterJSON, "github.com/json-iterator/go", "jsoniter, compatible with the standard library"},
	{EasyJSON, "github.com/mailru/easyjson", "code that easyjson makes for the types"},
	{SimdjsonGo, "github.com/minio/simdjson-go", "simdjson-go: a tape, and Go's maps made of it"},
	{SerdeJSON, "serde_json", "serde_json, in a program in Rust"},
	{SonicRs, "sonic-rs", "sonic-rs, in a program in Rust"},
	{SimdJSON, "simd-json", "simd-json, in a program in Rust"},
	{HarenaOnHeap, "github.com/harena-go/arena", "arenajson, arenaproto or a ported program without an arena"},
	{HarenaReference, "github.com/harena-go/arena", "arenajson whose strings lie in the body that Arena.ReadAll read"},
}

// ExactJSON reports whether a library in Go takes the texts that the standard library takes, and no
// others, also where nothing is wanted of them: what our decoder has to be faster than. The suite's
// tests find out.
func ExactJSON(peer string) bool {
	switch peer {
	case StandardJSON, V2JSON, NewerJSON, NewerV2JSON, GoccyJSON, SonicJSON, SegmentioJSON:
		return true
	}
	return false
}

// All are the peers of all suites, in the order of the tables.
func All() []Peer { return slices.Concat(Peers, JSONPeers, WirePeers, RowPeers) }
