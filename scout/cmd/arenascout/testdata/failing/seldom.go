package failing

var last *[64]byte

// Seldom allocates in one call of eight.
func Seldom(n int) {
	if n%8 == 0 {
		last = new([64]byte)
	}
}
