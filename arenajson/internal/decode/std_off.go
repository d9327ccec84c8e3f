//go:build !goexperiment.jsonv2 || !go1.27

package decode

func (d *decoder) methodFrom(v any, i, end int) (done bool, err error) { return false, nil }
