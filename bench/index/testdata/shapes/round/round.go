package round

import "math"

//go:noinline
func Area(r float64) float64 { return Pi * r * r }

// Pi is what a goroutine needs.
const Pi = math.Pi
