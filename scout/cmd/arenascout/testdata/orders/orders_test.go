package orders

import "testing"

const text = `Ada Lovelace
sku-100 red large wool
sku-101 blue small cotton striped
sku-102 green medium
sku-103 black large leather soft
sku-104 white small silk
sku-105 grey`

func BenchmarkHandle(b *testing.B) {
	s := NewService()
	for i := 0; b.Loop(); i++ {
		s.Handle(i, text)
	}
}
