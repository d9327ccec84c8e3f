package model_test

import (
	"slices"
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

// FuzzLetters runs programs of the enumeration's letters, longer ones than those.
func FuzzLetters(f *testing.F) {
	for i := range optionSets {
		f.Add(byte(i), []byte("\x05\x0e\x14\x06\x0c\x15\x17\x07\x16\x08\x18\x20\x2a\x30"))
	}
	chunks := map[string]int{}
	for _, set := range optionSets {
		chunks[set.name] = offered(set)
	}
	f.Fuzz(func(t *testing.T, kind byte, program []byte) {
		set := optionSets[int(kind)%len(optionSets)]
		if set.untrusted {
			defer setTrusted(false)()
		}
		program = slices.Clone(program[:min(len(program), 100)])
		for i := range program {
			program[i] %= byte(len(alphabet))
		}
		(&world{t: t, set: set, program: program, chunk: chunks[set.name]}).spell(alphabet)
	})
}
