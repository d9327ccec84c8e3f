// Package arenajson reads and writes JSON as encoding/json/v2 does, and with
// [DefaultOptionsV1] as encoding/json does, but straight into an arena: strings, slices and
// structs are allocated from it and die with it, so that the garbage collector has nothing
// to do with them.
//
// # Reading
//
// [Unmarshal] and [New] read one text, [UnmarshalRead] and [Read] all that a reader has, and a
// [Decoder] one value after the other. In a warm arena they allocate nothing on the Go heap but
// for large Go maps and what methods of types allocate. A nil arena is the Go heap, for callers that
// have none.
//
// [Batch] needs no arena: the values of a text lie together in blocks of the heap, and are
// ordinary values for as long as something points to them.
//
// What was read is dead when the arena is reset, as everything in it: clone what is to
// stay ([github.com/harena-go/arena.Clone], [github.com/harena-go/arena.DeepClone]). That
// goes for Go maps, too, for the strings in them, and for strings that become their keys; a map
// keeps the key of the last assignment.
//
// By default names have to match exactly, names must be unique in their object, also in what is
// skipped, and text must be valid UTF-8. All of a text is checked, also what no field wants.
// Numbers are the floats nearest to them.
//
// The values and the errors are those of the standard library, which is tested with its own tests;
// see [Error] for what errors say. On an error, what was read until then stays in the value: as
// in encoding/json/v2, and with the options of v1 as in encoding/json.
//
// # Types
//
// All types that encoding/json takes, with the same tags, and those of encoding/json/v2: omitzero,
// case:ignore, case:strict, embed, string. The tag option format isn't supported. Methods UnmarshalJSON,
// UnmarshalText, MarshalJSON, AppendText and MarshalText are called, and in Go 1.27
// UnmarshalJSONFrom and MarshalJSONTo; [UnmarshalerArena] gets the arena as well.
//
// An any gets the same types as from encoding/json; with [OrderedObjects], an [Object] instead of a map.
//
// A new Go map of at most eight entries is in the arena, and so is one of up to 896 that goes to an any,
// or whose keys are strings if the last one that began with the same name was as large. They are as
// other maps are: what they outgrow stays in the arena, and what they grow into is on the Go heap. All
// other maps are there: larger ones, those whose keys or elements are interfaces with methods, have no
// size or more than 128 bytes, and all on 32-bit machines and with versions of Go that this package
// doesn't know. The keys of a map may be strings that other maps have, too.
//
// A Map and a Slice of package collections are read and written as Go's maps and slices
// are, under the same options and with the same errors. All of them is in the arena, also
// of a self-contained one: where a Go map would be the only thing left on the heap, a Map
// takes a third of the time. One without memory, such as the zero Map, becomes one of the
// arena that is given. One that has memory keeps its arena, and what is read into it is
// allocated there as well, all the way down, so that nothing in it ends before it does; the
// other arena must be the caller's goroutine's, too. null leaves an empty one. They are
// written in the order in which entries were added to them (as long as none was deleted),
// or with [Deterministic] by name; an empty one is {} or [], never null. The other
// containers are read and written by their methods.
//
// With a self-contained arena ([github.com/harena-go/arena.WithNoScan]) all Go maps are on the heap,
// as the GC must find what they refer to. The arena keeps alive those that it refers to. Types that have
// UnmarshalJSON or the like, which may put anything into it, are refused there, and so are interfaces with
// methods.
//
// # Writing
//
// [Append], [Marshal] and [MarshalWrite] write the bytes that the standard library writes.
//
// # How it works
//
// For each type there is a plan, which is made once (internal/plan). Members mostly come in
// the same order, so that each field knows which one came after it lately. Strings, numbers
// and white space are read eight bytes at a time (internal/text, internal/number). What is
// wrong with a text is found out by reading it again, slowly (internal/syntax).
// internal/mem is the only place where memory is used by its address. ARCHITECTURE.md says
// where the rest is.
package arenajson
