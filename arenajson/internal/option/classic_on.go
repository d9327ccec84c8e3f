//go:build !goexperiment.jsonv2 && !jsonv1on2 && !go1.28

package option

// Classic reports whether encoding/json is the original, not built on its version 2.
const Classic = true
