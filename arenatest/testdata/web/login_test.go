package web

import (
	"testing"

	"github.com/harena-go/arena/arenatest"
)

func TestLogin(t *testing.T) {
	a := arenatest.New(t)
	login(a, "Ada")
}
