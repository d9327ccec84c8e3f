package server

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

func arenas() map[string]*arena.Arena {
	return map[string]*arena.Arena{
		"heap":           nil,
		"default":        arena.NewArena(),
		"self-contained": arena.NewArena(arena.WithNoScan()),
	}
}

func TestParse(t *testing.T) {
	for _, test := range []struct {
		name, contentType, body string
		want                    []*Record
	}{
		{"nothing", "", " \n\n", nil},
		{"logfmt", "", "level=info service=web msg=\"hello, \\\"world\\\" \\u00e9\" took=1m5s\r\n\n  level=error \t service=db user=7 query= tag=\"a=b c\" tag=x=y",
			[]*Record{
				{Line: 1, Level: "info", Service: "web", Message: `hello, "world" é`, Took: 65 * time.Second},
				{Line: 3, Level: "error", Service: "db", Fields: []Field{{"user", "7"}, {"query", ""}, {"tag", "a=b c"}, {"tag", "x=y"}}},
			}},
		{"JSON", "", `{"level":"warn","service":"web","msg":"a \"b\"\n\ud83d\ude00","took":"3ms"}` + "\n" +
			` { "level" : "debug" , "n" : -1.5e3,"service":"","service":"db", "ok":true,"none":null,"":"","k\u0065y":"}, \"\\",` +
			`"nested":{"a":[1,{"b":"]}"}], "c":{}},"list":[ ] }  `,
			[]*Record{
				{Line: 1, Level: "warn", Service: "web", Message: "a \"b\"\n😀", Took: 3 * time.Millisecond},
				{Line: 2, Level: "debug", Service: "db", Fields: []Field{{"n", "-1.5e3"}, {"ok", "true"}, {"none", "null"}, {"", ""},
					{"key", `}, "\`}, {"nested", `{"a":[1,{"b":"]}"}], "c":{}}`}, {"list", "[ ]"}}},
			}},
		{"the type prevails", "text/logfmt", "{=1 level=info service=s", []*Record{{Line: 1, Level: "info", Service: "s", Fields: []Field{{"{", "1"}}}}},
		{"long lines", "application/jsonl", `{"level":"info","service":"s","msg":"` + strings.Repeat("x", 5000) + `"}`,
			[]*Record{{Line: 1, Level: "info", Service: "s", Message: strings.Repeat("x", 5000)}}},
	} {
		for name, a := range arenas() {
			t.Run(test.name+"/"+name, func(t *testing.T) {
				for range 3 { // in used memory, too
					a.Reset()
					body := []byte(test.body)
					got, err := parse(a, test.contentType, body)
					if err != nil {
						t.Fatal(err)
					}
					clear(body) // nothing may point to it
					runtime.GC()
					if !reflect.DeepEqual(got, test.want) {
						t.Errorf("got  %s\nwant %s", text(got), text(test.want))
					}
				}
			})
		}
	}
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestParseErrors(t *testing.T) {
	const good = "level=info service=web\n"
	for body, want := range map[string]string{
		"level=info":                                     "line 1: it has no service",
		good + "\n" + good + "service=web":               `line 4: its level "" is not debug, info, warn or error`,
		"level=INFO service=web":                         `line 1: its level "INFO" is not`,
		good + "hello":                                   `line 2: no key=value at "hello"`,
		good + "level=info hello service=web":            `line 2: no key=value at "hello service=web"`,
		good + "=7":                                      `line 2: no key=value at "=7"`,
		`level=info "a"=7`:                               `line 1: no key=value at "\"a\"=7"`,
		`level="info`:                                    `line 1: no end of the quotes at "\"info"`,
		`level="info\" service=web`:                      `line 1: no end of the quotes at`,
		`level="info"service=web`:                        `line 1: no space at "service=web"`,
		`level=info service="a\x"`:                       "line 1: invalid ",
		good + "took=5":                                  `line 2: took "5" is not a time such as 5ms`,
		good + "took=" + strings.Repeat("x", 10_000):     `line 2: took "xxxxxxxxxxxxxxxxxxxx" is not a time such as 5ms`,
		`{"level":"info","service":"web"`:                "line 1: it is not a JSON object",
		`{"level":"info","service":"web"}` + "\n[1]":     "line 2: it is not a JSON object",
		`{"level":"info","service":"web"} {}`:            "line 1: it is not a JSON object",
		`{"level":"info","service":"web"}` + "\n" + good: "line 2: it is not a JSON object",
		`{"service":"web","took":7}`:                     `line 1: took "7" is not a time`,
		`{"level":7,"service":"web"}`:                    `line 1: its level "7" is not`,
	} {
		for name, a := range arenas() {
			a.Reset()
			records, err := parse(a, "", []byte(body))
			if err == nil || !strings.HasPrefix(err.Error(), want) || len(err.Error()) > 100 || records != nil {
				t.Errorf("%s: %.100q: %v, %s; want %q", name, body, err, text(records), want)
			}
		}
	}
}

// TestParseLikeJSON compares with package json, for lines that are mostly slightly wrong.
func TestParseLikeJSON(t *testing.T) {
	const seed = `{"level":"info", "service":"a\u0062\\", "x":[1, {"y":"z\""}] ,"":"}", "n":-1e3,"t":true}`
	const odd = `"\{}[]:, 1entu` + "\x00\x80"
	random := rand.New(rand.NewPCG(1, 2))
	a := arena.NewArena()
	cases, valid := testkit.Cases(50_000), 0
	for range cases {
		a.Reset()
		line := []byte(seed)
		for range random.IntN(4) {
			if i := random.IntN(len(line)); random.IntN(2) == 0 {
				line[i] = odd[random.IntN(len(odd))]
			} else {
				line = append(line[:i], line[i+1:]...)
			}
		}
		var want map[string]json.RawMessage
		jsonErr := json.Unmarshal(line, &want)
		r := arena.New[Record](a)
		if err := r.setJSON(a, line); (err == nil) != (jsonErr == nil) {
			t.Fatalf("%q: %v; package json says %v", line, err, jsonErr)
		}
		if jsonErr != nil {
			continue
		}
		valid++
		got := map[string]string{}
		for _, f := range append(r.Fields, Field{"level", r.Level}, Field{"service", r.Service}) {
			got[strings.ToValidUTF8(f.Key, "\uFFFD")] = f.Value
		}
		for key, raw := range want {
			value := string(raw)
			if value[0] == '"' {
				if err := json.Unmarshal(raw, &value); err != nil {
					t.Fatal(err)
				}
			}
			if g, ok := got[key]; !ok || strings.ToValidUTF8(g, "\uFFFD") != strings.ToValidUTF8(value, "\uFFFD") {
				t.Fatalf("%q: %q is %q, %v; want %q", line, key, g, ok, value)
			}
		}
	}
	if valid < cases/5 {
		t.Errorf("only %d of %d lines were valid", valid, cases)
	}
}

func summary(a *arena.Arena, records []*Record) *Summary {
	s := arena.New[Summary](a)
	s.Add(a, records)
	return s
}

func TestSummary(t *testing.T) {
	var body strings.Builder
	for i, took := range []int{5, 9, 9, 1, 9} { // in lines 1, 3, 5 ...
		fmt.Fprintf(&body, "level=info service=web msg=w%d took=%dms\n", i, took)
		fmt.Fprintf(&body, "level=%s service=db msg=d%d took=%dms\n", []string{"debug", "info", "warn", "error"}[i%4], i, []int{0, 0, 0, 9, 0}[i])
	}
	for _, at := range []int{4, 10} { // lines; the latter has more than three before it
		for name, a := range arenas() {
			lines := strings.Split(body.String(), "\n")
			lines[at-1] += " took=1s"
			records, err := parse(a, "", []byte(strings.Join(lines, "\n")))
			if err != nil {
				t.Fatal(err)
			}
			got := text(summary(a, records))
			want := `{"records":10,"services":[{"name":"db","debug":2,"info":1,"warn":1,"error":1},{"name":"web","debug":0,"info":5,"warn":0,"error":0}],"slowest":`
			var before []string
			for i := at/2 - 2; i >= max(0, at/2-4); i-- {
				before = append(before, fmt.Sprintf("d%d", i))
			}
			var sum struct{ Before []struct{ Msg string } }
			if err := json.Unmarshal([]byte(got), &sum); err != nil {
				t.Fatal(err)
			}
			var gotBefore []string
			for _, r := range sum.Before {
				gotBefore = append(gotBefore, r.Msg)
			}
			if !strings.HasPrefix(got, want+fmt.Sprintf(`{"line":%d,`, at)) || !reflect.DeepEqual(gotBefore, before) {
				t.Errorf("%s, line %d: got %s", name, at, got)
			}
		}
	}
	for name, a := range arenas() {
		records, _ := parse(a, "", []byte(body.String()))
		if s := summary(a, records); s.Slowest.Line != 3 {
			t.Errorf("%s: of the equally slow, line %d is the slowest; want the first, 3", name, s.Slowest.Line)
		}
		if got := text(summary(a, nil)); got != `{"records":0}` {
			t.Errorf("%s: of no records: %s", name, got)
		}
	}
}
