package scale

// An order is what a request makes: about 200 small objects, most of them with
// pointers.
type order struct {
	customer *customer
	items    []*item
	last     *item
}

type customer struct {
	name  string
	roles []string
}

type item struct {
	name    string
	tag     string
	amounts []int64
	before  *item // the item that came before this one
	buyer   *customer
}

// A maker makes the parts of an order. Strings are copied, as from a network
// buffer.
type maker interface {
	order(items int) *order // with room for so many
	customer(roles int) *customer
	item(amounts int) *item // with so many amounts
	text([]byte) string
}

const items = 48 // in an order, which makes 199 objects

// text is what the requests' strings are parts of.
const text = "arena chunk window slab plain typed mark reset rewind local shared pool lease region owner budget limit "

var words = []byte(text)

// word returns the part of words that belongs to a number.
func word(n uint64) []byte {
	at := n % uint64(len(text)/2)
	return words[at : at+8+n%24]
}

// makeOrder makes the order of a request. What is in it depends on the number
// alone.
func makeOrder[M maker](m M, request int) *order {
	n := uint64(request)
	o := m.order(items)
	o.customer = m.customer(2)
	o.customer.name = m.text(word(n))
	for i := range uint64(2) {
		o.customer.roles = append(o.customer.roles, m.text(word(n+i)))
	}
	for range items {
		n = n*6364136223846793005 + 1442695040888963407
		t := m.item(1 + int(n>>60)%8)
		t.name, t.tag = m.text(word(n>>32)), m.text(word(n>>40))
		for i := range t.amounts {
			t.amounts[i] = int64(n>>20) + int64(i)
		}
		t.before, t.buyer = o.last, o.customer
		o.last = t
		o.items = append(o.items, t)
	}
	return o
}

// sum reads an order, along its pointers.
func (o *order) sum() (s uint64) {
	add := func(text string) {
		s = s*31 + uint64(len(text))<<8 + uint64(text[len(text)-1])
	}
	for _, r := range o.customer.roles {
		add(r)
	}
	i := len(o.items)
	for t := o.last; t != nil; t = t.before {
		i--
		add(t.name)
		add(t.tag)
		add(t.buyer.name)
		for _, a := range t.amounts {
			s += uint64(a)
		}
		s ^= uint64(len(o.items[i].tag))
	}
	return s + uint64(i)
}
