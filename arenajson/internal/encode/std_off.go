//go:build (!goexperiment.jsonv2 || !go1.27) && !go1.28

package encode

import (
	"github.com/harena-go/arena/arenajson/internal/plan"
)

// This file is std_on.go for where the standard library has no encoding/json/v2.

// methodTo reports false: there is no such method.
func (e *Encoder) methodTo(b []byte, n *plan.Node, v any) ([]byte, bool) { return b, false }
