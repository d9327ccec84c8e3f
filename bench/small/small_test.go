package small

import (
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/harena-go/arena/bench/suite"
)

// peers returns the peers in this build.
func peers() []string {
	return slices.DeleteFunc(Suite().Peers, func(p string) bool {
		_, err := inRuntime()
		return p == suite.Runtime && err != nil
	})
}

// TestSums checks against numbers computed by hand, or nearly.
func TestSums(t *testing.T) {
	if size := unsafe.Sizeof(object{}); unsafe.Sizeof(uintptr(0)) == 8 && size != 64 {
		t.Errorf("an object has %d bytes", size)
	}
	for _, peer := range peers() {
		do, err := server(peer)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 2, 3, 1000, 1} {
			want := int64(n*(n-1)/2 + 24*n)
			for i := range n {
				want += int64(text24[i%24])
			}
			if got := do(n); got != want {
				t.Errorf("%s: the sum of %d objects is %d, want %d", peer, n, got, want)
			}
			if n == 2 {
				runtime.GC()
			}
		}
	}
}

func TestRows(t *testing.T) {
	sum := ""
	for _, peer := range peers() {
		out, err := run(peer, suite.Config{Quick: true})
		if err != nil {
			t.Fatal(err)
		}
		var x []int
		for _, r := range out.Results {
			x = append(x, int(r.X))
			// A request takes a nanosecond for each object at the very least.
			if r.Peer != peer || r.Unit != suite.Seconds || r.Values[0] < r.X*1e-9 {
				t.Errorf("odd result: %+v", r)
			}
		}
		if !slices.Equal(x, sizes) {
			t.Errorf("%s has rows of %v objects", peer, x)
		}
		if sum == "" {
			sum = out.Checksum
		}
		if out.Checksum != sum || sum == "" {
			t.Errorf("%s has the checksum %q, want %q", peer, out.Checksum, sum)
		}
	}
}

func TestRowsAreChosen(t *testing.T) {
	out, err := run(suite.Heap, suite.Config{Quick: true, Rows: "objects-1000"})
	if err != nil || len(out.Results) != 1 || out.Results[0].X != 1000 {
		t.Errorf("%+v, %v", out.Results, err)
	}
}

func TestUnknownPeer(t *testing.T) {
	if _, err := run("magic", suite.Config{Quick: true}); err == nil {
		t.Error("no error")
	}
}
