// Package slots has the radix tree of package heap, with its nodes in a collections.Slots and a Ref in the place of
// each pointer: the garbage collector never looks at a node, and nodes that are deleted make room for others.
package slots

import (
	"math/bits"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

// A Trie maps keys to values.
type Trie struct {
	nodes *collections.Slots[node]
	root  ref
}

type ref = collections.Ref[node]

// A node is a leaf, or a fork: all keys below have the same bits above one bit, by which they part.
type node struct {
	key   uint64 // of a leaf; of a fork, of one below
	value uint64
	next  [2]ref
	fork  bool
	bit   uint8
}

// New returns an empty trie in an arena.
func New(a *arena.Arena) *Trie { return &Trie{nodes: collections.NewSlots[node](a)} }

// Len returns the number of nodes.
func (t *Trie) Len() int { return t.nodes.Len() }

// way returns in which direction a key goes on from a fork.
func (n *node) way(key uint64) uint64 { return key >> n.bit & 1 }

// leaf returns the only leaf that may have a key, nil in an empty trie.
func (t *Trie) leaf(key uint64) *node {
	n := t.nodes.At(t.root)
	for n != nil && n.fork {
		n = t.nodes.At(n.next[n.way(key)])
	}
	return n
}

// Get returns the value of a key.
func (t *Trie) Get(key uint64) (value uint64, ok bool) {
	if n := t.leaf(key); n != nil && n.key == key {
		return n.value, true
	}
	return 0, false
}

// Set sets the value of a key.
func (t *Trie) Set(key, value uint64) {
	other := t.leaf(key)
	if other != nil && other.key == key {
		other.value = value
		return
	}
	leaf := t.nodes.New()
	leaf.key, leaf.value = key, value
	if other == nil {
		t.root = t.nodes.RefTo(leaf)
		return
	}
	bit := uint8(bits.Len64(key^other.key) - 1)
	at := &t.root
	for n := t.nodes.At(*at); n.fork && n.bit > bit; n = t.nodes.At(*at) {
		at = &n.next[n.way(key)]
	}
	fork := t.nodes.New()
	fork.key, fork.fork, fork.bit = key, true, bit
	fork.next[fork.way(key)], fork.next[1-fork.way(key)] = t.nodes.RefTo(leaf), *at
	*at = t.nodes.RefTo(fork)
}

// Delete deletes a key, and reports whether it was there.
func (t *Trie) Delete(key uint64) bool {
	at, above := &t.root, (*ref)(nil)
	for n := t.nodes.At(*at); n != nil && n.fork; n = t.nodes.At(*at) {
		at, above = &n.next[n.way(key)], at
	}
	leaf := t.nodes.At(*at)
	if leaf == nil || leaf.key != key {
		return false
	}
	if above == nil {
		t.root = 0
	} else {
		fork := t.nodes.At(*above)
		*above = fork.next[1-fork.way(key)]
		t.nodes.Free(fork)
	}
	t.nodes.Free(leaf)
	return true
}
