package memory

// A record is what a request is made of: about 1 KiB with its parts.
type record struct {
	before *record // the one that was made before
	name   string
	body   []byte
	counts []int64
}

// A maker makes the parts of records.
type maker interface {
	record() *record
	text([]byte) string
	bytes(n int) []byte
	counts(n int) []int64
}

const (
	recordBytes = 1 << 10 // of a record, on average
	nameBytes   = 24
	countsLen   = 8
)

// text24 is what the names are copied from.
var text24 = []byte("twenty-four bytes it is.")

// serve does a request of so many bytes: it makes records, and reads them when
// all of them are there.
func serve[M maker](m M, size int) (sum int64) {
	var last *record
	n := uint64(1)
	for range size / recordBytes {
		n = n*6364136223846793005 + 1442695040888963407
		r := m.record()
		r.before = last
		r.name = m.text(text24)
		r.body = m.bytes(256 + int(n>>56)*5) // 256 to 1,531, 893 on average
		r.counts = m.counts(countsLen)
		// One byte a page would do to have the memory; a program writes all of it.
		for i := range r.body {
			r.body[i] = byte(n >> 32)
		}
		r.counts[0] = int64(n >> 60)
		last = r
	}
	for r := last; r != nil; r = r.before {
		sum += int64(len(r.name)) + int64(r.body[len(r.body)-1]) + r.counts[0]
	}
	return sum
}
