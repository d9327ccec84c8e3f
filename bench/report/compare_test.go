package report

import (
	"strings"
	"testing"

	"github.com/harena-go/arena/bench/suite"
)

func TestCompareFindsWhatChanged(t *testing.T) {
	now, old := sample(), sample()
	spoil(old, "micro", "new-64", suite.Harena, 3e-9)                       // was slower
	spoil(old, "server", "rps", suite.Harena, 1e6)                          // was more
	old.result("gc", "reserved", suite.Harena).Values[0] = 5                // one odd round
	old.result("gc", "reserved", suite.Heap).Row = "reserved-then"          // has another name now
	old.Machine.Go = "go1.98"                                               // may explain all
	old.Machine.Versions = map[string]string{"github.com/ortuman/nuke": ""} // its version wasn't recorded
	c := now.Compare(old)
	if w := c.Worse(); len(w) != 1 || w[0].Suite != "server" || w[0].Row != "rps" || w[0].P > 0.05 {
		t.Errorf("worse: %+v", w)
	}
	if b := c.Better(); len(b) != 1 || b[0].Row != "new-64" || !strings.HasPrefix(b[0].Delta(), "-49.") {
		t.Errorf("better: %+v", b)
	}
	if len(c.Missing) != 2 || len(c.Changes) != len(now.Results)-1 {
		t.Errorf("missing %q, %d changes of %d results", c.Missing, len(c.Changes), len(now.Results))
	}
	var b strings.Builder
	c.Print(&b)
	now.Against = &c
	page := shown(t, now)["page"]
	for _, want := range []string{"1 are better and 1 worse", "go1.98 then, go1.99 now", "nuke"} {
		if !strings.Contains(b.String(), want) || !strings.Contains(page, want) {
			t.Errorf("the table or the page lacks %q", want)
		}
	}
	if !strings.Contains(b.String(), "~") || !strings.Contains(b.String(), "p=0.002") || strings.Contains(page, "%!") {
		t.Error("what may be noise isn't marked with a tilde, or a chance is missing")
	}
}

func TestCompareWithItself(t *testing.T) {
	r := sample()
	c := r.Compare(sample())
	if len(c.Differs)+len(c.Missing)+len(c.Worse())+len(c.Better()) != 0 || len(c.Changes) != len(r.Results) {
		t.Errorf("a run differs from itself: %s; %q %q", c.Summary(), c.Differs, c.Missing)
	}
}
