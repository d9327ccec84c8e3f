package index

import (
	"bytes"
	"go/scanner"
	"go/token"
	"path"
)

// builder turns tokens into the index. A nil maker tokenises and throws away:
// the part of the work that no allocator can speed up.
type builder struct {
	m    maker
	x    *Index
	file *File
	syntax
}

// add indexes one file. src is reused by the caller: nothing may point into it.
func (b *builder) add(name string, src []byte) {
	fset := token.NewFileSet() // a fresh one, so that line tables don't pile up
	tf := fset.AddFile(name, -1, len(src))
	var s scanner.Scanner
	s.Init(tf, src, nil, scanner.ScanComments) // files with errors are input too

	b.begin(name)
	line, lineStart, at := 1, 0, 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		// Count lines from the last token on: a look-up in the line table
		// for each token would cost as much as the scanner itself.
		offset := tf.Offset(pos)
		for at < offset {
			nl := bytes.IndexByte(src[at:offset], '\n')
			if nl < 0 {
				break
			}
			line++
			at += nl + 1
			lineStart = at
		}
		at = max(at, offset)
		if b.m != nil {
			b.token(tok, lit, line, offset-lineStart+1)
		}
	}
	b.x.Lines += line + bytes.Count(src[at:], []byte{'\n'})
	b.x.Bytes += int64(len(src))
}

func (b *builder) begin(name string) {
	b.syntax.begin()
	if b.m == nil {
		return
	}
	f := b.m.file(name)
	f.ID = uint32(len(b.x.Files))
	b.x.Files = b.m.appendFile(b.x.Files, f)
	p := b.pkg(path.Dir(name))
	p.Files = b.m.appendFile(p.Files, f)
	f.Package = p
	b.file = f
}

func (b *builder) token(tok token.Token, lit string, line, col int) {
	if tok == token.COMMENT {
		b.comment(lit, line)
		return
	}
	event := b.next(tok, line)
	switch tok {
	case token.IDENT:
		id := b.x.names.named(b.m, lit)
		id.use(b.m, Use{b.file.ID, uint32(line), uint32(col)})
		if event == declares {
			b.declare(id, line)
		}
	case token.STRING:
		if event == imports {
			b.imports(lit)
		}
	}
}

func (b *builder) declare(id *Ident, line int) {
	d := b.m.decl(b.docAbove(line))
	d.Ident, d.File, d.Line, d.Kind = id, b.file, uint32(line), b.kind
	d.next, id.decls = id.decls, d
	b.x.Decls = b.m.appendDecl(b.x.Decls, d)
}

// pkg finds or adds a package by import path. A package's path is its name's
// text: no second copy.
func (b *builder) pkg(importPath string) *Package {
	id := b.x.names.named(b.m, importPath)
	if id.pkg == nil {
		p := b.m.pkg()
		p.Path, p.ID = id.Name, uint32(len(b.x.Packages))
		b.x.Packages = b.m.appendPackage(b.x.Packages, p)
		id.pkg = p
	}
	return id.pkg
}

func (b *builder) imports(lit string) {
	if len(lit) < 2 {
		return // a file with errors
	}
	p := b.pkg(lit[1 : len(lit)-1])
	b.file.Imports = b.m.appendPackage(b.file.Imports, p)
	from := b.file.Package
	for _, have := range from.Imports {
		if have == p {
			return
		}
	}
	from.Imports = b.m.appendPackage(from.Imports, p)
}
