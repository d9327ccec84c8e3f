package model_test

import (
	"testing"
)

// FuzzModel runs programs of the model test. Seeds beyond these are in testdata/fuzz.
func FuzzModel(f *testing.F) {
	for i := range optionSets {
		f.Add(byte(i), []byte("\x00\x05\x00\x03\x04\x00\x07\x02\x10\x00\x19\x00\x00\x0f\x00\x20\x00\x1b\x00"))
	}
	f.Fuzz(func(t *testing.T, set byte, program []byte) {
		run(t, optionSets[int(set)%len(optionSets)], program[:min(len(program), 4000)])
	})
}
