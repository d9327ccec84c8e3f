package collections

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/harena-go/arena"
)

// This file prints collections and converts them to and from JSON, through the builtin types. That
// takes memory from the Go heap.

// Format prints the map as fmt prints Go's map, sorted by key.
func (m *Map[K, V]) Format(f fmt.State, verb rune) {
	fmt.Fprintf(f, fmt.FormatString(f, verb), maps.Collect(m.All()))
}

// MarshalJSON returns the JSON of Go's map: an object, sorted by key. Keys must be strings,
// integers, or encoding.TextMarshalers.
func (m *Map[K, V]) MarshalJSON() ([]byte, error) {
	return json.Marshal(maps.Collect(m.All()))
}

// UnmarshalJSON adds the entries of a JSON object to the map, as json.Unmarshal does with Go's map;
// null adds none. Keys and values are allocated on the Go heap, where a self-contained arena keeps
// them alive. Package arenajson allocates them in the arena, and doesn't need this method.
func (m *Map[K, V]) UnmarshalJSON(data []byte) error {
	var decoded map[K]V
	if err := json.Unmarshal(data, &decoded); err != nil {
		return err
	}
	m.arena.KeepAlive(decoded)
	m.Insert(maps.All(decoded))
	return nil
}

// Format prints the set as fmt prints a slice of its elements.
func (s *Set[T]) Format(f fmt.State, verb rune) { formatSlice(f, verb, slices.Collect(s.All())) }

// MarshalJSON returns a JSON array.
func (s *Set[T]) MarshalJSON() ([]byte, error) { return marshalSlice(slices.Collect(s.All())) }

// UnmarshalJSON adds the elements of a JSON array, as [Map.UnmarshalJSON] does.
func (s *Set[T]) UnmarshalJSON(data []byte) error {
	decoded, err := unmarshalSlice[T](s.m.arena, data)
	s.Insert(slices.Values(decoded))
	return err
}

// Format prints the slice as fmt prints Go's slice.
func (s *Slice[T]) Format(f fmt.State, verb rune) { formatSlice(f, verb, s.s) }

// MarshalJSON returns a JSON array.
func (s *Slice[T]) MarshalJSON() ([]byte, error) { return marshalSlice(s.s) }

// UnmarshalJSON replaces the elements by those of a JSON array. Their pointers lead to the Go heap,
// where a self-contained arena keeps the targets alive. Package arenajson allocates these in the
// arena, and doesn't need this method.
func (s *Slice[T]) UnmarshalJSON(data []byte) error {
	decoded, err := unmarshalSlice[T](s.arena, data)
	if err == nil {
		s.Clear()
		s.Append(decoded...)
	}
	return err
}

// Format prints the deque as fmt prints a slice of its elements.
func (d *Deque[T]) Format(f fmt.State, verb rune) { formatSlice(f, verb, d.collect()) }

// MarshalJSON returns a JSON array.
func (d *Deque[T]) MarshalJSON() ([]byte, error) { return marshalSlice(d.collect()) }

// UnmarshalJSON replaces the elements by those of a JSON array, as [Slice.UnmarshalJSON] does.
func (d *Deque[T]) UnmarshalJSON(data []byte) error {
	decoded, err := unmarshalSlice[T](d.arena, data)
	if err == nil {
		d.Clear()
		for _, v := range decoded {
			d.PushBack(v)
		}
	}
	return err
}

func (d *Deque[T]) collect() []T {
	s := make([]T, 0, d.n)
	for _, v := range d.All() {
		s = append(s, v)
	}
	return s
}

// Format prints the list as fmt prints a slice of its elements.
func (l *List[T]) Format(f fmt.State, verb rune) { formatSlice(f, verb, slices.Collect(l.Values())) }

// MarshalJSON returns a JSON array.
func (l *List[T]) MarshalJSON() ([]byte, error) { return marshalSlice(slices.Collect(l.Values())) }

// UnmarshalJSON replaces the elements by those of a JSON array, as [Slice.UnmarshalJSON] does.
func (l *List[T]) UnmarshalJSON(data []byte) error {
	decoded, err := unmarshalSlice[T](l.arena, data)
	if err == nil {
		for n := range l.All() {
			l.Remove(n)
		}
		for _, v := range decoded {
			l.PushBack(v)
		}
	}
	return err
}

// Format prints the list as fmt prints a slice of its elements.
func (s *Segmented[T]) Format(f fmt.State, verb rune) {
	formatSlice(f, verb, slices.Collect(s.Values()))
}

// MarshalJSON returns a JSON array.
func (s *Segmented[T]) MarshalJSON() ([]byte, error) {
	return marshalSlice(slices.Collect(s.Values()))
}

// UnmarshalJSON replaces the elements by those of a JSON array, as [Slice.UnmarshalJSON] does.
func (s *Segmented[T]) UnmarshalJSON(data []byte) error {
	decoded, err := unmarshalSlice[T](s.arena, data)
	if err == nil {
		s.Clear()
		s.Append(decoded...)
	}
	return err
}

// Format prints the unread bytes: as a string with %s, %q, %v and the like, and as
// fmt prints a []byte with %d and others.
func (b *Buffer) Format(f fmt.State, verb rune) {
	switch verb {
	case 'v', 's', 'q', 'x', 'X':
		fmt.Fprintf(f, fmt.FormatString(f, verb), string(b.Bytes()))
	default:
		fmt.Fprintf(f, fmt.FormatString(f, verb), b.Bytes())
	}
}

func formatSlice[T any](f fmt.State, verb rune, s []T) {
	fmt.Fprintf(f, fmt.FormatString(f, verb), s)
}

// marshalSlice is json.Marshal, but [] is never null.
func marshalSlice[T any](s []T) ([]byte, error) {
	if s == nil {
		s = []T{}
	}
	return json.Marshal(s)
}

// unmarshalSlice decodes an array. The result lives as long as the arena.
func unmarshalSlice[T any](a *arena.Arena, data []byte) ([]T, error) {
	var decoded []T
	if err := json.Unmarshal(data, &decoded); err != nil {
		return nil, err
	}
	a.KeepAlive(decoded)
	return decoded, nil
}
