// Package stream has a decoder that keeps some of what it allocates for its next call, as the benchmark doesn't show.
package stream

type Decoder struct {
	in     []string
	buf    []byte
	last   any
	seen   *Item
	stack  struct{ slots [2]slot }
	latest [1]*Item
	calls  int
	byName map[string]*Item
}

// A slot is one of a parser's stack, which has items of before.
type slot struct{ item *Item }

// A State is given to each call.
type State struct{ path []string }

type Item struct {
	Name string
	Next *Item
}

func NewDecoder(in ...string) *Decoder {
	return &Decoder{in: in, byName: map[string]*Item{}}
}

// Decode returns the items of the next text.
func (d *Decoder) Decode(s *State) (list *Item) {
	text := d.in[0]
	if d.last != nil && d.last.(*Item).Next != nil {
		panic("it is no single item")
	}
	if top := &d.stack.slots[1]; top.item != nil {
		top.item.Next = nil
	}
	if d.calls > 0 && d.latest[0].Name == "" {
		panic("nothing was read before")
	}
	d.calls++
	d.in = d.in[1:]
	if cap(d.buf) < len(text) {
		d.buf = make([]byte, 0, 2*len(text)) // kept: Decoder.buf
	}
	d.buf = d.buf[:copy(d.buf[:len(text)], text)]
	s.path = append(s.path[:0], text+"/")     // kept: State.path
	d.last = &Item{Name: text}                // kept: Decoder.last
	d.seen = &Item{Name: text}                // moved: the next call doesn't follow it
	d.stack.slots[1].item = &Item{Name: text} // moved: the call ends with clear(d.stack.slots[:])
	d.latest[0] = &Item{Name: text}           // kept: Decoder.latest[...]
	for i := range 20 {
		list = &Item{Name: text, Next: list} // moved
		if i == 0 {
			d.byName[text] = &Item{Name: text} // kept: Decoder.byName[...]
		}
	}
	return list
}

// A Parser has a stack, with the items of its last call.
type Parser struct{ stack [2]slot }

// Parse returns an item.
func (p *Parser) Parse(text string) *Item {
	if old := p.stack[1].item; old != nil {
		old.Next = nil
	}
	p.stack[1].item = &Item{Name: text}
	return p.stack[1].item
}
