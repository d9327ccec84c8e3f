package arena

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
)

// keys finds the classes of a Pool by their keys. Classes are added, under the pool's
// lock for keys, and never removed, so that whoever looks for one needs no lock.
type keys struct {
	seed  maphash.Seed
	table []atomic.Pointer[class] // a hash table of a power of two, at most half full
	n     atomic.Int32            // classes in it
}

const (
	// maxKeys is how many keys a pool tells apart, and maxKey how many bytes one may
	// have. Others, which may come from outside the program, are treated as none, lest
	// they fill the memory.
	maxKeys = 1024
	maxKey  = 256
)

// find returns the class with a key, or nil.
func (k *keys) find(key string) *class {
	for i := k.home(key); ; i++ {
		if c := k.table[i%len(k.table)].Load(); c == nil || c.key == key {
			return c
		}
	}
}

// home returns where the search for a key begins.
func (k *keys) home(key string) int {
	return int(maphash.String(k.seed, key) & uint64(len(k.table)-1))
}

// add adds a class.
func (k *keys) add(c *class) {
	i := k.home(c.key)
	for k.table[i%len(k.table)].Load() != nil {
		i++
	}
	k.table[i%len(k.table)].Store(c)
	k.n.Add(1)
}

// grown returns keys with room for one more.
func (k *keys) grown() *keys {
	if k != nil && 2*int(k.n.Load()) < len(k.table) {
		return k
	}
	g := &keys{seed: maphash.MakeSeed(), table: make([]atomic.Pointer[class], 8)}
	if k != nil {
		g.table = make([]atomic.Pointer[class], 2*len(k.table))
		for c := range k.all {
			g.add(c)
		}
	}
	return g
}

// all yields the classes.
func (k *keys) all(yield func(c *class) bool) {
	for i := range k.table {
		if c := k.table[i].Load(); c != nil && !yield(c) {
			return
		}
	}
}

// classOf returns the class with a key.
func (p *Pool) classOf(key string) *class {
	if len(key) > maxKey {
		return &p.main
	}
	if k := p.keys.Load(); k != nil {
		if c := k.find(key); c != nil {
			return c
		}
		if k.n.Load() >= maxKeys {
			return &p.main
		}
	}
	return p.addClass(key)
}

// addClass adds a class, unless there are too many.
func (p *Pool) addClass(key string) *class {
	p.keyMu.Lock()
	defer p.keyMu.Unlock()
	k := p.keys.Load()
	if k != nil {
		if c := k.find(key); c != nil {
			return c // somebody else was faster
		}
		if k.n.Load() >= maxKeys {
			return &p.main
		}
	}
	k = k.grown()
	c := &class{key: strings.Clone(key)} // key may be in an arena
	k.add(c)
	p.keys.Store(k)
	return c
}

// classes yields all classes of the pool.
func (p *Pool) classes(yield func(c *class) bool) {
	if !yield(&p.main) {
		return
	}
	if k := p.keys.Load(); k != nil {
		k.all(yield)
	}
}
