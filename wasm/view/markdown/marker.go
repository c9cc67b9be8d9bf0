package markdown

import "strings"

// listMarker is what a list item's marker says.
type listMarker struct {
	bullet       byte // one of -, +, *; or the delimiter . or ) of an ordered one
	ordered      bool
	start        int
	markerOffset int // columns before the marker
	padding      int // columns from the marker to the content
}

// headingText strips an ATX heading's spaces and closing sequence.
func headingText(s string) string {
	s = strings.Trim(s, " \t")
	t := strings.TrimRight(s, "#")
	if t == "" {
		return ""
	}
	if len(t) < len(s) && space(t[len(t)-1]) {
		return strings.TrimRight(t, " \t")
	}
	return s
}

func isRule(s string, c byte) bool {
	n := 0
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == c:
			n++
		case !space(s[i]):
			return false
		}
	}
	return n >= 3
}

// listMarker reads a list item's marker and the spaces after it.
func (p *parser) listMarker(container *block) (listMarker, bool) {
	m := listMarker{markerOffset: p.indent}
	i := p.next
	c := p.peek(i)
	switch {
	case c == '*' || c == '-' || c == '+':
		m.bullet = c
		i++
	case digit(c):
		for i < len(p.line) && digit(p.line[i]) && i-p.next < 9 {
			m.start = m.start*10 + int(p.line[i]-'0')
			i++
		}
		m.ordered = true
		m.bullet = p.peek(i)
		if m.bullet != '.' && m.bullet != ')' {
			return m, false
		}
		i++
		if container.kind == Paragraph && m.start != 1 {
			return m, false
		}
	default:
		return m, false
	}
	if i < len(p.line) && !space(p.line[i]) {
		return m, false
	}
	if container.kind == Paragraph && strings.Trim(p.line[i:], " \t") == "" {
		return m, false
	}
	width := i - p.next
	p.advanceToNext()
	p.advance(width, true)
	fromColumn, fromOffset, fromPart := p.column, p.offset, p.partTab
	for {
		p.advance(1, true)
		if p.column-fromColumn >= 5 || !space(p.peek(p.offset)) {
			break
		}
	}
	spaces := p.column - fromColumn
	if spaces >= 5 || spaces < 1 || p.offset >= len(p.line) {
		m.padding = width + 1
		p.column, p.offset, p.partTab = fromColumn, fromOffset, fromPart
		if space(p.peek(p.offset)) {
			p.advance(1, true)
		}
	} else {
		m.padding = width + spaces
	}
	return m, true
}
