package deepclone_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/harena-go/arena"
)

// A vertex of a random graph: everything that can lead somewhere.
type vertex struct {
	id      int
	next    *vertex
	edges   []*vertex
	row     []vertex // some of a row of vertices
	name    string
	raw     []byte
	leaves  [3]leaf
	leaf    *leaf
	run     []leaf
	id2     *int
	text    *string
	any     any
	anyOf   *any
	index   map[int]*vertex
	keys    map[*vertex]leaf
	anyKeys map[any]any
	self    map[string]any
	deep    **vertex
	array   *[2]leaf
}

type leaf struct {
	n  int
	to *vertex
}

// randomGraph makes a graph that data determines; any data will do.
func randomGraph(data []byte) any {
	next := func(n int) int {
		if len(data) == 0 || n == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return int(b) % n
	}
	var all []*vertex
	var rows [][]vertex
	for range 1 + next(8) {
		row := make([]vertex, 1+next(4))
		rows = append(rows, row)
		for i := range row {
			row[i].id = len(all)
			all = append(all, &row[i])
		}
	}
	text := fmt.Sprint("text of graph ", len(all))
	raw := []byte(text)
	shared := map[string]any{}
	pick := func() *vertex { return all[next(len(all))] }
	for len(data) > 0 {
		v, to := pick(), pick()
		row := rows[next(len(rows))]
		switch from := next(len(row)); next(22) {
		case 0:
			v.next = to
		case 1:
			v.edges = append(v.edges, to, nil)
		case 2:
			v.row = row[from:]
		case 3:
			v.row = row[:from]
		case 4:
			v.name = text[:next(len(text))]
		case 5:
			v.raw = raw[next(len(raw)):]
		case 6:
			v.leaf = &to.leaves[next(3)]
		case 7:
			v.run = to.leaves[next(3):]
		case 8:
			v.id2 = &to.id
		case 9:
			v.text = &to.name
		case 10:
			v.any = to
		case 11:
			v.any = leaf{next(9), to}
		case 12:
			v.any = []any{to.edges, v.any, &to.leaves, 7, text}
		case 13:
			v.anyOf = &to.any
		case 14:
			v.index = map[int]*vertex{1: to, 2: v, 3: nil}
		case 15:
			v.keys = map[*vertex]leaf{to: {1, v}, v: {2, to}}
		case 16:
			v.anyKeys = map[any]any{to: v.index, leaf{next(3), nil}: to.keys, text: v}
		case 17:
			v.self, shared[text[:1+next(5)]] = shared, to
			shared["self"] = shared
		case 18:
			v.deep = &to.next
		case 19:
			v.array = (*[2]leaf)(to.leaves[next(2):])
		case 20:
			v.edges = to.edges[:len(to.edges)/2]
		case 21:
			to.leaves[next(3)].to = v
		}
	}
	return []any{all[0], all[len(all)-1], &all[len(all)/2].leaves[1].to}
}

func TestDeepCloneOfRandomGraphs(t *testing.T) {
	for seed := range 1000 {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		data := make([]byte, r.IntN(600))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		graph := randomGraph(data)
		checkClone(t, graph, arena.DeepClone(graph))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func FuzzDeepClone(f *testing.F) {
	f.Add([]byte("0123456789abcdefghijklmnopqrstuvwxyz"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		graph := randomGraph(data)
		checkClone(t, graph, arena.DeepClone(graph))
	})
}

// Clones are made by several goroutines from one source while the GC runs all the time,
// and checked after the source is gone.
func TestDeepCloneUnderGC(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	r := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, 4000)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	source := randomGraph(data)
	first := arena.DeepClone(source)
	done := make(chan bool)
	go func() {
		for {
			select {
			case <-done:
				return
			default:
				runtime.GC()
			}
		}
	}()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 50 {
				c := arena.DeepClone(source)
				c = arena.DeepClone(c) // the source of this one is garbage at once
				checkClone(t, first, c)
			}
		})
	}
	group.Wait()
	close(done)
}
