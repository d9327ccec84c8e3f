package report

// reasons says, for goals that were missed on the machine of RESULTS.md, what
// was found: with a profile, with the assembly. A reason is one or two
// sentences, under the goal's key.
var reasons = map[string]string{
	"rivals/new-1k":     clearing,
	"rivals/array-64":   clearing,
	"rivals/array-1024": clearing,

	"rivals/string-8":   copying,
	"rivals/string-32":  copying,
	"rivals/string-256": "Copying 256 bytes is nearly all of it, and the same memmove for both.",

	"rivals/bytes-1k":  clearing,
	"rivals/bytes-64k": clearing,
	"rivals/slice-16":  clearing,
	"rivals/slice-1k":  clearing,
	"rivals/slice-64k": clearing,
	"rivals/slice-1m":  clearing,
	"rivals/alloc-64":  "The faster peers return memory that holds what was there before the reset.",

	"bumpalo/new-8":    oneWord,
	"bumpalo/new-64":   oneWord,
	"bumpalo/new-node": oneWord,
	"bumpalo/trees": "A recursive function in Go checks its stack, and saves and loads around each call what Rust " +
		"keeps in registers: " +
		"the same tree from a bare slice, without any arena, takes 1.3 times as long as with bumpalo. Depth 18 or " +
		"more is the place to judge: below that the whole game takes milliseconds.",

	"heap/append-1000/harena": "The inlined loop is 85% of it: the builtin append tests the capacity once more " +
		"than Append has, and passes the item through memory.",
	"heap/pool-get-put": "Three of the 20 ns over sync.Pool's own are each a locked instruction: the arena is " +
		"lent, it is back, " +
		"and so many bytes were used. Without them a double Put would go unnoticed and Stats would be wrong.",

	"server-in-process/rps": "Reading 8.8 KB of text and answering is two thirds of a request in an arena " +
		"(parse-only is the reading alone); " +
		"if allocations took no time at all it would be little more than three times as many.",
	"server-in-process/p99": "A request has 10 to 30 records, so its own size is part of the tail; without the " +
		"collector that is what is left of it.",
	"server/rps": sameCores,
	"server/p99": sameCores,

	"service/post/heap":  sockets,
	"service/post/sonic": sockets,
	"service/get-one/heap": "42% of the CPU on arenas is the kernel's, a quarter pgx's and another net/http's; " +
		"reading the row and writing JSON are 10%, so that arenas can't save more.",
	"service/search/heap":   comparing,
	"service/search/sonic":  comparing,
	"service/rss/customers": kept,
	"service/rss/search":    kept,

	"json/handler-log line": body,
	"json/handler-order":    body,
	"json/write/goccy": "goccy writes texts beyond ASCII and with escapes by AVX2 in assembly, 1.7 to 2.4 times as " +
		"fast; the other eight texts take it 1.2 times as long in the mean.",
	"json/server-places": "Two thirds are the arithmetic of reading 8,800 numbers, which no arena touches.",
	"json/server-headers": "A fifth is making the map, a fifth Reset of the regions for structs, texts and maps: " +
		"what a life costs however little is in it.",

	"rows/row-10000/bytes": "A loop written by hand for these nine columns and the same arena takes 1.35 times as " +
		"long as the bytes alone, arenapgx 1.45 times: storing 130 bytes and two texts a row can't be had for less.",

	"wire/decode-remote-write": "More than half of what is left is reading the tags and lengths of some 10,000 " +
		"fields, a quarter making two slices for each series; " +
		"gogo's methods don't check UTF-8 either, so that all there is to save is their allocations.",
	"wire/decode-metrics": "It is at the goal, on one side or the other of it from run to run: what the collector " +
		"takes of the official runtime's time varies.",

	"collections/map-build-1000000": "With a million integers 60% of the time is waiting for memory, for one " +
		"random place of the index each, as in Go's map; " +
		"and neither has pointers for the collector to follow. With strings it is three times as fast.",
	"collections/buffer-build-1000000": "20 MB are written, 20 bytes at a time: half of the time are the million " +
		"calls, a fifth copies the bytes, and a quarter clears the memory that the buffer grows into; to free a few " +
		"large blocks costs the collector nothing.",
}

const (
	clearing = "Nearly all of it is clearing memory, which takes the same time for all: the floor, which sets the " +
		"next element of a ready slice to zero, " +
		"isn't faster than that by more than a quarter. Peers that clear in Reset do it in one go."
	copying = "The peer returns bytes that it doesn't zero, and the benchmark copies the text into them: no less " +
		"work. " +
		"What an inlined New saves, a string has to pay for the call that copies it."
	oneWord = "Per object the loop in Go has two instructions for a nil arena, two for the write barrier of the " +
		"global that the address is stored in, " +
		"and one that saves the loop's counter for the slow path; the loop in Rust has none of these, and merges " +
		"clearing with storing the first word."
	body = "Decoding is two thirds of it and 2.1 to 2.3 times as fast; reading the body takes both the same, and " +
		"Get and Put of a Pool what a sync.Pool takes with its own."
	sockets = "54% of the CPU on arenas is the kernel's, for the sockets of the client and the database, 17% is " +
		"pgx's: if nothing else took time, it would be 1.7 times less."
	comparing = "Half of the CPU that isn't the kernel's compares 20,000 products with the query, which allocates " +
		"nothing; writing the answer is a tenth."
	kept = "The pool keeps what the large lists needed for the next one, until 8,000 requests or two cycles of the " +
		"collector didn't; with arenas there is hardly a cycle."
	sameCores = "The load process and net/http take most of the two cores; the suite's row null is what they take " +
		"alone."
)

// unexplained is what the report says of a missed goal that has no reason.
const unexplained = "not explained yet"

// why is the reason for missing the goal of this key.
func why(key string) string {
	if r, ok := reasons[key]; ok {
		return r
	}
	return unexplained
}
