package small

// An object is allocated by a request: 64 bytes on 64-bit systems, with a pointer, and the string that it holds.
type object struct {
	before *object // the object that was made before this one
	name   string
	v      [5]int64
}

// text24 is the source of the names.
var text24 = []byte("twenty-four bytes it is.")

// set gives an object its contents.
func (o *object) set(i int, before *object, name string) {
	o.before, o.name, o.v[0] = before, name, int64(i)
}

// sum reads an object and those made before it.
func (o *object) sum() (sum int64) {
	for ; o != nil; o = o.before {
		sum += o.v[0] + int64(len(o.name)) + int64(o.name[o.v[0]%24])
	}
	return sum
}
