package arena

// This file holds which arenas are checked: they don't use memory again that they
// take back, but watch whether it dies. quarantine.go sees to it, package watch finds out,
// escape.go tells. It may not know how any of them works.

// Checks says how an arena looks for misuse; see [WithChecks].
type Checks uint8

const (
	// CheckResets makes Reset, Rewind, Put and the end of a child give up their
	// memory instead of using it again, and report as an [Escape] what is still
	// referenced after three GC cycles. What is in such memory stays as it was,
	// so that a misuse is found, but does no harm. The runtime may keep a stopped
	// timer, and what its function refers to, until it would have fired; that
	// counts as a reference. So does what is left at the place from which Append or
	// Grow moved a slice, as long as the arena has that place. What a self-contained
	// arena takes back is not reported as long as values of its freed children are in
	// use, which may point there, or if a local of a Shared was freed with values
	// before the Reset. Allocating costs the same as in other arenas; giving up a chunk
	// costs some microseconds, and taking a new one what the Go heap takes. It suits
	// production, for one arena in many: see [WithCheckRate].
	CheckResets Checks = 1 << iota

	// CheckObjects, which includes CheckResets, allocates everything by itself
	// and notes its call stack, so that the report names the type and the line.
	// What is taken back is overwritten: pointers with addresses at which
	// the program faults, lengths with 219, other bytes with 0xDB; who writes to
	// it is found too. It is for tests: allocating takes microseconds.
	CheckObjects
)
