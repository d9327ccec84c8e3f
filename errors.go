package arena

import (
	"errors"
	"fmt"
	"strconv"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/block"
)

// This file holds the panics of this package and the forms of numbers in messages. Each function gets all parts of its
// text, and must not depend on the reason.

// A LimitError is the panic of an allocation that would exceed a budget: that of an arena, set by [WithLimit], or that
// of a Pool's live arenas together, set by [WithPoolLimit]. The arena is as it was before: nothing is lost, and a
// smaller request may still succeed.
type LimitError struct {
	Name  string // the name of the arena, the Pool or the Shared, set by WithName
	Used  int    // bytes allocated from the arena and its children; or bytes in chunks of the Pool or Shared
	Asked int    // bytes asked for
	Limit int    // bytes allowed
	Total bool   // the limit is that of a Pool or a Shared, for all arenas together

	// The lease of the arena and its turn, if that is lent by Do. Nobody writes to a LimitError once it has left here:
	// several goroutines may have it.
	lease any // a weak.Pointer[lease], or nil
	turn  uint64
}

func (e *LimitError) Error() string {
	return "arena" + quoted(e.Name) + ": limit exceeded: " + strconv.Itoa(e.Asked) + " bytes asked for, " +
		strconv.Itoa(e.Used) + " of " + strconv.Itoa(e.Limit) + " in use"
}

// limitIn returns the *LimitError that a panic's value is or wraps, and the value as an error.
func limitIn(v any) (e *LimitError, err error) {
	err, _ = v.(error)
	e, _ = errors.AsType[*LimitError](err)
	return e, err
}

// RecoverLimit ends the panic of an allocation that would exceed a budget, and sets *err to its *LimitError, or to the
// error that wraps it. It passes other panics on, and does nothing without one. Functions that return an error instead
// defer it:
//
//	func Decode(a *arena.Arena, b []byte) (m *Message, err error) {
//		defer arena.RecoverLimit(&err)
//
// [Pool.Do] does that by itself. Values allocated before stay until Reset.
func RecoverLimit(err *error) {
	v := recover()
	if v == nil {
		return
	}
	e, asError := limitIn(v)
	if e == nil {
		panic(v)
	}
	*err = asError
}

// maxBytes is the largest request that is tried at all.
const maxBytes = block.MaxBytes

// The functions below panic. They are not inlined, so that the code that calls them stays small.

//go:noinline
func panicNegative(op, what string, n int) {
	panic("arena: " + op + ": " + what + " " + strconv.Itoa(n) + " is negative")
}

//go:noinline
func panicLenCap(op string, len, cap int) {
	panic("arena: " + op + ": len " + strconv.Itoa(len) + " exceeds cap " + strconv.Itoa(cap))
}

//go:noinline
func panicTooLarge(op, what string, n int, size uintptr) {
	panic("arena: " + op + ": " + what + " " + strconv.Itoa(n) + " of " + utoa(size) +
		"-byte elements exceeds the maximum of " + utoa(maxBytes) + " bytes")
}

//go:noinline
func panicTooMany(op string, len, n int) {
	panic("arena: " + op + ": len " + strconv.Itoa(len) + " and " + strconv.Itoa(n) +
		" more elements are too many for a slice")
}

//go:noinline
func panicSize(op string, size uintptr) {
	panic("arena: " + op + ": size " + utoa(size) + " exceeds the maximum of " + utoa(maxBytes) + " bytes")
}

//go:noinline
func panicAlign(op string, align uintptr) {
	panic("arena: " + op + ": alignment " + utoa(align) + " is not a power of two from 1 to 4096")
}

//go:noinline
func panicForeign(op string, p unsafe.Pointer, size uintptr) {
	panic("arena: " + op + ": the " + utoa(size) + " bytes at 0x" + strconv.FormatUint(uint64(uintptr(p)), 16) +
		" were not allocated from this arena, or not any more")
}

// utoa formats a number.
func utoa(n uintptr) string { return strconv.FormatUint(uint64(n), 10) }

// quoted returns a name in quotes after a space, or nothing: "arena" + quoted("x") is arena "x".
func quoted(name string) string {
	if name == "" {
		return ""
	}
	return " " + strconv.Quote(name)
}

// count formats a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// size formats a number of bytes in binary units, with about three digits.
func size(n int) string {
	switch {
	case n < 10<<10:
		return fmt.Sprintf("%d B", n)
	case n < 10<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
