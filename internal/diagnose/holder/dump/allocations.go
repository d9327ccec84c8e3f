package dump

import "runtime"

// A Sample is an object and the stack that allocated it. With runtime.MemProfileRate = 1 the memory profile has one for
// each object.
type Sample struct{ Object, Stack uintptr }

// bucket records the place of a stack of the memory profile, and skips it. With each allocation profiled, most of a
// small dump are stacks, and hardly any is used.
func (d *Dump) bucket(r *reader) {
	addr := r.address()
	r.skip(1)
	d.buckets[addr] = r.pos
	eachCall(r, func(_, _ []byte, _ int) {})
	r.skip(2)
}

// Stack returns the calls of a sample's stack, the innermost first. Their program counters are unknown.
func (d *Dump) Stack(bucket uintptr) (stack []runtime.Frame) {
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
