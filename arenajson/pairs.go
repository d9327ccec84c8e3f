package arenajson

import (
	"reflect"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// A pair is a member of an object that keeps its order: laid out as a Member of package arenajson.
type pair struct {
	name  string
	value any
}

// ordered is package arenajson's Object, a slice of pairs by another name, and its members.
var ordered struct {
	typ         reflect.Type
	key, member arena.TypeKey
	word        mem.Word
}

// setOrdered sets the types in ordered, before the first plan is made.
func setOrdered(object, member reflect.Type, word mem.Word) {
	ordered.typ, ordered.key, ordered.member, ordered.word = object, arena.KeyOf(object), arena.KeyOf(member), word
}

// fewNames is up to how many names are compared one by one.
const fewNames = 64

// uniqueNames says whether all names are different.
func uniqueNames(all []pair) bool {
	if len(all) > fewNames {
		return uniqueMany(all)
	}
	var filter [4]uint64
	for i := range all {
		hash := text.NameHash(mem.Bytes(all[i].name))
		word, bit := &filter[hash>>62], uint64(1)<<(hash>>56&63)
		if *word&bit != 0 {
			for j := range i {
				if all[j].name == all[i].name {
					return false
				}
			}
		}
		*word |= bit
	}
	return true
}

func uniqueMany(all []pair) bool {
	seen := make(map[string]struct{}, len(all))
	for i := range all {
		seen[all[i].name] = struct{}{}
	}
	return len(seen) == len(all)
}
