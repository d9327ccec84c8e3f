package server

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"sync"

	logserver "github.com/harena-go/arena/examples/logserver/server"
)

// A pooled server is the usual form of examples/logserver with sync.Pool: a request's objects are kept in a kit, which
// serves another one afterwards. Structs, slices and buffers are reused. Strings can't be, because they never change,
// so they come from the heap.
type pooled struct {
	kits   sync.Pool // of *kit
	totals logserver.Totals
}

// A kit has the memory of one request after another.
type kit struct {
	body    bytes.Buffer
	all     []*logserver.Record
	records []*logserver.Record // of this request
	sum     logserver.Summary
}

func onKits() http.Handler {
	s := &pooled{totals: logserver.Totals{Services: map[string]*logserver.Counts{}}}
	s.kits.New = func() any { return new(kit) }
	mux := http.NewServeMux()
	mux.HandleFunc("POST /logs", s.logs)
	return mux
}

func (s *pooled) logs(w http.ResponseWriter, r *http.Request) {
	k := s.kits.Get().(*kit)
	defer s.kits.Put(k)
	k.reset()
	if _, err := io.Copy(&k.body, http.MaxBytesReader(w, r.Body, maxBody)); err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	if err := k.parse(r.Header.Get("Content-Type")); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	k.sum.Add(nil, k.records)
	s.totals.Add(&k.sum)
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(&k.sum)
}

// reset makes the kit ready for the next request.
func (k *kit) reset() {
	k.body.Reset()
	k.records = k.records[:0]
	k.sum = logserver.Summary{Services: k.sum.Services[:0], Before: k.sum.Before[:0]}
}

func (k *kit) parse(contentType string) error {
	body := k.body.Bytes()
	isJSON := logserver.IsJSON(contentType, body)
	n := 0
	for line := range bytes.Lines(body) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := k.record(n).Parse(nil, isJSON, line); err != nil {
			return err
		}
	}
	return nil
}

// record returns an empty record with its line.
func (k *kit) record(line int) *logserver.Record {
	i := len(k.records)
	if i == len(k.all) {
		k.all = append(k.all, new(logserver.Record))
	}
	r := k.all[i]
	*r = logserver.Record{Line: line, Fields: r.Fields[:0]}
	k.records = append(k.records, r)
	return r
}
