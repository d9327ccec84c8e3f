package memory

import (
	"testing"
	"time"
	"unsafe"

	"github.com/harena-go/arena/bench/suite"
)

// brief is a load that takes a tenth of a second.
var brief = load{100 << 10, 32 << 20, 50 * time.Millisecond, 100 * time.Millisecond}

func TestRows(t *testing.T) {
	sum := ""
	for _, peer := range Suite().Peers {
		out, err := run(peer, suite.Config{}, brief)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for _, r := range out.Results {
			if r.Suite != name || r.Peer != peer || r.Title == "" || len(r.Values) != 1 || r.Values[0] <= 0 {
				t.Errorf("odd result: %+v", r)
			}
			got[r.Row] = r.Values[0]
		}
		if got["rss-at-spike"] < float64(brief.spike) || got["rss-at-spike"] < got["rss-before"] {
			t.Errorf("%s shows no spike: %v", peer, got)
		}
		for _, row := range []string{"rss-after", "rss-after-scavenge"} {
			if got[row] < 1<<20 || got[row] > 2*got["rss-at-spike"] {
				t.Errorf("%s, %s: %v bytes, after a peak of %v", peer, row, got[row], got["rss-at-spike"])
			}
		}
		for _, row := range []string{"reserved-per-used-1k", "reserved-per-used-10k", "reserved-per-used-100k"} {
			if v, ok := got[row]; ok == (peer == suite.SyncPool) || ok && v < 1 || v > 4 && suite.Ours(peer) && row[len(row)-2] != '1' {
				t.Errorf("%s, %s: %v", peer, row, v)
			}
		}
		if sum == "" {
			sum = out.Checksum
		}
		if out.Checksum != sum || sum == "" {
			t.Errorf("%s has the checksum %q, want %q", peer, out.Checksum, sum)
		}
		checkCurve(t, out)
	}
}

func checkCurve(t *testing.T, out suite.Output) {
	t.Helper()
	if len(out.Curves) != 1 {
		t.Fatalf("%d curves", len(out.Curves))
	}
	c := out.Curves[0]
	if len(c.X) != len(c.Y) || len(c.X) < 4 || c.X[0] > 0.1 || c.X[len(c.X)-1] < 0.15 {
		t.Errorf("the curve is at %v", c.X)
	}
	most := 0.0
	for i := range c.X {
		most = max(most, c.Y[i])
		if i > 0 && c.X[i] <= c.X[i-1] {
			t.Errorf("time goes back: %v", c.X)
		}
	}
	if most < float64(brief.spike)*3/4 {
		t.Errorf("the curve's highest point is %v, with a spike of %d", most, brief.spike)
	}
}

func TestRowsAreChosen(t *testing.T) {
	out, err := run(suite.Harena, suite.Config{Rows: "reserved-per-used-10k"}, brief)
	if err != nil || len(out.Results) != 1 || len(out.Curves) != 0 {
		t.Errorf("%+v, %v", out.Results, err)
	}
}

// TestRequestSize says that a request takes about as much as it says.
func TestRequestSize(t *testing.T) {
	const n = 1 << 20
	c := &counter{}
	serve(c, n)
	if c.total < n*9/10 || c.total > n*11/10 {
		t.Errorf("a request of %d bytes takes %d", n, c.total)
	}
	size := unsafe.Sizeof(mix8{}) + unsafe.Sizeof(mix16{}) + unsafe.Sizeof(mix24{}) +
		unsafe.Sizeof(mix40{}) + unsafe.Sizeof(mix64{}) + unsafe.Sizeof(mix192{}) + nameBytes
	if unsafe.Sizeof(uintptr(0)) == 8 && size != mixBytes {
		t.Errorf("a mix takes %d bytes, mixBytes is %d", size, mixBytes)
	}
}

// A counter is the heap, counted.
type counter struct{ total int }

func (c *counter) record() *record {
	c.total += int(unsafe.Sizeof(record{}))
	return new(record)
}

func (c *counter) text(b []byte) string {
	c.total += len(b)
	return string(b)
}

func (c *counter) bytes(n int) []byte {
	c.total += n
	return make([]byte, n)
}

func (c *counter) counts(n int) []int64 {
	c.total += 8 * n
	return make([]int64, n)
}

func TestUnknownPeer(t *testing.T) {
	if _, err := run("magic", suite.Config{}, brief); err == nil {
		t.Error("no error")
	}
}
