//go:build !(linux || darwin || freebsd)

package guard

// PageSize is the bytes of a page, 0 if memory can't be guarded here.
var PageSize uintptr

// protect is never called.
func protect(Pages, bool) bool { return false }
