package arenajson

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/harena-go/arena/internal/tests/testkit"
)

type zeroable struct{ N int }

func (z zeroable) IsZero() bool { return z.N == 7 }

// An omitting has fields that may be left out.
type omitting[T any] struct {
	A T `json:",omitempty"`
	B T `json:",omitzero"`
	C T `json:"c,omitempty,omitzero"`
}

func checkOmitting[T any](t *testing.T, values ...T) {
	t.Helper()
	for _, x := range values {
		v := &omitting[T]{x, x, x}
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]byte, 0, 500)
		got, err := Append(dst, v, DefaultOptionsV1())
		if string(got) != string(want) {
			t.Errorf("%T %v: %s, %v, want %s", x, x, got, err, want)
		}
	}
}

// TestOmitted: omitempty and omitzero leave out the same values of all kinds as in encoding/json.
func TestOmitted(t *testing.T) {
	zero, one := 0, 1
	checkOmitting(t, 0, 1)
	checkOmitting(t, uint8(0), 1)
	checkOmitting(t, int16(0), 256)
	checkOmitting(t, 0, math.Copysign(0, -1), 5e-324)
	checkOmitting(t, float32(0), float32(math.Copysign(0, -1)))
	checkOmitting(t, false, true)
	checkOmitting(t, "", "a")
	checkOmitting(t, nil, &zero, &one)
	checkOmitting[any](t, nil, 0, "")
	checkOmitting(t, nil, []int{}, []int{0})
	checkOmitting(t, nil, map[string]int{}, map[string]int{"a": 0})
	checkOmitting(t, [0]int{})
	checkOmitting(t, [2]int{}, [2]int{0, 1})
	checkOmitting(t, struct{ X int }{}, struct{ X int }{1})
	checkOmitting(t, time.Time{}, time.Unix(0, 0).UTC(), time.Time{}.In(time.FixedZone("", 60)))
	checkOmitting(t, zeroable{}, zeroable{7})
	checkOmitting(t, nil, &zeroable{}, &zeroable{7})
	checkOmitting(t, time.Duration(0), 5)
	checkOmitting(t, json.Number("0"), json.Number("1"))
	checkOmitting(t, json.RawMessage(nil), json.RawMessage("1"))
}

// TestOmittingAllocatesNothing: leaving out fields takes no memory.
func TestOmittingAllocatesNothing(t *testing.T) {
	v := &struct {
		A time.Time         `json:",omitzero"`
		B string            `json:",omitempty"`
		C []int             `json:",omitempty"`
		D map[string]string `json:",omitempty"`
		E *int              `json:",omitzero"`
		F float64           `json:",omitzero"`
		G any               `json:",omitempty"`
	}{D: map[string]string{}}
	dst := make([]byte, 0, 500)
	if n := testing.AllocsPerRun(100, func() { dst, _ = Append(dst[:0], v, DefaultOptionsV1()) }); n >= 1 && testkit.Countable() {
		t.Errorf("%v allocations", n)
	}
}
