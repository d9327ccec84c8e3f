package std

import "strings"

// This file holds buffers that show a part of what they hold, until they are used again.

// shows are methods whose result is valid until one of changes is called.
var shows = map[string]bool{
	"(*bytes.Buffer).Bytes":         true,
	"(*bytes.Buffer).Next":          true,
	"(*bufio.Reader).Peek":          true,
	"(*bufio.Reader).ReadSlice":     true,
	"(*bufio.Reader).ReadLine":      true,
	"(*bufio.Scanner).Bytes":        true,
	Collections + "Buffer).Bytes":   true,
	Collections + "Buffer).Next":    true,
	Collections + "Slice[T]).Slice": true,
}

// changes are methods after which what was shown before is something else. What only appends isn't one,
// though the documentation says so: what was there before stays as it was.
var changes = map[string]bool{
	"(*bytes.Buffer).Reset":          true,
	"(*bytes.Buffer).Truncate":       true,
	"(*bytes.Buffer).ReadFrom":       true,
	"(*bufio.Reader).Read":           true,
	"(*bufio.Reader).ReadByte":       true,
	"(*bufio.Reader).ReadRune":       true,
	"(*bufio.Reader).ReadSlice":      true,
	"(*bufio.Reader).ReadLine":       true,
	"(*bufio.Reader).ReadBytes":      true,
	"(*bufio.Reader).ReadString":     true,
	"(*bufio.Reader).Reset":          true,
	"(*bufio.Reader).WriteTo":        true,
	"(*bufio.Scanner).Scan":          true,
	Collections + "Buffer).Reset":    true,
	Collections + "Buffer).Truncate": true,
	Collections + "Slice[T]).Clear":  true,
	Collections + "Slice[T]).Delete": true,
}

// Shows reports whether a method returns what its receiver holds for now.
func Shows(name string) bool { return shows[name] }

// Changes says how a method is called in messages that ends what its receiver has shown, "" if it is none.
// Some may write what was shown.
func Changes(name string) (verb string, writes bool) {
	if writes = strings.HasSuffix(name, "Buffer).Write"); !writes && !changes[name] {
		return "", false
	}
	name = name[strings.LastIndexByte(name, '/')+1:]
	_, verb, _ = strings.Cut(strings.NewReplacer(")", "", "[T]", "").Replace(name), ".")
	return verb, writes
}
