package peers

// Twelve types, 1,464 bytes in all, as they may follow each other in a program. Every second one has pointers: to the
// previous object, to the one before that, and to static strings and slices. The last one points to that of the
// previous turn, so that everything can be reached from the newest.
type (
	Mix8  struct{ id int64 }
	Mix16 struct {
		id   int64
		leaf *Mix8
	}
	Mix24 struct {
		id   int64
		x, y float64
	}
	Mix40 struct {
		id   int64
		at   *Mix24
		up   *Mix16
		name string
	}
	Mix48 struct{ id, a, b, c, d, e int64 }
	Mix64 struct {
		id   int64
		body *Mix48
		up   *Mix40
		tags []int64
		name string
	}
	Mix80 struct {
		id int64
		v  [9]int64
	}
	Mix96 struct {
		id    int64
		body  *Mix80
		up    *Mix64
		names [2]string
		v     [5]int64
	}
	Mix128 struct {
		id int64
		v  [15]int64
	}
	Mix192 struct {
		id   int64
		body *Mix128
		up   *Mix96
		tags []int64
		v    [18]int64
	}
	Mix256 struct {
		id int64
		v  [31]int64
	}
	Mix512 struct {
		id   int64
		body *Mix256
		up   *Mix192
		last *Mix512
		v    [60]int64
	}
)

// MixedTypes is the number of objects in one turn of Mixed.
const MixedTypes = 12

var (
	mixName = "static"
	mixTags = []int64{1, 2, 3, 4}
)

// A mixer links the objects of Mixed as they are made. Its methods are small enough to be inlined.
type mixer struct {
	m8   *Mix8
	m16  *Mix16
	m24  *Mix24
	m40  *Mix40
	m48  *Mix48
	m64  *Mix64
	m80  *Mix80
	m96  *Mix96
	m128 *Mix128
	m192 *Mix192
	m256 *Mix256
	last *Mix512
}

func (m *mixer) add8(p *Mix8, i int)   { p.id, m.m8 = int64(i), p }
func (m *mixer) add16(p *Mix16, i int) { p.id, p.leaf, m.m16 = int64(i), m.m8, p }
func (m *mixer) add24(p *Mix24, i int) { p.id, m.m24 = int64(i), p }
func (m *mixer) add40(p *Mix40, i int) {
	p.id, p.at, p.up, p.name, m.m40 = int64(i), m.m24, m.m16, mixName, p
}
func (m *mixer) add48(p *Mix48, i int) { p.id, m.m48 = int64(i), p }
func (m *mixer) add64(p *Mix64, i int) {
	p.id, p.body, p.up, p.tags, p.name, m.m64 = int64(i), m.m48, m.m40, mixTags, mixName, p
}
func (m *mixer) add80(p *Mix80, i int) { p.id, m.m80 = int64(i), p }
func (m *mixer) add96(p *Mix96, i int) {
	p.id, p.body, p.up, p.names[1], m.m96 = int64(i), m.m80, m.m64, mixName, p
}
func (m *mixer) add128(p *Mix128, i int) { p.id, m.m128 = int64(i), p }
func (m *mixer) add192(p *Mix192, i int) {
	p.id, p.body, p.up, p.tags, m.m192 = int64(i), m.m128, m.m96, mixTags, p
}
func (m *mixer) add256(p *Mix256, i int) { p.id, m.m256 = int64(i), p }
func (m *mixer) add512(p *Mix512, i int) {
	p.id, p.body, p.up, p.last, m.last = int64(i), m.m256, m.m192, m.last, p
}

// Sum reads all reachable objects: their numbers, the lengths of their strings and slices, and a word of each that must
// still be zero.
func (p *Mix512) Sum() (sum int64) {
	for ; p != nil; p = p.last {
		q := p.up
		r := q.up
		s := r.up
		t := s.up
		u := t.up
		sum += p.id + p.v[59] + p.body.id + p.body.v[30]
		sum += q.id + q.v[17] + int64(len(q.tags)) + q.body.id + q.body.v[14]
		sum += r.id + r.v[4] + int64(len(r.names[0])+len(r.names[1])) + r.body.id + r.body.v[8]
		sum += s.id + int64(len(s.tags)+len(s.name)) + s.body.id + s.body.e
		sum += t.id + int64(len(t.name)) + t.at.id + int64(t.at.y)
		sum += u.id + u.leaf.id
	}
	return sum
}

// MixedSum is the expected Sum after n turns.
func MixedSum(n int) int64 {
	turns := int64(n)
	return MixedTypes*turns*(turns-1)/2 + turns*int64(2*len(mixTags)+3*len(mixName))
}
