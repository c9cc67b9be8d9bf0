// Package markdown reads Markdown as it streams in and gives it as a tree of nodes, never as HTML.
//
// A [Doc] takes text piece by piece. Blocks that later text cannot change any more are finished: they keep their
// pointers, so that whoever shows them need not touch them again. Only the last top-level block is read anew.
//
// What it knows, as CommonMark 0.31 has it: paragraphs, ATX and setext headings, thematic breaks, indented and fenced
// code, block quotes, bullet and ordered lists, code spans, emphasis, inline links and images, autolinks, hard and
// soft breaks, backslash escapes, numeric and a few named character references. From GitHub's dialect: tables,
// strikethrough, task list items and bare web addresses. HTML is text, but for
// <br>, <sub>, <sup>, <kbd> and, on lines of their own, <details> and <summary>. Footnotes are shown where they stand;
// mathematics (\(...\), \[...\], $$...$$) is kept as written. Link reference definitions are
// text too: a definition at the end would change what was finished long before.
//
// While a document is open (see [Doc.Close]) its last block is read in a forgiving way, so that half a construct does
// not flash: emphasis that has not ended yet counts as ended, a half link shows its text, and a last line that may
// yet become a marker is held back.
//
// Time is linear in the last block's length and depth is limited; no input makes it slow or deep. See [Doc.Limit]
// for how much of a document is made into nodes.
package markdown

// Limits of nesting. Deeper markers are text.
const (
	maxContainers = 40 // block quotes, lists and items around a line
	maxInline     = 40 // emphasis, links and images around a text
)

// Kind says what a [Node] is.
type Kind uint8

// The kinds of blocks, then those of what is in a line.
const (
	Paragraph Kind = iota
	Heading
	Quote
	List
	Item
	Table
	Row
	Cell
	CodeBlock
	Rule
	Details
	Summary  // the first of Details, where it has one
	Footnote // its text; Info is its name

	Text
	Emphasis
	Strong
	Strike
	Code
	Link
	Image
	Break // a hard line break
	Sub
	Sup
	Kbd
	Math // Text is as written, with its marks; Level is 1 where it stands on lines of its own
	Note // a footnote's mark; Text is its name
)

// Align is a table column's alignment.
type Align uint8

// The alignments.
const (
	AlignNone Align = iota
	AlignLeft
	AlignCenter
	AlignRight
)

// Task says whether a list item is a task.
type Task uint8

// The kinds of items.
const (
	NoTask Task = iota
	OpenTask
	DoneTask
)

// Node is one node of the tree. Which fields count depends on Kind; the others are zero.
type Node struct {
	Kind     Kind
	Children []*Node
	// Text is a Text's, Code's or CodeBlock's text (a CodeBlock's ends with a line feed unless it is empty).
	Text string
	// Info is a fenced CodeBlock's info string, a Footnote's name.
	Info string
	// URL is a Link's or Image's destination as written, escapes undone. Ask [SafeURL] before using it; "" is dead.
	URL string
	// Title is a Link's or Image's title.
	Title string
	// Level is a Heading's, 1 to 6, or Math's.
	Level int
	// Ordered, Start and Tight describe a List; Start is an ordered list's first number.
	Ordered bool
	Start   int
	Tight   bool
	// Task is an Item's.
	Task Task
	// Header and Align are a Cell's. A Table's first Row is its header.
	Header bool
	Align  Align
}

// Lang gives the language named by a CodeBlock's info string, or "".
func (n *Node) Lang() string {
	for i := 0; i < len(n.Info); i++ {
		if n.Info[i] == ' ' || n.Info[i] == '\t' {
			return n.Info[:i]
		}
	}
	return n.Info
}

// Equal reports whether two nodes are the same but for their children.
func (n *Node) Equal(o *Node) bool {
	return n.Kind == o.Kind && n.Text == o.Text && n.Info == o.Info && n.URL == o.URL && n.Title == o.Title &&
		n.Level == o.Level && n.Ordered == o.Ordered && n.Start == o.Start && n.Tight == o.Tight &&
		n.Task == o.Task && n.Header == o.Header && n.Align == o.Align
}
