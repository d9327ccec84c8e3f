package arenafasthttp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync/atomic"

	"github.com/harena-go/arena"
	"github.com/valyala/fasthttp"
)

// This file handles answers that are written while they are sent. It must not depend on how an
// arena is put back.

// SetBodyStreamWriter is ctx.SetBodyStreamWriter for a writer that uses the request's arena. The
// arena isn't reused before write has returned, even if the client is gone by then. write runs in a
// goroutine of its own while the answer is sent, and owns the arena: the handler must not allocate
// from it any more. write doesn't run if the answer isn't sent, as after a timeout. As always, write
// must not use ctx: get the arena before.
//
// If write panics with a *arena.LimitError the connection is cut, so that the client doesn't mistake
// a part of the answer for all of it.
func SetBodyStreamWriter(ctx *fasthttp.RequestCtx, write fasthttp.StreamWriter) {
	ctx.Response.SetBodyStream(&stream{write: write, done: Detach(ctx)}, -1)
}

// A stream is the output of a writer. fasthttp never closes the stream of a request that has timed
// out, so the writer begins with the first Read.
type stream struct {
	write fasthttp.StreamWriter
	done  func()
	from  io.ReadCloser // nil until the first Read
	cut   atomic.Bool   // the writer has failed
}

// start starts the writer.
func (s *stream) start() io.ReadCloser {
	return fasthttp.NewStreamReader(func(w *bufio.Writer) {
		defer s.done()
		defer s.recoverLimit()
		s.write(w)
	})
}

// Close implements io.Closer.
func (s *stream) Close() error {
	if s.from == nil {
		s.done()
		s.from = io.NopCloser(new(bytes.Reader)) // the writer must not begin any more
	}
	return s.from.Close()
}

var errCut = errors.New("arenafasthttp: the answer needs more memory than its arena may have")

// recoverLimit is deferred.
func (s *stream) recoverLimit() {
	v := recover()
	if v == nil {
		return
	}
	err, _ := v.(error)
	if _, ok := errors.AsType[*arena.LimitError](err); !ok {
		panic(v)
	}
	s.cut.Store(true)
}

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	if s.from == nil {
		s.from = s.start()
	}
	n, err := s.from.Read(p)
	if err == io.EOF && s.cut.Load() {
		err = errCut
	}
	return n, err
}
