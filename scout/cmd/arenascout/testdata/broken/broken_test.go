package broken

import "testing"

func BenchmarkWork(b *testing.B) {}
