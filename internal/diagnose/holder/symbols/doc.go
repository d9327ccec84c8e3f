// Package symbols knows what this program's file and source say of its memory: the names of
// variables, functions and types, and which type the memory behind a pointer has. It must not depend
// on what is searched for.
//
// # Names
//
// Variables have their names from the symbol table and their types from the debugging information.
// What go test builds and runs has neither. Their names and types are then read from the source, if
// it is where it was when the program was built: the lines whose code uses a variable mention it, see
// sourceNames. That takes some 50 to 100 ms, once for a dump. If several variables are possible all
// are named. If that isn't sure, none is: a variable is then known by its address and by the code
// that uses it. Code is understood on amd64, 386 and arm64. With go test -o=FILE or -c, with a flag
// for a profile such as -memprofile, or with -ldflags="-s=0 -w=0", names and types are there. With
// -trimpath little of the source is found.
//
// # Types
//
// A dump doesn't tell the types of objects. In some places there is the address of a type's
// descriptor: in interfaces, in channels, and in front of objects with pointers of medium size. From
// a value whose type is known, pointers lead to others. See Types.
package symbols
