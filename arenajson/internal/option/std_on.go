//go:build (goexperiment.jsonv2 && go1.27) || go1.28

package option

import (
	"encoding/json"
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
)

// Std returns the standard library's options for those of a decoder or encoder.
func (f Flags) Std() jsonv2.Options {
	base := jsonv2.DefaultOptionsV2()
	if f&Legacy != 0 {
		base = json.DefaultOptionsV1()
	}
	return jsonv2.JoinOptions(base,
		jsontext.AllowDuplicateNames(f&AllowDuplicateNames != 0), jsontext.AllowInvalidUTF8(f&AllowInvalidUTF8 != 0),
		jsonv2.MatchCaseInsensitiveNames(f&MatchCaseInsensitive != 0),
		jsonv2.RejectUnknownMembers(f&RejectUnknown != 0),
		jsonv2.StringifyNumbers(f&StringifyNumbers != 0), jsonv2.Deterministic(f&Deterministic != 0),
		jsontext.EscapeForHTML(f&EscapeHTML != 0), jsontext.EscapeForJS(f&EscapeJS != 0),
		jsonv2.FormatNilMapAsNull(f&NilMapAsNull != 0), jsonv2.FormatNilSliceAsNull(f&NilSliceAsNull != 0))
}
