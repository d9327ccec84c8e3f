// Package web has servers to copy for frameworks that build on net/http. arenahttp gives each
// request an arena. They differ in how arenahttp gets the route, by which a pool learns the memory
// that requests need.
package web

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/go-playground/validator/v10"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
	"github.com/harena-go/arena/arenajson"
)

// An Order is both the request and the answer.
type Order struct {
	Customer string `json:"customer" validate:"required,max=40"`
	Items    []Item `json:"items" validate:"min=1,max=100,dive"`
}

// An Item is a part of an order.
type Item struct {
	Name  string `json:"name" validate:"required"`
	Count int    `json:"count" validate:"gt=0"`
}

var validate = validator.New(validator.WithRequiredStructEnabled())

// valid checks an order by its tags. The validator's caches keep nothing from the arena, and its
// error is read before the request ends.
func valid(o *Order) error {
	if err := validate.Struct(o); err != nil {
		detail := fmt.Sprint(err.(validator.ValidationErrors)[0])
		return &arenahttp.Problem{Status: http.StatusUnprocessableEntity, Detail: detail}
	}
	return nil
}

// write encodes a value as JSON in the request's arena and writes it, for frameworks that have sent
// the status and the Content-Type.
func write(w http.ResponseWriter, r *http.Request, v any) error {
	text, err := arenajson.Marshal(arena.FromContext(r.Context()), v)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

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
