package services

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
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

// Values that a function decodes which doesn't know their type.

type tray struct {
	last   string
	one    basket
	recent []basket
	err    error
	byName map[string]int
}

type basket struct {
	ID    int
	Name  string
	Items []sku
	note  string
}

func (x *tray) BadJSONField(w http.ResponseWriter, r *http.Request) {
	o, err := arenahttp.JSON[basket](r)
	if err == nil {
		x.last = o.Name
	}
}
func (x *tray) BadJSONCopied(w http.ResponseWriter, r *http.Request) {
	if o, err := arenahttp.JSON[basket](r); err == nil {
		x.one = *o
	}
}
func (x *tray) BadJSONAppended(w http.ResponseWriter, r *http.Request) {
	if o, err := arenahttp.JSON[basket](r); err == nil {
		x.push(*o)
	}
}
func (x *tray) push(o basket) { x.recent = append(x.recent, o) }
func (x *tray) BadJSONDeep(w http.ResponseWriter, r *http.Request) {
	if o, err := arenahttp.JSON[basket](r); err == nil {
		for _, item := range o.Items {
			x.byName[item.SKU]++
		}
	}
}
func (x *tray) BadDecodeInto(w http.ResponseWriter, r *http.Request) {
	var o basket
	if arenahttp.Decode(r, &o) == nil {
		x.last = o.Items[0].SKU
	}
}

type flaw struct{ Field string }

func (w *flaw) Error() string { return w.Field }

func (x *tray) BadJSONError(w http.ResponseWriter, r *http.Request) {
	o, err := arenahttp.JSON[basket](r)
	if err == nil {
		err = sound(o)
	}
	x.err = fmt.Errorf("%s: %w", r.URL.Path, err)
}
func sound(o *basket) error {
	for _, item := range o.Items {
		if item.SKU == "" {
			return &flaw{o.Name}
		}
	}
	return nil
}

// A generic helper, by value, as there is one in many services.
func unpack[T any](a *arena.Arena, data []byte) (v T, err error) {
	err = arenajson.Unmarshal(a, data, &v)
	return v, err
}
func (x *tray) BadRead(pool *arena.Pool, data []byte) error {
	a := pool.Get()
	defer pool.Put(a)
	o, err := unpack[basket](a, data)
	x.one = o
	return err
}
func BadReadString(pool *arena.Pool, data []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	s, _ := unpack[string](a, data)
	return s
}
func BadReadMember(pool *arena.Pool, data []byte) string {
	a := pool.Get()
	defer pool.Put(a)
	all, _ := unpack[[]basket](a, data)
	for _, o := range all {
		if o.ID > 0 {
			return o.Name
		}
	}
	return ""
}

type sheet[T any] struct {
	Next string
	Item T
}

func readSheet[T any](a *arena.Arena, data []byte) (p *sheet[T], err error) {
	p = arena.New[sheet[T]](a)
	return p, unpackTo(a, data, p)
}
func unpackTo(a *arena.Arena, data []byte, v any) error { return arenajson.Unmarshal(a, data, v) }
func (x *tray) BadPage(pool *arena.Pool, data []byte) {
	a := pool.Get()
	defer pool.Put(a)
	if p, err := readSheet[basket](a, data); err == nil {
		x.last = p.Item.Name
	}
}

func (x *tray) OKJSONCloned(w http.ResponseWriter, r *http.Request) {
	if o, err := arenahttp.JSON[basket](r); err == nil {
		x.last = strings.Clone(o.Name)
		x.one.ID = o.ID
	}
}
func (x *tray) OKJSONCloneOut(w http.ResponseWriter, r *http.Request) {
	if o, err := arenahttp.JSON[basket](r); err == nil {
		x.push(arena.CloneOut(arena.FromContext(r.Context()), *o))
	}
}
func (x *tray) OKJSONUnexported(w http.ResponseWriter, r *http.Request) {
	if o, err := arenahttp.JSON[basket](r); err == nil {
		x.last = o.note
	}
}
func (x *tray) OKJSONReplaced(w http.ResponseWriter, r *http.Request) {
	if o, err := arenahttp.JSON[basket](r); err == nil {
		o.Name = strings.Clone(o.Name)
		x.last = o.Name
	}
}
func OKReadNumber(pool *arena.Pool, data []byte) int {
	a := pool.Get()
	defer pool.Put(a)
	n, _ := unpack[int](a, data)
	o, _ := unpack[basket](a, data)
	return n + o.ID + len(o.Name)
}
func OKReadHeap(data []byte) (string, error) {
	o, err := unpack[basket](nil, data)
	return o.Name, err
}
func OKReadZeroed(pool *arena.Pool, data []byte) (o basket) {
	pool.Do(func(a *arena.Arena) error {
		var err error
		o, err = unpack[basket](a, data)
		fmt.Println(o.Name)
		o = basket{ID: o.ID}
		return err
	})
	return o
}
