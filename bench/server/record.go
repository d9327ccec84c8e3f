package server

// A Batch is what one request brings: log records of one host, in the order
// of its lines. It is dead once the request is answered.
type Batch struct {
	First, Last *Record
	Records     int
	Sources     []*Source // each once; records share them
}

// A Record is one line of a batch. Whatever it holds was copied out of the
// request's body, whose memory belongs to the server.
type Record struct {
	Time     int64 // microseconds since 1970
	Level    Level
	Status   int64  // of the HTTP response that the record is about
	Duration int64  // of that request, in microseconds
	Span     uint64 // 0 if there is none
	Trace    string
	Route    string
	Message  string
	Tags     []string
	Samples  []int64
	Labels   Labels
	Source   *Source

	Next   *Record // the next line's
	Parent *Record // of the span that this one is a part of, if it is in the batch
}

// A Source is who wrote a record.
type Source struct {
	Service, Host string
}

// A Level says how bad it is.
type Level uint8

const (
	Debug Level = iota
	Info
	Warn
	Error
	Fatal
)

const levels = int(Fatal) + 1

var levelNames = [levels]string{"debug", "info", "warn", "error", "fatal"}

// failed reports whether a record counts as an error.
func (r *Record) failed() bool { return r.Level >= Error || r.Status >= 500 }

// add makes r the batch's last record.
func (b *Batch) add(r *Record) {
	if b.Last == nil {
		b.First = r
	} else {
		b.Last.Next = r
	}
	b.Last = r
	b.Records++
}
