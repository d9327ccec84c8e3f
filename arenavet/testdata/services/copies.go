package services

import (
	"bytes"
	"html"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/harena-go/arena"
)

// Copies that aren't any: of what is in another arena, or needn't be changed.

type exchange struct {
	a    *arena.Arena
	pool *arena.Pool
	last *item
	text string
	at   time.Time
	list []string
	memo map[string]int
	r    *strings.Replacer
}

func (x *exchange) BadOutOfChild() {
	defer x.a.Reset()
	tmp := x.a.Child()
	it := arena.New[item](x.a)
	x.last = arena.CloneOut(tmp, it)
}
func (x *exchange) BadOutOfParent() {
	defer x.a.Reset()
	tmp := x.a.Child()
	it := arena.New[item](tmp)
	x.last = arena.CloneOut(x.a, it)
}
func (x *exchange) BadOutOfOther() {
	a, b := x.pool.Get(), x.pool.Get()
	defer x.pool.Put(a)
	defer x.pool.Put(b)
	x.last = arena.CloneOut(b, arena.New[item](a))
}
func (x *exchange) OKOut(other *arena.Arena, in bool) {
	defer x.a.Reset()
	tmp := x.a.Child()
	x.last = arena.CloneOut(tmp, arena.New[item](tmp))
	x.last = arena.CloneOut(x.a, arena.New[item](x.a))
	x.last = arena.CloneOut(other, arena.New[item](x.a)) // the same, for all that is known
	it := arena.New[item](x.a)
	if in {
		it = arena.New[item](tmp)
	}
	it = arena.CloneOut(tmp, it)
	x.last = arena.CloneOut(x.a, it)
}

// Keep copies both, out of the arena that it is given. Strings that don't change aren't copied.
var kept sync.Map

func (x *exchange) OKKept(name string) {
	defer x.a.Reset()
	kept.Store(arena.Keep(x.a, x.a.AllocString(name), arena.New[item](x.a)))
	k, v := arena.Keep(x.a, x.a.AllocString(name), len(name))
	x.memo[k] = v
}
func (x *exchange) BadKeptKey(name string) {
	defer x.a.Reset()
	kept.Store(x.a.AllocString(name), 1)
}
func (x *exchange) BadKeptInMap(name string) {
	defer x.a.Reset()
	x.memo[x.a.ToLower(name)] = 1
}
func (x *exchange) BadKeptOfOther() {
	tmp := x.a.Child()
	defer x.a.Reset()
	k, v := arena.Keep(tmp, "key", arena.New[item](x.a))
	x.text, x.last = k, v
}
func (x *exchange) BadText(n int) {
	defer x.a.Reset()
	x.text = x.a.Text().Str("n ").Int(n).String()
}
func (x *exchange) BadTextOfDead(name string) string {
	t := x.a.Text()
	name = x.a.AllocString(name)
	x.a.Reset()
	return strings.Clone(t.Str(name).String())
}
func (x *exchange) BadUnchanged(name string) string {
	a := x.pool.Get()
	defer x.pool.Put(a)
	return x.a.Replace(a.AllocString(name), "a", "b", 1)
}
func (x *exchange) OKChanged(name string) {
	defer x.a.Reset()
	x.text = strings.Clone(x.a.Repeat(x.a.ToUpper(name), 2))
	x.text = arena.CloneOut(x.a, x.a.Text().Quote(name).String())
}

func (x *exchange) OKJoin(text string, more []string, n int) {
	defer x.a.Reset()
	s := x.a.AllocString(text)
	x.text = strings.Join([]string{s, "x"}, " ")
	parts := []string{"GET"}
	for range n {
		parts = append(parts, s)
	}
	x.text = strings.Join(parts, " ")
	x.text = strings.Join(append(more, s), " ") // more may always have some
	words := strings.Split(s, ",")
	if len(words) != 3 {
		return
	}
	x.text = strings.Join(words, " ")
	list := x.list
	for range n {
		list = append(list, s)
	}
	x.text = strings.Join(list, "")
}
func (x *exchange) OKJoinPair(text string) {
	defer x.a.Reset()
	var parts []string
	parts = append(parts, x.a.AllocString(text))
	parts = append(parts, text)
	each := func() { parts = append(parts, "x") }
	each()
	x.text = strings.Join(parts, " ")
}
func (x *exchange) BadEscaped(text string) {
	defer x.a.Reset()
	x.text = html.EscapeString(x.a.AllocString(text))
}
func (x *exchange) BadReplacer(text string) {
	defer x.a.Reset()
	x.text = x.r.Replace(x.a.AllocString(text))
}

// Times and their zones.
func (x *exchange) BadZone(name string) {
	defer x.a.Reset()
	x.at = time.Unix(0, 0).In(time.FixedZone(x.a.AllocString(name), 3600)).Add(time.Hour)
}
func (x *exchange) BadZoneDate(name string) {
	defer x.a.Reset()
	loc, err := time.LoadLocation(x.a.AllocString(name))
	if err != nil {
		return
	}
	x.at = time.Date(2024, 1, 1, 0, 0, 0, 0, loc)
}
func (x *exchange) BadZoneName(name string) {
	defer x.a.Reset()
	at := time.Unix(0, 0).In(time.FixedZone(x.a.AllocString(name), 3600))
	x.text, _ = at.Zone()
}
func (x *exchange) OKTime(text string) {
	defer x.a.Reset()
	at, err := time.Parse(time.RFC3339, x.a.AllocString(text))
	if err != nil {
		return
	}
	x.at = at
	x.at = time.Unix(0, 0).In(time.FixedZone(x.a.AllocString(text), 3600)).UTC()
	x.text = time.Unix(0, 0).In(time.FixedZone(x.a.AllocString(text), 3600)).Format(time.Kitchen)
}

// Callbacks of the standard library that remember what they are given.
func (x *exchange) rank(name string) int {
	n, ok := x.memo[name]
	if !ok {
		n = len(name)
		x.memo[name] = n
	}
	return n
}
func (x *exchange) BadSortMemo(text []byte) {
	defer x.a.Reset()
	var names []string
	for _, w := range bytes.Fields(text) {
		names = arena.Append(x.a, names, x.a.AllocBytesToString(w))
	}
	slices.SortFunc(names, func(v, w string) int { return x.rank(v) - x.rank(w) })
}
func (x *exchange) BadIndexMemo(text string) {
	defer x.a.Reset()
	names := []string{x.a.AllocString(text)}
	slices.IndexFunc(names, func(s string) bool {
		x.text = s
		return false
	})
}
func (x *exchange) OKSortMemo(text string) {
	defer x.a.Reset()
	names := []string{x.a.AllocString(text), "b"}
	slices.SortFunc(names, func(v, w string) int { return strings.Compare(v, w) })
	sort.Slice(names, func(i, j int) bool { return x.rank(strings.Clone(names[i])) < x.memo[names[j]] })
	slices.IndexFunc(names, func(s string) bool {
		x.text = strings.Clone(s)
		return x.text == s
	})
}
