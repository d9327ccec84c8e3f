// Package held has two units of work: of the first one all lives on, though memory is most of what it takes.
package held

// A Word is what both make.
type Word struct {
	Text [4]string
	Next *Word
}

// kept is more than any look sees.
var kept [1 << 16]*Word

var words int

// Keep makes words that others replace much later.
func Keep(text string) int {
	for i := range len(text) {
		kept[words%len(kept)] = &Word{Text: [4]string{text[i : i+1]}}
		words++
	}
	return words
}

// Count makes words that die at once, and looks at them for a while.
func Count(text string) (n int) {
	var list *Word
	for i := range len(text) {
		list = &Word{Text: [4]string{text[i : i+1]}, Next: list}
	}
	for range 8 {
		for w := list; w != nil; w = w.Next {
			for _, r := range w.Text {
				n += len(r)
			}
		}
	}
	last = list
	last = nil
	return n
}

// last has the words on the heap.
var last *Word
