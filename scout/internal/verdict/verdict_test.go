package verdict

import (
	"testing"

	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/sites"
)

// TestOf: without a dump and without source, the live objects and the kinds decide.
func TestOf(t *testing.T) {
	const units = 1000
	for name, test := range map[string]struct {
		site sites.Site
		want Verdict
	}{
		"dies":                  {sites.Site{Kind: sites.Object, Objects: units, Bytes: 64 * units}, Move},
		"a map":                 {sites.Site{Kind: sites.Map, Objects: units, Bytes: 64 * units}, Helper},
		"a library":             {sites.Site{Kind: sites.Append, Lib: "strings.Fields", Objects: units, Bytes: 64 * units}, Helper},
		"a driver":              {sites.Site{Kind: sites.Object, Lib: "database/sql.(*DB).Query", Objects: units, Bytes: 64 * units}, Leave},
		"a channel":             {sites.Site{Kind: sites.Channel, Objects: units, Bytes: 64 * units}, Leave},
		"stays":                 {sites.Site{Kind: sites.Object, Objects: units, Bytes: 64 * units, AliveObjects: 900, Alive: 900 * 64}, Keep},
		"1 in 100 stays":        {sites.Site{Kind: sites.String, Objects: 10 * units, Bytes: 640 * units, AliveObjects: 100, Alive: 6400}, Clone},
		"takes another's place": {sites.Site{Kind: sites.Object, Objects: units, Bytes: 64 * units, AliveObjects: 1, Alive: 64}, Keep},
		"a table that doubles":  {sites.Site{Kind: sites.Append, Objects: 10, Bytes: 2048, AliveObjects: 1, Alive: 1024}, Keep},
	} {
		test.site.Place = probe.Frame{Function: "p.f", File: "/p/p.go", Line: 7}
		found := Of(sites.All{Units: units, Sites: []sites.Site{test.site}}, "p.Unit", nil, nil)
		if len(found) != 1 || found[0].Verdict != test.want {
			t.Errorf("%s: %+v, want %s", name, found, test.want)
		}
	}
}

// TestSums: ways to a line with the same verdict are one finding, others are separate; sorted by bytes, largest first.
func TestSums(t *testing.T) {
	place := probe.Frame{Function: "p.f", File: "/p/p.go", Line: 7}
	found := Of(sites.All{Units: 10, Sites: []sites.Site{
		{Kind: sites.Object, Place: place, Objects: 10, Bytes: 1000},
		{Kind: sites.Object, Place: place, Objects: 30, Bytes: 2000},
		{Kind: sites.Object, Place: place, Objects: 10, Bytes: 5000, AliveObjects: 10, Alive: 5000},
	}}, "p.Unit", nil, nil)
	if len(found) != 2 || found[0].Verdict != Keep || found[1].Verdict != Move {
		t.Fatalf("%+v", found)
	}
	if f := found[1]; f.Objects != 4 || f.Bytes != 300 || len(f.Sites) != 2 || f.Alive != 0 {
		t.Errorf("%+v", f)
	}
	if f := found[0]; f.Alive != 1 || f.Units != 1 {
		t.Errorf("%+v", f)
	}
}

func TestReplacement(t *testing.T) {
	for lib, want := range map[string]string{"strings.Fields": "strings.FieldsSeq", "strings.(*Builder).grow": "collections.Buffer", "encoding/json.Unmarshal": "arenajson.Unmarshal", "": "collections.Map", "example.com/x.Do": ""} {
		if got := Replacement(lib, sites.Map); got != want {
			t.Errorf("%q: %q, want %q", lib, got, want)
		}
	}
}
