package main

import "testing"

// TestBriefPlan: a run without flags takes a minute at most, without any program but this one, and all that it
// measures is there.
func TestBriefPlan(t *testing.T) {
	f, err := parse(nil, t.Output())
	if err != nil || !f.brief {
		t.Fatal(f, err)
	}
	p, err := makePlan(f)
	if err != nil || len(p.suites) != len(glances) {
		t.Fatal(p, err)
	}
	if s := p.seconds(); s > 75 {
		t.Errorf("it takes %.0f s", s)
	}
	for _, s := range p.suites {
		all := suites()
		for _, one := range all {
			if one.Name == s.Name && one.Peers[0] != s.Peers[0] {
				t.Errorf("%s: compared with %s", s.Name, s.Peers[0])
			}
		}
		for _, peer := range s.Peers {
			if needsBuild(peer) || s.Build != nil {
				t.Errorf("%s/%s needs a build of its own", s.Name, peer)
			}
		}
	}
	for _, args := range [][]string{{"-full"}, {"-quick"}, {"-suites", "gc"}, {"-publish"}, {"-rounds", "2"}} {
		if f, err := parse(args, t.Output()); err != nil || f.brief {
			t.Errorf("%q is taken for no flags (%v)", args, err)
		}
	}
}
