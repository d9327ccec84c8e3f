package server

import "strconv"

// This file is how a generator writes in either dialect.

func (g *generator) begin() {
	if g.json {
		g.out = append(g.out, '{')
	}
	g.more = false
}

func (g *generator) end() {
	if g.json {
		g.out = append(g.out, '}')
	}
	g.out = append(g.out, '\n')
}

// name writes what comes before a value.
func (g *generator) name(name string) {
	switch {
	case !g.json:
		if g.more {
			g.out = append(g.out, ' ')
		}
		g.out = append(append(g.out, name...), '=')
	default:
		if g.more {
			g.out = append(g.out, ',')
		}
		g.out = append(appendText(g.out, name), ':')
	}
	g.more = true
}

func (g *generator) text(name, value string) {
	g.name(name)
	if g.json || !bare(value) {
		g.out = appendText(g.out, value)
	} else {
		g.out = append(g.out, value...)
	}
}

// bare reports whether logfmt can do without quotes.
func bare(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] == '"' {
			return false
		}
	}
	return true
}

func (g *generator) number(name string, n int64) {
	g.name(name)
	g.out = strconv.AppendInt(g.out, n, 10)
}

// labels writes three to six of them: an object, or keys with a prefix.
func (g *generator) labels() {
	rnd := g.rnd
	all := [][2]string{
		{"region", pick(rnd, regions)},
		{"version", "v1." + strconv.Itoa(rnd.IntN(40)) + "." + strconv.Itoa(rnd.IntN(10))},
		{"user", "u-" + strconv.Itoa(rnd.IntN(10_000_000))},
		{"shard", strconv.Itoa(rnd.IntN(64))},
		{"customer", "customer-" + strconv.Itoa(rnd.IntN(5000))},
		{"experiment", "checkout-button-" + strconv.Itoa(rnd.IntN(9))},
	}
	prefix := "label."
	if g.json {
		g.name("labels")
		g.out = append(g.out, '{')
		g.more, prefix = false, ""
	}
	for _, l := range all[:3+rnd.IntN(4)] {
		g.text(prefix+l[0], l[1])
	}
	if g.json {
		g.out = append(g.out, '}')
		g.more = true
	}
}
