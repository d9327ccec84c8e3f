package report

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/harena-go/arena/bench/suite"
)

// sample is a report such as a full run gives: all suites, with rows and peers
// like theirs, and six rounds with a little noise. All goals are reached. The
// numbers are the same in each call.
func sample() *Report {
	m := &maker{report: &Report{Machine: Machine{CPU: "Test <CPU> @ 2.50GHz", Cores: 2, MaxProcs: 2, OS: "linux/amd64", Kernel: "6.1.0", Go: "go1.99",
		Rustc: "rustc 1.90.0", Date: "2031-01-02", Command: "go run ./bench -json run.json", Rounds: 6, Seconds: 1234,
		Versions: map[string]string{"github.com/ortuman/nuke": "v1.3.0", "github.com/wundergraph/go-arena": "v1.3.0", "bumpalo": "3.19.0"}},
		Notes: []string{"GOGC=100 was set for all of it"}}, random: rand.New(rand.NewPCG(1, 2))}
	m.micro("micro", 1)
	m.micro("micro-gc", 1.6)
	m.mixed()
	m.checks()
	m.collector()
	m.programs()
	m.servers()
	m.observed()
	m.scales()
	m.memory()
	m.collections()
	m.json()
	m.wire()
	m.rows()
	m.service()
	for p, text := range map[string]string{suite.Nuke: "returns memory that is not zeroed after a reset", suite.Wundergraph: "the collector does not see pointers that are stored in its memory"} {
		m.report.Remarks = append(m.report.Remarks, suite.Remark{Peer: p, Text: text})
	}
	return m.report
}

type maker struct {
	report *Report
	random *rand.Rand
}

var everyone = []string{suite.Heap, suite.SyncPool, suite.Runtime, suite.Nuke, suite.Wundergraph, suite.Pavanmanishd, suite.Limpo1989,
	suite.Goutil, suite.Bumpalo, suite.Harena, suite.Typed, suite.SelfContained}

// factor is about how long a peer takes for what takes the heap 20.
var factor = map[string]float64{suite.Heap: 20, suite.SyncPool: 11, suite.Runtime: 38, suite.Nuke: 5.4, suite.Wundergraph: 6.1, suite.Pavanmanishd: 4.9,
	suite.Limpo1989: 31, suite.Goutil: 7.2, suite.ByteBufferPool: 14, suite.Bumpalo: 1.1, suite.Harena: 1.5, suite.Typed: 1.55, suite.SelfContained: 1.45, "harena-shared": 1.9}

func (m *maker) suite(name, title, plot string, peers ...string) {
	m.report.Suites = append(m.report.Suites, Suite{Name: name, Title: title, Plot: plot, Peers: peers, Rounds: 6,
		About: "This says in two sentences what is measured and how. Five million other objects are live meanwhile, which the collector has to look at in each cycle.", Note: "2,131 files"})
}

// add gives a peer a row.
func (m *maker) add(r suite.Result, value float64) {
	for range 6 {
		r.Values = append(r.Values, value*(1+0.01*m.random.Float64()))
	}
	if r.Peer == suite.Nuke {
		r.Remark = "not zeroed"
	}
	m.report.Results = append(m.report.Results, r)
}

// all gives a row to all peers of the newest suite that have a factor.
func (m *maker) all(r suite.Result, scale float64) {
	s := m.report.Suites[len(m.report.Suites)-1]
	for _, p := range s.Peers {
		if f, ok := factor[p]; ok {
			r.Suite, r.Peer = s.Name, p
			v := f * scale
			if r.More {
				v = scale / f
			}
			m.add(r, v)
		}
	}
}

func (m *maker) micro(name string, slower float64) {
	m.suite(name, "One operation in a loop", "bars", everyone...)
	row := func(group, name, title string, ns float64) {
		m.all(suite.Result{Group: group, Row: name, Title: title, Unit: suite.Seconds}, slower*ns*1e-9)
	}
	row("fixed", "new-8", "New, 8 B", 0.4)
	row("fixed", "new-64", "New, 64 B", 1)
	row("fixed", "new-node", "New, 24 B node with two pointers", 0.8)
	row("fixed", "new-1k", "New, 1 KiB", 9)
	for i, n := range []int{1, 2, 64, 1024} {
		m.all(suite.Result{Group: "array", Row: fmt.Sprintf("array-%d", n), Title: fmt.Sprintf("[%d]int", n), Unit: suite.BytesPerSecond, More: true}, 4e9*math.Pow(3, float64(i)))
	}
	for _, n := range []int{8, 32, 256} {
		row("string", fmt.Sprintf("string-%d", n), fmt.Sprintf("AllocString, %d B", n), 1+float64(n)/100)
	}
	row("slice", "slice-1k", "MakeSlice, 1 KiB of bytes", 8)
	row("lifetime", "uninit-1k", "MakeSliceUninit, 1K ints", 3)
	row("lifetime", "uninit-1m", "MakeSliceUninit, 1M ints", 3.3)
	for _, n := range []int{100, 1000, 100_000} {
		row("append", fmt.Sprintf("append-%d", n), fmt.Sprintf("Append %s ints one at a time", count(float64(n))), float64(n)/10)
	}
	row("lifetime", "growth-first", "New, 64 B, chunks 1-100", 2)
	row("lifetime", "growth-last", "New, 64 B, while chunks 901 to 1,000 are added one after the other", 2.1)
	live := suite.Result{Group: "lifetime", Row: "live-1000", Title: "1,000 live arenas, 64 B in each", Unit: suite.Bytes}
	m.all(live, 2<<20)
	for p, v := range map[string]float64{suite.SyncPool: 12e-9, suite.Harena: 30e-9} {
		m.add(suite.Result{Suite: name, Group: "lifetime", Row: "pool-get-put", Title: "Get and Put", Unit: suite.Seconds, Peer: p}, v)
	}
	m.add(suite.Result{Suite: name, Group: "lifetime", Row: "huge", Title: "what takes the heap very long", Unit: suite.Seconds, Peer: suite.Heap}, 123)
	m.add(suite.Result{Suite: name, Group: "lifetime", Row: "huge", Title: "what takes the heap very long", Unit: suite.Seconds, Peer: suite.Harena}, 1e-6)
	for i, peer := range []string{suite.Heap, suite.Harena} { // so noisy that even this ratio may be noise
		m.report.Results = append(m.report.Results, suite.Result{Suite: name, Group: "lifetime", Row: "noisy", Title: "what is noise", Unit: suite.Seconds, Peer: peer,
			Values: [][]float64{{7e-3, 7e-3, 7e-3, 7e-3, 1e-9, 1e-9}, {1e-6, 1e-6, 1e-6, 1e-6, 1, 1}}[i]})
	}
	for p, v := range map[string]float64{suite.Heap: 11, suite.Harena: 0} {
		m.add(suite.Result{Suite: name, Group: "allocs", Row: "append-1000-allocs", Title: "Append 1,000 ints: heap allocations", Unit: suite.Count, Peer: p}, v)
	}
}

func (m *maker) collections() {
	m.suite("collections", "Containers", "bars", suite.Heap, suite.Harena, suite.SelfContained)
	for _, n := range []int{10, 1000, 1_000_000} {
		for _, row := range []string{"map-of-int-build", "map-of-string-build", "map-of-int-hit", "map-of-string-miss", "slice-build", "buffer-build"} {
			r := suite.Result{Group: "containers", Row: fmt.Sprintf("%s-%d", row, n), Title: row + ", " + count(float64(n)), Unit: suite.Seconds}
			m.all(r, 1e-9)
			r.Row, r.Title = r.Row+"-cpu", r.Title+", CPU"
			m.all(r, 1.1e-9)
		}
	}
}

// slowness is how long a library takes for what takes ours 1 of JSON.
var slowness = map[string]float64{suite.StandardJSON: 14, suite.NewerJSON: 6, suite.NewerV2JSON: 4.8, suite.GoccyJSON: 2.6, suite.SonicJSON: 2.7,
	suite.EasyJSON: 1.1, suite.SonicRs: 1.2, suite.SerdeJSON: 1.9, suite.Harena: 1, suite.HarenaReference: 0.9}

func (m *maker) json() {
	peers := []string{suite.StandardJSON, suite.NewerJSON, suite.NewerV2JSON, suite.GoccyJSON, suite.SonicJSON, suite.EasyJSON, suite.SerdeJSON, suite.SonicRs,
		suite.Harena, suite.HarenaReference}
	m.suite("json", "JSON", "bars", peers...)
	row := func(group, text string, peers ...string) {
		for _, p := range peers {
			r := suite.Result{Suite: "json", Group: group, Row: group + "-" + text, Title: group + ", " + text, Peer: p, Unit: suite.Seconds}
			m.add(r, slowness[p]*1e-6)
		}
	}
	row("first", "twitter", suite.StandardJSON, suite.Harena)
	row("members", "4 of 60", peers[:9]...)
	for _, text := range []string{"order", "citm"} {
		row("typed", text, peers[:9]...)
		row("any", text, suite.StandardJSON, suite.GoccyJSON, suite.SonicJSON, suite.Harena)
		row("object", text, suite.Harena)
		row("write", text, suite.NewerJSON, suite.GoccyJSON, suite.Harena)
	}
	row("handler", "order", suite.SonicJSON, suite.Harena, suite.HarenaReference)
	for p, n := range map[string]float64{suite.SonicJSON: 12, suite.Harena: 0} {
		m.add(suite.Result{Suite: "json", Group: "allocs", Row: "allocs-handler-order", Title: "heap allocations", Peer: p, Unit: suite.Count}, n)
	}
}

// decoding is how long a decoder takes for what takes ours 1.
var decoding = map[string]float64{suite.Protobuf: 9, suite.Gogo: 11, suite.VTProto: 6, suite.VTProtoPool: 3, suite.Hyperpb: 1.7, suite.HyperpbProfiled: 1.4,
	suite.Harena: 1, suite.HarenaOnHeap: 8}

func (m *maker) rows() {
	peers := []string{suite.Pgx, suite.DatabaseSQL, suite.BytesAlone, suite.Harena}
	m.suite("rows", "Rows", "bars", peers...)
	for i, v := range []float64{8, 9, 0.98, 1} {
		p := peers[i]
		for _, n := range []string{"1", "10000"} {
			m.add(suite.Result{Suite: "rows", Group: "row", Row: "row-" + n, Title: "a row, " + n, Peer: p, Unit: suite.Seconds}, v*1e-7)
			m.add(suite.Result{Suite: "rows", Group: "allocs", Row: "allocs-" + n, Title: "allocations, " + n, Peer: p, Unit: suite.Count}, (v-1)*0.5)
		}
	}
}

func (m *maker) service() {
	peers := []string{suite.Heap, suite.SonicJSON, suite.Harena}
	m.suite("service", "A web service", "bars", peers...)
	for i, v := range []float64{5, 1.7, 1} {
		for _, row := range []string{"post", "get-one", "get-100", "get-200", "customers", "search"} {
			m.add(suite.Result{Suite: "service", Group: row, Row: row, Title: row + ", CPU", Peer: peers[i], Unit: suite.Seconds}, v*1e-4)
			m.add(suite.Result{Suite: "service", Group: row, Row: row + "-rss", Title: row + ", memory", Peer: peers[i], Unit: suite.Bytes}, 40<<20)
		}
	}
}

func (m *maker) wire() {
	peers := []string{suite.Protobuf, suite.VTProto, suite.VTProtoPool, suite.Hyperpb, suite.HyperpbProfiled, suite.Harena, suite.HarenaOnHeap}
	gogo := []string{suite.Gogo, suite.Harena, suite.HarenaOnHeap}
	m.suite("wire", "Protobuf", "bars", suite.Protobuf, suite.Gogo, suite.VTProto, suite.VTProtoPool, suite.Hyperpb, suite.HyperpbProfiled, suite.Harena,
		suite.HarenaOnHeap)
	row := func(group, input, peer string, unit suite.Unit, v float64) {
		m.add(suite.Result{Suite: "wire", Group: group, Row: group + "-" + input, Title: group + ", " + input, Peer: peer, Unit: unit}, v)
	}
	for _, input := range []string{"traces", "small", "remote-write", "pods"} {
		if input == "remote-write" {
			peers = gogo
		}
		for _, p := range peers {
			row("decode", input, p, suite.Seconds, decoding[p]*1e-6)
			allocs := 400.0
			if p == suite.Harena && input != "pods" {
				allocs = 0
			}
			row("allocs", input, p, suite.Count, allocs)
			if input == "traces" {
				row("read", input, p, suite.Seconds, decoding[p]*1.1e-6)
			}
		}
	}
}

func (m *maker) mixed() {
	m.suite("mixed", "Twelve types, interleaved", "bars", everyone...)
	m.all(suite.Result{Row: "mixed", Title: "12 types, in turn", Unit: suite.Seconds}, 2e-9)
}

func (m *maker) checks() {
	m.suite("checks", "What the peers promise", "table", everyone[1:]...)
	for i, row := range []string{"strings lost after a collection", "bytes that are not zero", "objects that overlap", "misaligned objects"} {
		for k, p := range everyone[1:] {
			m.add(suite.Result{Suite: "checks", Row: fmt.Sprint("check-", i), Title: row, Peer: p, Unit: suite.Count}, float64((i*k)%3*499))
		}
	}
}

func (m *maker) collector() {
	peers := []string{suite.Heap, suite.Runtime, suite.Nuke, suite.Wundergraph, suite.Goutil, suite.Harena, suite.SelfContained, "empty"}
	m.suite("gc", "What one collection costs", "loglog", peers...)
	cost := map[string]float64{suite.Heap: 9e-9, suite.Runtime: 1.9e-9, suite.Nuke: 0.4e-11, suite.Wundergraph: 0.5e-11, suite.Goutil: 0.6e-11, suite.Harena: 2.1e-9, suite.SelfContained: 1e-13, "empty": 0}
	for _, n := range []int{1e4, 1e5, 1e6, 1e7} {
		for _, p := range peers {
			m.add(suite.Result{Suite: "gc", Row: fmt.Sprintf("full-gc-%d", n), Title: "full GC, " + count(float64(n)) + " objects", X: float64(n), Unit: suite.Seconds, Peer: p}, 120e-6+cost[p]*float64(n))
		}
	}
	for _, p := range []string{suite.Heap, suite.Harena, suite.SelfContained} {
		m.add(suite.Result{Suite: "gc", Row: "reserved", Title: "reserved / asked for", Unit: suite.Ratio, Peer: p}, 1.02)
	}
}

func (m *maker) programs() {
	m.suite("index", "An index of Go's standard library", "bars", suite.Heap, suite.Harena, suite.SelfContained, "scan-only")
	m.all(suite.Result{Row: "wall", Title: "wall time", Unit: suite.Seconds}, 0.2)
	m.all(suite.Result{Row: "mallocs", Title: "heap allocations", Unit: suite.Count}, 2e5)
	m.suite("trees", "binary-trees", "bars", everyone...)
	m.all(suite.Result{Row: "wall", Title: "wall time", Unit: suite.Seconds}, 0.05)
	m.all(suite.Result{Row: "gc-cycles", Title: "GC cycles", Unit: suite.Count}, 9)
}

func (m *maker) servers() {
	peers := []string{suite.Heap, suite.SyncPool, suite.Harena, suite.SelfContained, "heap-table", "null", "parse-only"}
	for i, name := range []string{"server", "server-in-process"} {
		m.suite(name, "A server, "+name, "bars", peers...)
		s := &m.report.Suites[len(m.report.Suites)-1]
		s.Once = peers[3:]
		row := func(name, title string, u suite.Unit, scale float64) {
			m.all(suite.Result{Row: name, Title: title, Unit: u}, scale)
		}
		m.all(suite.Result{Row: "rps", Title: "requests per second", Unit: suite.PerSecond, More: true}, 320_000/float64(i+1))
		for k, q := range []string{"p50", "p90", "p99", "p999", "max"} {
			row(q, "time of a request, "+q, suite.Seconds, 4e-6*math.Pow(3, float64(k)))
		}
		row("cpu", "CPU time of a request", suite.Seconds, 6e-6)
		row("mallocs", "heap allocations", suite.Count, 2.3e5)
		row("gc-cpu", "GC CPU time", suite.Seconds, 0.2)
		row("peak-rss", "peak RSS", suite.Bytes, 35<<20)
		m.add(suite.Result{Suite: name, Row: "cpu", Title: "CPU time of a request", Unit: suite.Seconds, Peer: "null"}, 8e-6)
		for _, p := range peers[:4] {
			c := suite.Curve{Suite: name, Name: "time of a request", Peer: p, XUnit: suite.Quantile, YUnit: suite.Seconds, YLog: true}
			for _, q := range []float64{0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9999, 0.99999} {
				c.X, c.Y = append(c.X, q), append(c.Y, factor[p]*3e-6*math.Pow(-math.Log10(1-q)+0.7, 2.5))
			}
			m.report.Curves = append(m.report.Curves, c)
		}
	}
}

func (m *maker) observed() {
	peers := []string{suite.Harena, "harena-observed"}
	m.suite("server-observed", "What it costs to observe", "table", peers...)
	for _, p := range peers {
		m.add(suite.Result{Suite: "server-observed", Row: "cpu-ratio", Title: "CPU time against others", Unit: suite.Ratio, Peer: p}, 0.9)
	}
}

func (m *maker) scales() {
	peers := []string{suite.Heap, suite.SyncPool, suite.Harena, suite.SelfContained, "harena-shared"}
	m.suite("scale", "More goroutines", "lines", peers...)
	for _, n := range []int{1, 2, 4, 8, 16} {
		m.all(suite.Result{Row: fmt.Sprintf("throughput-%d", n), Title: fmt.Sprintf("%d goroutines", n), X: float64(n), Unit: suite.PerSecond, More: true}, 1e8*math.Sqrt(float64(min(n, 4))))
	}
	m.suite("small", "Where arenas don't pay", "loglog", peers...)
	for _, n := range []int{1, 10, 100} {
		m.all(suite.Result{Row: fmt.Sprintf("objects-%d", n), Title: fmt.Sprintf("%d objects", n), X: float64(n), Unit: suite.Seconds}, (40+float64(n))*1e-9)
	}
}

func (m *maker) memory() {
	peers := []string{suite.Heap, suite.Nuke, suite.Limpo1989, suite.Harena}
	m.suite("memory", "Memory, and after a spike", "bars", peers...)
	m.all(suite.Result{Row: "reserved-used", Title: "reserved / used", Unit: suite.Ratio}, 0.7)
	m.all(suite.Result{Row: "rss-after-spike", Title: "RSS after a spike", Unit: suite.Bytes}, 10<<20)
	for _, p := range peers {
		c := suite.Curve{Suite: "memory", Name: "memory over time", Peer: p, XUnit: suite.Seconds, YUnit: suite.Bytes}
		for i := range 400 {
			x := float64(i) / 40
			c.X, c.Y = append(c.X, x), append(c.Y, (80+10*math.Log(factor[p])*math.Sin(x*5)+200*math.Exp(-(x-4)*(x-4)*6))*(1<<20))
		}
		m.report.Curves = append(m.report.Curves, c)
	}
}

// spoil replaces what was measured.
func spoil(r *Report, suite, row, peer string, value float64) {
	m := r.result(suite, row, peer)
	for i := range m.Values {
		m.Values[i] = value
	}
}
