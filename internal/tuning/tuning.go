// Package tuning has the numbers that were chosen, each with the reason: sizes, shares and counts that affect only
// speed and memory. Any of them may be changed within the limits that its comment states; then only tests of speed may
// fail. Numbers that follow from the layout of memory or from a format are declared where they are used.
//
// Times are of one 2-core x86-64 machine and Go 1.26, the best of several runs; compare them only with each other.
// Without a measurement, none was found that distinguishes a value from its half or its double.
package tuning

import "time"

// Observing leases.
const (
	// WatchTime is how long leases are watched after someone has looked: longer than the
	// interval of exporters.
	WatchTime = 5 * time.Minute

	// On average, one in StackEvery watched leases has its stack noted, which takes about a
	// microsecond. If one in 1,000 is never put back at 1,000 requests a second, the page has such
	// a stack after 8 s on average.
	StackEvery = 8

	// ProfileEvery is the average number of bytes between two samples of an observed arena. If
	// arenas take more than ProfileSamples times that, there are ProfileSamples from each, with at
	// most ProfileMost bytes between two: a stack takes 1.3 us, and twice that if stacks are taken
	// rarely. 100 requests of 35 us, one of them observed, took 1.6-1.9% more time with a sample
	// for each 4 KiB, and 1.0% with one sample a request. Samples of one request tell less than
	// those of several.
	ProfileEvery   = 4 << 10
	ProfileSamples = 1
	ProfileMost    = 1 << 20

	// ProfileSites is how many stacks are distinguished.
	ProfileSites = 4096

	// One in CheckObserved observed arenas is checked too. Checking them all takes 1.4% of the time of a server that
	// has one in 256 observed (requests of 27 us, which take 100 chunks), as each is a new one.
	CheckObserved = 32
)

// Defaults of an arena, in bytes.
const (
	// Chunk is the block of the first chunk: one page, which suffices for an arena with a few dozen objects.
	Chunk = 4 << 10

	// SmallFirst is the block before that one, if the first request to a new arena or child is
	// small: many have only one value. Making and dropping such an arena then takes half the time,
	// and if more values follow it costs as much as a few objects.
	SmallFirst = 512

	// MaxChunk is the largest block. It holds 16 Ki objects of 64 B: the cost of beginning a chunk is nothing beside
	// theirs, and a value that escapes keeps at most this much alive.
	MaxChunk = 1 << 20

	// MaxRetained is the most that Reset keeps.
	MaxRetained = 64 << 20
)

// How memory is erased, in bytes.
const (
	// Window is how many bytes are erased ahead as a window. With 16 Ki objects of 64 B,
	// Reset and again, on a slow day, in ns per object: 1 KiB 9.8, 4 KiB 8.0, 8 KiB 7.5, 16
	// KiB 7.5; with 8 B objects: 4.2, 3.8, 3.8, 3.8. See also Piece.
	Window = 8 << 10

	// Ahead is how far ahead of a small slice memory is erased, so that many small slices
	// don't pay for a call each. For larger slices it is three times their size. Slices of
	// 16 ints: 512 B 5.6 ns, 1 KiB 4.4, 2 KiB 4.6. Slices of 1 KiB take 15.7 ns when each
	// is erased separately, and 11.5 with three erased ahead.
	Ahead = 1 << 10

	// EraseNow is the most that Rewind and Reset erase at once. An arena that allocates
	// 100 bytes at a time then erases 100 bytes, not a window.
	EraseNow = 4 << 10

	// Piece is the most that one call erases. For 2 KiB and more the runtime uses
	// instructions that bypass the cache on some machines, but erased memory is about to be
	// written. It is a multiple of the cache line. From PiecesMax on the cache doesn't
	// matter, and one call is faster.
	Piece     = 2<<10 - 64
	PiecesMax = 16 << 10

	// ShortString is the longest string that is taken from the window. Erasing the window
	// was a waste for strings, but the newest slice keeps its room to grow. Strings longer
	// than TinyString don't open a window in memory that would have to be erased first.
	ShortString = 1 << 10
	TinyString  = 64
)

// Choosing a chunk for a request.
const (
	// BigShare: a request that doesn't fit into the current chunk, and is larger than the
	// next chunk divided by BigShare, gets a big chunk. So at most that share of a chunk is
	// wasted when it is left.
	BigShare = 4

	// BigFit is how many times larger than needed a kept chunk may be to become a big
	// one. With more, large chunks would be missing where they are needed. With less, a
	// slice that grows by doubling would move to a new block each time.
	BigFit = 4

	// SlabShare: a slab's first chunk is this part of the space's, so that ten types in a
	// small arena don't cost ten chunks. With chunks of 4 KiB it is one of 512 bytes.
	SlabShare = 8

	// SearchMax bounds how many retained chunks are searched for one that fits, so that the cost of an allocation
	// doesn't depend on their number. A chunk beyond them isn't lost: Trim releases it if it stays idle.
	SearchMax = 8

	// LendFactor is how many times larger than requested a chunk may be that a parent lends to a child. A child that
	// wants 1 KiB takes one of 4 KiB, but leaves one of 1 MiB to others.
	LendFactor = 4

	// If a limit leaves less than LastMoves times the new size of a slice that moves, the slice gets all of it. More is
	// enough to move now, and once more to twice that size.
	LastMoves = 3

	// SmallChunk is the least size of a chunk that is begun after a mark in an arena with a quarantine. A mark between
	// every two allocations then costs some 100 bytes, and not a chunk of 4 KiB.
	SmallChunk = 64
)

// Attempts to free memory at a limit.
const (
	// A Pool at its limit runs the GC, and may do so again after CollectLeast. After a cycle that
	// freed nothing useful that time doubles, up to CollectMost: a busy server at its limit pays
	// for one cycle in half a minute.
	CollectLeast = 2 * time.Second
	CollectMost  = 32 * time.Second
)

// Lives that use no memory again.
const (
	// EpochChunk is the size of chunks for values without pointers, and the most for those with pointers: the largest
	// size class of the heap, which wastes nothing. A string that is kept keeps one.
	EpochChunk = 32 << 10

	// Epoch is how many bytes of values with pointers the lives of an epoch take: a quarter of it while little was
	// learned of the kept values, and EpochFirst, the size of chunks for values without pointers too, while nothing
	// was. That takes two cycles of the GC, in which a service that keeps a small value of each 100th life may have
	// kept 100: 7 MiB with epochs of 16 KiB from the beginning, 1.3 MiB on the heap.
	Epoch      = 64 << 10
	EpochFirst = 4 << 10

	// EpochLeast is the size of a type's first chunk, until an epoch has ended.
	EpochLeast = 512

	// About one life in SampleLives is sampled at first, to see whether its values are kept, then one in 4, 32 and 128
	// times as many. A sampled one takes three times as long as the others. If two of KeptWeight sampled lives are
	// kept, all lives allocate object by object. A service that keeps a value of each 100th life finds that within some
	// 1,000 lives, and one that keeps one of each 10,000th within a million.
	SampleLives = 2
	KeptWeight  = 4096

	// PendingLives is the most sampled lives that wait for the GC.
	PendingLives = 64

	// ListMost is the longest list of chunks that a lasting space keeps for the next life.
	ListMost = 512

	// ApartMost is the most values of a type that a life allocates object by object; lists of as many chunks are kept.
	// A life of 18,000 objects took 7 times as long as on the heap without this bound, and 1.2 times with it.
	ApartMost = ListMost / 2

	// EpochShare: after its first chunk in an epoch, a type's next one is this fraction of those that it has.
	EpochShare = 4
)

// Keeping memory for the next life.
const (
	// OneMax is the most bytes in the first chunk of a life, when its size is learned from the last lives. One value of
	// a freed arena may keep that chunk alive, and in larger lives the step to the next chunk doesn't matter: lives of
	// 20 objects of 64 B take 0.62 of the time with one chunk instead of several, of 600 objects 0.86, of 3,000 0.95.
	OneMax = 64 << 10

	// IdleShare is how many bytes of chunks that weren't needed for a while are kept for
	// each byte of those that were. If some pieces of work take up to four times as much as
	// others, the large ones then need no new memory. With two chunks' worth, a bench
	// server with batches of 10 to 30 records took new memory for one request in 30. The
	// price is memory: a region may keep four times the needs of its work, until WithMaxRetained stops it.
	IdleShare = 3

	// Chunks that none of TrimPeriod resets needed are released. Looking took 4 of the 28
	// ns of a life of one object on average, and takes less since short lists are left
	// out.
	TrimPeriod = 16

	// FamilyPeriod is the same for an arena that stays in one life, in numbers of children that
	// came and went. It is much larger: an arena whose life has hundreds of children and then
	// needs a large chunk would otherwise release that chunk in each life.
	FamilyPeriod = 16 * TrimPeriod

	// After LivesToRest lives without a value of it, a type isn't looked at in each Reset any more. With one life less,
	// a Pool would not learn the use of the life before the last. Waking a type in each life costs as much as a value
	// on the heap: 20 values of 20 out of 500 types take 1.4 us, of 20 busy types 0.4 us, and on the heap 0.8 us.
	LivesToRest = 2

	// Lists of up to ListKeep bytes are neither counted nor released. That is nothing beside the objects with such
	// lists.
	ListKeep = 1 << 10

	// KeptSize is the size that a KeepAlive value counts if its own isn't known.
	KeptSize = 256
)

// Numbers for learning the needs of a pool's work.
const (
	// To learn the needs of the work, the first SampleFirst turns of an arena are looked at, and then one in
	// SampleEvery, chosen at random, so that a pattern in the work doesn't meet a pattern here.
	SampleFirst = 16
	SampleEvery = 16

	// Hints cover CoverNum of CoverDen uses.
	CoverNum, CoverDen = 9, 10

	// UseWeight is the weight of a use at first. Weights are halved, so it must be a power of two, and large enough for
	// a single use to count for a while.
	UseWeight = 16

	// EnoughWeight is the weight that is needed for an answer.
	EnoughWeight = 8 * UseWeight

	// MostWeight is the weight at which all weights are halved. The share that the answer
	// covers is then right to within 2 to 3 points (one standard deviation) when sizes are
	// random.
	MostWeight = 256 * UseWeight

	// MostHints is the most hints for types that the keys of a pool have together, and the most common ones. Each takes
	// 0.6 KB: 1,024 keys with 300 types each had 184 MiB of them.
	MostHints = 8192

	// FreeSize is the number of bytes up to which any size is worthwhile: 150 arenas of
	// this size take 38 MB together.
	FreeSize = 256 << 10

	// PoolFree is how many bytes the arenas of a pool may always have: as many as the Go heap has before it is first
	// collected. PoolFactor is how many times the needs of the arenas lent at a time they may have. With 64 goroutines
	// and uses of 1 KiB to 1 MiB, the pool took 2.0 GiB from the heap with 3, as much with 2, and 22 GiB with 1: on
	// average an arena's first chunk is twice as large as needed.
	PoolFree   = 4 << 20
	PoolFactor = 3

	// TrimReviews is the number of reviews of a pool's shares after which chunks that no arena has
	// needed meanwhile are released: some 8,000 uses. With 100 keys whose sizes are log-normal,
	// two goroutines took 8.8 KB a use from the heap, and 13 with 1.
	TrimReviews = 8

	// ReviewEvery is the least number of looks between two counts of the lent arenas.
	ReviewEvery = 64

	// RecentUses is how many uses the recent mean takes to follow a change. After 0.7 times as many uses of a size,
	// that size is worthwhile regardless of earlier uses. If one use in three has the size at random, this takes a
	// coincidence of three standard deviations.
	RecentUses = 32

	// ShrinkFactor is how many times too large the first chunk must be for nearly all uses
	// before a smaller one replaces it.
	ShrinkFactor = 4
)

// Reading from outside, in bytes.
const (
	// ReadFirst is the most room that ReadAll makes for an announced length: a client may
	// announce anything.
	ReadFirst = 1 << 20

	// Formatted is the room that Sprintf offers to fmt at first.
	Formatted = 256
)

// Limits on the cost of watching.
const (
	// MaxBatches is the most batches of dead memory at a time. Further ones are dropped: in a program that resets
	// checked arenas much more often than the GC runs, resets are sampled, and memory doesn't run out.
	MaxBatches = 4096

	// A search for all escapes gives up after MaxCycles GC cycles. It needs more than four
	// if a tick survives a cycle because the GC finds a dead pointer to it on a stack.
	MaxCycles = 20

	// MaxPaged is the most allocations of a life of a checked arena that have pages of their own, so that they can be
	// guarded when they are dead: 1 MiB for each arena with pages of 4 KiB. Each takes half a microsecond more.
	MaxPaged = 256

	// MaxGuarded is the most of them that are guarded at a time. Under Linux each adds two mappings, and a process may
	// have 65,530.
	MaxGuarded = 16 << 10

	// Memory that arenas of pools with a guard rate have reclaimed is guarded until FenceTime has passed, or there is
	// more than FenceLives or FenceBytes allow. 1,024 lives have up to some 8,000 mappings of the 65,530.
	FenceTime  = time.Minute
	FenceLives = 1024
	FenceBytes = 64 << 20

	// MaxEndings is the most endings that are remembered. When there are more, the oldest quarter goes at once, so that
	// adding one takes constant time on average.
	MaxEndings = 256

	// An operation on a checked arena that takes longer than BusyFor counts as ended by a panic.
	// The time is long, since a goroutine may have to wait for a processor on a busy machine. It
	// passes once after such a panic. Panics of limits end an operation at once, and no others are
	// known.
	BusyFor = time.Second

	// WalksPerObject is how many objects may be walked, or listed, for each allocated one, so that not every small
	// Rewind in a large arena looks at all of it. Only a part of such an arena then dies unseen.
	WalksPerObject = 8

	// MaxKinds is the most kinds of hidden pointers that are reported for an arena.
	MaxKinds = 100

	// LogKinds is the most kinds of escapes that the default handler distinguishes, and LogMinute the most lines that
	// it writes in a minute.
	LogKinds  = 1000
	LogMinute = 10

	// RaceSpans and RaceBytes bound the dead memory that is remembered for the race detector. One in RaceEvery reports
	// covers all of it.
	RaceSpans = 16
	RaceBytes = 64 << 10
	RaceEvery = 32
)

// Collections.
const (
	// FirstBytes is the first size of a Slice or a Buffer: a cache line, as for a
	// bytes.Buffer.
	FirstBytes = 64

	// MinRing is the first capacity of a Deque.
	MinRing = 8

	// MinRead is the room that a Buffer's ReadFrom offers to a Reader, as in package bytes.
	MinRead = 512

	// SmallLen is the most entries of a map without an index: tags in two words distinguish them. Building and dropping
	// a map of 10 ints takes 165 ns with tags, 300 with an index from the first entry on.
	SmallLen = 16

	// MinHomes is the least number of homes in an index: more than tags can find, at any distribution of the homes.
	MinHomes = 32

	// Overhang is the number of slots of an index after its last home. It is filled to 3/4; the probability that a slot
	// is n places from home then falls with e^-0.55n, and an overhang of 32 is too short once in 10^7 times.
	Overhang = 32

	// A map in a checked arena with up to CheckedEntries entries moves them whenever one is added,
	// and not only when it doubles: two programs that kept a Ref beyond the next entry did so at
	// none of its 7 doublings. It isn't more, since tests limit arenas: these moves leave 136
	// entries behind.
	CheckedEntries = 16

	// FirstSlots is the bytes of the first block of a Slots. Each further one has as many slots, or one for
	// SlotsGrowth that there are: 3% are in reserve on average, and 10 million slots have 300 blocks.
	FirstSlots  = 1 << 10
	SlotsGrowth = 16

	// A Slots in a checked arena makes the first CheckedSlots slots objects of their own, whose use after Free is
	// found. It isn't more, since each Free of one looks for it among all objects.
	CheckedSlots = 4096

	// HeldBytes is how much freed slots may take that aren't used again for a while, in builds and arenas that look
	// for uses after Free: 1,000 of 64 bytes.
	HeldBytes = 64 << 10

	// FirstSegment is the first size, in entries, of the first segment of a map.
	FirstSegment = 8
)
