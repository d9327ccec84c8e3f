// Package tuning has the numbers that were chosen, each with what speaks for it: sizes,
// shares and counts on which speed and memory depend, and nothing else. Any of them may be
// changed and all tests but those of speed pass, if what is said with it is kept to. What
// follows from the layout of memory or from a format stands where it is used instead.
//
// Times are of one 2-core x86-64 machine and Go 1.26, the best of several runs; compare them
// with each other only. Where no measurement is given, none was found that would tell one
// value from its half or its double.
package tuning

import "time"

// What is watched of leases.
const (
	// WatchTime is for how long somebody watches who looked once: longer than exporters wait
	// between two looks.
	WatchTime = 5 * time.Minute

	// StackEvery is in how many leases that are watched one has its stack noted on average, which takes some
	// microsecond. If one in 1,000 is never put back at 1,000 requests a second, the page has
	// such a stack after 8 s on average.
	StackEvery = 8

	// ProfileEvery is after how many bytes of an observed arena a sample is taken, on average. Where arenas take
	// more than ProfileSamples times that, there are so many samples from each, and ProfileMost bytes between two at most: a
	// stack takes 1.3 us, and twice that if stacks are taken rarely. With a sample for each 4 KiB, 100 requests of 35 us of
	// which one was observed took 1.6-1.9% more time, with one sample a request 1.0%; and samples of one request tell less than those of several.
	ProfileEvery   = 4 << 10
	ProfileSamples = 1
	ProfileMost    = 1 << 20

	// ProfileSites is how many stacks are told apart.
	ProfileSites = 4096

	// CheckObserved is of how many observed arenas one is checked, too. To check them all takes 1.4% of the time of a
	// server that has one in 256 observed (requests of 27 us, which take 100 chunks), as each is a new one.
	CheckObserved = 32
)

// What an arena has if no option says otherwise, in bytes.
const (
	// Chunk is the block of the first chunk: one page, and of an arena with a few dozen
	// objects all that it takes.
	Chunk = 4 << 10

	// SmallFirst is the block in front of that one, of a new arena or child that is asked for something small:
	// many have one value only. To make it and to drop it takes half the time then, and where
	// more comes it costs what a few objects do.
	SmallFirst = 512

	// MaxChunk is the largest block. It takes 16 Ki objects of 64 B: to begin a chunk is
	// nothing beside them, and a value that escapes keeps no more than this.
	MaxChunk = 1 << 20

	// MaxRetained is what Reset keeps at most.
	MaxRetained = 64 << 20
)

// How memory is erased, in bytes.
const (
	// Window is how far ahead memory is erased and made a window. With 16 Ki objects of
	// 64 B, Reset and again, on a slow day, in ns per object: 1 KiB 9.8, 4 KiB 8.0, 8 KiB
	// 7.5, 16 KiB 7.5; with 8 B objects: 4.2, 3.8, 3.8, 3.8. Piece is the other half of it.
	Window = 8 << 10

	// Ahead is how far ahead of a small slice memory is erased, so that many of them don't
	// pay for one call each; for larger ones it is three of them. Slices of 16 ints: 512 B
	// 5.6 ns, 1 KiB 4.4, 2 KiB 4.6. Slices of 1 KiB take 15.7 ns when each is erased for
	// itself, and 11.5 with three of them ahead.
	Ahead = 1 << 10

	// EraseNow is up to how much Rewind and Reset erase at once. An arena that allocates
	// 100 bytes at a time then erases 100 and not a window.
	EraseNow = 4 << 10

	// Piece is what is erased by one call: the runtime stores 2 KiB and more with
	// instructions that write whole cache lines past the cache on some machines, and what
	// was erased is about to be written. It is a multiple of the cache line. From PiecesMax
	// on the cache doesn't matter, and one call is faster.
	Piece     = 2<<10 - 64
	PiecesMax = 16 << 10

	// ShortString is up to how long a string is taken from the window, in which memory has
	// been erased for nothing, and which leaves the newest slice room to grow. Longer ones
	// than TinyString don't open a window in memory that would have to be erased first.
	ShortString = 1 << 10
	TinyString  = 64
)

// Which chunk a request gets.
const (
	// BigShare: a request that doesn't fit into the current chunk, and is larger than the
	// next chunk divided by BigShare, gets a big chunk. Hence at most that share of a chunk
	// is wasted when it is left.
	BigShare = 4

	// BigFit is how many times larger than needed a kept chunk may be that becomes a big
	// one. More would take a large chunk away from what needs it, and less would have a
	// slice that grows by doubling move to a new block each time.
	BigFit = 4

	// SlabShare: a slab's first chunk is this part of the space's, so that ten types in a
	// small arena don't cost ten chunks. With chunks of 4 KiB it is one of 512 bytes.
	SlabShare = 8

	// SearchMax bounds how many retained chunks are looked at for one that fits, so that
	// the cost of an allocation doesn't depend on their number. The chunk that is missed
	// behind them isn't lost: Trim releases it when it stays idle.
	SearchMax = 8

	// LendFactor is how many times larger than asked for a chunk may be that a parent lends
	// to a child. A child that wants 1 KiB takes one of 4 KiB, but leaves one of 1 MiB to
	// those who have a use for that.
	LendFactor = 4

	// LastMoves is how many times what a slice moves to must be left of a limit for the
	// slice to move once more, and double again: the place it moves to now, and one of twice
	// that size.
	LastMoves = 3

	// SmallChunk is how many bytes a chunk offers at least that is begun after a mark where
	// all is quarantined. A mark between every two allocations then costs some 100 bytes,
	// and not a chunk of 4 KiB.
	SmallChunk = 64
)

// What a limit does before it refuses.
const (
	// CollectLeast is how long after a cycle of the GC that a Pool at its limit has run it may run
	// another. After one that was of no use it is twice as long as before, up to CollectMost: a server that
	// is at its limit since it has much to do pays for one in half a minute.
	CollectLeast = 2 * time.Second
	CollectMost  = 32 * time.Second
)

// What is kept for the next life.
const (
	// OneMax is up to how large, in bytes, the chunk is with which a life begins because
	// the last ones have used as much. One value of a freed arena may keep it alive, and
	// compared with what goes into a larger one the step to the next doesn't matter: lives
	// of 20 objects of 64 B take 0.62 of the time with one chunk instead of several, of 600
	// objects 0.86, of 3,000 0.95.
	OneMax = 64 << 10

	// IdleShare is how many bytes of chunks that weren't needed for a while are kept for
	// each byte of those that were. Work of which each piece takes up to four times as much
	// as the others then doesn't take memory anew for the large pieces; a bench server with
	// batches of 10 to 30 records did so for one request in 30, with two chunks' worth. The
	// price is memory: a region may keep four times what its work needs, until
	// WithMaxRetained stops it.
	IdleShare = 3

	// TrimPeriod is after how many resets the chunks go that none of them needed. Looking
	// took 4 of the 28 ns of a life of one object on average, less since short lists are
	// left out.
	TrimPeriod = 16

	// LivesToRest is after how many lives without a value of it a type isn't looked at in each
	// Reset any more. With one life less, a Pool would not learn what the life before the last
	// has used. A type that is woken in each life takes as long as a value of the heap: 20 values
	// of 20 out of 500 types take 1.4 us, of 20 types that are busy 0.4 us, on the heap 0.8 us.
	LivesToRest = 2

	// ListKeep is up to how many bytes a list is neither counted nor let go. That is nothing
	// beside what it belongs to.
	ListKeep = 1 << 10

	// KeptSize is what a value given to KeepAlive counts for, in bytes, since nobody knows.
	KeptSize = 256
)

// What pools learn of their work.
const (
	// Of the turns of an arena the first SampleFirst are looked at, in order to learn what
	// the work takes, and then one in SampleEvery. Which one is random, lest a pattern
	// in the work meets a pattern here.
	SampleFirst = 16
	SampleEvery = 16

	// CoverNum of CoverDen uses are covered by what is learned.
	CoverNum, CoverDen = 9, 10

	// UseWeight is what a use weighs at first. Weights halve, so that it must be a power of
	// two, and large enough for a single use to count for a while.
	UseWeight = 16

	// EnoughWeight is the weight that is needed for an answer.
	EnoughWeight = 8 * UseWeight

	// MostWeight is the weight at which all weights are halved. The share that the answer
	// covers is then right to within 2 to 3 points (one standard deviation) when sizes are
	// random.
	MostWeight = 256 * UseWeight

	// FreeSize is up to how many bytes any size is worthwhile: 150 arenas that have as much
	// take 38 MB together.
	FreeSize = 256 << 10

	// PoolFree is how many bytes the arenas of a pool may have in any case, as many as the Go heap
	// has before it is collected; and PoolFactor how many times what those need that are lent at a
	// time. With 64 goroutines and uses of 1 KiB to 1 MiB, the pool took 2.0 GiB from the heap with 3,
	// as much with 2, and 22 GiB with 1: an arena has a first chunk twice as large as it needs on average.
	PoolFree   = 4 << 20
	PoolFactor = 3

	// ShareSlack is how many times as large as its share an arena's first chunk may be. Where 16
	// keys had such uses, the pool took 5.4 GiB with 4, and 9.0 with 2; where 1,024 had, the heap was
	// 105 MiB with 4, and 84 with 2. Without a share it was 1.2 GiB.
	ShareSlack = 4

	// ReviewEvery is after how many looks at least the arenas are counted that are lent.
	ReviewEvery = 64

	// RecentUses is in how many uses the mean of late follows: after 0.7 times as many of a
	// size, that is worthwhile whatever was before. If it is one in three uses that have it,
	// by chance, this takes a coincidence of three standard deviations.
	RecentUses = 32

	// ShrinkFactor is how many times too large the first chunk must be for nearly all uses
	// before a smaller one takes its place.
	ShrinkFactor = 4
)

// What reading from outside makes room for, in bytes.
const (
	// ReadFirst is up to how much ReadAll makes room for because it was announced: a client
	// may claim to send any number.
	ReadFirst = 1 << 20

	// Formatted is how much room Sprintf offers to fmt at first.
	Formatted = 256
)

// What watching costs at most.
const (
	// LimboFew: a checked arena with so many bytes in use looks through its limbo at once,
	// so that the tracker is told soon. That takes some 10 microseconds.
	LimboFew = 64 << 10

	// LimboLeast is how many bytes of limbo are let be, at least.
	LimboLeast = 16 << 10

	// MaxBatches is how many batches of dead memory there may be at a time. Further ones are
	// dropped: a program that resets checked arenas much more often than the GC runs is
	// sampled, and doesn't run out of memory.
	MaxBatches = 4096

	// MaxCycles is after how many GC cycles a search for all escapes gives up. It takes more
	// than four if a tick survives one, as the GC finds a dead pointer to it on a stack.
	MaxCycles = 20

	// MaxPaged is how many allocations of a checked arena's life lie in pages of their own, so
	// that they can be guarded when they are dead: 1 MiB for each arena, where a page has 4 KiB.
	// Each takes half a microsecond more.
	MaxPaged = 256

	// MaxGuarded is how many of them are guarded at a time. Under Linux each makes two pieces of
	// memory of different access, of which a process may have 65,530.
	MaxGuarded = 16 << 10

	// MaxEndings is how many endings are remembered. When there are more the oldest quarter
	// goes at once, so that one is added in constant time on average.
	MaxEndings = 256

	// BusyFor is after what time an operation on a checked arena counts as one that a panic has ended. It is
	// long, since a goroutine may have to wait for a processor on a busy machine; it passes once after such a panic,
	// of which there is none that is known: those of limits are.
	BusyFor = time.Second

	// WalksPerObject is how many objects may be walked, or listed, for each that is
	// allocated: a Rewind of little in a large arena isn't preceded by a look at all of it
	// each time. What dies unseen then is only a part of such an arena.
	WalksPerObject = 8

	// MaxKinds is how many kinds of hidden pointers are reported for an arena.
	MaxKinds = 100

	// LogKinds is how many kinds of escapes the default handler tells apart, and LogMinute
	// how many lines it writes in a minute.
	LogKinds  = 1000
	LogMinute = 10

	// RaceSpans and RaceBytes are how much dead memory is remembered for the race detector,
	// and of RaceEvery reports one tells of all of it.
	RaceSpans = 16
	RaceBytes = 64 << 10
	RaceEvery = 32
)

// Collections.
const (
	// FirstBytes is how large a Slice or a Buffer is at first: a cache line, and as large as
	// a bytes.Buffer at first.
	FirstBytes = 64

	// MinRing is the first capacity of a Deque.
	MinRing = 8

	// MinRead is how much room a Buffer's ReadFrom offers to a Reader, as in package bytes.
	MinRead = 512

	// SmallLen is how many entries of a map need no index, as tags in two words tell them
	// apart. To build and drop a map of 10 ints takes 165 ns with tags, 300 with an index
	// from the first entry on.
	SmallLen = 16

	// MinHomes is how many homes an index has at least: more than tags can find, wherever
	// the homes of these are.
	MinHomes = 32

	// Overhang is how many slots an index has behind its last home. It is filled to 3/4;
	// the probability that a slot is n places from home then falls with e^-0.55n, and an
	// overhang of 32 is too short once in 10^7 times.
	Overhang = 32

	// CheckedEntries is up to how many entries a map in a checked arena moves them each time that one is added, and not only
	// when it doubles: two programs that used a Ref beyond the next entry did so at none of the 7 times that it doubles. It isn't
	// more, since tests limit arenas: these moves leave 136 entries behind.
	CheckedEntries = 16

	// FirstSegment is how many entries the first segment of a map has at first.
	FirstSegment = 8
)
