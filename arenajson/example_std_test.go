//go:build (goexperiment.jsonv2 && go1.27) || go1.28

package arenajson_test

import (
	"encoding/json"
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
	"fmt"
	"testing"

	"github.com/harena-go/arena/arenajson"
)

func ExampleStd() {
	opts := arenajson.Std(json.DefaultOptionsV1(), jsonv2.RejectUnknownMembers(true), jsontext.AllowDuplicateNames(false))
	fmt.Println(arenajson.Unmarshal(nil, []byte(`{"A":1,"A":2}`), new(any), opts))
	// Output: arenajson: duplicate object member name within "/A" at offset 7
}

// A span reads and writes itself by the methods of encoding/json/v2.
type span struct{ from, to int }

func (s *span) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	var a [2]int
	err := jsonv2.UnmarshalDecode(d, &a)
	s.from, s.to = a[0], a[1]
	return err
}

func (s span) MarshalJSONTo(e *jsontext.Encoder) error {
	return jsonv2.MarshalEncode(e, [2]int{s.from, s.to})
}

// TestMethodsOfV2: types that read and write themselves by the methods of encoding/json/v2 do.
func TestMethodsOfV2(t *testing.T) {
	v, err := arenajson.New[[]span](nil, []byte(`[[1,2],[3,4]]`))
	if err != nil || (*v)[1] != (span{3, 4}) {
		t.Fatal(v, err)
	}
	b, err := arenajson.Append(nil, *v)
	if err != nil || string(b) != "[[1,2],[3,4]]" {
		t.Fatal(string(b), err)
	}
	if _, err := arenajson.New[span](nil, []byte(`["x",2]`)); err == nil {
		t.Error("no error")
	}
}
