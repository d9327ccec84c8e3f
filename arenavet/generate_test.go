package arenavet_test

import (
	"fmt"
	"strings"
)

// This file generates programs with circles: types that contain each other, and functions that call each other.

const header = "package p\n\nimport \"github.com/harena-go/arena\"\n\n"

// tree is a syntax tree with n kinds of nodes, each with pointers to some others and a method that copies it into an
// arena.
func tree(n, fields int) string {
	var b strings.Builder
	b.WriteString(header)
	for i := range n {
		fmt.Fprintf(&b, "type N%d struct {\n\tName string\n\tList []*N%d\n", i, (i+1)%n)
		for f := range fields {
			fmt.Fprintf(&b, "\tF%d *N%d\n", f, (i*7+f*f+f+1)%n)
		}
		fmt.Fprintf(&b, "}\n\nfunc (n *N%d) Clone(a *arena.Arena) *N%d {\n\tif n == nil {\n\t\treturn nil\n\t}\n\tm := arena.New[N%[1]d](a)\n\tm.Name = a.AllocString(n.Name)\n", i, i)
		for f := range fields {
			fmt.Fprintf(&b, "\tm.F%d = n.F%[1]d.Clone(a)\n", f)
		}
		b.WriteString("\tfor _, x := range n.List {\n\t\tm.List = arena.Append(a, m.List, x.Clone(a))\n\t}\n\treturn m\n}\n\n")
	}
	return b.String()
}

// calls is n functions that take an arena and call each other, as in a parser.
func calls(n int) string {
	var b strings.Builder
	b.WriteString(header)
	b.WriteString("type T struct {\n\tL, R *T\n\tName string\n\tKids []*T\n}\n\n")
	for i := range n {
		fmt.Fprintf(&b, "func f%d(a *arena.Arena, t *T, s string) *T {\n", i)
		fmt.Fprintf(&b, "\tif s == \"\" {\n\t\treturn t\n\t}\n\tx := arena.NewOf(a, T{L: t, Name: a.AllocString(s)})\n")
		fmt.Fprintf(&b, "\tx.R = f%d(a, t.L, s[1:])\n", (i*2+1)%n)
		fmt.Fprintf(&b, "\tfor t.R != nil {\n\t\tt = t.R\n\t\tx.Kids = arena.Append(a, x.Kids, f%d(a, x.R, t.Name))\n\t}\n", (i+n/2+1)%n)
		fmt.Fprintf(&b, "\tif x.R.L == t {\n\t\tx = f%d(a, x.R.L.R, x.L.Name)\n\t}\n\treturn x\n}\n\n", (i+1)%n)
	}
	return b.String()
}

// parsers is n methods of a parser that has its arena in a field, and makes nodes behind an interface.
func parsers(n int) string {
	var b strings.Builder
	b.WriteString(header)
	b.WriteString("type node interface{ Pos() int }\n\ntype parser struct {\n\ta *arena.Arena\n\ttoks []string\n\tpos int\n\terrs []string\n\tscope *scope\n}\n\n" +
		"type scope struct {\n\touter *scope\n\tnames map[string]node\n}\n\n" +
		"func (p *parser) next() string {\n\tp.pos++\n\treturn p.toks[p.pos]\n}\n\n")
	for i := range n {
		fmt.Fprintf(&b, "type k%d struct {\n\tpos int\n\tname string\n\tX, Y node\n\tList []node\n\tS *scope\n}\n\nfunc (n *k%[1]d) Pos() int { return n.pos }\n\n", i)
		fmt.Fprintf(&b, "func (p *parser) parse%d() node {\n\tx := arena.NewOf(p.a, k%[1]d{pos: p.pos, S: p.scope})\n\tp.scope = arena.NewOf(p.a, scope{outer: p.scope})\n", i)
		fmt.Fprintf(&b, "\tswitch p.next() {\n\tcase \"(\":\n\t\tx.X = p.parse%d()\n\t\tfallthrough\n\tcase \"[\":\n\t\tx.Y = p.parse%d()\n\tcase \"{\":\n", (i+1)%n, (i*3+2)%n)
		fmt.Fprintf(&b, "\t\tfor p.next() != \"}\" {\n\t\t\tx.List = arena.Append(p.a, x.List, p.parse%d())\n\t\t}\n\tdefault:\n", (i*5+3)%n)
		fmt.Fprintf(&b, "\t\tif y, ok := p.parse%d().(*k%[1]d); ok {\n\t\t\ty.X = x\n\t\t\treturn y\n\t\t}\n\t\tx.name = p.a.AllocString(p.next())\n\t}\n\tp.scope.names[x.name] = x\n\tp.scope = p.scope.outer\n\treturn x\n}\n\n", (i+n/3)%n)
	}
	return b.String()
}

// containers is n each of tries, B-trees and lists.
func containers(n int) string {
	text := `
type trie# struct {
	kids [4]*trie#
	next map[rune]*trie#
	value string
}

func (t *trie#) insert(a *arena.Arena, key, value string) *trie# {
	if t == nil {
		t = arena.New[trie#](a)
	}
	if key == "" {
		t.value = a.AllocString(value)
		return t
	}
	i := key[0] % 4
	t.kids[i] = t.kids[i].insert(a, key[1:], value)
	t.next[rune(key[0])] = t.next[rune(key[0])].insert(a, key[1:], value)
	return t
}

func (t *trie#) walk(f func(string)) {
	for _, k := range t.kids {
		k.walk(f)
	}
	for _, k := range t.next {
		k.walk(f)
	}
	f(t.value)
}

type btree# struct {
	keys []string
	kids []*btree#
	parent, left, right *btree#
	index *trie#
	list *list#
}

func (t *btree#) split(a *arena.Arena) (l, r *btree#) {
	l, r = arena.New[btree#](a), arena.New[btree#](a)
	h := len(t.keys) / 2
	l.keys, r.keys = arena.CopySlice(a, t.keys[:h]), arena.CopySlice(a, t.keys[h:])
	l.kids, r.kids = arena.CopySlice(a, t.kids[:h]), arena.CopySlice(a, t.kids[h:])
	l.right, r.left = r, l
	l.parent, r.parent = t.parent, t.parent
	for _, k := range l.kids {
		k.parent = l
	}
	for _, k := range r.kids {
		k.parent = r
	}
	return l, r
}

func (t *btree#) insert(a *arena.Arena, key string) *btree# {
	for t.left != nil && t.left.keys[0] > key {
		t = t.left
	}
	for t.right != nil && t.right.keys[0] < key {
		t = t.right
	}
	if len(t.kids) == 0 {
		t.keys = arena.Append(a, t.keys, a.AllocString(key))
	} else {
		t.kids[0] = t.kids[0].insert(a, key)
	}
	if len(t.keys) > 8 {
		l, r := t.split(a)
		t = arena.NewOf(a, btree#{kids: arena.Append(a, nil, l, r), index: t.index.insert(a, key, key)})
		l.parent, r.parent = t, t
		t.list = t.parent.list.push(a, t.clone(a))
	}
	return t
}

func (t *btree#) clone(a *arena.Arena) *btree# {
	c := arena.NewOf(a, *t)
	c.keys = arena.CopySlice(a, t.keys)
	c.kids = arena.MakeSlice[*btree#](a, len(t.kids), len(t.kids))
	for i, k := range t.kids {
		c.kids[i] = k.clone(a)
		c.kids[i].parent = c
	}
	return c
}

type list# struct {
	prev, next, head *list#
	item *btree#
}

func (l *list#) push(a *arena.Arena, t *btree#) *list# {
	n := arena.NewOf(a, list#{prev: l, item: t})
	n.next, l.next = l.next, n
	n.next.prev = n
	for x := l; x != nil; x = x.prev {
		x.head = l.head
		x.item = t.insert(a, x.prev.item.keys[0])
	}
	return n
}

func use#(pool *arena.Pool, keys []string) {
	a := pool.Get()
	defer pool.Put(a)
	var t *btree#
	var i *trie#
	for _, k := range keys {
		t = t.insert(a, k)
		i = i.insert(a, k, k)
	}
	i.walk(func(string) {})
}
`
	var b strings.Builder
	b.WriteString(header)
	for i := range n {
		b.WriteString(strings.ReplaceAll(text, "#", fmt.Sprint(i)))
	}
	return b.String()
}

const linkedHeader = header + "type T struct {\n\tName string\n\tKids []*T\n\tParts map[string]*T\n\tNext *T\n}\n\n" +
	"func F(a *arena.Arena, in [][]*T) *T {\n\tout := arena.New[T](a)\n"

// linked is a function that counts in maps, filled by some loops, and puts their contents into each other.
func linked(loops, maps int) string {
	var b strings.Builder
	b.WriteString(linkedHeader)
	for m := range maps {
		fmt.Fprintf(&b, "\tm%d := map[string]*T{}\n", m)
	}
	for range loops {
		b.WriteString("\tfor _, list := range in {\n\t\tfor _, x := range list {\n")
		for m := range maps {
			fmt.Fprintf(&b, "\t\t\tv%[1]d := m%[1]d[x.Name]\n\t\t\tif v%[1]d == nil {\n\t\t\t\tv%[1]d = arena.New[T](a)\n"+
				"\t\t\t\tv%[1]d.Name = a.AllocString(x.Name)\n\t\t\t\tm%[1]d[v%[1]d.Name] = v%[1]d\n\t\t\t}\n"+
				"\t\t\tv%[1]d.Kids = arena.Append(a, v%[1]d.Kids, x)\n", m)
			if m > 0 {
				fmt.Fprintf(&b, "\t\t\tif v%[1]d.Parts == nil {\n\t\t\t\tv%[1]d.Parts = map[string]*T{}\n\t\t\t}\n"+
					"\t\t\tv%[1]d.Parts[v%[2]d.Name] = v%[2]d\n", m, m-1)
			}
		}
		b.WriteString("\t\t}\n\t}\n")
	}
	for m := range maps {
		fmt.Fprintf(&b, "\tfor _, x := range m%d {\n\t\tx.Next = out.Next\n\t\tout.Next = x\n\t\tout.Kids = arena.Append(a, out.Kids, x)\n\t}\n", m)
	}
	b.WriteString("\treturn out\n}\n")
	return b.String()
}

// sections is a function that makes n lists, one after the other, each from counts in a map.
func sections(n int) string {
	var b strings.Builder
	b.WriteString(linkedHeader)
	for i := range n {
		fmt.Fprintf(&b, "\tm%[1]d, s%[1]d := map[string]*T{}, arena.New[T](a)\n\tfor _, list := range in {\n\t\tfor _, x := range list {\n"+
			"\t\t\tv := m%[1]d[x.Name]\n\t\t\tif v == nil {\n\t\t\t\tv = arena.NewOf(a, T{Name: a.AllocString(x.Name)})\n"+
			"\t\t\t\tm%[1]d[v.Name] = v\n\t\t\t}\n\t\t\tv.Kids = arena.Append(a, v.Kids, x)\n\t\t}\n\t}\n"+
			"\tfor _, v := range m%[1]d {\n\t\ts%[1]d.Kids = arena.Append(a, s%[1]d.Kids, v)\n\t}\n\tout.Kids = arena.Append(a, out.Kids, s%[1]d)\n", i)
	}
	b.WriteString("\treturn out\n}\n")
	return b.String()
}

// cases is a function with a loop whose iterations take one of n cases.
func cases(n int) string {
	var b strings.Builder
	b.WriteString(linkedHeader + "\tfor _, list := range in {\n\t\tx := arena.New[T](a)\n\t\tswitch len(list) {\n")
	for i := range n {
		fmt.Fprintf(&b, "\t\tcase %d:\n\t\t\tx.Next, out.Kids = out.Next, arena.Append(a, out.Kids, list[%[1]d/2])\n\t\t\tout.Next = x\n", i)
	}
	b.WriteString("\t\t}\n\t}\n\treturn out\n}\n")
	return b.String()
}

// visited is a function that passes n values to a method that its callers know, one after the other, and uses them
// later.
func visited(n int) string {
	var b strings.Builder
	b.WriteString(strings.Replace(linkedHeader, "in ", "v interface{ Visit(*T) error }, in ", 1))
	for i := range n {
		fmt.Fprintf(&b, "\tx%[1]d := arena.NewOf(a, T{Name: in[%[1]d][0].Name})\n\tif err := v.Visit(x%[1]d); err != nil {\n"+
			"\t\treturn nil\n\t}\n\tif x%[1]d.Name != \"\" {\n\t\tout.Name = x%[1]d.Name\n\t}\n", i)
	}
	b.WriteString("\treturn out\n}\n")
	return b.String()
}
