package thread

// ParseTime reads an interrupt's expiresAt, an ISO 8601 date and time (2026-03-01T10:00:00Z; seconds, fractions and a
// zone are optional, without a zone it is UTC; a date alone is its midnight), and gives milliseconds since 1970. ok is
// false for anything else: such an interrupt never expires, because nobody can say when it would.
func ParseTime(s string) (ms int64, ok bool) {
	p := timeParser{s: s}
	year, month, day := p.digits(4), p.after('-', 2), p.after('-', 2)
	if p.bad || month < 1 || month > 12 || day < 1 || day > 31 {
		return 0, false
	}
	ms = daysSinceEpoch(year, month, day) * 86_400_000
	if p.s == "" {
		return ms, true
	}
	if !p.take('T') && !p.take('t') && !p.take(' ') {
		return 0, false
	}
	hour, minute := p.digits(2), p.after(':', 2)
	second, milli := int64(0), int64(0)
	if p.take(':') {
		second = p.digits(2)
		if p.take('.') || p.take(',') {
			milli = p.fraction()
		}
	}
	if p.bad || hour > 24 || minute > 59 || second > 60 {
		return 0, false
	}
	ms += ((hour*60+minute)*60+second)*1000 + milli
	switch {
	case p.s == "" || p.s == "Z" || p.s == "z":
		return ms, true
	case p.s[0] == '+' || p.s[0] == '-':
		sign := int64(1)
		if p.s[0] == '-' {
			sign = -1
		}
		p.s = p.s[1:]
		zone := p.digits(2) * 60
		if p.s != "" {
			p.take(':')
			zone += p.digits(2)
		}
		if p.bad || p.s != "" {
			return 0, false
		}
		return ms - sign*zone*60_000, true
	}
	return 0, false
}

// daysSinceEpoch counts the days from 1970-01-01 in the Gregorian calendar.
func daysSinceEpoch(year, month, day int64) int64 {
	// The year is taken to begin in March, so that the leap day is its last.
	if month <= 2 {
		year--
		month += 12
	}
	era := year / 400
	yearOfEra := year - era*400
	dayOfYear := (153*(month-3)+2)/5 + day - 1
	return era*146_097 + yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear - 719_468
}

type timeParser struct {
	s   string
	bad bool
}

func (p *timeParser) take(c byte) bool {
	if p.s != "" && p.s[0] == c {
		p.s = p.s[1:]
		return true
	}
	return false
}

// digits reads exactly n digits.
func (p *timeParser) digits(n int) (v int64) {
	if len(p.s) < n {
		p.bad = true
		return 0
	}
	for i := range n {
		c := p.s[i]
		if c < '0' || c > '9' {
			p.bad = true
			return 0
		}
		v = v*10 + int64(c-'0')
	}
	p.s = p.s[n:]
	return v
}

func (p *timeParser) after(c byte, n int) int64 {
	if !p.take(c) {
		p.bad = true
		return 0
	}
	return p.digits(n)
}

// fraction reads the digits of a second's fraction, as milliseconds.
func (p *timeParser) fraction() (v int64) {
	scale, n := int64(100), 0
	for n < len(p.s) && p.s[n] >= '0' && p.s[n] <= '9' {
		v += int64(p.s[n]-'0') * scale
		scale /= 10
		n++
	}
	p.bad = p.bad || n == 0
	p.s = p.s[n:]
	return v
}
