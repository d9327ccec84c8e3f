//go:build goexperiment.jsonv2 && go1.27

package arenajson_test

import (
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
)

func init() {
	codecs = append(codecs, codec{"v2", true,
		func(a *arena.Arena, b []byte, v any) error { return arenajson.Unmarshal(a, b, v) },
		func(_ *arena.Arena, b []byte, v any) error { return jsonv2.Unmarshal(b, v) },
		func(v any) ([]byte, error) { return arenajson.Append(nil, v, arenajson.Deterministic(true)) },
		func(v any) ([]byte, error) { return jsonv2.Marshal(v, jsonv2.Deterministic(true)) },
		func(err error) string {
			var syntax *jsontext.SyntacticError
			var semantic *jsonv2.SemanticError
			switch {
			case err == nil:
				return "none"
			case errors.As(err, &syntax):
				return "syntax" // where depends on whether methods read it
			case errors.As(err, &semantic):
				return fmt.Sprintf("type: %v at %d, %s, %s", semantic.GoType, semantic.ByteOffset, semantic.JSONPointer, string(semantic.JSONValue))
			}
			return "other"
		},
		func(reflect.Type) bool { return false },
	})
}

// TestMessagesShortenAsV2: a message has what encoding/json/v2 leaves of a long pointer.
func TestMessagesShortenAsV2(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var b strings.Builder
		for b.Len() < 200 {
			b.WriteString("/" + strings.Repeat([]string{"", "a", "ä", "🎄"}[r.IntN(4)], 1+r.IntN(1+r.IntN(80))))
		}
		p := b.String()[:90]
		if r.IntN(3) > 0 {
			p = b.String()
		}
		p = strings.ToValidUTF8(p, "")
		got := (&arenajson.Error{Pointer: p, Err: io.EOF}).Error()
		want := (&jsontext.SyntacticError{JSONPointer: jsontext.Pointer(p), Err: io.EOF}).Error()
		if strings.TrimPrefix(got, "arenajson: ") != strings.TrimPrefix(want, "jsontext: ")+" at offset 0" {
			t.Fatalf("%s:\n%s\n%s", p, got, want)
		}
	}
}
