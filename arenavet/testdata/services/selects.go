package services

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/harena-go/arena"
)

// What is sent by a select statement of several cases, also in a method that is called.
type mail struct {
	id   int
	body []byte
}
type post struct {
	pool *arena.Pool
	out  chan mail
	back chan []byte
	done chan struct{}
}

func (p *post) submit(ctx context.Context, x mail) error {
	select {
	case p.out <- x:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	default:
		return errors.New("full")
	}
}
func (p *post) submitOrStop(ctx context.Context, x mail) {
	select {
	case <-ctx.Done():
	case p.out <- x:
	}
}

// submitAndWait gets an answer when the receiver is done.
func (p *post) submitAndWait(ctx context.Context, x mail) error {
	select {
	case p.out <- x:
	case <-ctx.Done():
		return ctx.Err()
	}
	<-p.done
	return nil
}

func (p *post) BadSelectSubmit(ctx context.Context, text []byte) error {
	return p.pool.Do(func(a *arena.Arena) error {
		return p.submit(ctx, mail{1, arena.CopySlice(a, text)})
	})
}
func (p *post) BadSelectStop(ctx context.Context, text []byte) {
	a := p.pool.Get()
	defer p.pool.Put(a)
	p.submitOrStop(ctx, mail{1, arena.CopySlice(a, text)})
}
func (p *post) BadSelectHere(ctx context.Context, text []byte) error {
	a := p.pool.Get()
	defer p.pool.Put(a)
	b := arena.CopySlice(a, text)
	select {
	case p.back <- b:
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Second):
	}
	return nil
}
func (p *post) OKSelectSubmit(ctx context.Context, text []byte) error {
	return p.pool.Do(func(a *arena.Arena) error {
		b := arena.CopySlice(a, text)
		return p.submit(ctx, mail{len(b), slices.Clone(b)})
	})
}
func (p *post) OKSelectAwaited(ctx context.Context, text []byte) error {
	return p.pool.Do(func(a *arena.Arena) error {
		return p.submitAndWait(ctx, mail{1, arena.CopySlice(a, text)})
	})
}
func (p *post) OKSelectNotSent(ctx context.Context, text []byte) {
	a := p.pool.Get()
	defer p.pool.Put(a)
	b := arena.CopySlice(a, text)
	sent := true
	select {
	case p.back <- b:
	case <-ctx.Done():
		sent = false
	}
	if sent {
		<-p.done
	}
}
func (p *post) OKSelectLoop(ctx context.Context, texts [][]byte) {
	a := p.pool.Get()
	defer p.pool.Put(a)
	for open := 0; len(texts) > 0 || open > 0; {
		var out chan []byte
		var b []byte
		if len(texts) > 0 {
			out, b = p.back, arena.CopySlice(a, texts[0])
		}
		select {
		case out <- b:
			texts = texts[1:]
			open++
		case <-p.done:
			open--
		}
	}
}

func (p *post) trySubmit(x mail) bool {
	select {
	case p.out <- x:
		return true
	default:
		return false
	}
}
func (p *post) OKSelectSubmitted(ctx context.Context, text []byte) error {
	a := p.pool.Get()
	defer p.pool.Put(a)
	if err := p.submit(ctx, mail{1, arena.CopySlice(a, text)}); err != nil {
		return err
	}
	<-p.done
	return nil
}
func (p *post) OKSelectTried(text []byte) {
	a := p.pool.Get()
	defer p.pool.Put(a)
	if p.trySubmit(mail{1, arena.CopySlice(a, text)}) {
		<-p.done
	}
}
func (p *post) BadSelectTried(text []byte) {
	a := p.pool.Get()
	defer p.pool.Put(a)
	if !p.trySubmit(mail{1, arena.CopySlice(a, text)}) {
		println("full")
	}
}
