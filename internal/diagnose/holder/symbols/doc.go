// Package symbols knows what this program's file and source say of its memory: the names of
// variables, functions and types, and which type the memory behind a pointer has. It must not depend
// on what is searched for.
//
// # Names
//
// Variables have their names from the symbol table and their types from the debugging information.
// What go test builds and runs has neither. Then a variable is known by its address and by the lines
// whose code uses it, and has the name that these lines mention, if they mention one only: see
// sourceReader. Code is understood on amd64, 386 and arm64. With go test -o=FILE or -c, with a flag
// for a profile such as -memprofile, or with -ldflags="-s=0 -w=0", names and types are there. With
// -trimpath the source isn't found.
//
// # Types
//
// A dump doesn't tell the types of objects. In some places there is the address of a type's
// descriptor: in interfaces, in channels, and in front of objects with pointers of medium size. From
// a value whose type is known, pointers lead to others. See Types.
package symbols
