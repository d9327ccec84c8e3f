//go:build !unix

package fill

import "unsafe"

// reserve returns nil: there is no way to reserve memory here.
func reserve(uintptr) unsafe.Pointer { return nil }
