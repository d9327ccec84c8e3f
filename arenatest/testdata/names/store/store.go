// Package store has variables that others use.
package store

// An Item is what is stored.
type Item struct {
	Name string
	Next *Item
}

// Last is only used by others.
var Last *Item

// A Page is large.
type Page [4096]byte

var fallback *Item

// Store is inlined, and stores to a variable of the caller's at a line that mentions
// another one.
func Store(to **Item, i *Item) {
	if *to == fallback {
		*to = i
	}
}

func SetFallback(i *Item) { fallback = i }
