package web

import (
	"testing"

	"example/names/store"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
)

var inTest struct {
	n    int
	held *Session
}

func session(t *testing.T) *Session {
	a := arenatest.New(t)
	s := arena.New[Session](a)
	s.User = "Ada"
	return s
}

// Each test has before it what its report must say of the holder.

// global example/names/web.byUser (map[string]*example/names/web.Session)
func TestMap(t *testing.T) { byUser["Ada"] = session(t) }

// global example/names/web.list ([]*example/names/web.Session)
func TestSlice(t *testing.T) { list = append(list, session(t)) }

// global example/names/web.list ([]*example/names/web.Session)
func TestLinesOfOneStatement(t *testing.T) { keepInClosure()(session(t)) }

// global example/names/web.one (*example/names/web.Session)
func TestPointer(t *testing.T) { one = session(t) }

// global example/names/web.main (example/names/web.server)
func TestField(t *testing.T) {
	main.sessions = map[string]*Session{}
	main.sessions["Ada"] = session(t)
}

// global at 0x
func TestAddress(t *testing.T) { keepAddress(session(t)) }

// global example/names/web.anything (any)
func TestInterface(t *testing.T) { anything = session(t) }

// global example/names/web.table ([8]*example/names/web.Session)
func TestElement(t *testing.T) { keepElement(5, session(t)) }

// global example/names/web.name (string)
func TestString(t *testing.T) { name = arenatest.New(t).AllocString("a string of some bytes") }

// global at 0x
func TestTwoOfEachLine(t *testing.T) { first, second = session(t), nil }

// global example/names/web.ready (chan *example/names/web.Session)
func TestChannel(t *testing.T) {
	ready = make(chan *Session, 1)
	ready <- session(t)
}

// global example/names/web.hook
func TestFunc(t *testing.T) {
	s := session(t)
	hook = func() string { return s.User }
}

// global at 0x
func TestSyncMap(t *testing.T) { seen.Store("Ada", session(t)) }

// global at 0x
func TestBehindPointer(t *testing.T) { behind.config.latest = session(t) }

// global at 0x
func TestOtherOnTheLine(t *testing.T) { keepHidden(session(t)) }

// global example/names/web.inTest
func TestInTestFile(t *testing.T) { inTest.held = session(t) }

// global at 0x
func TestOtherPackage(t *testing.T) { store.Last = arena.New[store.Item](arenatest.New(t)) }

var mine *store.Item

// global at 0x
func TestInlined(t *testing.T) {
	store.SetFallback(nil)
	store.Store(&mine, arena.New[store.Item](arenatest.New(t)))
}
