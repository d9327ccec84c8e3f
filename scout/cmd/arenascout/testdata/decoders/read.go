package decoders

import "encoding/json"

func read(text []byte, v any) error { return json.Unmarshal(text, v) }
