// Package heap has a radix tree of 64-bit keys whose nodes are on the Go heap.
package heap

import "math/bits"

// A Trie maps keys to values.
type Trie struct{ root *node }

// A node is a leaf, or a fork: all keys below have the same bits above one bit, by which they part.
type node struct {
	key   uint64 // of a leaf; of a fork, of one below
	value uint64
	next  [2]*node
	fork  bool
	bit   uint8
}

// New returns an empty trie.
func New() *Trie { return new(Trie) }

// way returns in which direction a key goes on from a fork.
func (n *node) way(key uint64) uint64 { return key >> n.bit & 1 }

// leaf returns the only leaf that may have a key, nil in an empty trie.
func (t *Trie) leaf(key uint64) *node {
	n := t.root
	for n != nil && n.fork {
		n = n.next[n.way(key)]
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
	leaf := new(node)
	leaf.key, leaf.value = key, value
	if other == nil {
		t.root = leaf
		return
	}
	bit := uint8(bits.Len64(key^other.key) - 1)
	at := &t.root
	for n := *at; n.fork && n.bit > bit; n = *at {
		at = &n.next[n.way(key)]
	}
	fork := new(node)
	fork.key, fork.fork, fork.bit = key, true, bit
	fork.next[fork.way(key)], fork.next[1-fork.way(key)] = leaf, *at
	*at = fork
}

// Delete deletes a key, and reports whether it was there.
func (t *Trie) Delete(key uint64) bool {
	at, above := &t.root, (**node)(nil)
	for n := *at; n != nil && n.fork; n = *at {
		at, above = &n.next[n.way(key)], at
	}
	leaf := *at
	if leaf == nil || leaf.key != key {
		return false
	}
	if above == nil {
		t.root = nil
		return true
	}
	fork := *above
	*above = fork.next[1-fork.way(key)]
	return true
}
