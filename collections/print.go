package collections

import (
	"encoding/json"
	"fmt"
	"maps"
)

// This file holds how collections are printed and turned into JSON: as the builtin
// types are, by building one. It takes memory from the Go heap.

// Format prints the map as fmt prints Go's map, sorted by key.
func (m *Map[K, V]) Format(f fmt.State, verb rune) {
	fmt.Fprintf(f, fmt.FormatString(f, verb), maps.Collect(m.All()))
}

// MarshalJSON returns what json.Marshal does for Go's map: an object, sorted by
// key. Keys must be strings, integers, or encoding.TextMarshalers.
func (m *Map[K, V]) MarshalJSON() ([]byte, error) {
	return json.Marshal(maps.Collect(m.All()))
}

// UnmarshalJSON adds the entries of a JSON object to the map, as json.Unmarshal does
// with Go's map; null adds none. Keys and values are allocated on the Go heap, where
// a self-contained arena keeps them alive.
func (m *Map[K, V]) UnmarshalJSON(data []byte) error {
	var decoded map[K]V
	if err := json.Unmarshal(data, &decoded); err != nil {
		return err
	}
	m.arena.KeepAlive(decoded)
	m.Insert(maps.All(decoded))
	return nil
}
