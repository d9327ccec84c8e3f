package arenajson

import (
	"encoding/json"
	"testing"
)

// TestWrittenRawValues: values that are JSON already come without white space, and with strings as
// encoding/json and its version 2 write them.
func TestWrittenRawValues(t *testing.T) {
	for _, c := range []struct{ raw, v2 string }{
		{`{"a" : [ 1 , "b c" ] }`, `{"a":[1,"b c"]}`},
		{" \n[true,\tfalse ,null]\r ", `[true,false,null]`},
		{`"\u0041\/<\u2028>&é"`, "\"A/<\u2028>&é\""},
		{`["long enough to be looked at in words <", "and one & ", "no markup in this one at all"]`, `["long enough to be looked at in words <","and one & ","no markup in this one at all"]`},
		{"[\"\u2028 and so on and so on\", \"é\"]", "[\"\u2028 and so on and so on\",\"é\"]"},
		{`["\"\\\b\u001f", "\ud83d\ude00" , 1.50e+7]`, `["\"\\\b\u001f","😀",1.50e+7]`},
		{`""`, `""`}, {` 1 `, `1`}, {`{}`, `{}`}, {` [ ] `, `[]`},
	} {
		got, err := Append(nil, json.RawMessage(c.raw))
		if string(got) != c.v2 {
			t.Errorf("%s: %s, %v, want %s", c.raw, got, err, c.v2)
		}
		for _, v := range []any{json.RawMessage(c.raw), []json.RawMessage{[]byte(c.raw), []byte(c.raw)}} {
			want, _ := json.Marshal(v)
			if got, err := Append(nil, v, DefaultOptionsV1()); string(got) != string(want) {
				t.Errorf("v1, %s: %s, %v, want %s", c.raw, got, err, want)
			}
		}
	}
}
