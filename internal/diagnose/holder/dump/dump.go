package dump

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
)

// A Dump is the output of runtime/debug.WriteHeapDump, by kinds of record. It keeps the dump's text, and reads contents
// of memory and lists of pointers from it on demand.
type Dump struct {
	data     []byte
	WordSize uintptr          // in bytes, 4 or 8
	Order    binary.ByteOrder // of the bytes of a word

	Heap      Range // contains all objects
	Objects   Objects
	Variables [2]Segment // global variables: with an initial value, and zero at first

	Goroutines map[uintptr]*Goroutine // by the address of the runtime's record, its g
	current    *Goroutine             // owner of the next frames
	Frames     []Frame                // goroutine by goroutine, the innermost call first
	Roots      []Root                 // except variables and frames
	Panics     []Panic                // the innermost of a goroutine first
	Itabs      map[uintptr]uintptr    // from the first words of interfaces with methods to types
	buckets    map[uintptr]int        // allocating stacks, and the places of their calls in data
	Samples    []Sample
}

// A Segment is a piece of memory with pointers. The GC uses the list of their offsets: other words may look like
// pointers, but keep nothing alive.
type Segment struct {
	Addr     uintptr
	Contents []byte
	list     int // start of the list of its pointers in Dump.data
}

// The tags that records start with.
const (
	tagEOF             = 0  // the end
	tagObject          = 1  // address, contents, pointers
	tagOtherRoot       = 2  // name, pointer
	tagType            = 3  // address, size, name, whether it is a pointer
	tagGoroutine       = 4  // see Dump.goroutine
	tagStackFrame      = 5  // see Dump.frame
	tagParams          = 6  // see Dump.params
	tagFinalizer       = 7  // see Dump.finalizer
	tagItab            = 8  // address, type
	tagOSThread        = 9  // three numbers
	tagMemStats        = 10 // 281 numbers
	tagQueuedFinalizer = 11 // the same, of an object found dead
	tagData            = 12 // variables with an initial value: address, contents, pointers
	tagBSS             = 13 // variables that start as zero
	tagDefer           = 14 // see Dump.deferred
	tagPanic           = 15 // see Dump.panicking
	tagMemProf         = 16 // see Dump.bucket
	tagAllocSample     = 17 // object, bucket
)

// header is the first line of a dump. It hasn't changed since Go 1.7, nor has the format.
const header = "go1.7 heap dump\n"

// Parse reads a dump, and keeps data. An error names the toolchain that wrote it.
func Parse(data []byte) (*Dump, error) {
	d, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("reading the heap dump of %s: %w", runtime.Version(), err)
	}
	return d, nil
}

// parse reads a dump. A record of an unknown kind is an error, since its length is unknown too.
func parse(data []byte) (*Dump, error) {
	if !bytes.HasPrefix(data, []byte(header)) {
		return nil, fmt.Errorf("the dump starts with %.40q, not with %q", data[:min(len(data), 40)], header)
	}
	// Each record is read whole. A frame belongs to the goroutine before it; otherwise their order doesn't matter.
	d := &Dump{
		data:       data,
		Goroutines: map[uintptr]*Goroutine{},
		Itabs:      map[uintptr]uintptr{},
		buckets:    map[uintptr]int{},
	}
	r := &reader{data: data, pos: len(header)}
	for r.err == nil {
		start := r.pos
		tag := r.number()
		if r.err == nil && tag == tagEOF {
			return d, nil
		}
		// All other records need the size of words.
		if d.WordSize == 0 && tag != tagParams && r.err == nil {
			r.fail(fmt.Errorf("the dump doesn't start with its parameters but with a record of tag %d", tag))
		}
		if !d.record(r, tag) {
			r.fail(fmt.Errorf("a record at byte %d of the dump has the unknown tag %d", start, tag))
		}
	}
	return nil, r.err
}

// record reads the rest of a record, or returns false if the tag is unknown. It skips types, threads, and the runtime's
// statistics.
func (d *Dump) record(r *reader, tag uint64) bool {
	switch tag {
	case tagObject:
		d.object(r)
	case tagOtherRoot:
		name := r.string()
		d.addRoot(Root{Kind: Named, Name: name, To: r.address()})
	case tagType:
		r.skip(2)
		r.bytes()
		r.skip(1)
	case tagGoroutine:
		d.goroutine(r)
	case tagStackFrame:
		d.frame(r)
	case tagParams:
		d.params(r)
	case tagFinalizer, tagQueuedFinalizer:
		d.finalizer(r, tag == tagQueuedFinalizer)
	case tagItab:
		itab := r.address()
		d.Itabs[itab] = r.address() // the type of the value
	case tagOSThread:
		r.skip(3)
	case tagMemStats:
		r.skip(24 + 256 + 1)
	case tagData:
		d.Variables[0] = d.segment(r)
	case tagBSS:
		d.Variables[1] = d.segment(r)
	case tagDefer:
		d.deferred(r)
	case tagPanic:
		d.panicking(r)
	case tagMemProf:
		d.bucket(r)
	case tagAllocSample:
		d.Samples = append(d.Samples, Sample{r.address(), r.address()})
	default:
		return false
	}
	return true
}

// params reads the size and byte order of words, and the heap's lowest and highest address. There may be other memory
// between.
func (d *Dump) params(r *reader) {
	d.Order = binary.LittleEndian
	if r.number() != 0 {
		d.Order = binary.BigEndian
	}
	d.WordSize = r.address()
	if r.err == nil && d.WordSize != 4 && d.WordSize != 8 {
		r.fail(fmt.Errorf("the dump has pointers of %d bytes", d.WordSize))
	}
	d.Heap = Range{r.address(), r.address()}
	r.bytes() // the architecture
	r.bytes() // the toolchain
	r.skip(1) // the number of processors
}

// segment reads a piece of memory and the list of its pointers.
func (d *Dump) segment(r *reader) Segment {
	s := Segment{Addr: r.address(), Contents: r.bytes()}
	d.skipList(r, &s)
	return s
}

// skipList records the start of the list of a segment's pointers, and skips it.
func (d *Dump) skipList(r *reader, s *Segment) {
	s.list = r.pos
	for ok := true; ok; {
		_, ok = r.field(d.WordSize)
	}
}

// object adds an object. Its contents stay in the dump.
func (d *Dump) object(r *reader) {
	s := d.segment(r)
	if d.Objects.Len() == math.MaxInt32 {
		r.fail(fmt.Errorf("the dump has more than %d objects", math.MaxInt32))
	}
	if r.err == nil {
		d.Objects.add(s.Addr, len(s.Contents), s.list)
	}
}

// Object returns the memory of the object with an index. In the dump its contents are right in front of the list.
func (d *Dump) Object(i int32) Segment {
	list := d.Objects.lists[i]
	return Segment{d.Objects.Addr(i), d.data[list-int(d.Objects.Size(i)) : list], list}
}

// Word returns the word at an offset in a piece of memory, 0 beyond it.
func (d *Dump) Word(contents []byte, offset uintptr) uintptr {
	// This happens in a broken dump, or for an offset before the start, which wraps around.
	if offset > uintptr(len(contents)) || uintptr(len(contents))-offset < d.WordSize {
		return 0
	}
	if d.WordSize == 4 {
		return uintptr(d.Order.Uint32(contents[offset:]))
	}
	return uintptr(d.Order.Uint64(contents[offset:]))
}

// Pointers calls f with the offset and the value of each pointer in a segment except nil, until f returns false.
func (d *Dump) Pointers(s Segment, f func(offset, to uintptr) bool) {
	r := reader{data: d.data, pos: s.list}
	for {
		offset, ok := r.field(d.WordSize)
		if !ok {
			return
		}
		if to := d.Word(s.Contents, offset); to != 0 && !f(offset, to) {
			return
		}
	}
}

// Offsets calls f with the offset of each pointer in a segment, nil or not, in ascending order, until
// f returns false.
func (d *Dump) Offsets(s Segment, f func(offset uintptr) bool) {
	r := reader{data: d.data, pos: s.list}
	for {
		if offset, ok := r.field(d.WordSize); !ok || !f(offset) {
			return
		}
	}
}
