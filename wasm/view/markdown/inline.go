package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// span is an inline node while it is read, in a doubly linked list of its siblings.
type span struct {
	node       Node
	prev, next *span
	kids       list
	depth      int  // of what is inside
	auto       bool // an address that became a link by itself: inside a link it is text
}

// list is a doubly linked list of spans.
type list struct{ first, last *span }

func (l *list) push(s *span) {
	s.prev, s.next = l.last, nil
	if l.last == nil {
		l.first = s
	} else {
		l.last.next = s
	}
	l.last = s
}

func (l *list) remove(s *span) {
	if s.prev == nil {
		l.first = s.next
	} else {
		s.prev.next = s.next
	}
	if s.next == nil {
		l.last = s.prev
	} else {
		s.next.prev = s.prev
	}
	s.prev, s.next = nil, nil
}

// wrap puts what stands after from and before to (nil is the list's end) into a new span of that kind, which takes
// its place. It gives nil, and changes nothing, if that would nest too deep.
func (l *list) wrap(kind Kind, from, to *span) *span {
	depth := 0
	for s := from.next; s != to; s = s.next {
		if depth = max(depth, s.depth+1); depth > maxInline {
			return nil
		}
	}
	w := &span{node: Node{Kind: kind}, depth: depth, prev: from, next: to}
	if from.next != to {
		w.kids.first = from.next
		if to == nil {
			w.kids.last = l.last
		} else {
			w.kids.last = to.prev
		}
		w.kids.first.prev, w.kids.last.next = nil, nil
	}
	from.next = w
	if to == nil {
		l.last = w
	} else {
		to.prev = w
	}
	return w
}

// bracket is a "[" or "![" that waits for its "]".
type bracket struct {
	at    *span
	image bool
	pos   int // where the text inside begins
	runs  int // how many delimiters were there before it
	tags  int // how many tags
}

type inliner struct {
	src  string
	pos  int
	open bool
	out  list
	text int // where the text that is not pushed yet begins

	runs     []*delimiter
	brackets []bracket
	noLinks  int // brackets below this may not become links: one is inside
	tooDeep  int // brackets below this may not become anything: they would nest too deep

	tags     []opening
	endings  [len(marks)]ending // of mathematics
	ticks    map[int]int        // length of a run of backticks to where the last such run begins
	hasTicks bool
}

// inline reads what is in a block's text. With open, what has not ended at the text's end counts as ended.
func inline(text string, open bool, left *int) []*Node {
	if open { // marks at the very end: what they do shows when more comes, and until then pendingRuns ends what is open
		text = strings.TrimRight(text[:len(text)-halfTag(text)], "*_~")
	}
	if text == "" {
		return nil
	}
	p := &inliner{src: text, open: open}
	for p.pos < len(p.src) {
		p.step()
	}
	p.flush()
	if open {
		p.pendingBrackets()
		for len(p.tags) > 0 {
			p.endTag(len(p.tags) - 1)
		}
	}
	p.emphasis(0, true)
	if open {
		p.pendingRuns()
	}
	return p.out.nodes(false, left)
}

// flush pushes the plain text before pos.
func (p *inliner) flush() {
	if p.text < p.pos {
		p.push(Text, p.src[p.text:p.pos])
	}
	p.text = p.pos
}

func (p *inliner) push(kind Kind, text string) *span {
	s := &span{node: Node{Kind: kind, Text: text}}
	p.out.push(s)
	return s
}

// take pushes the text so far, then a span made of the next n bytes.
func (p *inliner) take(n int, kind Kind, text string) *span {
	p.flush()
	p.pos += n
	p.text = p.pos
	return p.push(kind, text)
}

func (p *inliner) step() {
	rest := p.src[p.pos:]
	switch c := rest[0]; c {
	case '\n':
		p.lineEnd()
	case '\\':
		switch {
		case p.formula():
		case len(rest) > 1 && rest[1] == '\n':
			p.take(2, Break, "")
			p.skipSpaces()
		case len(rest) > 1 && punctuation(rest[1]):
			p.take(2, Text, rest[1:2])
		case len(rest) == 1 && p.open:
			p.take(1, Text, "")
		default:
			p.pos++
		}
	case '`':
		p.codeSpan()
	case '*', '_', '~':
		p.delimiters(c)
	case '!':
		if len(rest) > 1 && rest[1] == '[' {
			s := p.take(2, Text, "![")
			p.brackets = append(p.brackets, bracket{s, true, p.pos, len(p.runs), len(p.tags)})
			return
		}
		p.pos++
	case '[':
		if n, name := noteMark(rest); n > 0 {
			p.take(n, Note, name)
			return
		}
		s := p.take(1, Text, "[")
		p.brackets = append(p.brackets, bracket{s, false, p.pos, len(p.runs), len(p.tags)})
	case '$':
		if !p.formula() {
			p.pos += run(p.src, p.pos)
		}
	case ']':
		p.closeBracket()
	case '<':
		if n := lineBreak(rest); n > 0 {
			p.take(n, Break, "")
			p.skipSpaces()
			return
		}
		if !p.tag() {
			p.autolink()
		}
	case '&':
		if text, n := entity(rest); n > 0 {
			p.take(n, Text, text)
			return
		}
		p.pos++
	case 'h', 'H', 'w', 'W':
		p.bareLink()
	case 0:
		p.take(1, Text, "\uFFFD")
	default:
		p.pos++
	}
}

// lineBreak gives the length of a <br>, <br/> or <br /> at s's beginning, the one tag that a table's cell cannot do
// without. Nothing of it becomes HTML. 0: there is none.
func lineBreak(s string) int {
	if len(s) < 4 || s[0] != '<' || s[1]|0x20 != 'b' || s[2]|0x20 != 'r' {
		return 0
	}
	i := 3
	for i < len(s) && s[i] == ' ' {
		i++
	}
	if i < len(s) && s[i] == '/' {
		i++
	}
	if i < len(s) && s[i] == '>' {
		return i + 1
	}
	return 0
}

// lineEnd makes a hard break of a line end after two spaces or more, else a soft one, and drops the spaces around it.
func (p *inliner) lineEnd() {
	end := p.pos
	from := end
	for from > p.text && p.src[from-1] == ' ' {
		from--
	}
	p.pos = from
	p.flush()
	p.pos = end + 1
	p.text = p.pos
	if end-from >= 2 {
		p.push(Break, "")
	} else {
		p.push(Text, "\n")
	}
	p.skipSpaces()
}

func (p *inliner) skipSpaces() {
	for p.pos < len(p.src) && p.src[p.pos] == ' ' {
		p.pos++
	}
	p.text = p.pos
}

// codeSpan reads a code span. Where each length of backticks occurs last is looked up once, so that many openers
// without an end stay cheap.
func (p *inliner) codeSpan() {
	n := run(p.src, p.pos)
	if !p.hasTicks {
		p.hasTicks = true
		p.ticks = map[int]int{}
		for i := p.pos; i < len(p.src); {
			if p.src[i] != '`' {
				i++
				continue
			}
			k := run(p.src, i)
			p.ticks[k] = i
			i += k
		}
	}
	from := p.pos + n
	if p.ticks[n] < from {
		if p.open && from < len(p.src) && n < 3 {
			p.take(len(p.src)-p.pos, Code, codeText(p.src[from:]))
			return
		}
		p.pos += n
		return
	}
	for i := from; i < len(p.src); {
		j := strings.IndexByte(p.src[i:], '`')
		if j < 0 {
			break
		}
		i += j
		k := run(p.src, i)
		if k == n {
			p.take(i+n-p.pos, Code, codeText(p.src[from:i]))
			return
		}
		i += k
	}
	p.pos += n
}

func codeText(s string) string {
	s = strings.ReplaceAll(s, "\n", " ")
	s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	if len(s) > 2 && s[0] == ' ' && s[len(s)-1] == ' ' && strings.Trim(s, " ") != "" {
		s = s[1 : len(s)-1]
	}
	return s
}

// nodes turns a list into nodes, joining texts. Spans nest at most maxInline deep.
func (l *list) nodes(inLink bool, left *int) []*Node {
	var out []*Node
	var text []string
	flush := func() {
		if t := strings.Join(text, ""); t != "" {
			*left--
			out = append(out, &Node{Kind: Text, Text: t})
		}
		text = text[:0]
	}
	for s := l.first; s != nil && *left > 0; s = s.next {
		switch {
		case s.node.Kind == Text:
			text = append(text, s.node.Text)
		case s.auto && inLink:
			text = append(text, s.kids.first.node.Text)
		default:
			flush()
			*left--
			n := s.node
			n.Children = s.kids.nodes(inLink || n.Kind == Link, left)
			out = append(out, &n)
		}
	}
	flush()
	return out
}

// plain gives a list's text without its marks, for an image's alternative text.
func (l *list) plain(b *strings.Builder) {
	for s := l.first; s != nil; s = s.next {
		switch s.node.Kind {
		case Text, Code, Image, Math:
			b.WriteString(s.node.Text)
		case Break:
			b.WriteByte('\n')
		default:
			s.kids.plain(b)
		}
	}
}

func punctuation(c byte) bool {
	return c > ' ' && c < 0x7F && !letter(c) && !digit(c)
}

// class tells what stands before or after a delimiter run: white space (the text's ends too), punctuation or else.
func class(r rune, size int) (white, punct bool) {
	switch {
	case size == 0:
		return true, false
	case r < 0x80:
		return r == ' ' || r == '\t' || r == '\n' || r == '\f' || r == '\r', punctuation(byte(r))
	}
	return unicode.IsSpace(r), unicode.IsPunct(r) || unicode.IsSymbol(r)
}

func before(s string, i int) (rune, int) { return utf8.DecodeLastRuneInString(s[:i]) }
func after(s string, i int) (rune, int)  { return utf8.DecodeRuneInString(s[i:]) }
