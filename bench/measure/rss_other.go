//go:build !linux

package measure

// RSS is about the resident memory of this process now, in bytes: what the Go
// runtime has mapped and not given back.
func RSS() uint64 { return mapped() }
