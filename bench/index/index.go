// Package index is the main workload: a searchable index of Go source code.
//
// Every .go file under a directory is read and tokenised. The index holds the
// files, every identifier with each place it occurs at (file, line, column),
// the top-level declarations with their doc comments, and which files import which packages. It
// is then asked questions, and the answers are the same whichever allocator
// built it.
//
// The data structures, the scanner and the queries are shared. What differs is
// a maker: where memory comes from. The heap's maker is new, make and append,
// with the structures chosen so that they suit the heap too: the numerous part,
// the occurrences, is free of pointers and grows in blocks that are never
// copied.
package index

// An Index is what a build leaves behind. In a self-contained arena every
// pointer below leads into that arena.
type Index struct {
	Files    []*File
	Decls    []*Decl
	Packages []*Package
	Lines    int
	Bytes    int64
	names    table
}

// A File knows its number, because occurrences refer to files by number.
type File struct {
	Path    string // relative to the root, with slashes
	ID      uint32
	Package *Package
	Imports []*Package
}

// A Package is a node of the import graph: a directory with files, or a path
// that somebody imports, or both.
type Package struct {
	Path    string // import path
	ID      uint32 // position in Index.Packages
	Files   []*File
	Imports []*Package // without duplicates
}

// An Ident is a name and all the places it occurs at. Import paths are names
// too, so that one table finds both; one that is no identifier has Count 0.
type Ident struct {
	Name  string
	Count int
	first *block // occurrences in the order they were found
	last  *block
	decls *Decl    // declarations of this name, newest first
	pkg   *Package // with this import path
	next  *Ident   // in the table's chain
	hash  uint64
}

// A Use is one occurrence. It has no pointers, so the collector never looks
// into blocks of them, on the heap either.
type Use struct {
	File, Line, Col uint32
}

// A block holds a run of occurrences. Blocks double up to maxBlock, so a
// name that occurs once costs little and a frequent one has few blocks, and
// nothing is ever copied.
type block struct {
	uses []Use
	next *block
}

const (
	minBlock = 2
	maxBlock = 1024
)

// A Decl is a top-level declaration.
type Decl struct {
	Ident *Ident
	File  *File
	Doc   string // comment text without markers, or ""
	Line  uint32
	Kind  Kind
	next  *Decl // of the same name
}

// Kind is the keyword that introduced a declaration.
type Kind uint8

// The kinds of declarations.
const (
	Const Kind = iota + 1
	Func
	Type
	Var
)

func (k Kind) String() string {
	return [...]string{"?", "const", "func", "type", "var"}[k]
}

// A maker is the allocator's part of a build.
type maker interface {
	ident(name string) *Ident
	pkg() *Package
	file(path string) *File
	decl(doc []byte) *Decl // the caller reuses doc
	block(n int) *block    // empty, room for n uses

	appendFile(s []*File, f *File) []*File
	appendDecl(s []*Decl, d *Decl) []*Decl
	appendPackage(s []*Package, p *Package) []*Package

	buckets(n int) []*Ident // n nil pointers
}

// use records one occurrence of id.
func (id *Ident) use(m maker, u Use) {
	b := id.last
	if b == nil || len(b.uses) == cap(b.uses) {
		b = id.addBlock(m)
	}
	b.uses = append(b.uses, u) // there is room: never allocates
	id.Count++
}

func (id *Ident) addBlock(m maker) *block {
	n := minBlock
	if id.last != nil {
		n = min(2*cap(id.last.uses), maxBlock)
	}
	b := m.block(n)
	if id.last == nil {
		id.first = b
	} else {
		id.last.next = b
	}
	id.last = b
	return b
}

// Uses calls f for every occurrence, in the order of the files.
func (id *Ident) Uses(f func(Use)) {
	for b := id.first; b != nil; b = b.next {
		for _, u := range b.uses {
			f(u)
		}
	}
}
