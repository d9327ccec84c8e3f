package server

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
)

// parsed is a batch as the heap's maker builds it.
func parsed(t *testing.T, body string) *Batch {
	t.Helper()
	b, err := new(parser[heap]).parse(heap{}, []byte(body))
	if err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	return b
}

// String spells out a record, with nothing left out.
func (r *Record) String() string {
	labels := maps.Collect(r.Labels.All)
	s := fmt.Sprintf("%d %d %d %d %x %q %q %q %q %d", r.Time, r.Level, r.Status, r.Duration, r.Span, r.Trace, r.Route, r.Message, r.Tags, r.Samples)
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		s += fmt.Sprintf(" %q=%q", k, labels[k])
	}
	s += fmt.Sprintf(" %q %q", r.Source.Service, r.Source.Host)
	if r.Parent != nil {
		s += fmt.Sprintf(" parent %x", r.Parent.Span)
	}
	return s
}

const wholeJSON = `{"ts":"2026-03-01T12:34:56.789Z","level":"warn","service":"cart","host":"web-17",` +
	`"route":"/cart","status":503,"us":18234,"trace":"4bf9","span":"00f067aa0ba902b7","parent":"",` +
	`"msg":"timed \"out\"\n","tags":["retry","a b"],"samples":[12,-9,0],"labels":{"region":"eu","zone":"b"}}`

const wholeLogfmt = `ts=2026-03-01T12:34:56.789Z level=warn service=cart host=web-17 route=/cart status=503 us=18234 ` +
	`trace=4bf9 span=00f067aa0ba902b7 msg="timed \"out\"\n" tags="retry,a b" samples=12,-9,0 label.region=eu label.zone="b"`

func TestBothDialectsSayTheSame(t *testing.T) {
	b := parsed(t, wholeJSON+"\n\n"+wholeLogfmt)
	if b.Records != 2 || b.First.Next != b.Last || len(b.Sources) != 1 || b.First.Source != b.Last.Source {
		t.Fatalf("%d records of %d sources, want 2 of 1 that they share", b.Records, len(b.Sources))
	}
	at := time.Date(2026, 3, 1, 12, 34, 56, 789e6, time.UTC).UnixMicro()
	want := fmt.Sprintf(`%d 2 503 18234 f067aa0ba902b7 "4bf9" "/cart" "timed \"out\"\n" ["retry" "a b"] [12 -9 0] "region"="eu" "zone"="b" "cart" "web-17"`, at)
	for r := b.First; r != nil; r = r.Next {
		if r.String() != want {
			t.Errorf("got  %s\nwant %s", r, want)
		}
	}
}

func TestLines(t *testing.T) {
	for in, want := range map[string]string{
		`{}`:                                  `0 0 0 0 0 "" "" "" [] [] "" ""`,
		"\t { } \r":                           `0 0 0 0 0 "" "" "" [] [] "" ""`,
		`{ "us" : -7 , "tags" : [ ] }`:        `0 0 0 -7 0 "" "" "" [] [] "" ""`,
		`{"msg":"\u00e9\ud83d\ude00\/"}`:      `0 0 0 0 0 "" "" "é😀/" [] [] "" ""`,
		`{"msg":"\ud83d \ude00\ud83d\u0041"}`: `0 0 0 0 0 "" "" "` + "\ufffd \ufffd\ufffd" + `A" [] [] "" ""`,
		`{"x":[1,{"y":null},-0.5e+7,"\"",[]],"us":1}`: `0 0 0 1 0 "" "" "" [] [] "" ""`,
		`{"labels":{"a":"1","a":"2"}}`:                `0 0 0 0 0 "" "" "" [] [] "a"="2" "" ""`,
		`{"ts":"1969-12-31T23:59:59.999999999Z"}`:     `-1 0 0 0 0 "" "" "" [] [] "" ""`,
		`{"ts":"2024-02-29T00:00:00Z"}`:               `1709164800000000 0 0 0 0 "" "" "" [] [] "" ""`,
		`{"ts":"0000-01-01T00:00:00.000Z"}`:           `-62167219200000000 0 0 0 0 "" "" "" [] [] "" ""`,
		`{"trace":"\t","msg":"\n","route":"\r\\"}`:    `0 0 0 0 0 "\t" "\r\\" "\n" [] [] "" ""`,
		`us=1`:                              `0 0 0 1 0 "" "" "" [] [] "" ""`,
		`  level=info   x="a b"  us=2 `:     `0 1 0 2 0 "" "" "" [] [] "" ""`,
		`msg= tags=a,,b label.=x labels=y`:  `0 0 0 0 0 "" "" "" ["a" "" "b"] [] ""="x" "" ""`,
		`msg=a=b service="s \u00e9" host=h`: `0 0 0 0 0 "" "" "a=b" [] [] "s é" "h"`,
	} {
		if got := parsed(t, in).First.String(); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", in, got, want)
		}
	}
}

// TestMalformedLinesAreNamed puts each behind two good lines.
func TestMalformedLinesAreNamed(t *testing.T) {
	for in, want := range map[string]string{
		`{`:                                   "text in quotes",
		`{"us":1`:                             "comma or the end",
		`{"us":1,}`:                           "text in quotes",
		`{"us" 1}`:                            "colon",
		`{"us":1} x`:                          "after the end",
		`{"us":1.5}`:                          "comma or the end",
		`{"us":01}`:                           "leading zero",
		`{"us":"1"}`:                          "whole number",
		`{"us":1000000000000000000}`:          "18 digits",
		`{"us":1,"us":1}`:                     "second time",
		`{"msg":"a`:                           "without an end",
		`{"msg":"\`:                           "without an end",
		`{"msg":"\x"}`:                        "unknown escape",
		`{"msg":"\u12g4"}`:                    "hexadecimal",
		"{\"msg\":\"a\tb\"}":                  "control character",
		"{\"msg\":\"long enough\x1fby far\"}": "control character",
		`{"ts":"2O26-02-28T00:00:00Z"}`:       "looks like",
		`{"msg":null}`:                        "text in quotes",
		`{"level":"loud"}`:                    "level is one of",
		`{"ts":"2026-02-29T00:00:00Z"}`:       "no such time",
		`{"ts":"2026-02-28 00:00:00Z"}`:       "looks like",
		`{"ts":"2026-02-28T00:00:00.Z"}`:      "fraction",
		`{"span":"12"}`:                       "16 hexadecimal",
		`{"span":"000000000000000g"}`:         "16 hexadecimal",
		`{"tags":"a"}`:                        "list",
		`{"tags":[1]}`:                        "text in quotes",
		`{"samples":{}}`:                      "list",
		`{"labels":[]}`:                       "object",
		`{"labels":{"a":1}}`:                  "text in quotes",
		`{"x":nul}`:                           "value",
		`{"x":1.}`:                            "digit",
		`{"x":` + strings.Repeat("[", 40):     "deep",
		"{\x00}":                              "zero byte",
		`us`:                                  "equals sign",
		`=1`:                                  "equals sign",
		`us=`:                                 "whole number",
		`us= 1`:                               "whole number",
		`us=1x`:                               "blank",
		`us=1 us=2`:                           "second time",
		`samples=1,`:                          "whole number",
		`msg="a`:                              "without an end",
		`msg="a"b`:                            "blank",
		`level=loud`:                          "level is one of",
	} {
		body := wholeJSON + "\n" + wholeLogfmt + "\n" + in + "\n" + wholeJSON
		_, err := new(parser[heap]).parse(heap{}, []byte(body))
		var bad *SyntaxError
		if !errors.As(err, &bad) || bad.Line != 3 || !strings.Contains(bad.What, want) || bad.Column < 1 || bad.Column > len(in)+1 {
			t.Errorf("%s\nerror %v, want one about line 3 with %q", in, err, want)
		}
	}
}

func TestParents(t *testing.T) {
	span := func(n int) string { return fmt.Sprintf("%016x", n) }
	var body strings.Builder
	fmt.Fprintf(&body, "span=%s\nspan=%s parent=%s\nspan=%s parent=%s\n", span(1), span(2), span(1), span(3), span(2))
	for i := range lookBack - 2 {
		fmt.Fprintf(&body, "span=%s\n", span(i+100))
	}
	fmt.Fprintf(&body, "span=%s parent=%s\nparent=%s\nspan=%s parent=%s", span(4), span(2), span(2), span(5), span(5))
	var got []uint64
	for r := parsed(t, body.String()).First; r != nil; r = r.Next {
		if r.Parent != nil {
			got = append(got, r.Parent.Span)
		}
	}
	if !slices.Equal(got, []uint64{1, 2, 2}) {
		t.Errorf("parents %d, want 1, 2, and once more 2, which is too far back afterwards", got)
	}
}

// TestParserKeepsNothing has one parser read batches in turn: no record gets a
// parent from another batch, or loses its own.
func TestParserKeepsNothing(t *testing.T) {
	p := new(parser[heap])
	p.parse(heap{}, []byte("us=1\nus=2\nspan=0000000000000001"))
	p.forget()
	b, err := p.parse(heap{}, []byte("parent=0000000000000001\nspan=0000000000000001\nparent=0000000000000001"))
	if err != nil || b.Records != 3 || b.First.Parent != nil || b.Last.Parent != b.First.Next {
		t.Errorf("%v, %+v", err, b)
	}
}

func TestSources(t *testing.T) {
	b := parsed(t, "service=a host=x\nservice=a host=y\nservice=b host=x\nservice=a host=x\n{}\nus=1")
	var got []string
	for _, s := range b.Sources {
		got = append(got, s.Service+"@"+s.Host)
	}
	if want := []string{"a@x", "a@y", "b@x", "@"}; !slices.Equal(got, want) {
		t.Errorf("sources %q, want %q", got, want)
	}
}

// TestTextsStayApart has many escaped texts in one line, whose scratch buffer
// must grow meanwhile.
func TestTextsStayApart(t *testing.T) {
	a := arena.NewArena()
	for n := range 200 {
		long := strings.Repeat("x", n*7)
		in := fmt.Sprintf(`service="s\t%s" host="h\t%s" msg="m\t%s"`, long, long, long)
		p := new(parser[inArena])
		b, err := p.parse(inArena{a}, []byte(in))
		if err != nil {
			t.Fatal(err)
		}
		s := b.First.Source
		if s.Service != "s\t"+long || s.Host != "h\t"+long || b.First.Message != "m\t"+long {
			t.Fatalf("texts of %d bytes: %.20q %.20q %.20q", len(long)+2, s.Service, s.Host, b.First.Message)
		}
		a.Reset()
	}
}
