// Package contact has a unit of work that benchmarks reach over functions of their own, among benchmarks that
// are beside the point.
package contact

// Doc is what Parse returns, Word what it is made of.
type (
	Doc  struct{ Words []*Word }
	Word struct {
		Text string
		Next *Word
	}
)

// Parse is the unit.
func Parse(text string) *Doc {
	d := &Doc{}
	for i := range len(text) {
		d.Words = append(d.Words, &Word{Text: text[i : i+1]})
	}
	return d
}

// Load is preparation: it allocates more than Parse, once.
func Load() string {
	text := make([]byte, 40)
	for range 1000 {
		text = append([]byte(nil), text...)
		for i := range text {
			text[i]++
		}
	}
	return string(text)
}

// Label allocates one object, and does nothing else.
func Label(n int) *Word { return &Word{Text: "labels"[n%6:]} }

// Count allocates nothing.
func Count(text string) (n int) {
	for _, r := range text {
		n += int(r)
	}
	return n
}

// Parser keeps its last result, until the next one.
type Parser struct{ last *Doc }

// NewParser returns a Parser.
//
//go:noinline
func NewParser() *Parser { return &Parser{} }

// Len is a unit whose result outlives it.
func (p *Parser) Len(text string) int {
	p.last = Parse(text)
	return len(p.last.Words)
}
