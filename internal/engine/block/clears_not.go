//go:build !go1.26 || go1.28

package block

// clears says that fact 14 was read in the sources of this version of Go.
const clears = false
