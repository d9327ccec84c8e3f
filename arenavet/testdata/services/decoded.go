package services

import (
	"io"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
)

// Values that are decoded into again.

type sku struct{ SKU string }
type skus struct {
	Name  string
	Items []sku
	M     map[string]int
	P     *sku
}

func BadDecodedAgain(a *arena.Arena, r io.Reader) (n int) {
	d := arenajson.NewDecoder(r)
	var v skus
	for d.More() {
		a.Reset()
		if d.Decode(a, &v) != nil {
			break
		}
		n += len(v.Items)
	}
	return n
}
func OKDecodedToNew(a *arena.Arena, r io.Reader) (n int) {
	d := arenajson.NewDecoder(r)
	for d.More() {
		a.Reset()
		var v skus
		if d.Decode(a, &v) != nil {
			break
		}
		n += len(v.Items)
	}
	return n
}
func OKDecodedToZero(a *arena.Arena, r io.Reader) (n int) {
	d := arenajson.NewDecoder(r)
	var v skus
	for d.More() {
		a.Reset()
		v = skus{}
		if d.Decode(a, &v) != nil {
			break
		}
		n += len(v.Items)
	}
	return n
}
func OKDecodedStrings(a *arena.Arena, r io.Reader) (n int) {
	d := arenajson.NewDecoder(r)
	var v struct{ Name string }
	for d.More() {
		a.Reset()
		if d.Decode(a, &v) != nil {
			break
		}
		n += len(v.Name)
	}
	return n
}
func OKDecodedInArena(a *arena.Arena, r io.Reader) (n int) {
	d := arenajson.NewDecoder(r)
	for d.More() {
		a.Reset()
		v := arena.New[skus](a)
		if d.Decode(a, v) != nil {
			break
		}
		n += len(v.Items)
	}
	return n
}
func BadUnmarshaledAgain(a *arena.Arena, data []byte) (n int) {
	var v []sku
	arenajson.Unmarshal(a, data, &v)
	n = len(v)
	a.Reset()
	arenajson.Unmarshal(a, data, &v)
	return n + len(v)
}
func OKDecodedInDo(pool *arena.Pool, data [][]byte) (n int) {
	var v skus
	for _, d := range data {
		pool.Do(func(a *arena.Arena) error {
			v = skus{}
			err := arenajson.Unmarshal(a, d, &v)
			n += len(v.Items)
			v = skus{}
			return err
		})
	}
	return n
}
