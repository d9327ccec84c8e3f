package services

import (
	"strings"

	"github.com/harena-go/arena"
)

// Fields that lead into an arena of their own struct, which is reset: who asks for nil finds what is dead.

type profile struct {
	a     *arena.Arena
	user  *item
	names []string
	seen  int
}

func (p *profile) load(sku string) *item {
	if p.user == nil {
		p.user = arena.New[item](p.a)
		p.user.sku = p.a.AllocString(sku)
	}
	return p.user
}
func (p *profile) name(n int) string {
	if len(p.names) == 0 {
		return ""
	}
	return p.names[n]
}
func (p *profile) add(sku string) { p.names = append(p.names, p.a.AllocString(sku)) }

func (p *profile) BadLeftCached() {
	p.seen = 0
	p.a.Reset()
	p.names = nil
}
func (p *profile) BadLeftList() {
	p.user = nil
	p.clear()
}
func (p *profile) clear() { p.a.Reset() }

func (p *profile) OKLeftNothing() {
	p.user, p.names = nil, nil
	p.a.Reset()
}
func (p *profile) OKLeftAnew(sku string) {
	*p = profile{a: p.a, seen: p.seen}
	p.clear()
	p.load(sku)
}

// A parser sets what it has made before it asks for it.
type tokenizer struct {
	a      *arena.Arena
	tokens []string
	root   *item
}

func (t *tokenizer) scan(text string) {
	t.tokens = nil
	for word := range strings.FieldsSeq(text) {
		t.tokens = append(t.tokens, t.a.AllocString(word))
	}
}
func (t *tokenizer) parse(text string) bool {
	t.scan(text)
	t.root = arena.New[item](t.a)
	if len(t.tokens) == 0 || t.root == nil {
		return false
	}
	t.root.sku = t.tokens[0]
	return true
}
func (t *tokenizer) OKLeftSetFirst() { t.a.Reset() }

// Written when the rest was found.
type shard struct {
	pool  *arena.Pool
	mem   *arena.Arena
	known map[string]*item
	last  *item
	n     int
}

func (s *shard) get(sku string) *item {
	x, ok := s.known[sku]
	if !ok {
		x = arena.NewOf(s.mem, item{sku: s.mem.AllocString(sku)})
		s.known[x.sku] = x
	}
	s.last = x
	return x
}

func rollAll(shards []*shard) {
	for _, s := range shards {
		s.BadLeftRolled()
	}
}
func (s *shard) BadLeftRolled() {
	s.n, s.last = 0, nil
	s.pool.Put(s.mem)
	s.mem = s.pool.Get()
}

func (s *shard) OKLeftRolled() {
	s.last = nil
	clear(s.known)
	s.pool.Put(s.mem)
	s.mem = s.pool.Get()
}

// What was written last is compared with what comes next.
type deduped struct {
	a    *arena.Arena
	last string
	out  []string
}

func (d *deduped) write(s string) {
	if s == d.last {
		return
	}
	d.last = d.a.AllocString(s)
}
func (d *deduped) BadLeftLast() { d.a.Reset() }

// A parser whose tokens are read by methods that Parse calls when it has set them.
type grammar struct {
	a      *arena.Arena
	tokens []string
	pos    int
	tree   *item
}

func (g *grammar) Parse(text string) *item {
	g.tokens, g.pos = g.tokens[:0:0], 0
	for word := range strings.FieldsSeq(text) {
		g.tokens = arena.Append(g.a, g.tokens, g.a.AllocString(word))
	}
	g.tree = g.expr()
	return g.tree
}
func (g *grammar) next() string {
	if g.pos == len(g.tokens) {
		return ""
	}
	g.pos++
	return g.tokens[g.pos-1]
}
func (g *grammar) expr() *item      { return arena.NewOf(g.a, item{sku: g.next()}) }
func (g *grammar) Tree() *item      { return g.tree }
func (g *grammar) OKLeftToParse()   { g.a.Reset() }
func (g *grammar) Tokens() []string { return g.tokens }

// A batch whose list is emptied where its arena is reset.
type leftBatch struct {
	a    *arena.Arena
	rows []*item
}

func (b *leftBatch) Add(sku string) {
	b.rows = append(b.rows, arena.NewOf(b.a, item{sku: b.a.AllocString(sku)}))
	if len(b.rows) >= 100 {
		b.OKLeftEmptied()
	}
}
func (b *leftBatch) OKLeftEmptied() (n int) {
	defer func() {
		b.rows = nil
		b.a.Reset()
	}()
	for _, r := range b.rows {
		n += len(r.sku)
	}
	return n
}
