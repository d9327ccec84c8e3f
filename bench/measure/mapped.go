package measure

import "runtime/metrics"

// mapped is what the Go runtime has mapped and not given back to the operating
// system, in bytes.
func mapped() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}
