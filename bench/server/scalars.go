package server

// This file reads numbers, times and the like, which both dialects have.

// maxDigits keeps numbers within an int64 without a test for each digit.
const maxDigits = 18

// number reads an integer, as JSON writes it.
func (c *cursor) number() int64 {
	negative := c.accept('-')
	digits := c.line[c.at:]
	var v int64
	n := 0
	for n < len(digits) && digits[n]-'0' <= 9 {
		v = v*10 + int64(digits[n]-'0')
		n++
	}
	c.at += n
	switch {
	case n == 0:
		c.fail("a whole number should be here")
	case n > maxDigits:
		c.fail("a number with more than 18 digits")
	case n > 1 && digits[0] == '0':
		c.fail("a number with a leading zero")
	}
	if negative {
		return -v
	}
	return v
}

// span parses the 16 hexadecimal digits of a span's name; none is 0.
func (c *cursor) span(text []byte) (v uint64) {
	if len(text) == 0 {
		return 0
	}
	if len(text) != 16 {
		c.fail("the name of a span has 16 hexadecimal digits")
		return 0
	}
	bad := byte(0)
	for _, b := range text {
		d := hexDigit[b]
		bad |= d
		v = v<<4 | uint64(d)
	}
	if bad > 15 {
		c.fail("the name of a span has 16 hexadecimal digits")
	}
	return v
}

func (c *cursor) level(text []byte) Level {
	switch string(text) {
	case "debug":
		return Debug
	case "info":
		return Info
	case "warn":
		return Warn
	case "error":
		return Error
	case "fatal":
		return Fatal
	}
	c.fail("a level is one of debug, info, warn, error, fatal")
	return 0
}

var daysBefore = [...]int{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365}

const layout = "0000-00-00T00:00:00" // 0 stands for a digit

// time parses 2026-03-01T12:34:56.789Z, with any number of digits of the second's
// fraction up to 9, to microseconds since 1970.
func (c *cursor) time(text []byte) int64 {
	if len(text) < len(layout)+1 || text[len(text)-1] != 'Z' {
		c.fail("a time looks like 2006-01-02T15:04:05.000Z")
		return 0
	}
	for i, l := range []byte(layout) {
		if b := text[i]; b != l && (l != '0' || b-'0' > 9) {
			c.fail("a time looks like 2006-01-02T15:04:05.000Z")
			return 0
		}
	}
	two := func(i int) int { return int(text[i]-'0')*10 + int(text[i+1]-'0') }
	year, month, day := two(0)*100+two(2), two(5), two(8)
	hour, minute, second := two(11), two(14), two(17)
	if month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 59 {
		c.fail("there is no such time")
		return 0
	}
	days := 365*(year-1970) + leapDays(year) - leapDays(1970) + daysBefore[month-1] + day - 1
	if month > 2 && leap(year) {
		days++
	}
	return (int64(days)*86400+int64(hour*3600+minute*60+second))*1e6 + c.fraction(text[len(layout):len(text)-1])
}

// fraction parses the part of a second, which begins with the point, to
// microseconds.
func (c *cursor) fraction(text []byte) (us int64) {
	if len(text) == 0 {
		return 0
	}
	if text[0] != '.' || len(text) < 2 || len(text) > 10 {
		c.fail("a second's fraction has up to 9 digits")
		return 0
	}
	unit := int64(100_000)
	for _, b := range text[1:] {
		if b-'0' > 9 {
			c.fail("a second's fraction has up to 9 digits")
			return 0
		}
		us += int64(b-'0') * unit
		unit /= 10
	}
	return us
}

func leap(year int) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

// leapDays is how many there were before a year, since 400 years before the year
// 0: so that nothing is negative, which Go would round up.
func leapDays(year int) int {
	year += 399
	return year/4 - year/100 + year/400
}

func daysIn(year, month int) int {
	if month == 2 && leap(year) {
		return 29
	}
	return daysBefore[month] - daysBefore[month-1]
}
