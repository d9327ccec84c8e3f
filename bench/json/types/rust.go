package types

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/harena-go/arena/bench/json/work"
)

// rustTypes are the types of all texts in Rust. What is null or absent somewhere, which leaves a
// zero in Go, is an Option there.
func rustTypes(texts []work.Text) ([]byte, error) {
	g := rustGenerator{names: names{}}
	roots := map[string]bool{}
	var tops strings.Builder
	for _, t := range texts {
		// twitter's; 1,500 lines; Go's own
		if t.Name == work.Compact || t.Name == "synthea_fhir" || work.Served(t.Name) {
			continue
		}
		v, err := work.Generic(t.Data)
		if err != nil {
			return nil, err
		}
		name := rootName(t.Name)
		source := g.source(t.Type, []any{v}, name)
		if source != name && !roots[name] {
			fmt.Fprintf(&tops, "pub type %s = %s;\n\n", name, source)
		}
	}
	const head = "use serde::{Deserialize, Serialize};\nuse std::collections::HashMap;\n\n"
	return []byte(head + tops.String() + strings.Join(g.declarations, "\n")), nil
}

type rustGenerator struct {
	names        names
	declarations []string
}

// source is the type in Rust of t, to which the values are read.
func (g *rustGenerator) source(t reflect.Type, values []any, name string) string {
	switch t.Kind() {
	case reflect.Struct:
		return g.declare(t, values, name)
	case reflect.Pointer: // an Option, since one of the values is null
		return g.source(t.Elem(), values, name)
	case reflect.Slice:
		var all []any
		for _, v := range values {
			list, _ := v.([]any)
			all = append(all, list...)
		}
		return "Vec<" + g.optional(t.Elem(), all, name, false) + ">"
	case reflect.Map:
		var all []any
		for _, v := range values {
			object, _ := v.(map[string]any)
			for _, member := range object {
				all = append(all, member)
			}
		}
		return "HashMap<String, " + g.optional(t.Elem(), all, name, false) + ">"
	case reflect.Interface:
		for _, v := range values {
			if v != nil {
				return "serde_json::Value"
			}
		}
		return "()"
	}
	return map[reflect.Kind]string{reflect.String: "String", reflect.Bool: "bool", reflect.Int64: "i64",
		reflect.Float64: "f64"}[t.Kind()]
}

// optional is source in an Option if one of the values is null or absent.
func (g *rustGenerator) optional(t reflect.Type, values []any, name string, absent bool) string {
	null := absent
	for _, v := range values {
		null = null || v == nil
	}
	if source := g.source(t, values, name); !null || source == "serde_json::Value" && !absent {
		return source
	} else {
		return "Option<" + source + ">"
	}
}

func (g *rustGenerator) declare(t reflect.Type, values []any, name string) string {
	name = g.names.unique(name)
	i := len(g.declarations)
	g.declarations = append(g.declarations, "")
	var b strings.Builder
	fmt.Fprintf(&b, "#[derive(Serialize, Deserialize)]\npub struct %s {\n", name)
	for i := range t.NumField() {
		member := t.Field(i).Tag.Get("json")
		var have []any
		absent := false
		for _, v := range values {
			object, ok := v.(map[string]any)
			if !ok {
				continue
			}
			x, ok := object[member]
			if absent = absent || !ok; ok {
				have = append(have, x)
			}
		}
		field := fmt.Sprintf("f%d", i)
		fmt.Fprintf(&b, "    #[serde(rename = %q)]\n    %s: %s,\n", member, field,
			g.optional(t.Field(i).Type, have, name+camel(member), absent))
	}
	b.WriteString("}\n")
	g.declarations[i] = strings.Replace(b.String(), "{\n}", "{}", 1) // as rustfmt has it
	return name
}
