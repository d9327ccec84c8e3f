// Package decoded has requests that arenajson has decoded into an arena.
package decoded

import (
	"io"
	"strings"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
)

type request struct {
	ID    int
	Name  string
	Items []item
	next  *request
}

type item struct {
	SKU string
	N   int
}

var (
	pool      = arena.NewPool(arena.WithReuse())
	lastName  string
	lastID    int
	lastItems []item
	requests  = map[string]*request{}
)

func name(data []byte) {
	a := pool.Get()
	defer pool.Put(a)
	var r request
	if arenajson.Unmarshal(a, data, &r) == nil {
		lastID, lastName = r.ID, r.Name // want `the global lastName keeps arena memory, which .*Pool.Put in line 34`
	}
}

func items(data []byte) {
	a := pool.Get()
	defer pool.Put(a)
	var r request
	if arenajson.Unmarshal(a, data, &r) == nil {
		lastItems = r.Items // want `the global lastItems keeps arena memory, which .*Pool.Put in line 43`
	}
}

func skus(data []byte) {
	a := pool.Get()
	defer pool.Put(a)
	var r request
	if arenajson.Unmarshal(a, data, &r) != nil {
		return
	}
	for _, i := range r.Items {
		lastName = i.SKU // want `the global lastName keeps arena memory, which .*Pool.Put in line 52`
	}
}

func decodedAndReturned(data []byte) *request {
	a := pool.Get()
	defer pool.Put(a)
	r := new(request)
	if arenajson.Unmarshal(a, data, r) != nil {
		return nil
	}
	return r // want `arena memory is returned, but the deferred Pool.Put in line \d+ reclaims it`
}

func readAndReturned(body io.Reader) string {
	a := pool.Get()
	defer pool.Put(a)
	var r request
	if arenajson.UnmarshalRead(a, body, &r) != nil {
		return ""
	}
	return r.Name // want `arena memory is returned, but the deferred Pool.Put in line \d+ reclaims it`
}

func streamed(body io.Reader) {
	a := pool.Get()
	defer pool.Put(a)
	d := arenajson.NewDecoder(body)
	for d.More() {
		var r request
		if d.Decode(a, &r) != nil { // want `the global requests keeps arena memory, which .*Pool.Put in line \d+`
			return
		}
		requests["last"] = &r
	}
}

func newAndReturned(data []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	r, err := arenajson.New[request](a, data)
	if err != nil || len(r.Items) == 0 {
		return ""
	}
	return r.Items[0].SKU // want `arena memory is returned, but the deferred Pool.Put in line \d+ reclaims it`
}

func OKCloned(data []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	r, err := arenajson.New[request](a, data)
	if err != nil || len(r.Items) == 0 {
		return ""
	}
	return strings.Clone(r.Items[0].SKU)
}

func OKDecoded(data []byte) int {
	a := pool.Get()
	defer pool.Put(a)
	var r request
	if arenajson.Unmarshal(a, data, &r) != nil {
		return 0
	}
	n := 0
	for _, i := range r.Items {
		n += i.N
	}
	return n
}

func OKNumber(data []byte) {
	a := pool.Get()
	defer pool.Put(a)
	var r request
	if arenajson.Unmarshal(a, data, &r) == nil {
		lastID, lastName = r.ID, strings.Clone(r.Name)
	}
}

func OKDecodedToHeap(data []byte) *request {
	r := new(request)
	if arenajson.Unmarshal(nil, data, r) != nil {
		return nil
	}
	return r
}

var (
	lastLabels map[string]string
	lastAny    any
)

// Maps are in the arena as everything else is.
func labels(data []byte) {
	a := pool.Get()
	defer pool.Put(a)
	var r struct{ Labels map[string]string }
	if arenajson.Unmarshal(a, data, &r) == nil {
		lastLabels = r.Labels // want `the global lastLabels keeps arena memory, which .*Pool.Put in line 154`
	}
}

func anyMap(data []byte) {
	a := pool.Get()
	defer pool.Put(a)
	var v map[string]any
	if arenajson.Unmarshal(a, data, &v) == nil {
		lastAny = v // want `the global lastAny keeps arena memory, which .*Pool.Put in line 163`
	}
}
