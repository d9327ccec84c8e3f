package dump

import "slices"

// A Range is the addresses from Start up to but not including End.
type Range struct{ Start, End uintptr }

// Has reports whether an address is in the range. The subtraction wraps around below Start.
func (r Range) Has(addr uintptr) bool { return addr-r.Start < r.End-r.Start }

// Any reports whether an address is in one of a few ranges.
func Any(ranges []Range, addr uintptr) bool {
	return slices.ContainsFunc(ranges, func(r Range) bool { return r.Has(addr) })
}

// Overlap reports whether one of a few ranges has an address from start up to end.
func Overlap(ranges []Range, start, end uintptr) bool {
	return slices.ContainsFunc(ranges, func(r Range) bool { return r.Start < end && start < r.End })
}
