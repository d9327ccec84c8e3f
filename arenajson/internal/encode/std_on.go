//go:build (goexperiment.jsonv2 && go1.27) || go1.28

package encode

import (
	jsonv2 "encoding/json/v2"

	"github.com/harena-go/arena/arenajson/internal/plan"
)

// This file calls the methods that encoding/json/v2 has added.

// methodTo writes v by its MarshalJSONTo, if it has one.
func (e *Encoder) methodTo(b []byte, n *plan.Node, v any) ([]byte, bool) {
	if _, ok := v.(jsonv2.MarshalerTo); !ok {
		return b, false
	}
	raw, err := jsonv2.Marshal(v, e.flags.Std())
	if err != nil {
		e.failMethod(n.Type, err, "MarshalJSONTo")
	}
	return append(b, raw...), true
}
