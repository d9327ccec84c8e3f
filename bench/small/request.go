package small

// An object is what a request allocates: 64 bytes on 64-bit systems, with a
// pointer, and the string that it holds.
type object struct {
	before *object // the object that was made before this one
	name   string
	v      [5]int64
}

// text24 is what the names are copied from.
var text24 = []byte("twenty-four bytes it is.")

// set gives an object its contents.
func (o *object) set(i int, before *object, name string) {
	o.before, o.name, o.v[0] = before, name, int64(i)
}

// sum reads an object and those before it.
func (o *object) sum() (sum int64) {
	for ; o != nil; o = o.before {
		sum += o.v[0] + int64(len(o.name)) + int64(o.name[o.v[0]%24])
	}
	return sum
}
