package attack

import (
	"strconv"
	"strings"
	"time"

	"github.com/harena-go/arena"
)

// Strings made of others. Results with the bytes of a piece are pieces from then on; the others are compared with
// package strings at once.
var textOps = []operation{
	{name: "Text", weight: 10, calls: "arena.Text arena.Arena.Text arena.Text.Str arena.Text.Bytes arena.Text.Byte arena.Text.String arena.Text.Len", do: with(text3)},
	{name: "Text of values", weight: 4, calls: "arena.Text.Rune arena.Text.Bool arena.Text.Int arena.Text.Int64 arena.Text.Uint64 arena.Text.Float " +
		"arena.Text.Time arena.Text.Quote", do: with(formatted)},
	{name: "strings", weight: 8, calls: "arena.Arena.ToUpper arena.Arena.ToLower arena.Arena.Map arena.Arena.Replace arena.Arena.Repeat", do: with(stringsOp)},
	{name: "Keep", weight: 2, calls: "arena.Keep", do: with(keep)},
}

// text3 adds a piece in three parts.
func text3(w *world, ac *actor, r *rng) {
	n := r.size()
	w.number++
	seed := mix(w.number)
	b, need := filled(n, seed), n+15
	if n > 128 {
		need = -1 // it grows as it likes, and keeps that if a limit is met
	}
	var t *arena.Text
	var s string
	if w.call(ac, "Text", n, need, func() {
		t = ac.a.Text().Str(string(b[:n/3])).Bytes(b[n/3 : n/2])
		for _, c := range b[n/2:] {
			t.Byte(c)
		}
		s = t.String()
	}) {
		if t.Len() != n {
			w.failf("Text: length %d, want %d", t.Len(), n)
		}
		w.addText(ac, s, b, seed)
	}
}

// formatted adds values, while other values are allocated.
func formatted(w *world, ac *actor, r *rng) {
	i, s := int64(r.next()), strings.Repeat("ä\xff", r.n(90))
	at := time.Unix(i>>30, 0).UTC()
	want := "世true" + strconv.FormatInt(i, 10) + strconv.FormatUint(uint64(i), 10) + strconv.FormatFloat(float64(i), 'f', 3, 64) +
		strconv.Quote(s) + strconv.Itoa(r.n(5)) + at.Format(time.RFC3339)
	last := want[len(want)-len(at.Format(time.RFC3339))-1] - '0'
	var got string
	if w.call(ac, "Text", len(want), -1, func() {
		t := ac.a.Text().Rune('世').Bool(true).Int64(i)
		arena.New[int](ac.a)
		got = t.Uint64(uint64(i)).Float(float64(i), 'f', 3).Quote(s).Int(int(last)).Time(at, time.RFC3339).String()
	}) && got != want {
		w.failf("Text: %q, want %q", got, want)
	}
}

func stringsOp(w *world, ac *actor, r *rng) {
	s := strings.Repeat("Ab,ä\xff"[:1+r.n(6)], r.n(60))
	n := r.n(5) - 1
	shift := func(c rune) rune { return c + 1 }
	for name, f := range map[string][2]func() string{
		"Arena.ToUpper": {func() string { return ac.a.ToUpper(s) }, func() string { return strings.ToUpper(s) }},
		"Arena.ToLower": {func() string { return ac.a.ToLower(s) }, func() string { return strings.ToLower(s) }},
		"Arena.Map":     {func() string { return ac.a.Map(shift, s) }, func() string { return strings.Map(shift, s) }},
		"Arena.Replace": {func() string { return ac.a.Replace(s, "b,", "longer", n) }, func() string { return strings.Replace(s, "b,", "longer", n) }},
		"Arena.Repeat":  {func() string { return ac.a.Repeat(s, n+1) }, func() string { return strings.Repeat(s, n+1) }},
	} {
		var got string
		if w.call(ac, name, 0, -1, func() { got = f[0]() }) && got != f[1]() {
			w.failf("%s of %q: %q, want %q", name, s, got, f[1]())
		}
	}
}

// keep copies a string and a pointer out of the arena.
func keep(w *world, ac *actor, r *rng) {
	var key string
	var p *[]string
	if !w.call(ac, "Keep", 0, -1, func() {
		key = ac.a.AllocString("a key")
		p = arena.NewOf(ac.a, []string{key})
	}) {
		return
	}
	var k string
	var v *[]string
	if w.call(ac, "Keep", 0, 0, func() { k, v = arena.Keep(ac.a, key, p) }) && (k != "a key" || (*v)[0] != k || ac.a != nil && v == p) {
		w.failf("Keep: %q %q", k, *v)
	}
}
