// Package work has the work of suite json: the texts, their kinds of use, and a peer's implementation of each. It
// imports no compared library, so that programs of other toolchains can use it.
package work

import (
	"bytes"
	"compress/gzip"
	stdjson "encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
)

// A Text is a text to read.
type Text struct {
	Name string
	Data []byte
	Type reflect.Type // into which Data is read
	Some bool         // Type has few of the members
}

// Title is the text's name and size.
func (t Text) Title() string {
	if n := len(t.Data); n < 10_000 {
		return fmt.Sprintf("%s, %d B", t.Name, n)
	}
	return fmt.Sprintf("%s, %d KB", t.Name, len(t.Data)/1000)
}

const logLine = `{"time":"2026-11-22T14:27:10.123456Z","level":"info","service":"checkout","msg":"request handled",` +
	`"trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","span_id":"00f067aa0ba902b7","status":200,"latency_ms":12.75,` +
	`"method":"POST","path":"/api/v1/orders/17/items","bytes":18234,"host":"ip-10-2-3-4"}`

const order = `{"id":"ord_01HZX3","customer":{"id":81723,"name":"Zoë Müller","email":"zoe@example.com",` +
	`"address":{"street":"Main St. 7","city":"Köln","zip":"50667","country":"DE"}},` +
	`"items":[{"sku":"A-1001","title":"Keyboard","quantity":1,"price":89.9,"tags":["usb","black"]},` +
	`{"sku":"B-2040","title":"Monitor 27\"","quantity":2,"price":249.5,"tags":["4k"]},` +
	`{"sku":"C-77","title":"Cable","quantity":3,"price":4.99,"tags":[]}],` +
	`"total":603.87,"currency":"EUR","paid":true,"coupon":null,"created_at":1732285630,"note":"please ring twice"}`

// Members is the name of the text with few wanted members.
const Members = "4 of 60 members"

// members returns an object of 60 members, like that of an interface made for everybody: texts of the order's kind,
// members returns an object of 60 members, like that of a general interface: strings, integers, fractions, and objects
// with lists.
func members() []byte {
	b := []byte{'{'}
	for i := range 15 {
		b = fmt.Appendf(b, `"name_%d":"value of \"%d\", Zürich","count_%d":%d,"ratio_%d":%d.25e-3,`+
			`"%s_%d":{"list":[1,-2,3.5,true,null],"text":"a\u00e9b","of":{"x":[],"y":{}}},`, i, i*7, i, i*i*1009, i,
			i*31, "detail", i)
	}
	b[len(b)-1] = '}'
	return b
}

// wanted has four of them: one of each kind, spread over the object.
type wanted = struct {
	Name   string  `json:"name_2"`
	Count  int64   `json:"count_6"`
	Ratio  float64 `json:"ratio_10"`
	Detail struct {
		List []any  `json:"list"`
		Text string `json:"text"`
	} `json:"detail_13"`
}

// large are the texts in sonic's module.
var large = []string{"twitter_status", "citm_catalog", "canada_geometry", "golang_source", "synthea_fhir",
	"string_unicode", "string_escaped"}

// Twitter is the text with the usual example's types, and Compact the same without white space.
const (
	LogLine = "log line"
	Order   = "order"
	Twitter = "twitter_status"
	Compact = "twitter compact"
)

// Texts returns all texts, only the small ones in a quick run. The large ones are in sonic's module, which is in the
// module cache since its decoder takes part.
func Texts(quick bool) (texts []Text, err error) {
	texts = small()
	if !quick {
		if texts, err = addLarge(texts); err != nil {
			return nil, err
		}
	}
	return texts, setTypes(texts)
}

func small() []Text {
	return append([]Text{{Name: LogLine, Data: []byte(logLine)}, {Name: Order, Data: []byte(order)},
		{Name: Members, Data: members(), Type: reflect.TypeFor[wanted](), Some: true}}, served()...)
}

// setTypes gives types to texts without one.
func setTypes(texts []Text) error {
	for i := range texts {
		if texts[i].Type != nil {
			continue
		}
		v, err := Generic(texts[i].Data)
		if err != nil {
			return fmt.Errorf("%s: %w", texts[i].Name, err)
		}
		texts[i].Type = typeOf([]any{v})
	}
	return nil
}

// Generic decodes a text, and keeps numbers as written.
func Generic(data []byte) (v any, err error) {
	d := stdjson.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// TestSuite returns JSONTestSuite from sonic's module, as one object.
func TestSuite() ([]byte, error) {
	dir, err := testdata()
	if err != nil {
		return nil, err
	}
	return unzip(filepath.Join(dir, "JSONTestSuite", "testdata.json.gz"))
}

func testdata() (dir string, err error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/bytedance/sonic").Output()
	if err != nil {
		return "", fmt.Errorf("json: sonic's module, which has the texts: %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "testdata"), nil
}

func addLarge(texts []Text) ([]Text, error) {
	dir, err := testdata()
	if err != nil {
		return nil, err
	}
	for _, name := range large {
		data, err := unzip(filepath.Join(dir, name+".json.gz"))
		if err != nil {
			return nil, err
		}
		texts = append(texts, Text{Name: name, Data: data})
		if name == Twitter {
			var b bytes.Buffer
			if err := stdjson.Compact(&b, data); err != nil {
				return nil, err
			}
			texts = append(texts, Text{Name: Compact, Data: b.Bytes()})
		}
	}
	return texts, nil
}

// Save writes each text to a file in dir, for programs without sonic's module.
func Save(texts []Text, dir string) error {
	for _, t := range texts {
		if err := os.WriteFile(filepath.Join(dir, t.Name+".json"), t.Data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// Load returns the texts that Save wrote, in the order of Texts.
func Load(dir string) ([]Text, error) {
	texts := small()
	for _, name := range large {
		names := []string{name}
		if name == Twitter {
			names = append(names, Compact)
		}
		for _, name := range names {
			data, err := os.ReadFile(filepath.Join(dir, name+".json"))
			if os.IsNotExist(err) {
				continue
			}
			if err != nil {
				return nil, err
			}
			texts = append(texts, Text{Name: name, Data: data})
		}
	}
	return texts, setTypes(texts)
}

func unzip(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}
