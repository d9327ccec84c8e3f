//go:build (!goexperiment.jsonv2 || !go1.27) && !go1.28

package decode

// This file is std_on.go for where the standard library has no encoding/json/v2.

// methodFrom reports false: there is no such method.
func (d *decoder) methodFrom(v any, i, end int) (done bool, err error) { return false, nil }
