package holder

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
)

// A dump is what runtime/debug.WriteHeapDump wrote, by kinds of record. The
// reference for the format is the function mdump of runtime/heapdump.go.
type dump struct {
	data     []byte
	wordSize uintptr
	order    binary.ByteOrder

	heap      Range // in which all objects are
	objects   heap
	variables [2]segment // the global ones, that start with a value and that start with zero

	goroutines map[uintptr]*goroutine // by the address of their g
	current    *goroutine             // to which the frames that follow belong
	frames     []frame
	others     []root // of which there are few
	panics     []panicked
	itabs      map[uintptr]uintptr // from the first words of interfaces with methods to types
	buckets    map[uintptr]int     // stacks that allocate: where their calls are in the dump
	samples    []sample
}

// A segment is a piece of memory, with the list of its pointers.
type segment struct {
	addr     uintptr
	contents []byte
	fields   int // where the list starts in the dump
}

// A root is a pointer that is alive by itself, but for variables and frames.
type root struct {
	step Step
	to   uintptr
}

// A sample says by which stack an object was allocated. There are as many as
// objects if each is profiled.
type sample struct{ object, bucket uintptr }

// The tags that records start with.
const (
	tagEOF             = 0
	tagObject          = 1
	tagOtherRoot       = 2
	tagType            = 3
	tagGoroutine       = 4
	tagStackFrame      = 5
	tagParams          = 6
	tagFinalizer       = 7
	tagItab            = 8
	tagOSThread        = 9
	tagMemStats        = 10
	tagQueuedFinalizer = 11
	tagData            = 12
	tagBSS             = 13
	tagDefer           = 14
	tagPanic           = 15
	tagMemProf         = 16
	tagAllocSample     = 17
)

const header = "go1.7 heap dump\n"

// parse reads a dump. A record that it doesn't know is an error.
func parse(data []byte) (*dump, error) {
	if !bytes.HasPrefix(data, []byte(header)) {
		return nil, fmt.Errorf("the dump starts with %.40q, not with %q", data[:min(len(data), 40)], header)
	}
	d := &dump{
		data:       data,
		goroutines: map[uintptr]*goroutine{},
		itabs:      map[uintptr]uintptr{},
		buckets:    map[uintptr]int{},
	}
	r := &reader{data: data, pos: len(header)}
	for r.err == nil {
		start := r.pos
		tag := r.number()
		if r.err == nil && tag == tagEOF {
			return d, nil
		}
		if d.wordSize == 0 && tag != tagParams && r.err == nil {
			r.fail(fmt.Errorf("the dump doesn't start with its parameters but with a record of tag %d", tag))
		}
		if !d.record(r, tag) {
			r.fail(fmt.Errorf("a record at byte %d of the dump has the unknown tag %d", start, tag))
		}
	}
	return nil, r.err
}

// record reads the rest of a record, or returns false if the tag is unknown.
func (d *dump) record(r *reader, tag uint64) bool {
	switch tag {
	case tagObject:
		d.object(r)
	case tagOtherRoot:
		name := r.string()
		d.addRoot(Step{Kind: OtherRoot, Name: name}, r.address())
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
		d.itabs[itab] = r.address()
	case tagOSThread:
		r.skip(3)
	case tagMemStats:
		r.skip(24 + 256 + 1)
	case tagData:
		d.variables[0] = d.segment(r)
	case tagBSS:
		d.variables[1] = d.segment(r)
	case tagDefer:
		d.deferred(r)
	case tagPanic:
		d.panicking(r)
	case tagMemProf:
		d.bucket(r)
	case tagAllocSample:
		d.samples = append(d.samples, sample{r.address(), r.address()})
	default:
		return false
	}
	return true
}

func (d *dump) params(r *reader) {
	d.order = binary.LittleEndian
	if r.number() != 0 {
		d.order = binary.BigEndian
	}
	d.wordSize = r.address()
	if r.err == nil && d.wordSize != 4 && d.wordSize != 8 {
		r.fail(fmt.Errorf("the dump has pointers of %d bytes", d.wordSize))
	}
	d.heap = Range{r.address(), r.address()}
	r.bytes()
	r.bytes()
	r.skip(1)
}

// segment reads a piece of memory and the list of its pointers.
func (d *dump) segment(r *reader) segment {
	s := segment{addr: r.address(), contents: r.bytes()}
	d.fields(r, &s)
	return s
}

// fields notes where a list of pointers starts, and passes over it.
func (d *dump) fields(r *reader, s *segment) {
	s.fields = r.pos
	for ok := true; ok; {
		_, ok = r.field(d.wordSize)
	}
}

func (d *dump) object(r *reader) {
	s := d.segment(r)
	if d.objects.len() == math.MaxInt32 {
		r.fail(fmt.Errorf("the dump has more than %d objects", math.MaxInt32))
	}
	if r.err == nil {
		d.objects.add(s.addr, len(s.contents), s.fields)
	}
}

func (d *dump) finalizer(r *reader, queued bool) {
	object, closure, code := r.address(), r.address(), r.address()
	r.skip(2)
	step := Step{Kind: Finalizer, Where: whereIs(code)}
	d.addRoot(step, closure)
	if queued { // else the object is alive for other reasons, or would be queued
		d.addRoot(step, object)
	}
}

// bucket notes where a stack is, and passes over it. With runtime.MemProfileRate
// = 1 most of a small dump are stacks, of which hardly any is asked for.
func (d *dump) bucket(r *reader) {
	addr := r.address()
	r.skip(1)
	d.buckets[addr] = r.pos
	eachCall(r, func(_, _ []byte, _ int) {})
	r.skip(2)
}

// stackOf returns the calls of a bucket.
func (d *dump) stackOf(bucket uintptr) (stack []runtime.Frame) {
	if pos, ok := d.buckets[bucket]; ok {
		eachCall(&reader{data: d.data, pos: pos}, func(function, file []byte, line int) {
			stack = append(stack, runtime.Frame{Function: string(function), File: string(file), Line: line})
		})
	}
	return stack
}

// eachCall reads a list of calls.
func eachCall(r *reader, f func(function, file []byte, line int)) {
	for n := r.number(); n > 0 && r.err == nil; n-- {
		f(r.bytes(), r.bytes(), int(r.number()))
	}
}

func (d *dump) addRoot(s Step, to uintptr) {
	if to != 0 {
		d.others = append(d.others, root{s, to})
	}
}

// word returns the word at an offset in a piece of memory, 0 beyond it.
func (d *dump) word(contents []byte, offset uintptr) uintptr {
	if offset > uintptr(len(contents)) || uintptr(len(contents))-offset < d.wordSize {
		return 0
	}
	if d.wordSize == 4 {
		return uintptr(d.order.Uint32(contents[offset:]))
	}
	return uintptr(d.order.Uint64(contents[offset:]))
}

// pointers calls f with the offset and the value of each pointer in a piece of
// memory but for nil, until f returns false.
func (d *dump) pointers(contents []byte, fields int, f func(offset, to uintptr) bool) {
	r := reader{data: d.data, pos: fields}
	for {
		offset, ok := r.field(d.wordSize)
		if !ok {
			return
		}
		if to := d.word(contents, offset); to != 0 && !f(offset, to) {
			return
		}
	}
}
