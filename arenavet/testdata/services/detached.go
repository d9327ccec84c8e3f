package services

import (
	"context"
	"net/http"
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
)

// Handlers that leave the request's arena to a goroutine, in a function that they call.

type archiver struct {
	wg    sync.WaitGroup
	store func(context.Context, *parcel)
	on    bool
}

func parcelOf(r *http.Request) *parcel {
	a := arena.FromContext(r.Context())
	return arena.NewOf(a, parcel{text: a.AllocString(r.URL.Path)})
}

func (s *archiver) later(r *http.Request, p *parcel) {
	done := arenahttp.Detach(r)
	ctx := context.WithoutCancel(r.Context())
	s.wg.Go(func() {
		defer done()
		s.store(ctx, p)
	})
}
func (s *archiver) laterIfOn(r *http.Request, p *parcel) {
	if s.on {
		s.later(r, p)
	}
}
func (s *archiver) own(r *http.Request) func() { return arenahttp.Detach(r) }

func (s *archiver) soon(r *http.Request, p *parcel) {
	ctx := context.WithoutCancel(r.Context())
	s.wg.Go(func() { s.store(ctx, p) })
}

func (s *archiver) OKDetachedLater(w http.ResponseWriter, r *http.Request) {
	s.later(r, parcelOf(r))
}
func (s *archiver) OKDetachedFarther(w http.ResponseWriter, r *http.Request) {
	s.laterIfOn(r, parcelOf(r))
}
func (s *archiver) OKDetachedByCall(w http.ResponseWriter, r *http.Request) {
	p, done := parcelOf(r), s.own(r)
	go func() {
		defer done()
		s.store(context.Background(), p)
	}()
}
func (s *archiver) BadSoon(w http.ResponseWriter, r *http.Request) {
	s.soon(r, parcelOf(r))
}
func (s *archiver) BadDetachedForOther(w http.ResponseWriter, r *http.Request) {
	p := parcelOf(r)
	s.later(r, p)
	s.soon(r, p)
}
func (s *archiver) BadDetachedForOther2(w http.ResponseWriter, r *http.Request) {
	p := parcelOf(r)
	s.later(r, p)
	go s.store(context.Background(), p)
}
