package arenajson_test

import (
	"encoding/json"
)

type inner struct {
	A int    `json:"a"`
	B string `json:"b,omitempty"`
}

type outer struct {
	inner
	Name  string             `json:"name"`
	N     int64              `json:"n"`
	U8    uint8              `json:"u8"`
	F     float64            `json:"f"`
	F32   float32            `json:"f32"`
	Ok    bool               `json:"ok"`
	P     *inner             `json:"p"`
	L     []inner            `json:"l"`
	S     []string           `json:"s"`
	M     map[string]int     `json:"m"`
	MS    map[string]string  `json:"ms"`
	Any   any                `json:"any"`
	Raw   json.RawMessage    `json:"raw"`
	Arr   [3]int             `json:"arr"`
	Bytes []byte             `json:"bytes"`
	Num   json.Number        `json:"num"`
	MM    map[int]*inner     `json:"mm"`
	Deep  [][]float64        `json:"deep"`
	Iface interface{ X() }   `json:"iface"`
	PP    **int              `json:"pp"`
	MA    map[string]any     `json:"ma"`
	MF    map[float64]string `json:"mf"`
	Q     int                `json:"q,string"`
	Outer *outer             `json:"outer"`
}

const example = `{"a":1,"b":"two","name":"näme \u00e9 \ud83d\ude00","n":-123456789012345678,"u8":200,"f":3.25e10,"f32":1.5,"ok":true,
 "p":{"a":5,"b":""},"l":[{"a":1},{"a":2,"b":"x"},{}],"s":["one","two","three","four","five","sixsixsixsixsixsixsixsixsixsixsixsixsixsixsix"],
 "m":{"x":1,"y":2},"ms":{"k":"v"},"any":[1,"two",null,true,{"a":{"b":[]}}],"raw":{"x": [1, 2]},"arr":[1,2,3],"bytes":"aGVsbG8=","num":1.50,
 "mm":{"1":{"a":3},"-7":null},"deep":[[1,2.5],[],[-0.5]],"iface":null,"pp":5,"ma":{"q":{"w":1}},"q":"17",
 "unknown":{"x":[1,2,{"y":"z"}],"w":"\n"},"outer":{"name":"inner"}}`
