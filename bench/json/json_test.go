package json

import (
	stdjson "encoding/json"
	"reflect"
	"testing"
)

// TestPeersAgree: all peers read the texts to the same values.
func TestPeersAgree(t *testing.T) {
	texts, err := corpora(testing.Short())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		for _, typ := range []reflect.Type{text.typ, anyType} {
			want := reflect.New(typ)
			if err := stdjson.Unmarshal(text.data, want.Interface()); err != nil {
				t.Fatal(text.name, err)
			}
			for _, name := range Suite().Peers {
				p, err := newPeer(name)
				if err != nil {
					t.Fatal(err)
				}
				got := reflect.New(typ)
				if err := p.decodeTo(text.data, got.Interface()); err != nil || !reflect.DeepEqual(got.Interface(), want.Interface()) {
					t.Errorf("%s, %s: another value (%v)", name, text.name, err)
				}
			}
		}
	}
}
