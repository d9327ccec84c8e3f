//go:build !goexperiment.arenas

package gc

import "errors"

func onRuntime() (ground, error) {
	return ground{}, errors.New("the runtime's experimental arena isn't part of this build")
}
