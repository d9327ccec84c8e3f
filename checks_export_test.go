package arena

import (
	"sync"

	"github.com/harena-go/arena/internal/testkit"
	"github.com/harena-go/arena/internal/watch"
)

// OpenBatches returns how many batches the tracker has, and how many it may have.
func OpenBatches() (n, limit int) {
	mu := testkit.Field[sync.Mutex](&tracker, "mu")
	mu.Lock()
	defer mu.Unlock()
	return len(*testkit.Field[[]*watch.Batch](&tracker, "batches")), watch.MaxBatches
}
