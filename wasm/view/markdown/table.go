package markdown

import "strings"

// startsTable turns the last line of a paragraph into a table's header if line is its delimiter row; lines before it
// stay a paragraph.
func (p *parser) startsTable(para *block, line string) bool {
	aligns := delimiterRow(line)
	if aligns == nil || p.tip != para {
		return false
	}
	header := para.lines[len(para.lines)-1]
	if len(cells(header)) != len(aligns) {
		return false
	}
	p.closeUnmatched()
	table := para
	if len(para.lines) > 1 {
		para.lines = para.lines[:len(para.lines)-1]
		p.finish(para, p.lineNumber-2)
		table = p.add(Table)
		table.from, table.start = p.prevFrom, p.lineNumber-1
	}
	table.kind = Table
	table.lines = []string{header}
	table.aligns = aligns
	p.advance(len(p.line)-p.offset, false)
	return true
}

// delimiterRow reads a row such as "| --- | :-: |", or gives nil.
func delimiterRow(line string) []Align {
	if strings.Trim(line, "|:- \t") != "" || strings.IndexByte(line, '-') < 0 {
		return nil
	}
	if strings.IndexByte(line, '|') < 0 && strings.IndexByte(line, ':') < 0 {
		return nil // a setext underline or a rule
	}
	var aligns []Align
	for _, c := range cells(line) {
		dashes := strings.TrimSuffix(strings.TrimPrefix(c, ":"), ":")
		if dashes == "" || strings.Trim(dashes, "-") != "" {
			return nil
		}
		a := AlignNone
		switch left, right := c[0] == ':', c[len(c)-1] == ':'; {
		case left && right:
			a = AlignCenter
		case left:
			a = AlignLeft
		case right:
			a = AlignRight
		}
		aligns = append(aligns, a)
	}
	return aligns
}

// cells splits a row at the pipes that no backslash escapes.
func cells(row string) []string {
	row = strings.Trim(row, " \t")
	row = strings.TrimPrefix(row, "|")
	var out []string
	from := 0
	for i := 0; i < len(row); i++ {
		switch row[i] {
		case '\\':
			i++
		case '|':
			out = append(out, cell(row[from:i]))
			from = i + 1
		}
	}
	if rest := cell(row[from:]); rest != "" || from == 0 {
		out = append(out, rest)
	}
	return out
}

func cell(s string) string {
	return strings.ReplaceAll(strings.Trim(s, " \t"), `\|`, "|")
}

// tableNode makes a table's node; rows are cut to the header's width. Short rows stay short: filling them would let a
// wide header and many tiny rows make far more cells than there is text.
func (b *block) tableNode(open bool, left *int) *Node {
	table := &Node{Kind: Table}
	for i, line := range b.lines {
		if *left <= 0 {
			break
		}
		*left--
		row := &Node{Kind: Row}
		texts := cells(line)
		for j, text := range texts[:min(len(texts), len(b.aligns))] {
			if *left <= 0 {
				break
			}
			*left--
			c := &Node{Kind: Cell, Header: i == 0, Align: b.aligns[j]}
			c.Children = inline(text, open && i == len(b.lines)-1 && j == len(texts)-1, left)
			row.Children = append(row.Children, c)
		}
		table.Children = append(table.Children, row)
	}
	return table
}
