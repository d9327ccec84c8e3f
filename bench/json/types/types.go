// Package types writes the types that package work makes of the texts as sources: for easyjson, which makes
// code for types, and for the program in Rust.
package types

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/harena-go/arena/bench/json/work"
	"github.com/mailru/easyjson/bootstrap"
)

// Package is the path of the package with the types in Go.
const Package = "github.com/harena-go/arena/bench/json/fixed"

// WriteGo writes the types and easyjson's code for them to dir. easyjson runs a program in a module there, which
// has the requirements of module bench in the directory source.
func WriteGo(source, dir string) error {
	texts, err := work.Texts(false)
	if err != nil {
		return err
	}
	text, names, err := goTypes(texts)
	if err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(source, "go.sum"))
	if err != nil {
		return err
	}
	own := strings.NewReplacer("module github.com/harena-go/arena/bench\n", "module "+Package+"\n", "=> ../",
		"=> "+filepath.Dir(source))
	for name, data := range map[string]string{"types.go": string(text), "go.mod": own.Replace(string(mod)),
		"go.sum": string(sum)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			return err
		}
	}
	g := bootstrap.Generator{PkgPath: Package, PkgName: "fixed", Types: names, NoStdMarshalers: true,
		OutName: filepath.Join(dir, "types_easyjson.go")}
	return g.Run()
}

// WriteRust writes the types to the file types.rs in dir.
func WriteRust(dir string) error {
	texts, err := work.Texts(false)
	if err != nil {
		return err
	}
	text, err := rustTypes(texts)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "types.rs"), text, 0o666)
}

// rootName is the name of a text's type.
func rootName(text string) string {
	text = strings.Replace(text, "4 of 60 ", "", 1)
	return camel(strings.TrimSuffix(text, "_status"))
}

// camel is a name as types and fields have it in Go.
func camel(name string) string {
	var b strings.Builder
	up := true
	for _, r := range name {
		if letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || b.Len() > 0 && '0' <= r && r <= '9'; !letter {
			up = true
			continue
		}
		if up && 'a' <= r && r <= 'z' {
			r -= 'a' - 'A'
		}
		up = false
		b.WriteRune(r)
	}
	if b.Len() == 0 {
		return "Member"
	}
	return b.String()
}

// names gives a name to each, no name twice.
type names map[string]int

func (n names) unique(name string) string {
	n[name]++
	if i := n[name]; i > 1 {
		return fmt.Sprintf("%s%d", name, i)
	}
	return name
}

// goTypes are the types of those texts that easyjson reads, and their names.
func goTypes(texts []work.Text) (source []byte, all []string, err error) {
	g := goGenerator{names: names{}, done: map[reflect.Type]string{}}
	for _, t := range texts {
		switch t.Name {
		case work.LogLine, work.Order, work.Twitter, work.Members:
			g.declare(t.Type, rootName(t.Name))
		}
	}
	for _, name := range g.done {
		all = append(all, name)
	}
	source, err = format.Source([]byte("package fixed\n\n" + strings.Join(g.declarations, "\n")))
	return source, all, err
}

type goGenerator struct {
	names        names
	done         map[reflect.Type]string
	declarations []string
}

func (g *goGenerator) declare(t reflect.Type, name string) string {
	if done, ok := g.done[t]; ok {
		return done
	}
	name = g.names.unique(name)
	g.done[t] = name
	i := len(g.declarations)
	g.declarations = append(g.declarations, "")
	var b strings.Builder
	fmt.Fprintf(&b, "type %s struct {\n", name)
	fields := names{}
	for i := range t.NumField() {
		member := t.Field(i).Tag.Get("json")
		field := fields.unique(camel(member))
		fmt.Fprintf(&b, "%s %s `json:%q`\n", field, g.source(t.Field(i).Type, name+field), member)
	}
	b.WriteString("}\n")
	g.declarations[i] = b.String()
	return name
}

func (g *goGenerator) source(t reflect.Type, name string) string {
	switch t.Kind() {
	case reflect.Struct:
		return g.declare(t, name)
	case reflect.Pointer:
		return "*" + g.source(t.Elem(), name)
	case reflect.Slice:
		return "[]" + g.source(t.Elem(), name)
	case reflect.Map:
		return "map[string]" + g.source(t.Elem(), name)
	case reflect.Interface:
		return "any"
	}
	return t.String()
}
