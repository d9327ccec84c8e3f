package chart

import "math"

// A Scale maps values to places on an axis.
type Scale int

const (
	Linear   Scale = iota // from zero
	Log                   // each factor of ten has the same length
	Quantile              // of fractions below 1: each further nine has the same length
)

// An Axis is one side of a chart.
type Axis struct {
	Title  string
	Scale  Scale
	Format func(float64) string // prints a value at a tick
	Binary bool                 // linear ticks at multiples of powers of 1024: for bytes
}

// shown reports whether v has a place on the axis.
func (a Axis) shown(v float64) bool {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return false
	case a.Scale == Log:
		return v > 0
	case a.Scale == Quantile:
		return v >= 0 && v < 1
	}
	return true
}

// place is where v is, in units of the axis: decades, nines, or v itself.
func (a Axis) place(v float64) float64 {
	switch a.Scale {
	case Log:
		return math.Log10(v)
	case Quantile:
		return -math.Log10(1 - v)
	}
	return v
}

// A ruler is an axis with a range, laid out from pixel from to pixel to.
type ruler struct {
	Axis
	low, high float64 // places
	from, to  float64 // units of the drawing
}

// newRuler makes a ruler that all values fit on.
func newRuler(a Axis, values []float64, from, to float64) ruler {
	r := ruler{Axis: a, low: math.Inf(1), high: math.Inf(-1), from: from, to: to}
	for _, v := range values {
		if a.shown(v) {
			r.low, r.high = min(r.low, a.place(v)), max(r.high, a.place(v))
		}
	}
	if r.low > r.high { // nothing to show
		r.low, r.high = 0, 1
	}
	if a.Scale == Linear {
		r.low = min(r.low, 0)
	}
	if r.high-r.low < 1e-9 {
		r.high = r.low + 1
	}
	return r
}

// pad widens the range on both sides by a part of it, so that marks at its ends
// don't touch the frame. Zero stays the end of a linear axis.
func (r ruler) pad(part float64) ruler {
	d := (r.high - r.low) * part
	if r.Scale != Linear || r.low < 0 {
		r.low -= d
	}
	r.high += d
	return r
}

// at is where v is drawn.
func (r ruler) at(v float64) float64 {
	return r.from + (r.place(v)-r.low)/(r.high-r.low)*(r.to-r.from)
}

// ticks are values at round numbers within the range, at most about most.
func (r ruler) ticks(most int) []float64 {
	switch r.Scale {
	case Log:
		return logTicks(r.low, r.high, most)
	case Quantile:
		var t []float64
		for _, q := range []float64{0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999} {
			if p := r.place(q); p >= r.low-1e-9 && p <= r.high+1e-9 {
				t = append(t, q)
			}
		}
		return t
	}
	return linearTicks(r.low, r.high, most, r.Binary)
}

// logTicks are powers of ten, every second or third one if there are many, and
// with 2 and 5 between them if there are few.
func logTicks(low, high float64, most int) []float64 {
	within := func(factors ...float64) (t []float64) {
		for d := math.Floor(low); d <= high; d++ {
			for _, f := range factors {
				if v := f * math.Pow(10, d); math.Log10(v) >= low-1e-9 && math.Log10(v) <= high+1e-9 {
					t = append(t, v)
				}
			}
		}
		return t
	}
	for _, factors := range [][]float64{{1, 2, 5}, {1, 3}} {
		if t := within(factors...); len(t) <= most {
			return t
		}
	}
	t := within(1)
	for step := 2; len(t) > most; step++ {
		t = nil
		for d := math.Ceil(low - 1e-9); d <= high+1e-9; d++ {
			if math.Mod(d, float64(step)) == 0 {
				t = append(t, math.Pow(10, d))
			}
		}
	}
	return t
}

// linearTicks are multiples of 1, 2 or 5 times a power of ten.
func linearTicks(low, high float64, most int, binary bool) []float64 {
	unit := 1.0
	for binary && high/unit >= 2048 {
		unit *= 1024
	}
	step := niceStep((high-low)/unit/float64(most)) * unit
	var t []float64
	for i := math.Ceil(low/step - 1e-9); i*step <= high*(1+1e-9); i++ {
		t = append(t, i*step+0) // not minus zero
	}
	return t
}

// niceStep is the next 1, 2 or 5 times a power of ten.
func niceStep(raw float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, f := range []float64{1, 2, 5} {
		if raw <= f*p*(1+1e-9) {
			return f * p
		}
	}
	return 10 * p
}
