package markdown

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// closeBracket makes a link or image of the last open bracket if a destination follows.
func (p *inliner) closeBracket() {
	top := len(p.brackets) - 1
	if top < 0 {
		p.pos++
		return
	}
	b := p.brackets[top]
	dead := (!b.image && top < p.noLinks) || top < p.tooDeep
	p.brackets = p.brackets[:top]
	p.noLinks, p.tooDeep = min(p.noLinks, top), min(p.tooDeep, top)
	if dead {
		p.pos++
		return
	}
	url, title, n, hitEnd := p.linkTail(p.pos + 1)
	if n == 0 && !(p.open && hitEnd) {
		p.pos++
		return
	}
	p.flush()
	if n == 0 { // a half link shows its text, a half image nothing
		n = len(p.src) - p.pos - 1
		url, title = "", ""
	}
	from := p.pos
	p.pos += 1 + n
	p.text = p.pos
	p.emphasis(min(b.runs, len(p.runs)), false)
	p.tags = p.tags[:min(b.tags, len(p.tags))]
	kind := Link
	if b.image {
		kind = Image
	}
	w := p.out.wrap(kind, b.at, nil)
	if w == nil {
		p.tooDeep = top
		p.text = from
		p.flush()
		return
	}
	p.out.remove(b.at)
	w.node.URL, w.node.Title = url, title
	if !b.image {
		p.noLinks = top
		return
	}
	var alt strings.Builder
	w.kids.plain(&alt)
	w.node.Text = alt.String()
	w.kids, w.depth = list{}, 0
}

// pendingBrackets hides the last bracket of an open text if nothing closed it: it may be half a link.
func (p *inliner) pendingBrackets() {
	if n := len(p.brackets); n > 0 && len(p.src)-p.brackets[n-1].pos < 200 {
		p.brackets[n-1].at.node.Text = ""
	}
}

// linkTail reads "(destination "title")" at i and gives its length, or 0. hitEnd says that the text ended inside it.
func (p *inliner) linkTail(i int) (url, title string, n int, hitEnd bool) {
	s := p.src
	if i >= len(s) {
		return "", "", 0, true
	}
	if s[i] != '(' {
		return "", "", 0, false
	}
	at := blanks(s, i+1)
	end := destination(s, at)
	if end < 0 {
		return "", "", 0, at >= len(s)
	}
	if end >= len(s) {
		return "", "", 0, true
	}
	url = s[at:end]
	if strings.HasPrefix(url, "<") {
		url = url[1 : len(url)-1]
	}
	next := blanks(s, end)
	if next > end && next < len(s) {
		if q := s[next]; q == '"' || q == '\'' || q == '(' {
			close := q
			if q == '(' {
				close = ')'
			}
			j := next + 1
			for j < len(s) && s[j] != close {
				if s[j] == '\\' {
					j++
				} else if q == '(' && s[j] == '(' {
					return "", "", 0, false
				}
				j++
			}
			if j >= len(s) {
				return "", "", 0, true
			}
			title = unescape(s[next+1 : j])
			next = blanks(s, j+1)
		}
	}
	if next >= len(s) {
		return "", "", 0, true
	}
	if s[next] != ')' {
		return "", "", 0, false
	}
	return unescape(url), title, next + 1 - i, false
}

// blanks skips spaces with at most one line end among them.
func blanks(s string, i int) int {
	lines := 0
	for i < len(s) && (space(s[i]) || (s[i] == '\n' && lines == 0)) {
		if s[i] == '\n' {
			lines++
		}
		i++
	}
	return i
}

// destination gives where the link destination at i ends, or -1.
func destination(s string, i int) int {
	if i < len(s) && s[i] == '<' {
		for j := i + 1; j < len(s); j++ {
			switch s[j] {
			case '>':
				return j + 1
			case '<', '\n':
				return -1
			case '\\':
				j++
			}
		}
		return len(s)
	}
	depth := 0
	for j := i; j < len(s); j++ {
		switch c := s[j]; {
		case c == '\\' && j+1 < len(s) && punctuation(s[j+1]):
			j++
		case c == '(':
			if depth++; depth > 32 {
				return -1
			}
		case c == ')':
			if depth == 0 {
				return j
			}
			depth--
		case c <= ' ' || c == 0x7F:
			if depth > 0 {
				return -1
			}
			return j
		}
	}
	return len(s)
}

// autolink reads <https://...> or <name@host>.
func (p *inliner) autolink() {
	rest := p.src[p.pos:]
	for i := 1; i < len(rest); i++ {
		c := rest[i]
		if c == '>' {
			in := rest[1:i]
			switch {
			case absolute(in):
				p.link(i+1, in, in)
				return
			case mail(in):
				p.link(i+1, "mailto:"+in, in)
				return
			}
			break
		}
		if c <= ' ' || c == '<' {
			break
		}
	}
	p.pos++
}

// link takes n bytes as a link that shows text.
func (p *inliner) link(n int, url, text string) {
	s := p.take(n, Link, "")
	s.node.URL = url
	s.depth = 1
	s.auto = true
	s.kids.push(&span{node: Node{Kind: Text, Text: text}})
}

// absolute reports whether s begins with a scheme of 2 to 32 characters.
func absolute(s string) bool {
	n := len(Scheme(s))
	return n >= 2 && n <= 32 && letter(s[0])
}

// mail reports whether s is an address as HTML's e-mail fields take it.
func mail(s string) bool {
	at := strings.IndexByte(s, '@')
	if at < 1 {
		return false
	}
	for i := 0; i < at; i++ {
		if c := s[i]; !letter(c) && !digit(c) && strings.IndexByte(".!#$%&'*+/=?^_`{|}~-", c) < 0 {
			return false
		}
	}
	for _, label := range strings.Split(s[at+1:], ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := 0; i < len(label); i++ {
			if c := label[i]; !letter(c) && !digit(c) && c != '-' {
				return false
			}
		}
	}
	return true
}

// bareLink reads a web address that stands in the text without marks.
func (p *inliner) bareLink() {
	rest := p.src[p.pos:]
	prefix, host := "", 0
	switch {
	case fold(rest, "https://"):
		host = 8
	case fold(rest, "http://"):
		host = 7
	case fold(rest, "www."):
		prefix = "http://"
	default:
		p.pos++
		return
	}
	if p.pos > 0 {
		if c := p.src[p.pos-1]; c > ' ' && c < 0x80 && strings.IndexByte(`*_~("'[|>`, c) < 0 {
			p.pos++
			return
		}
	}
	end := p.addressEnd(rest, host, prefix != "")
	if end <= host || !validHost(rest[host:end], prefix != "") {
		p.pos += max(host, 1)
		return
	}
	p.link(end, prefix+rest[:end], rest[:end])
}

// addressEnd gives where the address that s begins with ends, without the sentence's punctuation, or 0. What cannot be
// one for its host is not read any further: each of many beginnings would read to the text's end.
func (p *inliner) addressEnd(s string, host int, dot bool) int {
	h := host
	for h < len(s) && (hostByte(s[h]) || s[h] >= 0x80 && !p.endsAddress(s[h:])) {
		h++
	}
	end := h
	for end < len(s) && (strings.IndexByte(sentenceMarks, s[end]) >= 0 || s[end] == ')') {
		end++
	}
	if end < len(s) && !p.endsAddress(s[end:]) {
		if h == len(s) || strings.IndexByte("/?#:", s[h]) < 0 || !validHost(s[host:h], dot) {
			return 0
		}
		for end < len(s) && !p.endsAddress(s[end:]) {
			_, size := utf8.DecodeRuneInString(s[end:])
			end += size
		}
	}
	return trimAddress(s[:end])
}

// endsAddress reports whether a bare address ends before what s begins with.
func (p *inliner) endsAddress(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r <= ' ' || r == '<' || r == 0x7F || stopper(r) || (r == ']' && len(p.brackets) > 0)
}

func hostByte(c byte) bool { return letter(c) || digit(c) || c == '-' || c == '.' || c == '_' }

// sentenceMarks at an address's end belong to the sentence around it.
const sentenceMarks = "?!.,:;*_~'\""

// stopper reports whether r ends a bare address: the punctuation of Chinese and Japanese, and typographic marks.
func stopper(r rune) bool {
	return r >= 0x2010 && r <= 0x206F || r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFF0F || r >= 0xFF1A &&
		r <= 0xFF20
}

// trimAddress leaves off punctuation at the end that belongs to the sentence, and closing parentheses without an
// opening one.
func trimAddress(s string) int {
	end := len(s)
	balance := strings.Count(s, "(") - strings.Count(s, ")")
	for end > 0 {
		c := s[end-1]
		if c == ')' && balance < 0 {
			balance++
		} else if strings.IndexByte(sentenceMarks, c) < 0 {
			break
		}
		end--
	}
	return end
}

func validHost(s string, dot bool) bool {
	end := strings.IndexAny(s, "/?#:")
	if end < 0 {
		end = len(s)
	}
	host := s[:end]
	for i := 0; i < len(host); i++ {
		if c := host[i]; c < 0x80 && !hostByte(c) {
			return false
		}
	}
	if dot {
		i := strings.LastIndexByte(host, '.')
		return i > 3 && i+1 < len(host)
	}
	return host != "" && host[0] != '.'
}

func fold(s, prefix string) bool {
	return len(s) > len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// unescape undoes backslash escapes and character references.
func unescape(s string) string {
	if !strings.ContainsAny(s, "\\&\x00") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && punctuation(s[i+1]):
			i++
			b.WriteByte(s[i])
		case c == '&':
			if text, n := entity(s[i:]); n > 0 {
				b.WriteString(text)
				i += n - 1
			} else {
				b.WriteByte(c)
			}
		case c == 0:
			b.WriteString("\uFFFD")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// entity reads the character reference that s begins with: numeric, or one of those that people write by hand.
func entity(s string) (text string, n int) {
	end := strings.IndexByte(s[:min(len(s), 10)], ';')
	if end < 2 {
		return "", 0
	}
	name := s[1:end]
	if name[0] != '#' {
		i := strings.Index(entities, " "+name+"=")
		if i < 0 {
			return "", 0
		}
		r, _ := utf8.DecodeRuneInString(entities[i+len(name)+2:])
		return string(r), end + 1
	}
	base := 10
	name = name[1:]
	if name != "" && name[0]|0x20 == 'x' {
		base, name = 16, name[1:]
	}
	if name == "" || len(name) > 7 || (base == 16 && len(name) > 6) {
		return "", 0
	}
	v, err := strconv.ParseUint(name, base, 32)
	if err != nil {
		return "", 0
	}
	if v == 0 || v > utf8.MaxRune || !utf8.ValidRune(rune(v)) {
		v = utf8.RuneError
	}
	return string(rune(v)), end + 1
}

const entities = " amp=& lt=< gt=> quot=\" apos=' nbsp=\u00a0 copy=© reg=® trade=™ hellip=… mdash=— ndash=– lsquo=‘ rsquo=’ " +
	"ldquo=“ rdquo=” bull=• middot=· times=× divide=÷ plusmn=± deg=° euro=€ pound=£ yen=¥ cent=¢ sect=§ para=¶ laquo=« raquo=» " +
	"larr=← rarr=→ uarr=↑ darr=↓ harr=↔ le=≤ ge=≥ ne=≠ infin=∞ auml=ä ouml=ö uuml=ü Auml=Ä Ouml=Ö Uuml=Ü szlig=ß eacute=é "
