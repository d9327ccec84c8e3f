package decoders

import (
	"fmt"
	"strings"
	"testing"
)

var order = []byte(`{"customer":"somebodyelsesomewhere","items":[` + strings.Repeat(`{"product":"chair","count":2},`, 30) +
	`{"product":"table","count":1}],"notes":{"when":"at noon"}}`)

func BenchmarkHandle(b *testing.B) {
	s := New()
	for range b.N {
		if _, err := s.Handle(order); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkKeep(b *testing.B) {
	s := New()
	for i := range b.N {
		text := fmt.Sprintf(`{"customer":"number %d","items":[{"product":"chair","count":2}]}`, i)
		if err := s.Keep([]byte(text)); err != nil {
			b.Fatal(err)
		}
	}
}
