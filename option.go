package arena

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"unsafe"

	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/block"
	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/tuning"
)

// This file holds the options, their defaults, and which of them contradict each other. It must not depend on how they
// are used.

// An Option configures an arena when it is made, or the arenas of a Pool or of a Shared.
type Option interface {
	PoolOption
	apply(*config)
}

type optionFunc func(*config)

func (f optionFunc) apply(c *config)         { f(c) }
func (f optionFunc) applyPool(c *poolConfig) { f(&c.config) }

// config holds the values of the options. The zero Arena has the defaults.
type config struct {
	memory.Config
	noScan bool
	checks Checks

	lasts bool // in a Pool without reuse

	limit    uintptr // of allocated bytes; 0 if there is none
	name     string
	onEscape *func(Escape) // nil for the default
	onStray  *func(inspect.Stray)
	onTaken  *func()             // called when memory was reclaimed
	once     bool                // a pool lends each arena once
	fence    *func(*watch.Watch) // puts fences around reclaimed memory; or nil
}

// The defaults. Filling 16 MiB with objects of 32 B in reused chunks of at most 16, 64, 256 KiB, 1, 4, 16 MiB took
// 12.0, 10.0, 10.7, 9.9, 9.7, 10.1 ns each: nothing is gained beyond 1 MiB, and more is wasted if the last chunk is
// nearly empty.
var defaults = config{Config: memory.Config{
	Chunk:       tuning.Chunk,
	MaxChunk:    tuning.MaxChunk,
	MaxRetained: tuning.MaxRetained,
}}

// minChunk is the smallest size of a chunk's block: less is rounded up.
const minChunk = 256

// WithChunkSize sets the size of the first chunk, in bytes. Each further chunk is twice as large, up to
// WithMaxChunkSize. The default, also for 0, is 4 KiB, with a chunk of 512 bytes before it in an arena whose first
// value is small, and 32 KiB in a [Pool] without reuse. Sizes below 256 count as 256. NewArena panics if bytes is
// negative, or larger than a maximum that was given too.
func WithChunkSize(bytes int) Option {
	return optionFunc(func(c *config) {
		if size := optionBytes("WithChunkSize", bytes); size > 0 {
			c.Chunk, c.ChunkSet = max(size, minChunk), true
		}
	})
}

// WithMaxChunkSize sets the size up to which chunks double, in bytes. A request that is too large for the next chunk
// gets one of its own, of any size. The default, also for 0, is 1 MiB, and 32 KiB in a [Pool] without reuse, where a
// kept string keeps one chunk. Sizes below 256 count as 256. NewArena panics if bytes is negative, or less than a chunk
// size that was given too.
func WithMaxChunkSize(bytes int) Option {
	return optionFunc(func(c *config) {
		if size := optionBytes("WithMaxChunkSize", bytes); size > 0 {
			c.MaxChunk, c.MaxChunkSet = max(size, minChunk), true
		}
	})
}

// WithMaxRetained sets how many bytes of chunks, and of long lists of marks and the like, Reset keeps for reuse. The
// rest goes back to the Go heap. 0 keeps nothing. The default is 64 MiB. NewArena panics if bytes is negative.
//
// Below that size, too, Reset releases chunks that weren't needed for 16 to 31 resets if they have more than three
// times the bytes of the needed ones, and lists if the 16th life needs less than a quarter of them. One huge request is
// forgotten, and one that comes back every 50 resets takes its memory anew each time.
//
// Arenas of a [Pool] without reuse never use memory again, so the option has next to no effect there.
func WithMaxRetained(bytes int) Option {
	return optionFunc(func(c *config) { c.MaxRetained = optionBytes("WithMaxRetained", bytes) })
}

// WithLimit sets a budget: the bytes that may be allocated from the arena and its children at a time, padding and
// values given to [Arena.KeepAlive] included. An allocation that would exceed it panics with a *LimitError and leaves
// everything as it was. 0, the default, means no limit. NewArena panics if bytes is negative.
//
// In a [Pool] without reuse each piece of work has the whole budget: memory that earlier values still keep doesn't
// count.
//
// A function that recovers from the panic and resets the arena should return no value that it has allocated before:
// that memory is dead, except in a Pool without reuse.
func WithLimit(bytes int) Option {
	return optionFunc(func(c *config) { c.limit = optionBytes("WithLimit", bytes) })
}

// WithNoScan makes the arena self-contained: the GC never looks inside, however large it grows. It is for large graphs,
// such as a syntax tree or an index, which would cost the GC time in each cycle. A Pool with it needs [WithReuse].
//
// Values in it may point to values in the same arena, to static data (global variables, string constants, functions),
// and to values given to [Arena.KeepAlive]. Anything else that they point to may be collected while they use it: a
// string, slice, map, channel, closure or interface that was not allocated from the arena. io.EOF and the like count: a
// global variable points to them, but they are heap objects, and such a variable may change. Any pointer into the arena
// keeps all of it alive. A Rewind reuses memory, but releases none, nor KeepAlive's values, before Reset.
//
// Neither the compiler nor the race detector finds a pointer that isn't allowed. Tests with package
// [github.com/harena-go/arena/arenatest] do, and name the field.
func WithNoScan() Option {
	return optionFunc(func(c *config) { c.noScan = true })
}

// WithScrub makes Reset, Rewind and Free erase values at once, for secrets. After Free, values are then zero, but still
// safe to look at. A Pool with it needs [WithReuse], and its Put erases values, too.
func WithScrub() Option {
	return optionFunc(func(c *config) { c.Scrub = true })
}

// WithName gives the arena a name, for statistics, errors and reports.
func WithName(s string) Option {
	return optionFunc(func(c *config) { c.name = s })
}

// Checks are the ways in which an arena looks for misuse; see [WithChecks].
type Checks uint8

const (
	// CheckResets makes Reset, Rewind, Put and the end of a child release their memory instead of using it again.
	// Memory that is still referenced after three GC cycles is reported as an [Escape]. It stays as it was, so that a
	// misuse is found but does no harm.
	//
	// The runtime may keep a stopped timer, with the values of its function, until it would have fired: that counts as
	// a reference. So do pointers left at the place from which Append or Grow moved a slice, as long as the arena has
	// that place. Memory that a self-contained arena reclaims is not reported as long as values are in use that its
	// freed children or locals have left, which may point there. For the same reason memory that a Rewind reclaims
	// there is kept for the older values, and reported when these are dead too: after Reset, Put, or a Rewind to where
	// nothing was allocated.
	//
	// Allocating costs the same as in other arenas. Releasing a chunk costs some microseconds, and a new one as much as
	// from the Go heap. It suits production, for one arena in many: see [WithCheckRate].
	CheckResets Checks = 1 << iota

	// CheckObjects, which includes CheckResets, allocates each value by itself and notes its call stack, so that the
	// report names the type and the line. Reclaimed memory is overwritten: pointers with addresses at which the program
	// faults, lengths with 219, other bytes with 0xDB, except in locks and the like, which work as before. Writes to it
	// are found too. It is for tests: allocating takes microseconds.
	CheckObjects
)

// WithChecks makes the arena a checked one, which finds uses of memory that it has reclaimed and reports them to
// [OnEscape]. 0 means no checks.
func WithChecks(c Checks) Option {
	if c&^(CheckResets|CheckObjects) != 0 {
		panic("arena: WithChecks: unknown checks " + utoa(uintptr(c)) +
			"; CheckResets and CheckObjects are possible")
	}
	return optionFunc(func(o *config) { o.checks = c })
}

// OnEscape sets the function that is called for each reference that has outlived a reset of a checked arena: see
// [WithChecks] and [WithCheckRate]. It is called once for each block of memory, by a goroutine of its own, which is in
// no synctest bubble, or by the caller of [FindEscapes]. f may use arenas, but must not call FindEscapes. A Pool takes
// the option only with [WithReuse]: NewPool panics otherwise.
//
// Without it, package [log] gets a line for the first escape of a kind, and no more than ten a minute. The line has the
// form arena: escape key=value key=value ...
func OnEscape(f func(Escape)) Option {
	return optionFunc(func(c *config) {
		c.onEscape = nil
		if f != nil {
			c.onEscape = &f
		}
	})
}

// optionBytes checks a size given to an option.
func optionBytes(option string, bytes int) uintptr {
	if bytes < 0 {
		panic("arena: " + option + ": " + strconv.Itoa(bytes) + " bytes; must not be negative")
	}
	if uintptr(bytes) > maxBytes {
		panic("arena: " + option + ": " + strconv.Itoa(bytes) + " bytes; at most " + utoa(maxBytes) + " are possible")
	}
	return uintptr(bytes)
}

// newConfig returns the config of opts, for a function named op.
func newConfig(op string, opts []Option) *config {
	if len(opts) == 0 {
		return &defaults
	}
	c := defaults
	for _, o := range opts {
		o.apply(&c)
	}
	c.resolve(op)
	return &c
}

// resolve panics if the options contradict each other. Options that were given prevail over defaults.
func (c *config) resolve(op string) {
	switch {
	case c.Chunk <= c.MaxChunk:
	case c.ChunkSet && c.MaxChunkSet:
		panic("arena: " + op + ": the first chunk of " + utoa(c.Chunk) +
			" bytes is larger than the maximum of " + utoa(c.MaxChunk) + " bytes")
	case c.ChunkSet:
		c.MaxChunk = c.Chunk
	default:
		c.Chunk = c.MaxChunk
	}
	c.Chunk, c.MaxChunk = memory.RoundUp(c.Chunk), memory.RoundUp(c.MaxChunk)
}

// A PoolOption configures a Pool when it is made. Any [Option] is one, and applies to each of the pool's arenas.
type PoolOption interface{ applyPool(*poolConfig) }

// poolConfig holds the values of a Pool's options.
type poolConfig struct {
	config        // of the arenas
	total  uint64 // bytes of chunks of live arenas; 0 if there is no limit

	// One arena in this number is a checked one, a guarded one, an observed one; 0 for none.
	rate, guard, observe int

	lasting config   // of the arenas without reuse, unless all are reused
	reuse   bool     // all are
	reuseOf []string // keys of others that are

	special bool                // not all are ordinary ones
	fence   *func(*watch.Watch) // for guarded ones
}

// oneIn reports true once in n times, and never if n is 0.
func oneIn(n int) bool { return n > 0 && rand.IntN(n) == 0 }

type poolOptionFunc func(*poolConfig)

func (f poolOptionFunc) applyPool(c *poolConfig) { f(c) }

// WithPoolLimit sets a budget for all arenas together that are lent: the bytes of their chunks, in use or not. An
// allocation that needs a chunk beyond that panics with a *LimitError, which [Pool.Do] returns as an error. Chunks of
// idle arenas don't count. Chunks are more than the allocated bytes, which [WithLimit] counts, by the free space in
// them. 0, the default, means no limit. NewPool panics if bytes is negative.
//
// In a Pool without reuse, chunks stop counting at Put, also those that kept values keep: the limit bounds the work in
// progress, and not the memory that the program keeps.
//
// It protects the process; [WithLimit] protects it from a single piece of work.
func WithPoolLimit(bytes int) PoolOption {
	return poolOptionFunc(func(c *poolConfig) { c.total = uint64(optionBytes("WithPoolLimit", bytes)) })
}

// WithCheckRate makes one arena in n, chosen at random, a checked one, with [CheckResets]: memory that is still
// referenced after Put, or after a Reset before it, is reported to [OnEscape]. Such an arena is new and isn't lent
// again, so that its use after Put panics at any time. A checked arena costs as much as a new one; the others cost
// nothing extra. 0, the default, means none. It panics if n is negative.
//
// In a Pool without reuse such a reference is no mistake, and no arena is checked. There, n only says how often, at
// least, the Pool looks whether values of a piece of work are kept.
func WithCheckRate(n int) PoolOption {
	if n < 0 {
		panicNegative("WithCheckRate", "n", n)
	}
	return poolOptionFunc(func(c *poolConfig) { c.rate = n })
}

// WithGuardRate makes one arena in n, chosen at random, a guarded one: a checked one, as by [WithCheckRate], whose
// memory can't be touched for a while after Put, or after a Reset before it. Reading or writing values without pointers
// faults at its line. In values with pointers, which the GC must be able to read, pointers become addresses at which
// the program faults, lengths 219, and other bytes 0xDB, except in locks and the like, which work as before; writes to
// them are found later. So it finds a misuse that WithCheckRate doesn't: values that are used and soon replaced. 0, the
// default, means none. It panics if n is negative, and NewPool panics without [WithReuse]: Put then leaves values
// valid, and their use is right.
//
// A fault is a panic in each goroutine that has called Get of such a Pool, as by [debug.SetPanicOnFault]. Do reports it
// to [OnEscape], as an [Escape] that is Touched, and panics with the report as an error. So does Put, if it is deferred
// itself. Then the request ends if something recovers from panics, as net/http does, and else the program. Other
// goroutines call SetPanicOnFault and, in a deferred function, [ReportFault]. Without both the runtime ends the program
// with "unexpected fault address" and the stack of the use.
//
// Memory is guarded for up to a minute, for the last 1,024 lives of such arenas of a program, and at most 64 MiB.
// [FindEscapes] ends that too. Memory that is still referenced then is reported as by WithCheckRate. A system call with
// such memory returns an error (EFAULT). [debug.WriteHeapDump] must not be called.
//
// A guarded arena costs some 50 us, about half of it for the checks of WithCheckRate, and the rest of a page for each
// chunk. That is for one in a thousand requests, or for each on a canary, where n is 1: see docs/testing.md. Where
// memory can't be protected (Windows, WebAssembly, pages of 64 KiB) it does the same as WithCheckRate.
func WithGuardRate(n int) PoolOption {
	if n < 0 {
		panicNegative("WithGuardRate", "n", n)
	}
	return poolOptionFunc(func(c *poolConfig) {
		if c.guard = n; n > 0 {
			c.fence = &fenced
			tracker.Fences()
			inspect.Faults.Store(&faults)
		}
	})
}

// WithObserveRate makes one arena in n, chosen at random, an observed one while it is lent, for a profile of
// allocations by call stack: see package [github.com/harena-go/arena/arenapprof]. 256 is enough for a server; 0, the
// default, means none. It panics if n is negative.
//
// One allocation in about 4 KiB of it and its children is sampled, or one or two of each arena if they use more than
// that. A sample takes some microseconds, and slices take the slow path: a request of 30 us that is observed takes a
// third longer. The age of the lease and the stack of Get are known too: see Leases of package arenametrics. One in 32
// observed arenas is also a checked one, as if [WithCheckRate] had chosen it: it is new and isn't lent again, and an
// [Escape] is reported.
func WithObserveRate(n int) PoolOption {
	if n < 0 {
		panicNegative("WithObserveRate", "n", n)
	}
	return poolOptionFunc(func(c *poolConfig) { c.observe = n })
}

// This part holds the panics of this package and the forms of numbers in messages. Each function gets all parts of its
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
