package main

import (
	"testing"

	"google.golang.org/protobuf/proto"
)

// TestDecodersAgree: all readable fields of the decoders' messages are the same, twice: a call doesn't disturb the next
// one. arenaproto's own tests compare the rest.
func TestDecodersAgree(t *testing.T) {
	for _, small := range []bool{true, false} {
		for _, in := range inputs(small) {
			sums := map[uint64]string{}
			for name, make := range decoders {
				do := make(in)
				for i := 0; do != nil && i < 2; i++ {
					m, err := do(in.data)
					if err != nil {
						t.Fatalf("%s, %s: %v", name, in.name, err)
					}
					if m != nil {
						sums[m.Checksum()] = name
					}
				}
			}
			if len(sums) > 1 || len(sums) == 0 && in.message != nil {
				t.Errorf("%s: checksums %v", in.name, sums)
			}
		}
	}
}

// TestChecksumsSeeAllFields: without one of its parts a message has another checksum.
func TestChecksumsSeeAllFields(t *testing.T) {
	for _, in := range inputs(true) {
		if in.message == nil {
			continue
		}
		whole := in.message.(readable).Checksum()
		for i := range in.message.ProtoReflect().Descriptor().Fields().Len() {
			m := proto.Clone(in.message)
			r := m.ProtoReflect()
			fd := r.Descriptor().Fields().Get(i)
			if !r.Has(fd) {
				continue
			}
			if r.Clear(fd); m.(readable).Checksum() == whole {
				t.Errorf("%s: %s isn't read", in.name, fd.FullName())
			}
		}
	}
}

// TestSizes: batches have usual sizes.
func TestSizes(t *testing.T) {
	for _, in := range inputs(false) {
		least, most := 34_000, 50_000
		switch in.name {
		case "span":
			least, most = 900, 1200
		case "small":
			least, most = 61, 65
		case "wide", "maps-5", "maps-40":
			least, most = 400, 5000
		case "descriptor", "remote-write", "pods":
			least, most = 15_000, 70_000
		case "export":
			least, most = 150_000, 200_000
		}
		if n := len(in.data); n < least || n > most {
			t.Errorf("%s: %d bytes", in.name, n)
		}
	}
}
