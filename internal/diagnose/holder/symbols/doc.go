// Package symbols finds the names of variables, functions and types, and the types of memory, in this program's file
// and source. It must not depend on the targets of a search.
//
// # Names
//
// Variables have their names from the symbol table and their types from the debugging information. Programs that go
// test builds and runs have neither. Then a variable is identified by its address and by the lines whose code uses it,
// and has the name that these lines mention, if they mention only one: see sourceReader. Code is decoded on amd64, 386
// and arm64. With go test -o=FILE or -c, with a flag for a profile such as -memprofile, or with -ldflags="-s=0 -w=0",
// names and types are there. With -trimpath the source isn't found.
//
// # Types
//
// A dump doesn't have the types of objects. Some words are addresses of type descriptors: in interfaces, in channels,
// and in front of objects with pointers of medium size. From a value of known type, pointers lead to others. See Types.
package symbols
