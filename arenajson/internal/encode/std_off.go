//go:build !goexperiment.jsonv2 || !go1.27

package encode

import (
	"github.com/harena-go/arena/arenajson/internal/plan"
)

func (e *Encoder) methodTo(b []byte, n *plan.Node, v any) ([]byte, bool) { return b, false }
