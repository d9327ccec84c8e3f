package arenaarrow_test

import (
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// TestKeeps: see docs/promises.md.
func TestKeeps(t *testing.T) {
	arenakit.Keeps(t, "Arrow", map[string]arenakit.Use{
		"a value, by Append": func(s string) func() string {
			b := array.NewStringBuilder(memory.DefaultAllocator)
			b.Append(s)
			values := b.NewArray()
			return func() string { return fmt.Sprint(values) }
		},
		"a value of a dictionary": func(s string) func() string {
			dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
			b := array.NewDictionaryBuilder(memory.DefaultAllocator, dict).(*array.BinaryDictionaryBuilder)
			if err := b.AppendString(s); err != nil {
				t.Fatal(err)
			}
			values := b.NewDictionaryArray()
			return func() string { return fmt.Sprint(values.Dictionary()) }
		},
		"the name of a field, or metadata": func(s string) func() string {
			schema := arrow.NewSchema([]arrow.Field{{Name: s, Type: arrow.BinaryTypes.String}}, nil)
			return schema.String
		},
	})
}
