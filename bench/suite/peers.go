package suite

import "strings"

// The names of the peers in more than one suite.
const (
	Heap          = "heap"
	SyncPool      = "sync.Pool"
	Runtime       = "runtime" // the runtime's experimental arena; only in a build with it
	Nuke          = "nuke"
	Pavanmanishd  = "pavanmanishd"
	Goutil        = "goutil"
	Bumpalo       = "bumpalo"           // in Rust; only where cargo is
	FirstGear     = "harena-first-gear" // a Pool without reuse: values stay valid after Put
	Harena        = "harena"            // with a Pool: one with reuse
	Typed         = "harena-typed"
	SelfContained = "harena-self-contained"
)

// A Peer describes an allocator to the reader.
type Peer struct {
	Name   string
	Module string // where it comes from
	About  string
}

// Peers are the peers of this file, in the order of the tables.
var Peers = []Peer{
	{Heap, "", "the Go heap: new, make, append"},
	{SyncPool, "", "objects of the Go heap that are used again through a sync.Pool"},
	{Runtime, "arena", "the runtime's experimental arena (GOEXPERIMENT=arenas)"},
	{Nuke, "github.com/ortuman/nuke", "its monotonic arena, with as many buffers as are needed"},
	{Pavanmanishd, "github.com/pavanmanishd/arena", "its chunked arena"},
	{Goutil, "github.com/flier/goutil", "its arena of power-of-two blocks"},
	{Bumpalo, "bumpalo", "Rust's bump allocator, in a program in Rust"},
	{FirstGear, "github.com/harena-go/arena", "arenas of a Pool without reuse: values stay valid after Put"},
	{Harena, "github.com/harena-go/arena", "a default arena: NewArena()"},
	{Typed, "github.com/harena-go/arena", "a default arena through For[T]"},
	{SelfContained, "github.com/harena-go/arena", "a self-contained arena: WithNoScan()"},
}

// Ours reports whether a peer is one of this project's arenas.
func Ours(peer string) bool { return strings.HasPrefix(peer, Harena) }

// Foreign reports whether a peer is another project's arena in Go: ours have to be faster than these.
func Foreign(peer string) bool {
	switch peer {
	case Runtime, Nuke, Pavanmanishd, Goutil:
		return true
	}
	return false
}
