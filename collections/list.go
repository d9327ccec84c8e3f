package collections

import (
	"iter"

	"github.com/harena-go/arena"
)

// A List is a doubly linked list in an arena. [NewList] makes one; the zero List is
// an empty one on the Go heap. It must not be copied after its first use.
//
// All operations take constant time. An element takes its size and three words. Its node never
// moves, and isn't used again after Remove: a removed node keeps its value and its memory until the
// arena's Reset. If elements come and go for long, a [Deque] takes less.
type List[T any] struct {
	_     noCopy
	_     cloning[List[T]]
	arena *arena.Arena
	front *Node[T]
	back  *Node[T]
	n     int
}

// A Node is an element of a List. Nodes come from the methods of List.
type Node[T any] struct {
	next, prev *Node[T]
	list       *List[T]
	Value      T
}

// NewList returns an empty list in a. It panics as [arena.New] does.
func NewList[T any](a *arena.Arena) *List[T] {
	l := arena.New[List[T]](a)
	l.arena = a
	return l
}

// Len returns the number of elements.
func (l *List[T]) Len() int { return l.n }

// Front returns the first node, or nil.
func (l *List[T]) Front() *Node[T] { return l.front }

// Back returns the last node, or nil.
func (l *List[T]) Back() *Node[T] { return l.back }

// Next returns the node after n, or nil.
func (n *Node[T]) Next() *Node[T] { return n.next }

// Prev returns the node before n, or nil.
func (n *Node[T]) Prev() *Node[T] { return n.prev }

// PushFront adds v at the front, and returns its node.
func (l *List[T]) PushFront(v T) *Node[T] { return l.link(l.node(v), nil, l.front) }

// PushBack adds v at the end, and returns its node.
func (l *List[T]) PushBack(v T) *Node[T] { return l.link(l.node(v), l.back, nil) }

// InsertBefore adds v before mark, and returns its node. It panics if mark isn't in the list.
func (l *List[T]) InsertBefore(v T, mark *Node[T]) *Node[T] {
	l.check("List.InsertBefore", mark)
	return l.link(l.node(v), mark.prev, mark)
}

// InsertAfter adds v after mark, and returns its node. It panics if mark isn't in the list.
func (l *List[T]) InsertAfter(v T, mark *Node[T]) *Node[T] {
	l.check("List.InsertAfter", mark)
	return l.link(l.node(v), mark, mark.next)
}

// Remove removes n from the list, and returns its value. It panics if n isn't in it. The node keeps
// the value.
func (l *List[T]) Remove(n *Node[T]) T {
	l.check("List.Remove", n)
	l.unlink(n)
	return n.Value
}

// MoveToFront makes n the first one. It panics if n isn't in the list.
func (l *List[T]) MoveToFront(n *Node[T]) {
	l.check("List.MoveToFront", n)
	if n != l.front {
		l.unlink(n)
		l.link(n, nil, l.front)
	}
}

// MoveToBack makes n the last one. It panics if n isn't in the list.
func (l *List[T]) MoveToBack(n *Node[T]) {
	l.check("List.MoveToBack", n)
	if n != l.back {
		l.unlink(n)
		l.link(n, l.back, nil)
	}
}

// check panics if n isn't in the list.
func (l *List[T]) check(op string, n *Node[T]) {
	if n == nil || n.list != l {
		panic("arena: " + op + ": the node isn't one of this list")
	}
}

func (l *List[T]) node(v T) *Node[T] {
	n := arena.New[Node[T]](l.arena)
	n.Value = v
	return n
}

// link puts n between two neighbours. Either may be nil.
func (l *List[T]) link(n, prev, next *Node[T]) *Node[T] {
	n.list, n.prev, n.next = l, prev, next
	l.join(prev, n)
	l.join(n, next)
	l.n++
	return n
}

func (l *List[T]) unlink(n *Node[T]) {
	l.join(n.prev, n.next)
	n.list, n.prev, n.next = nil, nil, nil
	l.n--
}

// join makes two nodes neighbours; nil stands for the list's ends.
func (l *List[T]) join(prev, next *Node[T]) {
	if prev != nil {
		prev.next = next
	} else {
		l.front = next
	}
	if next != nil {
		next.prev = prev
	} else {
		l.back = prev
	}
}

// Clone returns a copy in a, which may differ from the list's arena.
func (l *List[T]) Clone(a *arena.Arena) *List[T] {
	c := NewList[T](a)
	for n := l.front; n != nil; n = n.next {
		c.PushBack(n.Value)
	}
	return c
}

// All returns an iterator over the nodes, from the front. The current one may be removed or moved
// meanwhile.
func (l *List[T]) All() iter.Seq[*Node[T]] {
	return func(yield func(*Node[T]) bool) {
		for n := l.front; n != nil; {
			next := n.next
			if !yield(n) {
				return
			}
			n = next
		}
	}
}

// Backward returns an iterator over the nodes, from the back, as All.
func (l *List[T]) Backward() iter.Seq[*Node[T]] {
	return func(yield func(*Node[T]) bool) {
		for n := l.back; n != nil; {
			prev := n.prev
			if !yield(n) {
				return
			}
			n = prev
		}
	}
}

// Values returns an iterator over the values, from the front.
func (l *List[T]) Values() iter.Seq[T] {
	return func(yield func(T) bool) {
		for n := range l.All() {
			if !yield(n.Value) {
				return
			}
		}
	}
}
