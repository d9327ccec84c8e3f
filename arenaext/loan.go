package arenaext

import (
	"context"
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/diagnose/inspect"
)

// A Loan is the life of a request's arena: when it is got from its Pool, who may use it, and whether it is put back,
// freed, or left to the GC at the end. A server embeds a Loan in its own state of a request, and reports the request's
// events to it. docs/promises.md has the table of states.
//
// The request holds the arena until End, each handler from Enter to Leave, and detached work until it is done. The end
// of the last holder ends the loan. The memory is reused only if all holders are known to be gone: after Keep, or if a
// handler outlives the request, the arena is freed instead, and after Abandon it stays usable.
//
// The zero Loan is a request on the Go heap. Its methods may be called by any goroutine. A Loan must not be copied.
type Loan struct {
	mu       sync.Mutex
	state    loanState
	over     bool // End was called
	handlers int  // running handlers
	detached int  // pieces of detached work
	pool     *arena.Pool
	request  Request
	arena    *arena.Arena // nil until its first use

	// Of Next.
	marked bool
	mark   arena.Mark
	older  bool // the arena is self-contained and has values older than mark, so that Rewind releases too little
}

// A Request informs a Loan. Its methods must not call methods of the Loan.
type Request interface {
	// Key returns the key for arena.Pool.GetKeyed, or "" for arena.Pool.Get. It is called when the arena is first used.
	Key() string

	// Settle is called after the last holder's end, and by Next. It reports whether memory of the arena may be read
	// later, such as a header that is being sent. a is nil if there is no arena, or if it was left.
	Settle(a *arena.Arena) bool
}

// A loanState says how the arena may be used.
type loanState uint8

const (
	open    loanState = iota // the request goes on, and no handler runs
	running                  // handlers or detached work use the arena
	kept                     // the memory may be read for longer: it must not be reused
	left                     // others may allocate: the arena is left to the GC
	ended                    // the arena was put back
	freed                    // the arena was freed
)

// Start lets the request use an arena of the pool, unless it has ended. A nil pool is the Go heap.
func (l *Loan) Start(pool *arena.Pool, r Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pool, l.request = pool, r
}

// Lend returns the arena for [arena.FromContext], which finds a Loan under [ContextKey].
func (l *Loan) Lend(context.Context) any { return l.Arena() }

// Arena returns the arena, and gets it from the pool first if necessary. After the end it returns nil, the Go heap,
// unless the arena was left.
func (l *Loan) Arena() *arena.Arena {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.get()
}

// Use calls f with the arena, which can't end before f returns. f must not call methods of the Loan.
func (l *Loan) Use(f func(a *arena.Arena)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(l.get())
}

func (l *Loan) get() *arena.Arena {
	if l.arena == nil && l.pool != nil && l.state <= kept {
		if key := l.request.Key(); key != "" {
			l.arena = l.pool.GetKeyed(key)
		} else {
			l.arena = l.pool.Get()
		}
	}
	return l.arena
}

// Enter reports that a handler begins, which may outlive the request.
func (l *Loan) Enter() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.handlers++
	l.hold()
}

// Leave reports that a handler has returned. It panics if no handler runs.
func (l *Loan) Leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.handlers == 0 {
		panic("arenaext: Leave: no handler runs; call Enter before")
	}
	l.handlers--
	l.release()
}

// Detach reports that work begins which may outlive the request; the memory may be reused after it, unlike after a
// handler that outlives the request. Detach returns a function to call when the work is done; further calls do nothing.
// It returns nil if the loan has ended.
func (l *Loan) Detach() (done func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state >= ended {
		return nil
	}
	l.detached++
	l.hold()
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.detached--
		l.release()
	})
}

// Keep makes the end free the arena, not put it back: values stay valid for as long as something points to them. It
// does nothing and returns false if there is no Pool, or if the loan has ended.
func (l *Loan) Keep() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pool == nil || l.state >= ended || l.state == left && l.arena == nil {
		return false
	}
	l.state = max(l.state, kept)
	return true
}

// Abandon leaves the arena to the GC, since code for which nobody waits may go on allocating. It does nothing if the
// loan has ended.
func (l *Loan) Abandon() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state >= left {
		return
	}
	if l.state = left; l.arena != nil {
		inspect.Arenas.Abandon(l.arena)
	}
}

// Next is called before each message of a stream whose messages have the arena one after the other. It ends the
// previous message: its memory is reused, or freed if Keep was called or parts of it are being sent. Values allocated
// before the first message stay. Next does nothing while detached work goes on.
func (l *Loan) Next() {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.get()
	if a == nil || l.state == left || l.detached > 0 {
		return
	}
	if l.marked {
		sent := l.request.Settle(a)
		if !l.older && l.state != kept && !sent && !a.Freed() {
			a.Rewind(l.mark)
			return
		}
		free(a, sent)
		if l.arena = nil; !l.over {
			l.state = open
			l.hold()
		}
		a = l.get()
	}
	l.marked, l.mark, l.older = true, a.Mark(), a.SelfContained() && a.UsedBytes() > 0
}

// End reports that the request has ended. If a handler still runs, other code may have stopped waiting for it and still
// read its memory: the arena is then freed when the handler returns.
func (l *Loan) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	if l.over = true; l.handlers > 0 {
		l.state = max(l.state, kept)
	}
	l.release()
}

// hold updates the state after a holder has begun, or may have.
func (l *Loan) hold() {
	if l.state == open && l.handlers+l.detached > 0 {
		l.state = running
	}
}

// release updates the state after a holder has ended. The last one ends the loan.
func (l *Loan) release() {
	if l.handlers+l.detached > 0 || l.state >= ended {
		return
	}
	if !l.over {
		if l.state == running {
			l.state = open
		}
		return
	}
	a := l.arena
	if l.state == left {
		a = nil // others may be allocating
	}
	sent := l.request != nil && l.request.Settle(a)
	switch {
	case l.state == left:
		return
	case a == nil:
		l.state = left
	case a.Freed(): // by the handler, which may
		l.state = freed
	case l.state == kept || sent:
		free(a, sent)
		l.state = freed
	default:
		l.pool.Put(a)
		l.state = ended
	}
	l.arena = nil
}

// free frees an arena. An arena that erases freed memory is left to the GC instead if memory of it is being sent.
func free(a *arena.Arena, sent bool) {
	if sent && inspect.Arenas.Scrubs(a) {
		inspect.Arenas.Abandon(a)
	} else {
		a.Free()
	}
}
