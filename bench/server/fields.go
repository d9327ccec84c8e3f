package server

// A field is what a line may say of its record. Fields have the same names in
// both dialects. All may be missing, none may come twice.
type field uint8

const (
	fieldOther field = iota // not one of these
	fieldTime
	fieldLevel
	fieldService
	fieldHost
	fieldRoute
	fieldStatus
	fieldDuration
	fieldTrace
	fieldSpan
	fieldParent
	fieldMessage
	fieldTags
	fieldSamples
	fieldLabels // of JSON; those of logfmt are fields with a prefix
)

// A dialect is JSON or logfmt.
type dialect uint8

const (
	inJSON dialect = iota
	inLogfmt
)

// fieldCalled returns the field with a name. The compiler makes a search by
// length and content of it.
func fieldCalled(name []byte) field {
	switch string(name) {
	case "ts":
		return fieldTime
	case "level":
		return fieldLevel
	case "service":
		return fieldService
	case "host":
		return fieldHost
	case "route":
		return fieldRoute
	case "status":
		return fieldStatus
	case "us":
		return fieldDuration
	case "trace":
		return fieldTrace
	case "span":
		return fieldSpan
	case "parent":
		return fieldParent
	case "msg":
		return fieldMessage
	case "tags":
		return fieldTags
	case "samples":
		return fieldSamples
	case "labels":
		return fieldLabels
	}
	return fieldOther
}

// field reads the value of a field into r or o.
func (p *parser[M]) field(f field, in dialect, r *Record, o *origin) {
	c := &p.in
	if p.seen>>f&1 != 0 {
		c.fail("this field is here for the second time")
		return
	}
	p.seen |= 1 << f
	switch f {
	case fieldTime:
		r.Time = c.time(c.text(in))
	case fieldLevel:
		r.Level = c.level(c.text(in))
	case fieldService:
		o.service = c.text(in)
	case fieldHost:
		o.host = c.text(in)
	case fieldRoute:
		r.Route = p.make.text(c.text(in))
	case fieldStatus:
		r.Status = c.integer(in)
	case fieldDuration:
		r.Duration = c.integer(in)
	case fieldTrace:
		r.Trace = p.make.text(c.text(in))
	case fieldSpan:
		r.Span = c.span(c.text(in))
	case fieldParent:
		o.parent = c.span(c.text(in))
	case fieldMessage:
		r.Message = p.make.text(c.text(in))
	case fieldTags:
		p.tags(in, r)
	case fieldSamples:
		p.samples(in, r)
	case fieldLabels:
		p.labels(r)
	}
}

// text reads a text as the dialect writes it.
func (c *cursor) text(in dialect) []byte {
	if in == inLogfmt {
		return c.value()
	}
	return c.quoted()
}

// integer reads a number as the dialect writes it.
func (c *cursor) integer(in dialect) int64 {
	if in == inLogfmt && c.at < len(c.line) && c.line[c.at] <= ' ' {
		c.fail("a whole number should be here")
	}
	return c.number()
}

func (p *parser[M]) tags(in dialect, r *Record) {
	if in == inLogfmt {
		p.logfmtTags(r)
	} else {
		p.jsonTags(r)
	}
}

func (p *parser[M]) samples(in dialect, r *Record) {
	if in == inLogfmt {
		p.logfmtSamples(r)
	} else {
		p.jsonSamples(r)
	}
}
