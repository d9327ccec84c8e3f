package services

import (
	"maps"
	"slices"

	"github.com/harena-go/arena"
)

// Functions with many loops and maps, which lead to each other.

type saleNode struct {
	Name             string
	Cents            int64
	Up, Next, Latest *saleNode
	Kids, Peers      []*saleNode
	Tags             []string
	By, Parts        map[string]*saleNode
}

type sale struct {
	Region, Store, Item string
	Tags                []string
	Cents               int64
}

type saleServer struct {
	pool   *arena.Pool
	last   *saleNode
	totals map[string]int64
	names  []string
}

// tallySales builds a report in three maps, by four loops.
func tallySales(a *arena.Arena, sales []sale) *saleNode {
	root := arena.New[saleNode](a)
	regions, stores, items := map[string]*saleNode{}, map[string]*saleNode{}, map[string]*saleNode{}
	for _, x := range sales {
		region := regions[x.Region]
		if region == nil {
			region = arena.NewOf(a, saleNode{Name: a.AllocString(x.Region), Up: root, By: map[string]*saleNode{}})
			regions[region.Name] = region
			root.Kids = arena.Append(a, root.Kids, region)
		}
		store := stores[x.Store]
		if store == nil {
			store = arena.NewOf(a, saleNode{Name: a.AllocString(x.Store), Up: region, By: map[string]*saleNode{}})
			stores[store.Name] = store
			region.By[store.Name] = store
			region.Kids = arena.Append(a, region.Kids, store)
		}
		item := items[x.Item]
		if item == nil {
			item = arena.NewOf(a, saleNode{Name: a.AllocString(x.Item), Up: store, Parts: map[string]*saleNode{}})
			items[item.Name] = item
			store.By[item.Name] = item
		}
		for _, tag := range x.Tags {
			t := item.Parts[tag]
			if t == nil {
				t = arena.NewOf(a, saleNode{Name: a.AllocString(tag), Up: item})
				item.Parts[t.Name] = t
				item.Tags = arena.Append(a, item.Tags, t.Name)
			}
			t.Next, item.Latest = item.Latest, t
			t.Cents += x.Cents
			if store.Latest == nil || store.Latest.Cents < t.Cents {
				store.Latest = t
			}
		}
		item.Next, store.Next = store.Next, item
		region.Next, root.Next = root.Next, region
		for up := item; up != nil; up = up.Up {
			up.Cents += x.Cents
			if up.Up != nil && (up.Up.Latest == nil || up.Up.Latest.Cents < up.Cents) {
				up.Up.Latest = up
			}
		}
	}
	for name, region := range regions {
		for _, store := range region.By {
			for _, item := range store.By {
				if peer := items[item.Name]; peer != item {
					peer.Peers = arena.Append(a, peer.Peers, item)
				}
				if store.Parts == nil {
					store.Parts = map[string]*saleNode{}
				}
				store.Parts[name] = item.Latest
			}
			store.Peers = arena.Append(a, store.Peers, region.Latest)
		}
		root.Peers = arena.Append(a, root.Peers, region.Latest)
	}
	return root
}

func (s *saleServer) BadTally(sales []sale) int64 {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.last = tallySales(a, sales)
	return s.last.Cents
}

func (s *saleServer) OKTally(sales []sale) int64 {
	a := s.pool.Get()
	defer s.pool.Put(a)
	root := tallySales(a, sales)
	for _, region := range root.Kids {
		s.totals[region.Name+"!"] = region.Cents
	}
	return root.Cents
}

// BadPivot is tallySales the other way round, within the handler.
func (s *saleServer) BadPivot(sales []sale) int {
	a := s.pool.Get()
	defer s.pool.Put(a)
	byItem, byStore, byTag := map[string]*saleNode{}, map[string]*saleNode{}, map[string]*saleNode{}
	var first *saleNode
	for _, x := range sales {
		item, store := byItem[x.Item], byStore[x.Store]
		if item == nil {
			item = arena.NewOf(a, saleNode{Name: a.AllocString(x.Item), By: map[string]*saleNode{}, Next: first})
			byItem[item.Name], first = item, item
		}
		if store == nil {
			store = arena.NewOf(a, saleNode{Name: a.AllocString(x.Store), Parts: map[string]*saleNode{}})
			byStore[store.Name] = store
		}
		item.By[store.Name], store.Parts[item.Name] = store, item
		item.Peers = arena.Append(a, item.Peers, store)
		store.Kids = arena.Append(a, store.Kids, item)
		for _, name := range x.Tags {
			tag := byTag[name]
			if tag == nil {
				tag = arena.NewOf(a, saleNode{Name: a.AllocString(name), Up: item, By: map[string]*saleNode{}})
				byTag[tag.Name] = tag
			}
			tag.By[x.Item] = item
			tag.Next, item.Latest, store.Latest = item.Latest, tag, tag
			item.Tags = arena.Append(a, item.Tags, tag.Name)
		}
	}
	for _, item := range byItem {
		for _, store := range item.By {
			for _, other := range store.Parts {
				if other != item {
					item.Kids = arena.Append(a, item.Kids, other)
				}
				other.Up = store
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byTag)) {
		tag := byTag[name]
		for _, item := range tag.By {
			tag.Kids = arena.Append(a, tag.Kids, item)
			if item.Latest == tag {
				s.names = append(s.names, tag.Name)
			}
		}
	}
	return len(byItem)
}

type jobNode struct {
	id       string
	needs    []*jobNode
	needed   map[string]*jobNode
	earliest *jobNode
	err      error
	level    int
}

type jobServer struct {
	pool  *arena.Pool
	plans map[string][]*jobNode
	order []string
}

// levels sorts jobs by what they need, in an arena.
func levels(a *arena.Arena, needs map[string][]string) (sorted []*jobNode) {
	nodes, open, done := map[string]*jobNode{}, map[string]*jobNode{}, map[string]bool{}
	get := func(id string) *jobNode {
		n := nodes[id]
		if n == nil {
			n = arena.NewOf(a, jobNode{id: a.AllocString(id), needed: map[string]*jobNode{}})
			nodes[n.id], open[n.id] = n, n
		}
		return n
	}
	for id, list := range needs {
		n := get(id)
		for _, name := range list {
			m := get(name)
			n.needs = arena.Append(a, n.needs, m)
			m.needed[n.id] = n
			if n.earliest == nil || m.id < n.earliest.id {
				n.earliest = m
			}
		}
	}
	for level := 0; len(open) > 0; level++ {
		var ready []*jobNode
		for id, n := range open {
			waiting := slices.ContainsFunc(n.needs, func(m *jobNode) bool { return !done[m.id] })
			if !waiting {
				n.level = level
				ready = arena.Append(a, ready, n)
				delete(open, id)
			}
		}
		if len(ready) == 0 {
			break
		}
		for _, n := range ready {
			done[n.id] = true
			for _, m := range n.needed {
				if m.earliest == n || m.earliest == nil {
					m.earliest = n.earliest
				}
			}
		}
		slices.SortFunc(ready, func(m, n *jobNode) int { return m.level - n.level })
		sorted = arena.Append(a, sorted, ready...)
	}
	return sorted
}

func (s *jobServer) BadPlan(name string, needs map[string][]string) int {
	a := s.pool.Get()
	defer s.pool.Put(a)
	plan := levels(a, needs)
	s.plans[name] = plan
	return len(plan)
}

func (s *jobServer) OKPlan(needs map[string][]string) int {
	a := s.pool.Get()
	defer s.pool.Put(a)
	plan := levels(a, needs)
	s.order = s.order[:0]
	for _, n := range plan {
		s.order = append(s.order, n.id+"\n")
	}
	return len(plan)
}
