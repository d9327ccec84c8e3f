package planted

import "testing"

var programs = []struct {
	name string
	f    func(*World)
}{
	{"pointer", pointer},
	{"newed", newed},
	{"made", made},
	{"madeConstant", madeConstant},
	{"appended", appended},
	{"fromBytes", fromBytes},
	{"toBytes", toBytes},
	{"concat", concat},
	{"concatAssigned", concatAssigned},
	{"variable", variable},
	{"sliceLiteral", sliceLiteral},
	{"chain", chain},
	{"returned", returned},
	{"replacedInUnit", replacedInUnit},
	{"deleted", deleted},
	{"received", received},
	{"joined", joined},
	{"closure", closure},
	{"boxed", boxed},
	{"channel", channel},
	{"mapped", mapped},
	{"fields", fields},
	{"split", split},
	{"printed", printed},
	{"itoa", itoa},
	{"builder", builder},
	{"buffer", buffer},
	{"decoded", decoded},
	{"cloned", cloned},
	{"mapsCloned", mapsCloned},
	{"listed", listed},
	{"sorted", sorted},
	{"derived", derived},
	{"panics", panics},
	{"recursive", recursive},
	{"passed", passed},
	{"secondInLine", secondInLine},
	{"fromMethod", fromMethod},
	{"asserted", asserted},
	{"tinyNeighbours", tinyNeighbours},
	{"pooledValue", pooledValue},
	{"pooledStack", pooledStack},
	{"replaced", replaced},
	{"replacedGlobal", replacedGlobal},
	{"replacedBuffer", replacedBuffer},
	{"collected", collected},
	{"inMap", inMap},
	{"inGlobalMap", inGlobalMap},
	{"inSet", inSet},
	{"rarely", rarely},
	{"interner", interner},
	{"queued", queued},
	{"goroutine", goroutine},
	{"captured", captured},
	{"timer", timer},
	{"inContext", inContext},
	{"keptError", keptError},
	{"wrappedError", wrappedError},
	{"joinedError", joinedError},
	{"inInterface", inInterface},
	{"boxKept", boxKept},
	{"inRing", inRing},
	{"uniqued", uniqued},
	{"nested", nested},
	{"substring", substring},
	{"linked", linked},
	{"inSyncMap", inSyncMap},
	{"loggedBytes", loggedBytes},
	{"indexed", indexed},
	{"row", row},
	{"grown", grown},
	{"reused", reused},
	{"firstOnly", firstOnly},
	{"firstOfAll", firstOfAll},
	{"pointerToField", pointerToField},
	{"byCaller", byCaller},
	{"mixed", mixed},
	{"finalized", finalized},
	{"cleanup", cleanup},
	{"methodValue", methodValue},
	{"delayed", delayed},
	{"tinyNeighbour", tinyNeighbour},
	{"tinyRarely", tinyRarely},
	{"besideMarker", besideMarker},
}

func BenchmarkPlanted(b *testing.B) {
	for _, p := range programs {
		b.Run(p.name, func(b *testing.B) {
			w := NewWorld()
			for b.Loop() {
				Unit(w, p.f)
			}
		})
	}
}
