package markdown

import (
	"strconv"
	"strings"
)

// tree writes nodes as one expression a line: (kind fields children), texts quoted.
func tree(nodes []*Node) string {
	var b strings.Builder
	for _, n := range nodes {
		writeTree(&b, n)
		b.WriteByte('\n')
	}
	return b.String()
}

var names = [...]string{"p", "h", "quote", "list", "item", "table", "row", "cell", "code-block", "rule",
	"details", "summary", "footnote", "text", "em", "strong", "strike", "code", "link", "image", "break", "sub", "sup", "kbd", "math", "note"}

func writeTree(b *strings.Builder, n *Node) {
	if n.Kind == Text {
		b.WriteString(strconv.Quote(n.Text))
		return
	}
	b.WriteByte('(')
	b.WriteString(names[n.Kind])
	field := func(on bool, s string) {
		if on {
			b.WriteByte(' ')
			b.WriteString(s)
		}
	}
	field(n.Level > 0, strconv.Itoa(n.Level))
	field(n.Ordered, "from="+strconv.Itoa(n.Start))
	field(n.Kind == List && !n.Tight, "loose")
	field(n.Task == OpenTask, "todo")
	field(n.Task == DoneTask, "done")
	field(n.Header, "header")
	field(n.Align != AlignNone, [...]string{"", "left", "center", "right"}[n.Align])
	field(n.Info != "", "info="+strconv.Quote(n.Info))
	field(n.Kind == Link || n.Kind == Image, "to="+strconv.Quote(n.URL))
	field(n.Title != "", "title="+strconv.Quote(n.Title))
	field(n.Text != "", strconv.Quote(n.Text))
	for _, c := range n.Children {
		b.WriteByte(' ')
		writeTree(b, c)
	}
	b.WriteByte(')')
}

// depth gives how deep a tree is.
func depth(nodes []*Node) int {
	d := 0
	for _, n := range nodes {
		d = max(d, 1+depth(n.Children))
	}
	return d
}

type example struct{ name, in, want string }

// examples reads a testdata file: "%% name", the input (→ is a tab), ".", the tree.
func examples(text string) []example {
	var out []example
	for _, part := range strings.Split("\n"+text, "\n%% ")[1:] {
		name, rest, _ := strings.Cut(part, "\n")
		in, want, _ := strings.Cut(rest, "\n.\n")
		out = append(out, example{name, strings.ReplaceAll(in, "→", "\t") + "\n", strings.TrimRight(want, "\n") + "\n"})
	}
	return out
}
