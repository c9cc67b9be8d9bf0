package markdown

// findNext looks for the line's first non-space from offset on.
func (p *parser) findNext() {
	i, column := p.offset, p.column
loop:
	for i < len(p.line) {
		switch p.line[i] {
		case ' ':
			column++
		case '\t':
			column += 4 - column%4
		default:
			break loop
		}
		i++
	}
	p.blank = i >= len(p.line)
	p.next, p.nextColumn = i, column
	p.indent = column - p.column
	p.indented = p.indent >= 4
}

func (p *parser) advanceToNext() {
	p.offset, p.column = p.next, p.nextColumn
	p.partTab = false
}

// advance goes on by bytes, or by columns, which may consume a tab in part.
func (p *parser) advance(count int, columns bool) {
	for count > 0 && p.offset < len(p.line) {
		if p.line[p.offset] != '\t' {
			p.partTab = false
			p.offset++
			p.column++
			count--
			continue
		}
		toTab := 4 - p.column%4
		if !columns {
			p.partTab = false
			p.column += toTab
			p.offset++
			count--
			continue
		}
		p.partTab = toTab > count
		n := min(count, toTab)
		p.column += n
		if !p.partTab {
			p.offset++
		}
		count -= n
	}
}

// peek gives the line's byte at i, or 0 past its end.
func (p *parser) peek(i int) byte {
	if i < len(p.line) {
		return p.line[i]
	}
	return 0
}

func space(c byte) bool { return c == ' ' || c == '\t' }

// run counts how often the byte at i repeats.
func run(s string, i int) int {
	n := i
	for n < len(s) && s[n] == s[i] {
		n++
	}
	return n - i
}
