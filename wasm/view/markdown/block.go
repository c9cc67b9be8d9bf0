package markdown

import "strings"

// document is the root block's kind; it never leaves this package.
const document Kind = 255

// block is a block while it is read. Lines are numbered from 1.
type block struct {
	kind       Kind
	parent     *block
	children   []*block
	open       bool
	from       int // byte offset of its first line
	start, end int // first and last line
	lines      []string

	fence       byte // of a fenced code block: ` or ~; 0 is an indented one
	fenceLen    int
	fenceOffset int
	info        string
	closer      string // of a paragraph: the mark that ends its mathematics
	level       int

	list   listMarker
	tight  bool
	aligns []Align
}

// parser reads the lines of src into blocks, as the CommonMark appendix "A parsing strategy" describes it: each line
// first continues the open blocks it can, then opens new ones, and what is left of it is text.
type parser struct {
	src  string
	root *block
	tip  *block // the deepest open block

	line       string
	lineFrom   int
	prevFrom   int // where the line before began
	lineNumber int
	nextFrom   int    // where the next line begins
	more       bool   // text may still come
	noMark     [2]int // before this no mark of that kind ends mathematics

	offset, column int
	partTab        bool // the tab at offset is consumed in part

	next, nextColumn int // the first non-space
	indent           int
	indented, blank  bool

	oldTip, lastMatched *block
	allClosed           bool
}

// run reads all of src. With open, a last line without an end that may yet become a marker is held back.
func (p *parser) run(open bool) {
	p.more = open
	p.root = &block{kind: document, open: true, start: 1}
	p.tip = p.root
	for pos := 0; pos < len(p.src); {
		end, next := len(p.src), len(p.src)
		if i := strings.IndexAny(p.src[pos:], "\n\r"); i >= 0 {
			end = pos + i
			next = end + 1
			if p.src[end] == '\r' && next < len(p.src) && p.src[next] == '\n' {
				next++
			}
		} else if open && tentative(p.src[pos:]) {
			break
		}
		p.prevFrom, p.lineFrom = p.lineFrom, pos
		p.lineNumber++
		p.nextFrom = next
		p.readLine(p.src[pos:end])
		pos = next
	}
	for p.tip != nil {
		p.finish(p.tip, p.lineNumber)
	}
}

// tentative reports whether a line that has not ended yet consists of nothing but what markers are made of: of digits,
// only those of a list's number.
func tentative(line string) bool {
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case strings.IndexByte("-=*_#>+~`|:.)[] \t", c) >= 0:
		case c|0x20 == 'x' && i > 0 && line[i-1] == '[':
		case digit(c) && (i == 0 || digit(line[i-1]) || space(line[i-1]) && strings.IndexByte(line, '|') < 0):
			if i+1 < len(line) && !digit(line[i+1]) && line[i+1] != '.' && line[i+1] != ')' {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func (p *parser) readLine(line string) {
	p.line = line
	p.offset, p.column = 0, 0
	p.partTab = false
	if p.inFormula() {
		return
	}
	p.oldTip = p.tip
	container := p.root
	depth := 0
	matched := true
	for len(container.children) > 0 {
		last := container.children[len(container.children)-1]
		if !last.open {
			break
		}
		p.findNext()
		container = last
		depth++
		switch p.continues(container) {
		case lineDone:
			return
		case noMatch:
			container = container.parent
			depth--
			matched = false
		}
		if !matched {
			break
		}
	}
	p.allClosed = container == p.oldTip
	p.lastMatched = container

	leaf := container.kind == CodeBlock
	for !leaf {
		p.findNext()
		opened, isLeaf := p.opens(container, depth)
		if !opened {
			break
		}
		container = p.tip
		depth++
		leaf = isLeaf
		if container.kind == Item {
			depth++
		}
	}

	if !leaf {
		p.advanceToNext()
	}
	if !p.allClosed && !p.blank && p.tip.kind == Paragraph {
		p.addLine() // a lazy continuation
		return
	}
	p.closeUnmatched()
	switch container.kind {
	case Paragraph, CodeBlock:
		p.addLine()
	case Table:
		if !leaf { // else this line is the delimiter row
			p.addLine()
		}
	case Heading, Rule, Summary:
	default:
		if !p.blank {
			p.add(Paragraph)
			p.addLine()
		}
	}
}

type match uint8

const (
	matches  match = iota
	noMatch        // the block ends before this line
	lineDone       // the block took the whole line
)

// continues tells whether the line goes on inside b, and consumes what marks that.
func (p *parser) continues(b *block) match {
	switch b.kind {
	case List:
		return matches
	case Quote:
		if p.indented || p.peek(p.next) != '>' {
			return noMatch
		}
		p.advanceToNext()
		p.advance(1, false)
		if space(p.peek(p.offset)) {
			p.advance(1, true)
		}
		return matches
	case Details:
		if p.endsDetails(b) {
			return lineDone
		}
		return matches
	case Footnote:
		switch {
		case p.blank:
			p.advanceToNext()
		case p.indented:
			p.advance(4, true)
		default:
			return noMatch
		}
		return matches
	case Item:
		switch {
		case p.blank:
			if len(b.children) == 0 {
				return noMatch
			}
			p.advanceToNext()
		case p.indent >= b.list.markerOffset+b.list.padding:
			p.advance(b.list.markerOffset+b.list.padding, true)
		default:
			return noMatch
		}
		return matches
	case CodeBlock:
		if b.fence == 0 {
			switch {
			case p.indent >= 4:
				p.advance(4, true)
			case p.blank:
				p.advanceToNext()
			default:
				return noMatch
			}
			return matches
		}
		if p.indent <= 3 && p.peek(p.next) == b.fence {
			n := run(p.line, p.next)
			if n >= b.fenceLen && strings.Trim(p.line[p.next+n:], " \t") == "" {
				p.finish(b, p.lineNumber)
				return lineDone
			}
		}
		for i := b.fenceOffset; i > 0 && space(p.peek(p.offset)); i-- {
			p.advance(1, true)
		}
		return matches
	case Paragraph, Table:
		if p.blank {
			return noMatch
		}
		return matches
	}
	return noMatch
}

// opens opens the block that begins at the line's first non-space, if one does; leaf says that it takes lines or is
// whole.
func (p *parser) opens(container *block, depth int) (opened, leaf bool) {
	c := p.peek(p.next)
	if p.indented {
		if p.tip.kind != Paragraph && !p.blank {
			p.advance(4, true)
			p.closeUnmatched()
			p.add(CodeBlock)
			return true, true
		}
		return false, false
	}
	rest := p.line[min(p.next, len(p.line)):]
	deep := depth >= maxContainers
	switch {
	case c == '>' && !deep:
		p.advanceToNext()
		p.advance(1, false)
		if space(p.peek(p.offset)) {
			p.advance(1, true)
		}
		p.closeUnmatched()
		p.add(Quote)
		return true, false
	case c == '#':
		n := run(rest, 0)
		if n > 6 || (n < len(rest) && !space(rest[n])) {
			return false, false
		}
		p.closeUnmatched()
		b := p.add(Heading)
		b.level = n
		b.lines = []string{headingText(rest[n:])}
		p.advance(len(p.line)-p.offset, false)
		return true, true
	case c == '`' || c == '~':
		n := run(rest, 0)
		if n < 3 || (c == '`' && strings.IndexByte(rest[n:], '`') >= 0) {
			return false, false
		}
		p.closeUnmatched()
		b := p.add(CodeBlock)
		b.fence, b.fenceLen, b.fenceOffset = c, n, p.indent
		b.info = unescape(strings.Trim(rest[n:], " \t"))
		p.advanceToNext()
		p.advance(len(p.line)-p.offset, false)
		return true, true
	}
	if (c == '=' || c == '-') && container.kind == Paragraph {
		n := run(rest, 0)
		if strings.Trim(rest[n:], " \t") == "" {
			p.closeUnmatched()
			container.kind = Heading
			container.level = 1
			if c == '-' {
				container.level = 2
			}
			p.advance(len(p.line)-p.offset, false)
			p.tip = container
			return true, true
		}
	}
	if container.kind == Paragraph && p.startsTable(container, rest) {
		return true, true
	}
	if (c == '*' || c == '-' || c == '_') && isRule(rest, c) {
		p.closeUnmatched()
		p.add(Rule)
		p.advance(len(p.line)-p.offset, false)
		return true, true
	}
	if deep {
		return false, false
	}
	if c == '<' || c == '[' {
		return p.opensTag(container, rest)
	}
	if m, ok := p.listMarker(container); ok {
		p.closeUnmatched()
		if p.tip.kind != List || p.tip.list.ordered != m.ordered || p.tip.list.bullet != m.bullet {
			p.add(List).list = m
		}
		p.add(Item).list = m
		return true, false
	}
	return false, false
}

// add opens a block in the deepest open block that can hold it.
func (p *parser) add(kind Kind) *block {
	for !p.tip.holds(kind) {
		p.finish(p.tip, p.lineNumber-1)
	}
	b := &block{kind: kind, parent: p.tip, open: true, from: p.lineFrom, start: p.lineNumber}
	p.tip.children = append(p.tip.children, b)
	p.tip = b
	return b
}

func (b *block) holds(kind Kind) bool {
	switch b.kind {
	case document, Quote, Item, Details, Footnote:
		return kind != Item
	case List:
		return kind == Item
	}
	return false
}

func (p *parser) addLine() {
	s := p.line[min(p.offset, len(p.line)):]
	if p.partTab && s != "" {
		s = "    "[:4-p.column%4] + s[1:]
	}
	p.tip.lines = append(p.tip.lines, s)
	if p.tip.kind == Paragraph {
		p.watchFormula(p.tip, s)
	}
}

func (p *parser) closeUnmatched() {
	if p.allClosed {
		return
	}
	for p.oldTip != p.lastMatched {
		parent := p.oldTip.parent
		p.finish(p.oldTip, p.lineNumber-1)
		p.oldTip = parent
	}
	p.allClosed = true
}

// finish closes a block; what it contains is settled.
func (p *parser) finish(b *block, line int) {
	b.open = false
	b.end = line
	p.tip = b.parent
	last := func() *block {
		if len(b.children) == 0 {
			return nil
		}
		return b.children[len(b.children)-1]
	}
	switch b.kind {
	case CodeBlock:
		if b.fence == 0 {
			for len(b.lines) > 0 && strings.Trim(b.lines[len(b.lines)-1], " \t") == "" {
				b.lines = b.lines[:len(b.lines)-1]
			}
			b.end = b.start + len(b.lines) - 1
		} else if len(b.lines) > 0 {
			b.lines = b.lines[1:] // the fence's own line
		}
	case Item:
		if l := last(); l != nil {
			b.end = l.end
		} else {
			b.end = b.start
		}
	case List:
		b.tight = true
		for i, item := range b.children {
			if i+1 < len(b.children) && item.end != b.children[i+1].start-1 {
				b.tight = false
			}
			for j, sub := range item.children {
				if j+1 < len(item.children) && sub.end != item.children[j+1].start-1 {
					b.tight = false
				}
			}
		}
		if l := last(); l != nil {
			b.end = l.end
		}
	}
}
