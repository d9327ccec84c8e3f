package arenajson_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/collections"
	"github.com/harena-go/arena/internal/engine/race"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// A grove leads to itself through containers alone.
type grove struct {
	M collections.Map[string, grove] `json:"m"`
	S collections.Slice[grove]       `json:"s"`
}

// TestHostileContainers: time is in proportion to the text, even if a large map is emptied, merged into or looked up
// many times, and depth has its limit. A quadratic step takes longer than that.
func TestHostileContainers(t *testing.T) {
	n := testkit.Cases(150_000)
	limit := time.Duration(n) * 50 * time.Microsecond // as a quadratic step takes n times n/2 times
	if race.Instrumented {
		limit *= 5
	}
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"x%d":{}`, i)
	}
	large := "{" + b.String()[1:] + "}"
	for name, text := range map[string]string{
		"null":       `{"m":` + large + strings.Repeat(`,"m":null,"m":{"a":{}}`, n) + `}`,
		"emptied":    `{"m":` + large + strings.Repeat(`,"m":{},"m":null`, n) + `}`,
		"merged":     `{"m":` + large + strings.Repeat(`,"m":{"a":{}}`, n) + `}`,
		"equal":      `{"m":{` + strings.Repeat(`"a":{},`, n) + `"b":{}}}`,
		"large ones": `{"s":[` + strings.Repeat(`{"m":{"":{}}},`, n) + `{}]}`,
		"slices":     `{"s":[{}` + strings.Repeat(`,{}`, n) + `]` + strings.Repeat(`,"s":[]`, n) + `}`,
	} {
		for _, o := range []arenajson.Options{arenajson.DefaultOptionsV1(), arenajson.AllowDuplicateNames(true), arenajson.DefaultOptionsV2()} {
			a := arena.NewArena()
			var err error
			took := testkit.Took(func() { _, err = arenajson.New[grove](a, []byte(text), o) })
			if took > limit {
				t.Errorf("%s: %v", name, took)
			}
			var own *arenajson.Error
			if err != nil && !errors.As(err, &own) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	deep := strings.Repeat(`{"m":{"":`, 20_000)
	if _, err := arenajson.New[grove](arena.NewArena(), []byte(deep)); !errors.Is(err, arenajson.ErrDepth) {
		t.Error(err)
	}
	deep = strings.Repeat(`{"s":[`, 20_000)
	if _, err := arenajson.New[grove](arena.NewArena(), []byte(deep)); !errors.Is(err, arenajson.ErrDepth) {
		t.Error(err)
	}
}
