package server

import (
	"bytes"
	"encoding/json"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"testing"
)

// answering are the handlers that do the work.
var answering = slices.DeleteFunc(InProcess().Peers, func(peer string) bool { return peer == parseOnce })

// TestHandlersAgree runs all batches through all handlers, twice: the second
// time most memory is used again.
func TestHandlersAgree(t *testing.T) {
	bodies := Batches(300)
	var want []string
	for _, name := range answering {
		h, err := NewHandler(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 * len(bodies) {
			var out bytes.Buffer
			if err := h.Handle(bodies[i%len(bodies)], &out); err != nil {
				t.Fatal(err)
			}
			if len(want) <= i {
				want = append(want, out.String())
			}
			if out.String() != want[i%len(bodies)] {
				t.Fatalf("%s, request %d:\n%s\nwant\n%s", name, i, out.String(), want[i%len(bodies)])
			}
		}
	}
}

// TestAnswer computes a small answer by hand.
func TestAnswer(t *testing.T) {
	const body = `ts=2026-01-01T00:00:01Z level=error service=a route=/x us=20 trace=t1 span=0000000000000001 tags=retry,retry samples=1,2 label.region=eu
ts=2026-01-01T00:00:00Z level=info service="b\"" route=/x status=500 us=19 trace=t2 span=0000000000000002 parent=0000000000000001
ts=2026-01-01T00:00:02Z service=a route=/y us=5000000 trace=t3 parent=0000000000000002 samples=-4 label.region=eu label.v=1`
	const want = `{"records":3,"errors":2,"first":1767225600000000,"last":1767225602000000,` +
		`"debug":1,"info":1,"warn":0,"error":1,"fatal":0,"samples":3,"sum":-1,"retries":1,"labels":3,"depth":3,` +
		`"services":[{"name":"a","n":2,"errors":1},{"name":"b\"","n":1,"errors":1}],` +
		`"routes":[{"name":"/x","n":2,"errors":2,"slowest":20,"trace":"t1","us":[0,2,0,0,0,0,0,0]},` +
		`{"name":"/y","n":1,"errors":0,"slowest":5000000,"trace":"t3","us":[0,0,0,0,0,1,0,0]}],` +
		`"regions":[{"name":"eu","n":2,"errors":1},{"name":"","n":1,"errors":1}]}` + "\n"
	for _, name := range answering {
		h, _ := NewHandler(name)
		var out bytes.Buffer
		if err := h.HandleFrom(strings.NewReader(body), len(body), &out); err != nil || out.String() != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, out.String(), want)
		}
	}
}

func TestAnswersFitTheirRoom(t *testing.T) {
	worst := &Group{
		Name: strings.Repeat("\x01", 50), SlowestTrace: strings.Repeat("\x02", 50),
		Records: math.MaxInt, Errors: math.MaxInt, Slowest: math.MinInt64,
	}
	for i := range worst.Durations {
		worst.Durations[i] = math.MaxUint32
	}
	groups := []*Group{worst, worst, worst}
	s := &Summary{Records: math.MaxInt, Errors: math.MaxInt, First: math.MinInt64, Last: math.MinInt64, Samples: math.MaxInt, Sum: math.MinInt64,
		Retries: math.MaxInt, Labels: math.MaxInt, Depth: math.MaxInt, Services: groups, Routes: groups, Regions: groups}
	for i := range s.Levels {
		s.Levels[i] = math.MaxInt
	}
	if out := appendAnswer(nil, s); len(out) > answerSize(s) || !json.Valid(out) {
		t.Errorf("%d bytes, expected at most %d:\n%s", len(out), answerSize(s), out)
	}
}

// TestWarmArenasNeedNoHeap is the point of it all: a request whose memory comes
// from an arena that was used before allocates nothing else.
func TestWarmArenasNeedNoHeap(t *testing.T) {
	if instrumented {
		t.Skip("such a build makes sync.Pool forget at random")
	}
	body := Batches(1)[0]
	for _, name := range []string{"heap", "harena", "harena-self-contained"} {
		h, _ := NewHandler(name)
		var a audience
		request := func() {
			if err := h.Handle(body, &a); err != nil {
				t.Fatal(err)
			}
		}
		for range 1000 { // while the pool learns how much a request takes
			request()
		}
		n := testing.AllocsPerRun(1000, request)
		if (n == 0) == (name == "heap") {
			t.Errorf("%s: %v heap allocations for a request", name, n)
		}
	}
}

// TestBatchesAreTheSameEverywhere: the load process and the server's process
// make them up independently.
func TestBatchesAreTheSameEverywhere(t *testing.T) {
	all := Batches(batches)
	if sum := crc32.Checksum(bytes.Join(all, nil), castagnoli); sum != 0x6f8616a1 {
		t.Errorf("checksum %#x: the batches are others than before, and so are all numbers", sum)
	}
	dialects := map[bool]int{}
	records := 0
	for i, b := range all {
		n := bytes.Count(b, []byte{'\n'})
		if n < fewestRecords || n > mostRecords {
			t.Fatalf("batch %d has %d records", i, n)
		}
		records += n
		dialects[b[0] == '{']++
		if got := parsed(t, string(b)); got.Records != n {
			t.Fatalf("batch %d: %d of %d records", i, got.Records, n)
		}
	}
	if dialects[true] != batches/2 || records < 19*batches || records > 21*batches {
		t.Errorf("%d of %d batches are JSON, %d records: want half, and some 20 a batch", dialects[true], batches, records)
	}
	if !bytes.Equal(all[7], Batches(8)[7]) {
		t.Error("a batch depends on how many there are")
	}
}

func TestUnknownHandler(t *testing.T) {
	if _, err := NewHandler("magic"); err == nil || !strings.Contains(err.Error(), `"magic"`) {
		t.Error(err)
	}
}
