//go:build (!goexperiment.jsonv2 || !go1.27) && !go1.28

package decode

// This file replaces std_on.go without encoding/json/v2 in the standard library.

// methodFrom reports false: there is no such method.
func (d *decoder) methodFrom(v any, i, end int) (done bool, err error) { return false, nil }
