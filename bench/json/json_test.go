package json

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/bench/json/work"
	"github.com/harena-go/arena/bench/suite"
)

// here returns the peers that are part of this program, and run on this processor.
func here(t *testing.T) map[string]work.Peer {
	peers := map[string]work.Peer{}
	for _, name := range Suite().Peers {
		if programArgs(name) != nil {
			continue
		}
		p, err := newPeer(name)
		if err != nil {
			t.Fatal(err)
		}
		peers[name] = p
	}
	return peers
}

func texts(t *testing.T) []work.Text {
	all, err := work.Texts(testing.Short())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// same reports whether v, to which a peer read a text, equals the value of encoding/json. For a type of the peer's own,
// encoding/json reads the corresponding type.
func same(t *testing.T, text work.Text, v any) bool {
	v = likeGo(t, v)
	return reflect.DeepEqual(v, standard(t, text, reflect.TypeOf(v).Elem()))
}

// standards caches the values of encoding/json, by text and type.
var standards = map[any]any{}

// standard returns the value to which encoding/json reads a text.
func standard(t *testing.T, text work.Text, typ reflect.Type) any {
	key := struct {
		string
		int
		reflect.Type
	}{text.Name, len(text.Data), typ}
	if standards[key] == nil {
		v := reflect.New(typ).Interface()
		if err := stdjson.Unmarshal(text.Data, v); err != nil {
			t.Fatal(text.Name, err)
		}
		standards[key] = v
	}
	return standards[key]
}

// likeGo converts a value of a library's own kind to that of encoding/json.
func likeGo(t *testing.T, v any) any {
	if x, ok := v.(*any); ok {
		y := generic(*x)
		return &y
	}
	return v
}

func generic(v any) any {
	switch x := v.(type) {
	case []any:
		for i := range x {
			x[i] = generic(x[i])
		}
	case map[string]any:
		for k := range x {
			x[k] = generic(x[k])
		}
	case arenajson.Object:
		m := map[string]any{}
		for _, member := range x {
			m[member.Name] = generic(member.Value)
		}
		return m
	}
	return v
}

// TestPeersAgree: all peers read the texts to the same values, twice: a call doesn't disturb the next one.
func TestPeersAgree(t *testing.T) {
	eachPeer(t, func(t *testing.T, p work.Peer, text work.Text) {
		for _, k := range []work.Kind{work.Typed, work.Maps, work.Objects} {
			decode := p.Decoder(text, k)
			for i := 0; decode != nil && i < 2; i++ {
				if v, err := decode(text.Data); err != nil || !same(t, text, v) {
					t.Errorf("%s, kind %d: another value (%v)", text.Name, k, err)
				}
			}
		}
	})
}

// eachPeer runs a test for each peer in this program, with each text.
func eachPeer(t *testing.T, test func(t *testing.T, p work.Peer, text work.Text)) {
	all := texts(t)
	for name, p := range here(t) {
		t.Run(name, func(t *testing.T) {
			for _, text := range all {
				test(t, p, text)
			}
		})
	}
}

// TestBodiesAreRead: a handler's way gives the same values, in whatever pieces a body arrives, and the value stays when
// others use the buffer.
func TestBodiesAreRead(t *testing.T) {
	eachPeer(t, func(t *testing.T, p work.Peer, text work.Text) {
		read := p.Reader(text)
		if read == nil {
			return
		}
		for _, r := range []io.Reader{bytes.NewReader(text.Data), iotest.HalfReader(bytes.NewReader(text.Data))} {
			v, err := read(r)
			if err != nil {
				t.Errorf("%s: %v", text.Name, err)
				continue
			}
			spoil := work.Pooled(func([]byte) (any, error) { return nil, nil })
			if _, err := spoil(strings.NewReader(strings.Repeat("x", len(text.Data)))); err != nil {
				t.Fatal(err)
			}
			if !same(t, text, v) {
				t.Errorf("%s: another value", text.Name)
			}
		}
	})
}

// TestWhatIsWrittenIsRead: a peer's output has the value of the text, in both of two calls.
func TestWhatIsWrittenIsRead(t *testing.T) {
	eachPeer(t, func(t *testing.T, p work.Peer, text work.Text) {
		want := standard(t, text, text.Type)
		encode, err := p.Encoder(text)
		if err != nil {
			t.Errorf("%s: %v", text.Name, err)
		}
		for i := 0; encode != nil && i < 2; i++ {
			b, err := encode()
			got := reflect.New(text.Type)
			if err != nil || stdjson.Unmarshal(b, got.Interface()) != nil || !equalWritten(got.Interface(), want) {
				t.Errorf("%s: another value (%v)", text.Name, err)
			}
		}
	})
}

// equalWritten reports whether two values are the same but for slices that are nil or empty, which version 2
// writes alike.
func equalWritten(x, y any) bool {
	a, err := jsonv2.Marshal(x, jsonv2.Deterministic(true))
	b, err2 := jsonv2.Marshal(y, jsonv2.Deterministic(true))
	return err == nil && err2 == nil && bytes.Equal(a, b)
}

// testSuite is JSONTestSuite: texts by names that begin with y for right, n for wrong, i for either.
func testSuite(t *testing.T) map[string]string {
	data, err := work.TestSuite()
	if err != nil {
		t.Fatal(err)
	}
	var texts map[string]string
	if err := stdjson.Unmarshal(data, &texts); err != nil {
		t.Fatal(err)
	}
	return texts
}

// mistakes returns the texts that a peer judges differently from the standard library, alone or as an unwanted member.
func mistakes(t *testing.T, p work.Peer) (names []string) {
	none := work.Text{Type: reflect.TypeFor[struct {
		Z int `json:"z"`
	}]()}
	for name, text := range testSuite(t) {
		lost := strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) // invalid UTF-8 of a wrong text
		if name[0] == 'i' || name[0] == 'n' && lost {
			continue
		}
		var v any
		right := stdjson.Unmarshal([]byte(text), &v) == nil // like y, except for floats that are too large
		decode := p.Decoder(none, work.Maps)
		if _, err := decode([]byte(text)); (err == nil) != right && !duplicate(name) {
			names = append(names, name)
		}
		skip := p.Decoder(none, work.Typed)
		if _, err := skip([]byte(`{"unknown":` + text + `,"z":1}`)); (err == nil) != (name[0] == 'y') && !duplicate(name) {
			names = append(names, "unknown "+name)
		}
	}
	for _, text := range []string{"\"a\xff\"", "\"\xed\xa0\x80\"", `"\ud800"`, `"\ud800\u0041"`} {
		var want any
		if err := stdjson.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if got, err := p.Decoder(none, work.Maps)([]byte(text)); err == nil && *got.(*any) != want {
			names = append(names, fmt.Sprintf("value of %q", text))
		}
	}
	slices.Sort(names)
	return names
}

// duplicate reports whether a text has a duplicate name, which version 2 refuses.
func duplicate(name string) bool { return strings.Contains(name, "duplicated_key") }

// TestPeersAreExact: all peers accept exactly the texts of the standard library, even as unwanted members.
func TestPeersAreExact(t *testing.T) {
	for name, p := range here(t) {
		if _, ok := p.(work.Library); !ok && name != suite.Harena {
			continue
		}
		if wrong := mistakes(t, p); len(wrong) > 0 {
			t.Errorf("%s makes mistakes with %.9q", name, wrong)
		}
	}
}
