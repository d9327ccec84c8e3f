package arenapgx

import (
	"strings"
	"testing"
)

// values are values of each type in PostgreSQL's own notation, among them the unusual ones.
var values = map[string]string{
	"int2":        `0; -1; 127; 128; 255; 256; 32767; -32768`,
	"int4":        `0; -1; 65536; 2147483647; -2147483648`,
	"int8":        `0; -129; 4294967296; 9223372036854775807; -9223372036854775808; 16777217`,
	"float4":      `0; '-0'; 1.5; 0.1; 3.4e38; 'NaN'; 'Infinity'; 1e-45`,
	"float8":      `0; '-0'; 0.1; 16777217; 1e300; 'NaN'; '-Infinity'; 5e-324`,
	"bool":        `true; false`,
	"text":        `''; 'a'; '12'; 'null'; 'true'; '\x00ff'; 'grüße 世界'; repeat('x', 5000); '2024-02-29'; '{a,b}'`,
	"varchar(20)": `'abc'`,
	"char(5)":     `'abc'`,
	"name":        `'abc'`,
	`"char"`:      `'a'`,
	"bytea":       `''; '\x00'; '\xdeadbeef'`,
	"uuid":        `'00000000-0000-0000-0000-000000000000'; '0123abcd-4567-89ef-0123-456789abcdef'`,
	"date": `'2000-01-01'; '1999-12-31'; '2024-02-29'; '0001-01-01'; '0044-03-15 BC'; '9999-12-31'; '2344511-08-31';
		'10000-01-01'; '5874897-12-31'; 'infinity'; '-infinity'`,
	"timestamp": `'2000-01-01'; '1969-12-31 23:59:59.999999'; '2024-02-29 12:34:56.789'; '0001-01-01';
		'0044-03-15 BC'; '9999-12-31 23:59:59.999999'; '10000-01-01'; '294276-12-31'; 'infinity'`,
	"timestamptz": `'2000-01-01 00:00+00'; '1969-12-31 23:59:59.999999+05:30'; '2024-07-29 12:34:56.789';
		'0001-01-01 00:00+00'; '0044-03-15 BC'; '10000-01-01'; '-infinity'`,
	"time":     `'12:34:56.789'; '24:00'`,
	"timetz":   `'12:34:56+02'`,
	"interval": `'1 year 2 mons 3 days 04:05:06.7'; '-1 day'`,
	"numeric": `0; 1; -1; 0.00; 1.50; -0.001; 12345.6789; 100; 10000; 120000.00; 99999999.99; 9007199254740993;
		1e15; 1e40; 1e-40; 0.1; 123456789012345678901234567890.5; 'NaN'; 'Infinity';
		9223372036854775807; -9223372036854775808; 255.0; 0.00001234; 1234567890123456;
		0.0000000000000001; 5000000000000000000; 1e20; 1e21`,
	"numeric(10,2)": `0; 1; -1.5; 12345678.90; 0.01; -0.09`,
	"inet":          `'10.0.0.1'; '10.0.0.0/8'; '::1'`,
	"cidr":          `'10.0.0.0/8'`,
	"macaddr":       `'08:00:2b:01:02:03'`,
	"json": `'null'; '1'; '"a"';
		'{"a":1,"b":["x","y"],"c":{"k":[1,2.5,null]},"d":{"a":2},"e":"z","f":{"g":"h"}}'; '[1,2,3]';
		'{"A":7,"a":"wrong"}'; '"2024-02-29T00:00:00Z"'; ' { "a" : 1 } '`,
	"jsonb":         `'null'; 'true'; '{"a":1,"b":[],"c":{},"e":[1,{"x":null}]}'; '["a",null]'`,
	"xml":           `'<a/>'`,
	"int4range":     `'[1,5)'; 'empty'; '(,3]'`,
	"int4[]":        `'{}'; '{1,2,3}'; '{1,NULL}'; '{{1,2},{3,4}}'; '[5:6]={1,2}'; '{70000}'`,
	"int8[]":        `'{}'; '{1,2,3}'; '{-9223372036854775808}'`,
	"int2[]":        `'{1,2}'`,
	"float4[]":      `'{0.1,-0}'`,
	"float8[]":      `'{0.1,1e300,NaN}'`,
	"bool[]":        `'{t,f,NULL}'; '{t,f}'`,
	"text[]":        `'{}'; '{a,"","NULL"}'; '{a,NULL}'; '{{a},{b}}'`,
	"bytea[]":       `array['\x00ff'::bytea, '']`,
	"uuid[]":        `array['0123abcd-4567-89ef-0123-456789abcdef'::uuid]`,
	"timestamptz[]": `array['2024-07-29 12:34:56+00'::timestamptz]; array['infinity'::timestamptz]`,
	"timestamp[]":   `array['2024-07-29 12:34:56'::timestamp]`,
	"date[]":        `array['2024-07-29'::date, null]`,
	"numeric[]":     `'{1.5,2,-3.25}'; '{1,NULL}'`,
	"jsonb[]":       `array['{"a":1}'::jsonb]`,
	"point":         `'(1,2)'`,
	"bit(3)":        `'101'`,
	"oid":           `42`,
	"mood":          `'happy'; 'sad'`,
	"mood[]":        `'{happy,sad}'`,
	"pair":          `'(1,"a b")'`,
}

// createTypes creates the types of the table that aren't PostgreSQL's.
const createTypes = `drop type if exists mood; drop type if exists pair;
create type mood as enum ('happy', 'sad'); create type pair as (a int4, b text)`

// TestValuesArePgxs reads values of each type into targets of each type, in both formats and into arenas of each
// kind. Values and errors must be those of pgx.
func TestValuesArePgxs(t *testing.T) {
	conn := connect(t)
	if _, err := conn.Exec(t.Context(), createTypes); err != nil {
		t.Fatal(err)
	}
	for typ, exprs := range values {
		t.Run(typ, func(t *testing.T) {
			for i, expr := range strings.Split(exprs+";null", ";") {
				expr = strings.TrimSpace(expr)
				sql := "select (" + expr + ")::" + typ + " as v"
				for j, target := range targets {
					if testing.Short() && (i+j)%5 != 0 {
						continue
					}
					target(t, conn, sql)
				}
			}
		})
	}
}
