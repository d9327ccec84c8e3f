package script

// A parser makes a tree of tokens, and numbers the variables.
type parser struct {
	lexer
	tok     token
	depth   int
	fn      *scope // of the function around
	globals *scope
	loops   int
}

// A scope is the variables of a function, in the order of their slots as far as they can be seen.
type scope struct {
	names []string
	slots int // the most there were
}

func (s *scope) declare(name string) int {
	s.names = append(s.names, name)
	s.slots = max(s.slots, len(s.names))
	return len(s.names) - 1
}

func (s *scope) find(name string) int {
	for i := len(s.names) - 1; i >= 0; i-- {
		if s.names[i] == name {
			return i
		}
	}
	return -1
}

func (p *parser) advance() { p.tok = p.next() }

// is reports whether the token is a certain word or sign, and takes it then.
func (p *parser) is(text string) bool {
	if p.tok.text != text || p.tok.kind != punct && p.tok.kind != name {
		return false
	}
	p.advance()
	return true
}

func (p *parser) want(text string) {
	if !p.is(text) {
		fail(p.tok.line, "%q is missing before %q", text, p.tok.text)
	}
}

func (p *parser) name() string {
	if p.tok.kind != name {
		fail(p.tok.line, "a name is missing before %q", p.tok.text)
	}
	n := p.tok.text
	p.advance()
	return n
}

// enter counts how deep the parser is.
func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		fail(p.tok.line, "too deep")
	}
}

func (p *parser) block() (body []stmt) {
	p.want("{")
	p.enter()
	seen := len(p.fn.names)
	for !p.is("}") {
		if p.tok.kind == end {
			fail(p.tok.line, `"}" is missing`)
		}
		body = append(body, p.statement())
	}
	p.fn.names = p.fn.names[:seen]
	p.depth--
	return body
}

func (p *parser) statement() stmt {
	line := p.tok.line
	switch {
	case p.is("let"):
		n := p.name()
		p.want("=")
		value := p.expression(1)
		p.want(";")
		return &assign{p.variable(p.fn.declare(n)), value}
	case p.is("fn"):
		slot := p.fn.declare(p.name())
		return &assign{p.variable(slot), p.function(p.fn.names[slot])}
	case p.is("if"):
		return p.choice()
	case p.is("while"):
		test := p.expression(1)
		return &while{test, p.loop()}
	case p.is("for"):
		n := p.name()
		p.want("in")
		s := &each{over: p.expression(1), line: line}
		seen := len(p.fn.names)
		s.slot = p.fn.declare(n)
		s.at = p.variable(s.slot)
		s.body = p.loop()
		p.fn.names = p.fn.names[:seen]
		return s
	case p.is("return"):
		s := &back{}
		if !p.is(";") {
			s.value = p.expression(1)
			p.want(";")
		}
		return s
	case p.is("break"):
		return p.jump(line, left)
	case p.is("continue"):
		return p.jump(line, again)
	}
	x := p.expression(1)
	if p.is("=") {
		switch x.(type) {
		case *local, *global, *index:
		default:
			fail(line, "nothing can be assigned to this")
		}
		x = &assign{x, p.expression(1)}
	}
	p.want(";")
	return x
}

func (p *parser) loop() []stmt {
	p.loops++
	body := p.block()
	p.loops--
	return body
}

func (p *parser) jump(line int, how signal) stmt {
	if p.loops == 0 {
		fail(line, "there is no loop to leave")
	}
	p.want(";")
	return &jump{how}
}

func (p *parser) choice() stmt {
	s := &choice{test: p.expression(1), then: p.block()}
	if p.is("else") {
		if p.is("if") {
			p.enter()
			s.else_ = []stmt{p.choice()}
			p.depth--
		} else {
			s.else_ = p.block()
		}
	}
	return s
}

// variable returns how a slot of the function around is used.
func (p *parser) variable(slot int) expr {
	if p.fn == p.globals {
		return &global{slot}
	}
	return &local{slot}
}

// function parses parameters and body of a function.
func (p *parser) function(name string) expr {
	around, loops := p.fn, p.loops
	p.fn, p.loops = &scope{}, 0
	f := &Func{name: name}
	p.want("(")
	for !p.is(")") {
		p.fn.declare(p.name())
		f.params++
		if p.tok.text != ")" {
			p.want(",")
		}
	}
	f.body = p.block()
	f.slots = p.fn.slots
	p.fn, p.loops = around, loops
	return &constant{f}
}

// expression parses operators that bind at least as tightly as least.
func (p *parser) expression(least int) expr {
	p.enter()
	x := p.unary()
	for {
		op, tight := opOf(p.tok)
		if tight == 0 || tight < least {
			p.depth--
			return x
		}
		line := p.tok.line
		p.advance()
		x = &binary{op, x, p.expression(tight + 1), line}
	}
}

func (p *parser) unary() expr {
	line := p.tok.line
	p.enter()
	defer func() { p.depth-- }()
	switch {
	case p.is("-"):
		return &negated{p.unary(), line}
	case p.is("!"):
		return &not{p.unary()}
	}
	x := p.operand()
	for {
		line := p.tok.line
		switch {
		case p.is("("):
			x = &call{x, p.list(")"), line}
		case p.is("["):
			x = &index{x, p.expression(1), line}
			p.want("]")
		case p.is("."):
			x = &index{x, &constant{p.name()}, line}
		default:
			return x
		}
	}
}

// list parses expressions between commas, up to the sign that ends them.
func (p *parser) list(until string) (items []expr) {
	for !p.is(until) {
		items = append(items, p.expression(1))
		if p.tok.text != until {
			p.want(",")
		}
	}
	return items
}

func (p *parser) operand() expr {
	t := p.tok
	p.advance()
	switch t.kind {
	case number:
		return &constant{t.num}
	case text:
		return &constant{t.text}
	case name:
		return p.word(t)
	case punct:
		switch t.text {
		case "(":
			x := p.expression(1)
			p.want(")")
			return x
		case "[":
			return &listOf{p.list("]")}
		case "{":
			return p.dict()
		}
	}
	fail(t.line, "%q is no expression", t.text)
	return nil
}

func (p *parser) word(t token) expr {
	switch t.text {
	case "nil":
		return &constant{nil}
	case "true":
		return &constant{true}
	case "false":
		return &constant{false}
	case "fn":
		return p.function("fn")
	}
	if slot := p.fn.find(t.text); slot >= 0 {
		return p.variable(slot)
	}
	if slot := p.globals.find(t.text); slot >= 0 {
		return &global{slot}
	}
	for i := range builtins {
		if builtins[i].name == t.text {
			return &constant{&builtins[i]}
		}
	}
	fail(t.line, "there is no %s", t.text)
	return nil
}

func (p *parser) dict() expr {
	d := &dictOf{}
	for !p.is("}") {
		key := p.tok.text
		if p.tok.kind != text {
			p.name()
		} else {
			p.advance()
		}
		d.keys = append(d.keys, key)
		p.want(":")
		d.values = append(d.values, p.expression(1))
		if p.tok.text != "}" {
			p.want(",")
		}
	}
	return d
}
