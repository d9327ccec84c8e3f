package services

import (
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

// References into maps: they are in a field, come from helpers, and are written to behind branches and in loops.

type usage struct{ calls, bytes int }

type usageOf struct{ t *usage }

type usages struct {
	a    *arena.Arena
	of   *collections.Map[string, usage]
	live collections.Map[string, usage]
	old  *collections.Map[string, usage]
}

func newUsages(a *arena.Arena) *usages {
	m := &usages{a: a, of: collections.NewMap[string, usage](a, 0)}
	m.of.Set("in", usage{})
	m.of.Set("out", usage{})
	return m
}

func (m *usages) at(name string) *usage { return m.of.Ref(name) }
func (m *usages) added(name string) *usage {
	if !m.of.Has(name) {
		m.of.Set(m.a.AllocString(name), usage{})
	}
	return m.at(name)
}
func (m *usages) add(name string)                                 { m.of.Set(name, usage{}) }
func (m *usages) ensure(name string)                              { m.of.LoadOrStore(name, usage{}) }
func (m *usages) swap()                                           { m.old, m.of = m.of, m.old }
func (t *usage) count(n int)                                      { t.calls++; t.bytes += n }
func (t *usage) mean() int                                        { return t.bytes / t.calls }
func refOf[K comparable, V any](m *collections.Map[K, V], k K) *V { return m.Ref(k) }

func (m *usages) OKRefBefore(x, y string) {
	t := m.at(x)
	t.calls++
	m.at(y).calls++
}
func (m *usages) OKRefAnew(x, y string) {
	t := m.at(x)
	t.calls++
	m.at(y).calls++
	t = m.at(x)
	t.bytes++
}
func (m *usages) OKRefOther(x, y string) {
	t := m.of.Ref(x)
	u := m.old.Ref(y)
	t.calls++
	u.calls++
}
func OKRefOtherMeters(m, n *usages, x, y string) {
	t, u := m.at(x), n.at(y)
	t.calls++
	u.calls++
}
func (m *usages) OKRefSwapped(x, y string) {
	t := m.of.Ref(x)
	m.swap()
	m.of.Ref(y).calls++
	t.calls++
}
func (m *usages) OKRefGet(x, y string) {
	t := m.at(x)
	if u, ok := m.of.Get(y); ok {
		t.calls += u.calls
	}
	m.of.Delete(y)
	t.bytes++
}
func (m *usages) OKRefSame(x string) {
	t := m.at(x)
	m.at(x).calls++
	m.of.LoadOrStore(x, usage{})
	t.bytes++
}
func (m *usages) OKRefThere(x, y string) {
	m.ensure(x)
	m.ensure(y)
	t, u := m.at(x), m.at(y)
	t.calls++
	u.calls++
}
func (m *usages) OKRefAsked(x, y string) {
	t := m.at(x)
	if m.of.Has(y) {
		m.at(y).calls++
	}
	t.calls++
}
func (m *usages) OKRefFixed(n int) {
	in, out := m.of.Ref("in"), m.of.Ref("out")
	in.count(n)
	out.count(n)
}
func (m *usages) OKRefBranches(x, y string, first bool) {
	t := m.at(x)
	if !first {
		m.at(y).calls++
		return
	}
	t.calls++
}
func (m *usages) OKRefTurns(all []string) {
	for _, x := range all {
		t := m.at(x)
		t.calls++
	}
}
func OKRefFilled(a *arena.Arena, nodes []string, edges [][2]string) {
	degree := collections.NewMap[string, int](a, len(nodes))
	for _, n := range nodes {
		degree.Set(n, 0)
	}
	for _, e := range edges {
		from, to := degree.Ref(e[0]), degree.Ref(e[1])
		*from++
		*to++
	}
}
func OKRefRange(a *arena.Arena) {
	m := collections.NewMap[string, int](a, 4)
	*m.Ref("x") = 1
	for k, v := range m.All() {
		p := m.Ref("x")
		*m.Ref(k) = v + 1
		*p++
	}
}
func (m *usages) OKRefRead(x, y string) int {
	t := m.at(x)
	u := m.at(y)
	return t.mean() + u.mean()
}
func OKRefDeleted(m *collections.Map[string, int], x, y string) {
	p := m.Ref(x)
	m.Delete(y)
	*p++
}
