// Package arenajson reads and writes JSON as encoding/json/v2 does, and with
// [DefaultOptionsV1] as encoding/json does, but straight into an arena: strings, slices and
// structs are allocated from it and die with it, so that the garbage collector has nothing
// to do with them.
//
// # Reading
//
// [Unmarshal] and [New] read one text, [UnmarshalRead] and [Read] a whole reader, and a [Decoder]
// one value after the other. In a warm arena they allocate nothing on the Go heap but large Go maps
// and the allocations of types' methods. A nil arena is the Go heap, for callers that have none.
//
// [Batch] needs no arena: the values of a text lie together in blocks of the heap, and are ordinary
// values for as long as something points to them.
//
// All decoded values are dead when the arena is reset: clone those that stay
// ([github.com/harena-go/arena.Clone], [github.com/harena-go/arena.DeepClone]). This includes Go
// maps, the strings in them, and strings that become their keys; a map keeps the key of the last
// assignment.
//
// By default names must match exactly and be unique in their object, and text must be valid UTF-8.
// Skipped values are checked too. Numbers become the nearest floats.
//
// The values and the errors are those of the standard library, whose own tests are run here too;
// [Error] describes the messages. On an error, the part already decoded stays in the value: as in
// encoding/json/v2, and with the options of v1 as in encoding/json.
//
// # Types
//
// All types of encoding/json are supported, with the same tags, and those of encoding/json/v2:
// omitzero, case:ignore, case:strict, embed, string. The tag option format isn't supported. Methods
// UnmarshalJSON, UnmarshalText, MarshalJSON, AppendText and MarshalText are called, and in Go 1.27
// UnmarshalJSONFrom and MarshalJSONTo; [UnmarshalerArena] gets the arena as well.
//
// An any gets the same types as from encoding/json; with [OrderedObjects], an [Object] instead of a
// map.
//
// A new Go map of at most eight entries is in the arena. So is a map of up to 896 entries in an
// any, and one with string keys if the last map with the same first name was as large. If such a
// map grows, its old memory stays in the arena, and its new memory is on the Go heap. All other
// maps are on the Go heap: larger ones; those whose keys or elements are interfaces with methods,
// have no size, or take more than 128 bytes; and all on 32-bit machines and with versions of Go
// that this package doesn't know. Maps may share the strings of their keys.
//
// A Map and a Slice of package collections are read and written as Go's maps and slices are, under
// the same options and with the same errors. They are in the arena as a whole, even in a
// self-contained one; there a Go map would be on the heap, and a Map takes a third of the time. A
// container without memory, such as the zero Map, uses the given arena. One with memory keeps its
// arena, and all its new contents are allocated there as well, so that they live as long as it
// does; that arena must belong to the caller's goroutine too. null leaves an empty container.
// Entries are written in the order in which they were added (as long as none was deleted), or with
// [Deterministic] by name; an empty container is {} or [], never null. The other containers are
// read and written by their methods.
//
// With a self-contained arena ([github.com/harena-go/arena.WithNoScan]) all Go maps are on the
// heap, where the GC sees their pointers. The arena keeps alive the maps that it refers to. Types
// with methods such as UnmarshalJSON, which may store any pointer, are refused there, and so are
// interfaces with methods.
//
// # Writing
//
// [Append], [Marshal] and [MarshalWrite] write the bytes that the standard library writes.
//
// # How it works
//
// Each type has a plan, which is made once (internal/plan). Members mostly come in the same order,
// so each field remembers the one that came after it last. Strings, numbers and white space are
// read eight bytes at a time (internal/text, internal/number). A failed text is read again, slowly,
// to find its error (internal/syntax). Only internal/mem uses memory by its address.
// ARCHITECTURE.md lists the other packages.
package arenajson
