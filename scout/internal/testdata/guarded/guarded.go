// Package guarded has a unit whose benchmark reaches it in many ways.
package guarded

// A Node is a word.
type Node struct {
	Name string
	Next *Node
}

// Parse makes a list of words.
func Parse(words ...string) (list *Node) {
	for _, word := range words {
		list = &Node{Name: word, Next: list}
	}
	return list
}
