package arenajson

import (
	"reflect"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/plan"
)

// This file holds objects that keep their order. The codecs use them by their layout (plan.Pair),
// and get their types when the program starts.

// An Object is a JSON object in an any with [OrderedObjects]: its members in their order. It is in
// the arena.
type Object []Member

// A Member is a member of an [Object].
type Member struct {
	Name  string
	Value any
}

// Get returns the value of the last member with a name, and whether there is one.
func (o Object) Get(name string) (any, bool) {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].Name == name {
			return o[i].Value, true
		}
	}
	return nil, false
}

// The types are set before the first plan is made.
func init() {
	plan.SetOrdered(reflect.TypeFor[Object](), reflect.TypeFor[Member](), mem.WordOf(Object{}))
}
