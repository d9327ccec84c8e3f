package suite

// The names of the decoders of the protobuf wire format. Ours is Harena, and HarenaOnHeap without an arena.
const (
	Protobuf        = "proto"
	Gogo            = "gogo"
	VTProto         = "vtproto"
	VTProtoPool     = "vtproto-pool"
	Hyperpb         = "hyperpb"
	HyperpbProfiled = "hyperpb-profile"
)

// WirePeers describe the peers of suite wire.
var WirePeers = []Peer{
	{Protobuf, "google.golang.org/protobuf", "proto.Unmarshal, the official runtime"},
	{Gogo, "github.com/gogo/protobuf", "the methods that gogo/protobuf has generated for Prometheus and Kubernetes"},
	{VTProto, "github.com/planetscale/vtprotobuf", "the methods that vtprotobuf generates"},
	{VTProtoPool, "github.com/planetscale/vtprotobuf", "the same with all messages from pools, and given back"},
	{Hyperpb, "buf.build/go/hyperpb", "hyperpb, whose memory is used again"},
	{HyperpbProfiled, "buf.build/go/hyperpb", "the same, its code made anew for a profile of just this input"},
}
