// Package dumptest makes up dumps of 32-bit machines, for tests of rare contents of a heap.
package dumptest

import (
	"bytes"
	"encoding/binary"
)

// Header is the first line of a dump.
const Header = "go1.7 heap dump\n"

// Record encodes numbers, with seven bits a byte, and strings, with their lengths in front, as in a dump.
func Record(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			b = binary.AppendUvarint(b, uint64(p))
		case string:
			b = binary.AppendUvarint(b, uint64(len(p)))
			b = append(b, p...)
		}
	}
	return b
}

// params has the tag of parameters, words of 4 bytes, the lowest byte first, and a heap.
var params = Record(6, 0, 4, 0x10000, 0x20000, "386", "go1.26", 1)

// Unfinished returns a dump of some records without its end.
func Unfinished(records ...[]byte) []byte {
	return append(append([]byte(Header), params...), bytes.Join(records, nil)...)
}

// Of returns a dump of some records.
func Of(records ...[]byte) []byte { return append(Unfinished(records...), 0) }

// memory returns the parts of a record for contents with pointers at some offsets.
func memory(contents string, pointers ...int) []any {
	parts := []any{contents}
	for _, p := range pointers {
		parts = append(parts, 1, p)
	}
	return append(parts, 0)
}

// Object is an object that consists of pointers.
func Object(addr int, words ...uint32) []byte {
	var contents []byte
	var pointers []int
	for i, w := range words {
		contents = binary.LittleEndian.AppendUint32(contents, w)
		pointers = append(pointers, 4*i)
	}
	return Record(append([]any{1, addr}, memory(string(contents), pointers...)...)...)
}

// Root is a root that the runtime has a name for.
func Root(name string, to int) []byte { return Record(2, name, to) }

// Variables are the variables of packages, with pointers at some offsets.
func Variables(addr int, contents string, pointers ...int) []byte {
	return Record(append([]any{12, addr}, memory(contents, pointers...)...)...)
}

// Goroutine is number 7, which waits in a select. Its record is at an address, and it runs a closure.
func Goroutine(addr, closure int) []byte {
	return Record(4, addr, 0, 7, 0, 4, 0, 0, 0, "select", closure, 0, 0, 0)
}

// Call is a call of a function by the last goroutine, with pointers at some offsets of its frame.
func Call(function string, entry uintptr, contents string, pointers ...int) []byte {
	return append(Record(5, 0x800, 0, 0, contents, int(entry), int(entry), 0, function),
		Record(memory(contents, pointers...)[1:]...)...)
}

// Deferred is a deferred call of a closure, by a goroutine whose record is at an address.
func Deferred(goroutine, closure int) []byte { return Record(14, 0, goroutine, 0, 0, closure, 0, 0) }

// Stack is a stack of the memory profile, of one call.
func Stack(bucket int, function string) []byte {
	return Record(16, bucket, 8, 1, function, "a.go", 1, 1, 0)
}

// Sample is an object and the stack that allocated it.
func Sample(object, bucket int) []byte { return Record(17, object, bucket) }

// Small has a root that the runtime names, and an unreachable cycle of one object.
var Small = Of(
	Record(append([]any{1, 0x1000}, memory("\x00\x30\x00\x00\x00\x00\x00\x00", 0)...)...),
	Record(1, 0x2000, "\x00\x20\x00\x00\x00\x40\x00\x00", 1, 0, 3, 0, 0), // the second pointer is an interface's
	Record(append([]any{1, 0x3000}, memory("12345678")...)...),
	Record(append([]any{1, 0x4000}, memory("12345678")...)...),
	Root("the root", 0x1004))
