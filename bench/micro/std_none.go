//go:build !goexperiment.arenas

package micro

import "github.com/harena-go/arena/bench/trees"

// HasExperiment says whether the runtime's experimental arena is built in.
const HasExperiment = false

// ExperimentRows has no rows in this build.
func ExperimentRows() []Row { return nil }

// BigInExperiment builds nothing in this build.
func BigInExperiment(int) (*trees.BigNode, any) { return nil, nil }
