//go:build (!goexperiment.jsonv2 || !go1.27) && !go1.28

package encode

import (
	"github.com/harena-go/arena/arenajson/internal/plan"
)

// This file replaces std_on.go without encoding/json/v2 in the standard library.

// methodTo reports false: there is no such method.
func (e *Encoder) methodTo(b []byte, n *plan.Node, v any) ([]byte, bool) { return b, false }
