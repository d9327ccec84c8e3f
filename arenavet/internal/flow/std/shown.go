package std

import "strings"

// This file lists buffers that return views of their contents, valid until the next use.

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

// changes are methods that invalidate earlier views. Appending alone doesn't, though the documentation says so: the
// earlier contents stay.
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

// Shows reports whether a method returns a temporary view of its receiver's contents.
func Shows(name string) bool { return shows[name] }

// Changes returns the name in messages of a method that ends its receiver's views, "" if it doesn't. writes reports
// whether the method may write a view to its receiver.
func Changes(name string) (verb string, writes bool) {
	if writes = strings.HasSuffix(name, "Buffer).Write"); !writes && !changes[name] {
		return "", false
	}
	name = name[strings.LastIndexByte(name, '/')+1:]
	_, verb, _ = strings.Cut(strings.NewReplacer(")", "", "[T]", "").Replace(name), ".")
	return verb, writes
}
