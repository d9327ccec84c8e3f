package index

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"strings"
)

// What is asked. The answers cover every part of the index: names, occurrences,
// declarations, comments and the import graph.
var (
	occurrencesOf = []string{"Context", "Reader", "ServeHTTP", "Mutex", "err", "unsafe", "Println"}
	importersOf   = []string{"unsafe", "net", "reflect", "io", "fmt"}
	prefixes      = []string{"Read", "Unm", "new", "is", "Z"}
	wordsInDocs   = []string{"Deprecated", "goroutine", "panics", "zero value"}
)

const mostUsed = 50

// Answers are what the queries found, as text that does not depend on the
// allocator or on the order of the hash table.
type Answers struct {
	Checksum string // of the full text of the answers
	Summary  string // one line for people
}

// transcript hashes the answers as lines of text.
type transcript struct {
	sum  hash.Hash
	line []byte
}

func (t *transcript) text(words ...string) *transcript {
	for _, w := range words {
		t.line = append(append(t.line, w...), ' ')
	}
	return t
}

func (t *transcript) end(numbers ...uint64) {
	for _, n := range numbers {
		t.line = append(strconv.AppendUint(t.line, n, 10), ' ')
	}
	t.sum.Write(append(t.line, '\n'))
	t.line = t.line[:0]
}

// Ask runs all queries.
func Ask(x *Index) Answers {
	t := &transcript{sum: sha256.New()}
	top := x.MostUsed(mostUsed)
	for _, id := range top {
		t.text("used", id.Name).end(uint64(id.Count))
	}
	for _, name := range occurrencesOf {
		if id := x.Ident(name); id != nil {
			id.Uses(func(u Use) {
				t.text("at", name, x.Files[u.File].Path).end(uint64(u.Line), uint64(u.Col))
			})
		}
	}
	for _, p := range importersOf {
		for _, f := range x.Importers(p) {
			t.text("imports", p, f.Path).end()
		}
	}
	for _, p := range prefixes {
		for _, id := range x.WithPrefix(p) {
			t.text("prefix", p, id.Name).end(uint64(id.Count))
		}
	}
	for _, w := range wordsInDocs {
		for _, d := range x.DocsWith(w) {
			t.text("doc", w, d.Kind.String(), d.Ident.Name, d.File.Path, d.Doc).end(uint64(d.Line))
		}
	}
	uses, digest := x.digest()
	t.text("all").end(uint64(uses), digest, uint64(len(x.Decls)), uint64(len(x.Packages)))

	a := Answers{Checksum: hex.EncodeToString(t.sum.Sum(nil)[:8])}
	a.Summary = fmt.Sprintf("%d files, %d lines, %d occurrences, %d declarations, %d packages",
		len(x.Files), x.Lines, uses, len(x.Decls), len(x.Packages))
	if len(top) > 0 {
		a.Summary += fmt.Sprintf("; most used: %s (%d)", top[0].Name, top[0].Count)
	}
	return a
}

// MostUsed is the n most frequent identifiers, the most frequent first.
func (x *Index) MostUsed(n int) []*Ident {
	all := make([]*Ident, 0, x.names.len)
	for id := range x.Idents {
		all = append(all, id)
	}
	slices.SortFunc(all, func(a, b *Ident) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return all[:min(n, len(all))]
}

// Importers is every file whose package imports the given one, directly or
// through other packages, in the order of the files.
func (x *Index) Importers(importPath string) []*File {
	id := x.Ident(importPath)
	if id == nil || id.pkg == nil {
		return nil
	}
	importedBy := make([][]*Package, len(x.Packages))
	for _, p := range x.Packages {
		for _, to := range p.Imports {
			importedBy[to.ID] = append(importedBy[to.ID], p)
		}
	}
	seen := make([]bool, len(x.Packages))
	var files []*File
	queue := []*Package{id.pkg}
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		for _, by := range importedBy[p.ID] {
			if !seen[by.ID] {
				seen[by.ID] = true
				queue = append(queue, by)
				files = append(files, by.Files...)
			}
		}
	}
	slices.SortFunc(files, func(a, b *File) int { return cmp.Compare(a.ID, b.ID) })
	return files
}

// WithPrefix is every identifier that starts with prefix, sorted.
func (x *Index) WithPrefix(prefix string) []*Ident {
	var found []*Ident
	for id := range x.Idents {
		if strings.HasPrefix(id.Name, prefix) {
			found = append(found, id)
		}
	}
	slices.SortFunc(found, func(a, b *Ident) int { return cmp.Compare(a.Name, b.Name) })
	return found
}

// DocsWith is every declaration whose comment contains text.
func (x *Index) DocsWith(text string) []*Decl {
	var found []*Decl
	for _, d := range x.Decls {
		if strings.Contains(d.Doc, text) {
			found = append(found, d)
		}
	}
	return found
}

// digest covers what no query asked for: it changes with any single occurrence.
// Identifiers come in the order of a hash table, so they are summed up.
func (x *Index) digest() (uses int, sum uint64) {
	for id := range x.Idents {
		name := uint64(14695981039346656037) // FNV-1a: the same in every process
		for i := range len(id.Name) {
			name = (name ^ uint64(id.Name[i])) * 1099511628211
		}
		id.Uses(func(u Use) {
			uses++
			at := uint64(u.File)<<40 ^ uint64(u.Line)<<16 ^ uint64(u.Col)
			sum += (at ^ name) * 0x9e3779b97f4a7c15
		})
		for d := id.decls; d != nil; d = d.next {
			sum += (name ^ uint64(d.Line)<<8 ^ uint64(d.Kind)) * 0xff51afd7ed558ccd
		}
	}
	return uses, sum
}
