//go:build !unix

package measure

// ProcessCPU and peakRSS report 0, which the tables print as a dash, where the operating system has no getrusage.
func ProcessCPU() float64 { return 0 }
func peakRSS() uint64     { return 0 }
