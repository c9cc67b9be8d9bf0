package markdown

import "strings"

// The few tags that are shown for what they say. Nothing of them becomes HTML: they are kinds of nodes.

// tags are those in a line.
var tags = [...]struct {
	open, close string
	kind        Kind
}{{"<sub>", "</sub>", Sub}, {"<sup>", "</sup>", Sup}, {"<kbd>", "</kbd>", Kbd}}

// opening is a tag that waits for its end.
type opening struct {
	at             *span
	kind           Kind
	runs, brackets int // how many delimiters and brackets were there before it
}

// tag takes the tag that begins here, if one of tags does.
func (p *inliner) tag() bool {
	rest := p.src[p.pos:]
	for _, t := range tags {
		if starts(rest, t.open) && len(p.tags) < maxInline {
			runs, brackets := len(p.runs), len(p.brackets)
			p.tags = append(p.tags, opening{p.take(len(t.open), Text, rest[:len(t.open)]), t.kind, runs, brackets})
			return true
		}
		if !starts(rest, t.close) {
			continue
		}
		for i := len(p.tags) - 1; i >= 0; i-- {
			if p.tags[i].kind == t.kind {
				p.flush()
				p.pos += len(t.close)
				p.text = p.pos
				p.endTag(i)
				return true
			}
		}
	}
	return false
}

// endTag makes a span of what stands after the tag i. Marks that began inside it end with it.
func (p *inliner) endTag(i int) {
	t := p.tags[i]
	p.tags = p.tags[:i]
	p.brackets = p.brackets[:min(t.brackets, len(p.brackets))]
	p.noLinks, p.tooDeep = min(p.noLinks, t.brackets), min(p.tooDeep, t.brackets)
	p.emphasis(min(t.runs, len(p.runs)), false)
	if p.out.wrap(t.kind, t.at, nil) != nil {
		p.out.remove(t.at)
	}
}

// starts reports whether s begins with a tag, in letters of either case.
func starts(s, tag string) bool { return len(s) >= len(tag) && strings.EqualFold(s[:len(tag)], tag) }

// halfTag gives how many bytes at the end of s may be the beginning of a tag.
func halfTag(s string) int {
	i := strings.LastIndexByte(s, '<')
	if i < 0 {
		return 0
	}
	half := strings.ToLower(s[i:])
	for _, t := range tags {
		if strings.HasPrefix(t.open, half) || strings.HasPrefix(t.close, half) {
			return len(half)
		}
	}
	return 0
}

// noteMark gives the length and the name of a footnote's mark, [^1] or [^note-2], at s's beginning; 0: there is none.
// Without a number it is what a regular expression looks like.
func noteMark(s string) (n int, name string) {
	end := strings.IndexByte(s[:min(len(s), 40)], ']')
	if end < 3 || s[1] != '^' || !digit(s[end-1]) {
		return 0, ""
	}
	name = s[2:end]
	letters := 0
	for letters < len(name) && letter(name[letters]) {
		letters++
	}
	number := strings.TrimLeft(name[letters:], "-_")
	if letters == 1 || letters == 0 && number != name || strings.Trim(number, "0123456789") != "" {
		return 0, ""
	}
	return end + 1, name
}

// opensTag opens what a line's tag or a footnote's definition begins: <details>, its <summary>, [^1]:.
func (p *parser) opensTag(container *block, rest string) (opened, leaf bool) {
	if n, name := noteMark(rest); n > 0 && n < len(rest) && rest[n] == ':' {
		p.closeUnmatched()
		p.add(Footnote).info = name
		p.advanceToNext()
		p.advance(n+1, false)
		return true, false
	}
	if container.kind == Details && len(container.children) == 0 && starts(rest, "<summary>") {
		words, after, _ := strings.Cut(rest[len("<summary>"):], "</summary>")
		if strings.TrimSpace(after) == "" {
			p.closeUnmatched()
			p.add(Summary).lines = []string{words}
			p.advance(len(p.line)-p.offset, false)
			return true, true
		}
	}
	for _, tag := range []string{"<details>", "<details open>"} {
		if starts(rest, tag) {
			p.closeUnmatched()
			p.add(Details)
			p.advanceToNext()
			p.advance(len(tag), false)
			return true, false
		}
	}
	return false, false
}

// endsDetails reports whether the line ends details, and ends them: not those inside which others are open, nor where
// it is a line of code.
func (p *parser) endsDetails(b *block) bool {
	if p.indented || !strings.EqualFold(strings.TrimSpace(p.line[min(p.next, len(p.line)):]), "</details>") {
		return false
	}
	for t := p.tip; t != b; t = t.parent {
		if t.kind == Details || t.kind == CodeBlock && t.fence != 0 {
			return false
		}
	}
	for p.tip != b {
		p.finish(p.tip, p.lineNumber-1)
	}
	p.finish(b, p.lineNumber)
	return true
}
