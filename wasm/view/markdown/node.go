package markdown

import "strings"

// node makes a block's node. open says that more text may come at its end. Blocks nest at most maxContainers deep.
func (b *block) node(open bool, left *int) *Node {
	*left--
	n := &Node{Kind: b.kind, Level: b.level}
	switch b.kind {
	case Paragraph:
		if t := b.pendingTable(open, left); t != nil {
			return t
		}
		n.Children = inline(b.text(), open, left)
	case Heading, Summary:
		n.Children = inline(b.text(), open, left)
	case Table:
		return b.tableNode(open, left)
	case CodeBlock:
		n.Info = b.info
		if len(b.lines) > 0 {
			n.Text = strings.ReplaceAll(strings.Join(b.lines, "\n")+"\n", "\x00", "\uFFFD")
		}
	case List:
		n.Ordered, n.Start, n.Tight = b.list.ordered, b.list.start, b.tight
		fallthrough
	default:
		n.Info = b.info
		for i, c := range b.children {
			if *left <= 0 {
				break
			}
			n.Children = append(n.Children, c.node(open && i == len(b.children)-1, left))
		}
	}
	if b.kind == Item {
		n.Task = b.task(n, open && len(b.children) == 1, left)
	}
	return n
}

func (b *block) text() string {
	return strings.Trim(strings.Join(b.lines, "\n"), " \t\n")
}

// task takes a leading "[ ]" or "[x]" off an item's first paragraph.
func (b *block) task(item *Node, open bool, left *int) Task {
	if len(item.Children) == 0 || b.children[0].kind != Paragraph {
		return NoTask
	}
	text := b.children[0].text()
	if len(text) < 4 || text[0] != '[' || text[2] != ']' || (!space(text[3]) && text[3] != '\n') {
		return NoTask
	}
	t := OpenTask
	switch text[1] {
	case ' ':
	case 'x', 'X':
		t = DoneTask
	default:
		return NoTask
	}
	item.Children[0].Children = inline(strings.TrimLeft(text[4:], " \t\n"), open, left)
	return t
}

// pendingTable shows an open paragraph that looks like the first row of a table as one, so that it does not turn
// from text into a table when the second row comes.
func (b *block) pendingTable(open bool, left *int) *Node {
	if !open || len(b.lines) != 1 || !strings.HasPrefix(b.lines[0], "|") || len(b.lines[0]) < 2 {
		return nil
	}
	t := block{kind: Table, lines: b.lines}
	t.aligns = make([]Align, len(cells(b.lines[0])))
	return t.tableNode(true, left)
}
