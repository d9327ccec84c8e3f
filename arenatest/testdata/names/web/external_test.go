package web_test

import (
	"testing"

	. "example/names/store"
	"example/names/web"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
)

var sessions = map[int]*web.Session{}

// global example/names/web_test.sessions (map[int]*example/names/web.Session)
func TestExternal(t *testing.T) { sessions[1] = arena.New[web.Session](arenatest.New(t)) }

type held struct {
	page  *Page
	items [2]Item
}

var external held

// global example/names/web_test.external (example/names/web_test.held)
func TestDotImport(t *testing.T) { external.items[1].Next = arena.New[Item](arenatest.New(t)) }
