package markdown

import "strings"

// Mathematics is \(...\) in a line, \[...\] and $$...$$ on lines of its own. It is kept as it is written, its marks
// too: whoever shows it may know how.

// marks are those that begin and end mathematics. All are two bytes long.
var marks = [...][2]string{{`\(`, `\)`}, {`\[`, `\]`}, {"$$", "$$"}}

// ending is what an inliner knows of where the next closing mark of a kind stands.
type ending struct {
	at   int
	none bool // there is none from here on
}

// formula takes the mathematics that begins here, if some does.
func (p *inliner) formula() bool {
	rest := p.src[p.pos:]
	k := 0
	for k < len(marks) && !strings.HasPrefix(rest, marks[k][0]) {
		k++
	}
	if k == len(marks) {
		return false
	}
	from := p.pos + 2
	end := &p.endings[k]
	if end.at < from && !end.none {
		i := mark(p.src[from:], marks[k][1])
		end.at, end.none = from+i, i < 0
	}
	if end.none {
		if !p.open || !substance(rest[:min(len(rest), 99)]) {
			return false
		}
		p.take(len(rest), Text, rest) // its end is still to come
		return true
	}
	body := p.src[from:end.at]
	if k < 2 && mark(body, marks[k][0]) >= 0 || !substance(body) {
		return false
	}
	n := 0
	if k > 0 {
		n = 1
	}
	p.take(end.at+2-p.pos, Math, p.src[p.pos:end.at+2]).node.Level = n
	return true
}

// mark gives where a mark stands in s, or -1. Two backslashes are LaTeX's line break, and begin none.
func mark(s, m string) int {
	if m[0] != '\\' {
		return strings.Index(s, m)
	}
	for i := 0; i+1 < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		if s[i+1] == m[1] {
			return i
		}
		i++
	}
	return -1
}

// substance reports whether there is a letter or a digit: without one, backslashes before brackets are escapes.
func substance(s string) bool {
	for i := 0; i < len(s); i++ {
		if letter(s[i]) || digit(s[i]) || s[i] >= 0x80 {
			return true
		}
	}
	return false
}

// inFormula adds the line to the paragraph at the tip as it is, where mathematics of several lines has not ended there:
// a minus at a line's beginning is no bullet.
func (p *parser) inFormula() bool {
	if p.tip.kind != Paragraph || p.tip.closer == "" {
		return false
	}
	for b := p.tip; b != nil; b = b.parent {
		if b.kind == Quote {
			return false // its lines have marks of their own
		}
	}
	if p.findNext(); p.blank {
		return false
	}
	p.advanceToNext()
	p.addLine()
	return true
}

// watchFormula notes whether mathematics of several lines begins or ends with a line of a paragraph.
func (p *parser) watchFormula(b *block, line string) {
	if b.closer != "" {
		if mark(line, b.closer) >= 0 {
			b.closer = ""
		}
		return
	}
	line = strings.TrimLeft(line, " \t")
	for k, m := range marks[1:] {
		if strings.HasPrefix(line, m[0]) && mark(line[2:], m[1]) < 0 && p.formulaEnds(k, m[1]) {
			b.closer = m[1]
		}
	}
}

// formulaEnds reports whether a closing mark comes before the next blank line, or may yet come.
func (p *parser) formulaEnds(k int, m string) bool {
	if p.nextFrom < p.noMark[k] {
		return false
	}
	for pos := p.nextFrom; pos < len(p.src); {
		line := p.src[pos:]
		if i := strings.IndexByte(line, '\n'); i >= 0 {
			line = line[:i+1]
		}
		if strings.TrimSpace(line) == "" {
			p.noMark[k] = pos
			return false
		}
		if mark(line, m) >= 0 {
			return true
		}
		pos += len(line)
	}
	if !p.more {
		p.noMark[k] = len(p.src)
	}
	return p.more
}
