package json

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
	"slices"
	"strconv"
	"strings"
)

// A text is what is read.
type text struct {
	name string
	data []byte
	typ  reflect.Type // made from the text
}

func (t text) title() string {
	if n := len(t.data); n < 10_000 {
		return fmt.Sprintf("%s, %d B", t.name, n)
	}
	return fmt.Sprintf("%s, %d KB", t.name, len(t.data)/1000)
}

const logLine = `{"time":"2026-11-22T14:27:10.123456Z","level":"info","service":"checkout","msg":"request handled",` +
	`"trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","span_id":"00f067aa0ba902b7","status":200,"latency_ms":12.75,` +
	`"method":"POST","path":"/api/v1/orders/17/items","bytes":18234,"host":"ip-10-2-3-4"}`

const order = `{"id":"ord_01HZX3","customer":{"id":81723,"name":"Zoë Müller","email":"zoe@example.com","address":{"street":"Main St. 7",` +
	`"city":"Köln","zip":"50667","country":"DE"}},"items":[{"sku":"A-1001","title":"Keyboard","quantity":1,"price":89.9,"tags":["usb","black"]},` +
	`{"sku":"B-2040","title":"Monitor 27\"","quantity":2,"price":249.5,"tags":["4k"]},{"sku":"C-77","title":"Cable","quantity":3,"price":4.99,"tags":[]}],` +
	`"total":603.87,"currency":"EUR","paid":true,"coupon":null,"created_at":1732285630,"note":"please ring twice"}`

// corpora returns the texts. The large ones are in the module of sonic, which has to be in the
// module cache since its decoder takes part.
func corpora(quick bool) (texts []text, err error) {
	texts = []text{{name: "log line", data: []byte(logLine)}, {name: "order", data: []byte(order)}}
	if !quick {
		if texts, err = addLarge(texts); err != nil {
			return nil, err
		}
	}
	for i := range texts {
		var v any
		d := stdjson.NewDecoder(bytes.NewReader(texts[i].data))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			return nil, err
		}
		texts[i].typ = typeOf([]any{v})
	}
	return texts, nil
}

func addLarge(texts []text) ([]text, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/bytedance/sonic").Output()
	if err != nil {
		return nil, fmt.Errorf("json: sonic's module, which has the texts: %w", err)
	}
	for _, name := range []string{"twitter_status", "citm_catalog", "canada_geometry", "golang_source", "synthea_fhir", "string_unicode", "string_escaped"} {
		data, err := unzip(filepath.Join(strings.TrimSpace(string(out)), "testdata", name+".json.gz"))
		if err != nil {
			return nil, err
		}
		texts = append(texts, text{name: name, data: data})
		if name == "twitter_status" {
			var b bytes.Buffer
			if err := stdjson.Compact(&b, data); err != nil {
				return nil, err
			}
			texts = append(texts, text{name: "twitter compact", data: b.Bytes()})
		}
	}
	return texts, nil
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

// manyNames is from how many different names on objects are taken for maps.
const manyNames = 100

// typeOf returns a type that all of the values fit.
func typeOf(values []any) reflect.Type {
	var t reflect.Type
	for _, v := range values {
		switch v := v.(type) {
		case nil:
		case bool:
			t = merge(t, reflect.TypeFor[bool]())
		case string:
			t = merge(t, reflect.TypeFor[string]())
		case stdjson.Number:
			n := reflect.TypeFor[int64]()
			if _, err := v.Int64(); err != nil || t == reflect.TypeFor[float64]() {
				n = reflect.TypeFor[float64]()
				if t == reflect.TypeFor[int64]() {
					t = nil
				}
			}
			t = merge(t, n)
		case []any:
			return listType(values)
		case map[string]any:
			return objectType(values)
		}
	}
	if t == nil {
		return anyType
	}
	return t
}

func merge(x, y reflect.Type) reflect.Type {
	if x == nil || x == y {
		return y
	}
	return anyType
}

// listType is typeOf for arrays.
func listType(values []any) reflect.Type {
	var all []any
	for _, v := range values {
		list, ok := v.([]any)
		if !ok && v != nil {
			return anyType
		}
		all = append(all, list...)
	}
	return reflect.SliceOf(typeOf(all))
}

// objectType is typeOf for objects.
func objectType(values []any) reflect.Type {
	members := map[string][]any{}
	null := false
	for _, v := range values {
		m, ok := v.(map[string]any)
		if !ok && v != nil {
			return anyType
		}
		null = null || v == nil
		for k, x := range m {
			members[k] = append(members[k], x)
		}
	}
	names := make([]string, 0, len(members))
	numeric := true
	var all []any
	for k, v := range members {
		names = append(names, k)
		all = append(all, v...)
		_, err := strconv.Atoi(k)
		numeric = numeric && err == nil
	}
	if len(names) >= manyNames || numeric && len(names) > 0 {
		return reflect.MapOf(reflect.TypeFor[string](), typeOf(all))
	}
	slices.Sort(names)
	var fields []reflect.StructField
	for i, k := range names {
		fields = append(fields, reflect.StructField{Name: "F" + strconv.Itoa(i), Type: typeOf(members[k]), Tag: reflect.StructTag(fmt.Sprintf("json:%q", k))})
	}
	if null {
		return reflect.PointerTo(reflect.StructOf(fields))
	}
	return reflect.StructOf(fields)
}
