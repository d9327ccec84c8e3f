package index

import "github.com/harena-go/arena"

// heap is the maker of the Go heap: what one writes without an arena.
type heap struct{}

// The scanner returns every literal as a string of its own, so a name can be
// kept as it is. Nothing is copied that need not be.
func (heap) ident(name string) *Ident { return &Ident{Name: name} }
func (heap) pkg() *Package            { return &Package{} }
func (heap) file(path string) *File   { return &File{Path: path} }
func (heap) decl(doc []byte) *Decl    { return &Decl{Doc: string(doc)} }
func (heap) block(n int) *block       { return &block{uses: make([]Use, 0, n)} }

func (heap) appendFile(s []*File, f *File) []*File             { return append(s, f) }
func (heap) appendDecl(s []*Decl, d *Decl) []*Decl             { return append(s, d) }
func (heap) appendPackage(s []*Package, p *Package) []*Package { return append(s, p) }
func (heap) buckets(n int) []*Ident                            { return make([]*Ident, n) }

// inArena is the maker of both kinds of arena. Everything goes into the arena,
// strings too, which is what makes it fit for a self-contained one.
type inArena struct{ a *arena.Arena }

func (m inArena) ident(name string) *Ident {
	id := arena.New[Ident](m.a)
	id.Name = m.a.AllocString(name)
	return id
}

func (m inArena) pkg() *Package { return arena.New[Package](m.a) }

func (m inArena) file(path string) *File {
	f := arena.New[File](m.a)
	f.Path = m.a.AllocString(path)
	return f
}

func (m inArena) decl(doc []byte) *Decl {
	d := arena.New[Decl](m.a)
	d.Doc = m.a.AllocBytesToString(doc)
	return d
}

func (m inArena) block(n int) *block {
	b := arena.New[block](m.a)
	b.uses = arena.MakeSliceUninit[Use](m.a, 0, n)
	return b
}

func (m inArena) appendFile(s []*File, f *File) []*File { return arena.Append(m.a, s, f) }
func (m inArena) appendDecl(s []*Decl, d *Decl) []*Decl { return arena.Append(m.a, s, d) }
func (m inArena) appendPackage(s []*Package, p *Package) []*Package {
	return arena.Append(m.a, s, p)
}
func (m inArena) buckets(n int) []*Ident { return arena.MakeSlice[*Ident](m.a, n, n) }
