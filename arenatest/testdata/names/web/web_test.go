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

// global example/names/web.main (example/names/web.server) .sessions
func TestField(t *testing.T) {
	main.sessions = map[string]*Session{}
	main.sessions["Ada"] = session(t)
}

// global example/names/web.main (example/names/web.server) .config.latest
func TestAddress(t *testing.T) { keepAddress(session(t)) }

// global example/names/web.anything (any)
func TestInterface(t *testing.T) { anything = session(t) }

// global example/names/web.table ([8]*example/names/web.Session) [5]
func TestElement(t *testing.T) { keepElement(5, session(t)) }

// global example/names/web.table ([8]*example/names/web.Session) [3]
func TestConstantElement(t *testing.T) { table[3] = session(t) }

// global example/names/web.sharded ([4]example/names/web.shard) [2].last
func TestElementsField(t *testing.T) { keepShard(6, session(t)) }

// global example/names/web.name (string)
func TestString(t *testing.T) { name = arenatest.New(t).AllocString("a string of some bytes") }

// global example/names/web.cached (*example/names/web.Session)
func TestTwoOfALine(t *testing.T) {
	t.Log(Backup())
	keepBoth(session(t))
}

// global example/names/web.first or example/names/web.second
func TestTwoOfEachLine(t *testing.T) { first, second = session(t), nil }

// global example/names/web.ready (chan *example/names/web.Session)
func TestChannel(t *testing.T) {
	ready = make(chan *Session, 1)
	ready <- session(t)
}

// global example/names/web.hook (func() string)
func TestFunc(t *testing.T) {
	s := session(t)
	hook = func() string { return s.User }
}

// global example/names/web.seen (sync.Map) .
func TestSyncMap(t *testing.T) { seen.Store("Ada", session(t)) }

// global example/names/web.created (*example/names/web.server) .sessions
func TestMadeByFunction(t *testing.T) { created.sessions["Ada"] = session(t) }

// global example/names/web.left (*example/names/web.Session)
func TestSomethingOfTwo(t *testing.T) { left.Next = session(t) }

// global example/names/web.twins ([2]struct{left *example/names/web.Session; right *example/names/web.Session}) [1].right
func TestTwins(t *testing.T) { twins[1].right = session(t) }

// global example/names/web.behind (*example/names/web.server) .config.latest
func TestBehindPointer(t *testing.T) { behind.config.latest = session(t) }

// global example/names/web.deep (*struct{inner *example/names/web.server}) .inner.config.latest
func TestDeep(t *testing.T) { deep.inner.config.latest = session(t) }

// global at 0x
func TestOtherOnTheLine(t *testing.T) { keepHidden(session(t)) }

// global example/names/web.inTest (struct{n int; held *example/names/web.Session}) .held
func TestInTestFile(t *testing.T) { inTest.held = session(t) }

// global example/names/store.Last (*example/names/store.Item)
func TestOtherPackage(t *testing.T) { store.Last = arena.New[store.Item](arenatest.New(t)) }

// global example/names/store.Stock (struct{Count int; Items []*example/names/store.Item}) .Items
func TestOtherPackagesFunction(t *testing.T) { store.Put(arena.New[store.Item](arenatest.New(t))) }

// global example/names/store.Current (sync/atomic.Pointer[example/names/store.Item]) .v
func TestAtomicPointer(t *testing.T) { store.Current.Store(arena.New[store.Item](arenatest.New(t))) }

var mine *store.Item

// global example/names/web.mine (*example/names/store.Item)
func TestInlined(t *testing.T) {
	store.SetFallback(nil)
	store.Store(&mine, arena.New[store.Item](arenatest.New(t)))
}

var byGeneric any

// global example/names/web.byGeneric (any)
func TestGeneric(t *testing.T) { generic[any](&byGeneric, session(t)) }

var begun = &struct {
	n    int
	seen map[*Session]int
}{seen: map[*Session]int{}}

// global example/names/web.begun (*struct{n int; seen map[*example/names/web.Session]int}) .seen
func TestBehindMadeAtInit(t *testing.T) { begun.seen[session(t)]++ }
