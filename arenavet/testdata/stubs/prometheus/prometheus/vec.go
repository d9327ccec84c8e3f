// Package prometheus has what programs call of the package of that name.
package prometheus

type Labels map[string]string

type CounterVec struct{}

func (*CounterVec) With(Labels) Counter               { return nil }
func (*CounterVec) WithLabelValues(...string) Counter { return nil }

type Counter interface{ Inc() }
