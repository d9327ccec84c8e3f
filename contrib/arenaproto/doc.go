// Package arenaproto decodes ordinary protobuf messages, those that protoc-gen-go generates, into an
// arena: their submessages, lists, strings and bytes lie there and go with it, so that the garbage
// collector has nothing to do with them. No other code generator is needed.
//
//	a := pool.Get()
//	defer pool.Put(a)
//	m, err := arenaproto.New[tracepb.TracesData](a, body)
//
// # What it promises
//
// [Unmarshal] does what proto.Unmarshal does, for all messages: the open, the hybrid and the opaque
// API, proto2, proto3 and editions. The message is equal, in unknown fields and presence too, errors
// are the same, and inputs that are good there are good here. Two things are different: a field that
// the .proto file calls lazy is decoded at once, and memory is shared as said below.
//
// What isn't decoded here is left to the official runtime, field by field, and is on the Go heap then:
// extensions, sets of messages in the old format, and messages with methods of their own for the wire
// format. [Explain] says for which fields of a type that is so. Go maps of at most eight entries are in
// the arena, where this version of Go is known to lay them out as expected. Larger ones are made by the
// Go runtime, on the heap, and their contents are in the arena. A small map may be used as any other,
// and moves to the heap when it grows.
//
// # Memory
//
// The input is copied to the arena once. All strings, bytes and unknown fields are parts of that copy.
// With UnmarshalOptions.AliasBuffer they are parts of the input itself. Appending to such bytes copies
// them. The elements of a list lie in one block.
//
// A message and all that it refers to is dead after Reset of the arena, or Rewind, or Put in a Pool
// made with arena.WithReuse. In other Pools it stays valid. What is to live
// longer has to be copied out of it by [Clone]. proto.Clone isn't enough, since it shares strings. With
// a nil arena everything is on the heap. Since strings then share one copy of the input, and messages a
// block, one of them keeps the others alive.
//
// In a self-contained arena (arena.WithNoScan) all maps are on the heap. They, and whatever else is
// there, are kept alive by the arena. Messages that may have extensions lie on the heap themselves
// there. Code that changes a message in such an arena has to give what it puts there to KeepAlive.
//
// A new arena for each message, which is freed afterwards, does not pay. Take arenas from an arena.Pool,
// whose lives share chunks; reuse of memory (arena.WithReuse) makes most of the difference.
//
// # Untrusted input
//
// Messages nest up to 10,000 levels, or UnmarshalOptions.RecursionLimit. Allocations are in proportion
// to the input, at most an empty message for each two bytes, and within the arena's budget
// (arena.WithLimit): if that doesn't suffice, an *arena.LimitError is returned. Go maps on the heap and
// what the official runtime decodes don't count there.
//
// # How it works
//
// For each type a plan is made when the type first comes, from what the official runtime says of it:
// what to do for each tag, and where the value goes in the struct. Before a plan is used, an input for
// each field is decoded by it and by the official runtime. If the results differ, because a future
// version lays messages out in another way, that runtime decodes all messages of the type from then on.
//
// Decoding takes one pass. At the first element of a list those that follow are counted, and there is
// one block of just that size.
package arenaproto
