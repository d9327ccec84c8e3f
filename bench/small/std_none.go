//go:build !goexperiment.arenas

package small

import "errors"

func inRuntime() (func(n int) int64, error) {
	return nil, errors.New("the runtime's experimental arena isn't part of this build")
}
