package plan

import (
	"reflect"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file holds objects that keep their order. Package arenajson, which can't be imported here,
// exports their types, and sets Ordered when the program starts.

// A Pair is a member of an object that keeps its order. It has the layout of a Member of package
// arenajson, so that a slice of pairs is an Object by another name.
type Pair struct {
	Name  string
	Value any
}

// Ordered is package arenajson's Object, and its Member.
var Ordered struct {
	Type        reflect.Type
	Key, Member arena.TypeKey
	Word        mem.Word
}

// SetOrdered sets the types in Ordered, before the first plan is made. word is the type word of an
// Object in an interface.
func SetOrdered(object, member reflect.Type, word mem.Word) {
	Ordered.Type, Ordered.Key, Ordered.Member, Ordered.Word = object, arena.KeyOf(object), arena.KeyOf(member), word
}

// fewNames is the most names that are compared one by one.
const fewNames = 64

// UniqueNames reports whether all names are different. A filter of 256 bits settles most of them;
// names are compared only where it has a hit.
func UniqueNames(all []Pair) bool {
	if len(all) > fewNames {
		return uniqueMany(all)
	}
	var filter [4]uint64
	for i := range all {
		hash := text.NameHash(mem.Bytes(all[i].Name))
		word, bit := &filter[hash>>62], uint64(1)<<(hash>>56&63)
		if *word&bit != 0 {
			for j := range i {
				if all[j].Name == all[i].Name {
					return false
				}
			}
		}
		*word |= bit
	}
	return true
}

// uniqueMany is UniqueNames for many names, in linear time.
func uniqueMany(all []Pair) bool {
	seen := make(map[string]struct{}, len(all))
	for i := range all {
		seen[all[i].Name] = struct{}{}
	}
	return len(seen) == len(all)
}
