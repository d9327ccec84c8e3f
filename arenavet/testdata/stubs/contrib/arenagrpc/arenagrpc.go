// Package arenagrpc has what programs call of the package of that name.
package arenagrpc

import "context"

func Keep(context.Context) bool { return false }
