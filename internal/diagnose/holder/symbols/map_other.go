//go:build !(linux || darwin || freebsd)

package symbols

// mapFile is for systems that have no simple mmap.
func mapFile(string) []byte { return nil }
