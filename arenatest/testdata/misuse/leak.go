package main

import (
	"errors"

	"github.com/harena-go/arena"
)

// Arenas that nobody gives back, and secrets that stay.

var errBad = errors.New("bad request")

var _ = plant("leak/early return", leakReturn)

// An error's return forgets Put.
//
// want: leak
func leakReturn() {
	handleRequest(newPool())
}

func handleRequest(pool *arena.Pool) error {
	a := pool.Get() // lent
	if o := newOrder(a, 1); o.customer == nil {
		return errBad
	}
	pool.Put(a)
	return nil
}

var _ = plant("leak/panic", leakPanic)

// A panic that is recovered from passes by Put.
//
// want: leak
func leakPanic() {
	pool := newPool()
	defer func() { sinkBool = recover() != nil }()
	a := pool.GetKeyed("panic") // lent
	newOrder(a, 1)
	if a.UsedBytes() > 0 {
		panic(errBad)
	}
	pool.Put(a)
}

var _ = plant("leak/one of many", leakOne)

// One of many requests is still waiting at the end.
//
// want: leak
func leakOne() {
	pool := newPool()
	for i := range 20 {
		if i == 13 {
			newOrder(pool.Get(), i) // lent
			continue
		}
		a := pool.Get()
		newOrder(a, i)
		pool.Put(a)
	}
}

var _ = plant("leak/goroutine", leakGoroutine)

// A goroutine that never ends has one.
//
// want: leak
func leakGoroutine() {
	pool := newPool()
	signal := make(chan bool)
	go func() {
		a := pool.Get() // lent
		newOrder(a, 1)
		waiting.Add(1)
		<-signal
		pool.Put(a)
	}()
	settled(1)
	hold(signal)
}

var globalArena *arena.Arena

var _ = plant("leak/global", leakGlobal)

// An arena is kept in a global variable, and never freed.
//
// want: leak
func leakGlobal() {
	globalArena = newArena()
	newOrder(globalArena, 1)
}

type vault struct{ password []byte }

var unlocked vault

var _ = plant("secret/kept", secretKept)

// A password is kept beyond the Reset that is to erase it.
//
// want: race, asan, resets, guard, trap
// held by: main.unlocked
func secretKept() {
	a := newArena(arena.WithScrub())
	unlocked.password = a.AllocBytes(16) // allocated
	copy(unlocked.password, "open sesame")
	a.Reset()                       // reclaimed
	sinkByte = unlocked.password[3] // used
}

var _ = plant("secret/part", secretPart)

// Only a part of a key is kept.
//
// want: race, asan, resets, guard, trap
// held by: main.unlocked
func secretPart() {
	pool := newPool(arena.WithScrub())
	pool.Do(func(a *arena.Arena) error { // reclaimed
		key := a.AllocBytes(64) // allocated
		unlocked.password = key[48:]
		return nil
	})
	sinkByte = unlocked.password[15] // used
}

var _ = plant("secret/written late", secretLate)

// A secret is decrypted into memory that was erased already.
//
// want: race, asan, guard, trap
func secretLate() {
	a := newArena(arena.WithScrub())
	m := a.Mark()
	plaintext := a.AllocBytes(32) // allocated
	a.Rewind(m)                   // reclaimed
	copy(plaintext, "a secret")   // used
}
