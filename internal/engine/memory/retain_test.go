package memory

import (
	"slices"
	"testing"
)

// TestRefit: of a first chunk that doesn't fit, those go that fit as little.
func TestRefit(t *testing.T) {
	for _, c := range []struct{ have, want []uintptr }{
		{[]uintptr{4096, 8192, 4096, 16384}, []uintptr{8192, 16384}},
		{[]uintptr{65536, 8192, 65535, 65536, 4096, 131072}, []uintptr{8192, 65535}},
		{nil, nil},
	} {
		r := newRegion(Config{})
		for _, total := range c.have {
			r.chunks.chunks = append(r.chunks.chunks, Chunk{Total: total})
			r.lose(-total)
		}
		r.SetFirst(8192, func(head uintptr) bool { return head == c.have[0] })
		r.Refit()
		var got []uintptr
		sum := uintptr(0)
		for _, c := range r.chunks.chunks {
			got = append(got, c.Total)
			sum += c.Total
		}
		if !slices.Equal(got, c.want) || r.total != sum || r.Misfit() {
			t.Errorf("of %d stay %d, want %d; %d bytes are counted, %d there; misfit: %t", c.have, got, c.want, r.total, sum, r.Misfit())
		}
	}
}
