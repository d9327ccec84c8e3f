package leak

import (
	"errors"
	"strings"

	"github.com/harena-go/arena"
)

// Bodies of loops over functions are functions. One that gives the arena back is taken to do so
// on each of its ways out.

var errLine = errors.New("a line is wrong")

// returnInSequence is wrong, and isn't reported: the body gives the arena back on one way out.
func returnInSequence(pool *arena.Pool, text string) error {
	a := pool.Get()
	for line := range strings.Lines(text) {
		if line == "" {
			return errLine
		}
		if a.AllocString(line) == "x" {
			pool.Put(a)
			return errLine
		}
	}
	pool.Put(a)
	return nil
}

// returnInBothKinds is wrong in the same way.
func returnInBothKinds(pool *arena.Pool, texts []string) error {
	a := pool.Get()
	for _, text := range texts {
		for line := range strings.Lines(text) {
			if line == "" {
				return errLine
			}
			if a.AllocString(line) == "x" {
				pool.Put(a)
				return nil
			}
		}
	}
	pool.Put(a)
	return nil
}

func brokenOut(pool *arena.Pool, text string) {
	a := pool.Get() // want `isn't put back where the function`
	for line := range strings.Lines(text) {
		if line == a.AllocString("x") {
			return
		}
		if line == "y" {
			break
		}
	}
	pool.Put(a)
}

// putBeforeEachReturn is right.
func putBeforeEachReturn(pool *arena.Pool, text string) error {
	a := pool.Get()
	for line := range strings.Lines(text) {
		if line == "" {
			pool.Put(a)
			return errLine
		}
		if a.AllocString(line) == "x" {
			pool.Put(a)
			return nil
		}
	}
	pool.Put(a)
	return nil
}

// putBehindBreak is right.
func putBehindBreak(pool *arena.Pool, text string) error {
	a := pool.Get()
	var err error
	for line := range strings.Lines(text) {
		if a.AllocString(line) == "" {
			err = errLine
			break
		}
	}
	pool.Put(a)
	return err
}

// putInEitherWay is right.
func putInEitherWay(pool *arena.Pool, text string, early bool) error {
	a := pool.Get()
	for line := range strings.Lines(text) {
		if early {
			pool.Put(a)
		} else {
			a.AllocString(line)
			pool.Put(a)
		}
		return errLine
	}
	pool.Put(a)
	return nil
}

// deferredInSequence is right.
func deferredInSequence(pool *arena.Pool, text string) error {
	a := pool.Get()
	for line := range strings.Lines(text) {
		defer pool.Put(a)
		if a.AllocString(line) == "" {
			return errLine
		}
		return nil
	}
	pool.Put(a)
	return nil
}

// renewedInSequence is right: it puts each arena back, and gets another.
func renewedInSequence(pool *arena.Pool, text string) error {
	a := pool.Get()
	for line := range strings.Lines(text) {
		if a.AllocString(line) == "" {
			pool.Put(a)
			return errLine
		}
		pool.Put(a)
		a = pool.Get()
	}
	pool.Put(a)
	return nil
}

func sharedFreedAtTimes(texts []string) error {
	s := arena.NewShared() // want `the Shared from NewShared isn't freed where the function returns in line \d+: add defer s.Free\(\)`
	for _, text := range texts {
		if s.Local().AllocString(text) == "" {
			return errLine
		}
	}
	s.Free()
	return nil
}

// sharedFreedAlways is right.
func sharedFreedAlways(texts []string) error {
	s := arena.NewShared()
	for _, text := range texts {
		if s.Local().AllocString(text) == "" {
			s.Free()
			return errLine
		}
	}
	s.Free()
	return nil
}

// sharedFreedByOthers is right.
func sharedFreedByOthers(texts []string, done chan bool) error {
	s := arena.NewShared()
	go func() {
		<-done
		s.Free()
	}()
	if len(texts) == 0 {
		return errLine
	}
	s.Local().AllocString(texts[0])
	return nil
}

func sharedFreedInTurns(texts []string) {
	for _, text := range texts {
		s := arena.NewShared() // want `the Shared from NewShared isn't freed before the loop gets the next one: add defer s.Free\(\)`
		if s.Local().AllocString(text) == "" {
			continue
		}
		s.Free()
	}
}
