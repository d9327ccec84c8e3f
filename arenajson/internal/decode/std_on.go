//go:build (goexperiment.jsonv2 && go1.27) || go1.28

package decode

import (
	"bytes"
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
)

// This file calls the methods that encoding/json/v2 has added.

// methodFrom decodes the value from i to end by v's UnmarshalJSONFrom, if it has one.
func (d *decoder) methodFrom(v any, i, end int) (done bool, err error) {
	u, ok := v.(jsonv2.UnmarshalerFrom)
	if !ok {
		return false, nil
	}
	in := jsontext.NewDecoder(bytes.NewReader(d.Data[i:end]), d.Flags.Std())
	err = jsonv2.UnmarshalDecode(in, v, d.Flags.Std())
	_ = u
	return true, err
}
