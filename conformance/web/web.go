// Package web has servers to copy for frameworks that build on net/http. arenahttp gives each
// request an arena. They differ in how arenahttp learns the route, by which a pool learns how much
// memory requests need.
package web

import (
	"net/http"
	"strings"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
)

// answer counts the words of a request. All of it is in the request's arena.
func answer(r *http.Request, name string) (string, error) {
	a := arena.FromContext(r.Context())
	body, err := arenahttp.ReadBody(r)
	if err != nil {
		return "", err
	}
	var words []string
	for word := range strings.FieldsSeq(a.AllocBytesToString(body)) {
		words = arena.Append(a, words, word)
	}
	return a.Sprintf("%d words from %s", len(words), name), nil
}
