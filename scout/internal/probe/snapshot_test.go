package probe

import (
	"strings"
	"testing"
)

const snapshot = "units 15 atonce 0 inside 1\n" +
	"site 1 48 30 1440\n\truntime.newobject\t/go/malloc.go\t9\n\tp.Unit\t/p/p.go\t7\n" +
	"site 1 48 1 48\n\tp.arenascoutSnapshot\t/p/zz.go\t9\n\tp.Unit\t/p/p.go\t7\n" +
	"end\n"

// TestSnapshot: sites are read with their stacks, without the probe's own.
func TestSnapshot(t *testing.T) {
	s, err := parse(strings.NewReader(snapshot))
	if err != nil {
		t.Fatal(err)
	}
	if s.Units != 15 || s.Inside != 1 || len(s.Sites) != 1 {
		t.Fatalf("%+v", s)
	}
	site := s.Sites[0]
	if site.AliveObjects != 1 || site.Alive != 48 || site.Objects != 30 || site.Bytes != 1440 || len(site.Stack) != 2 || site.Stack[1] != (Frame{"p.Unit", "/p/p.go", 7}) {
		t.Errorf("%+v", site)
	}
}

// TestBrokenSnapshot: an incomplete snapshot is an error, wherever it ends.
func TestBrokenSnapshot(t *testing.T) {
	for n := range len(snapshot) - 1 {
		if s, err := parse(strings.NewReader(snapshot[:n])); err == nil && n < len(snapshot)-len("end\n") {
			t.Errorf("%q: %+v", snapshot[:n], s)
		}
	}
	for _, text := range []string{"units x\n", "units 1 atonce 0 inside 1\nrubbish\nend\n", "units 1 atonce 0 inside 1\n\ta\tb\t1\nend\n", "units 1 atonce 0 inside 1\nsite 1 2 3 4\n\ta\tb\nend\n"} {
		if s, err := parse(strings.NewReader(text)); err == nil {
			t.Errorf("%q: %+v", text, s)
		}
	}
}
