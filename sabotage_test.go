package arena

import "unsafe"

// This file breaks arenas as a bug would, for the test that such bugs are found.

// Sabotages are flaws by name. Each is applied after every operation. Those that
// hand out memory twice keep the count of bytes right, which would give them away.
var Sabotages = map[string]func(a *Arena){
	"slices overlap": func(a *Arena) {
		if a.lo >= objectAlign {
			a.lo -= objectAlign
			a.before += objectAlign
		}
	},
	"objects overlap": func(a *Arena) {
		if a.left > 0 && a.hi()+objectAlign <= a.size {
			a.left += objectAlign
			a.before += objectAlign
		}
	},
	"the window is dirty": func(a *Arena) {
		if a.left > 0 {
			*(*byte)(unsafe.Add(a.base, a.left-1)) = 1 // fact 1
		}
	},
	"the middle is dirty": func(a *Arena) {
		if a.lo < a.zero {
			*(*byte)(unsafe.Add(a.mem, a.lo)) = 1 // fact 1
		}
	},
	"memory is written to": func(a *Arena) {
		if a.lo > 0 {
			*(*byte)(unsafe.Add(a.mem, a.lo-1)) ^= 1 // fact 1
		}
	},
	"slices are misaligned": func(a *Arena) {
		if a.mem != nil && a.lo+1 < a.zero {
			a.mem = unsafe.Add(a.mem, 1) // fact 1
			a.lo = (a.lo + objectAlign - 1) &^ (objectAlign - 1)
		}
	},
	"bytes aren't counted": func(a *Arena) { a.before -= min(a.before, objectAlign) },
	"more bytes are wasted than there are": func(a *Arena) {
		if a.mem != nil {
			a.waste = a.total
		}
	},
	"Rewind forgets": func(a *Arena) {
		for i := range a.marks {
			a.marks[i].plain.lo = a.lo
		}
	},
	"slabs overlap": func(a *Arena) {
		for _, s := range a.slabs {
			s.before += min(s.lo, s.unit)
			s.lo -= min(s.lo, s.unit)
		}
	},
}
