package decode

import (
	"time"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
)

// This file decodes times: strings of RFC 3339, which package time parses. It accepts a little
// more; version 2 reports the surplus forms, version 1 doesn't. The location of a time may be on
// the Go heap; a self-contained arena keeps it alive.

// time decodes a string into the time.Time at p. In version 2 null is the zero time; with the
// options of v1 it leaves the time unchanged, and an error doesn't end decoding.
func (d *decoder) time(n *plan.Node, p unsafe.Pointer, i int) int {
	t := mem.At[time.Time](p)
	if d.Flags&option.Legacy != 0 && option.Classic {
		return d.classicTime(n, t, i)
	}
	if end := d.Word(i, "null"); end >= 0 {
		if d.Flags&option.Legacy == 0 {
			*t = time.Time{}
		}
		return end
	}
	if d.Peek(i) != '"' {
		return d.mismatch(n.Type, i, nil)
	}
	b, end := d.Text(i)
	if end < 0 {
		return -1
	}
	var x time.Time
	err := x.UnmarshalText(b)
	if err == nil && d.Flags&option.Legacy == 0 {
		err = strictTime(b)
	}
	if err != nil && d.Flags&option.Legacy != 0 {
		d.note(err)
		return end
	}
	if err != nil {
		return d.mismatchValueless(n.Type, i, err)
	}
	*t = x
	d.holdLocation(t)
	return end
}

// classicTime is time for the original encoding/json, which calls UnmarshalJSON.
func (d *decoder) classicTime(n *plan.Node, t *time.Time, i int) int {
	end := d.Skip(i)
	if end < 0 {
		return -1
	}
	if err := t.UnmarshalJSON(d.Data[i:end:end]); err != nil {
		return d.fail(n.Type, i, end, err, "UnmarshalJSON")
	}
	d.holdLocation(t)
	return end
}

// holdLocation keeps a time's location alive, which may be on the Go heap.
func (d *decoder) holdLocation(t *time.Time) {
	if d.a.SelfContained() {
		d.a.KeepAlive(t.Location())
	}
}

// strictTime reports the forms that package time accepts although RFC 3339 doesn't: hours of one
// digit, a comma for the point, and zones beyond a day.
func strictTime(b []byte) error {
	const layout = "2006-01-02T15:04:05"
	// zone reports whether an hour or a minute of a zone is out of range.
	zone := func(h, m byte, s []byte) bool { return s[0] > h || s[0] == h && s[1] > m }
	bad := len(b) < len(layout) || b[len("2006-01-02T1")] == ':' || b[min(len(layout), len(b)-1)] == ','
	if n := len(b) - len("+00:00"); !bad && b[len(b)-1] != 'Z' && n > 0 {
		bad = zone('2', '3', b[n+1:]) || zone('5', '9', b[n+4:])
	}
	if bad {
		return &time.ParseError{Layout: time.RFC3339, Value: string(b), LayoutElem: layout, ValueElem: string(b)}
	}
	return nil
}
