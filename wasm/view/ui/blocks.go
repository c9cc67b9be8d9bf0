package ui

import (
	"strconv"

	"aguiwasm/wasm/view/markdown"
	. "aguiwasm/wasm/view/vnode"
)

// block makes a Markdown block's tree. Its depth is what package markdown limits it to.
func (u *UI) block(n *markdown.Node) *Node {
	switch n.Kind {
	case markdown.Paragraph:
		return El("p dir=auto", u.inline(n.Children)...)
	case markdown.Heading:
		// The page has headings of its own: a message's begin below them.
		return Make("h"+strconv.Itoa(min(n.Level+2, 6)), "h"+strconv.Itoa(n.Level), u.inline(n.Children)...).
			At("dir", "auto")
	case markdown.Quote:
		return El("blockquote", u.blocks(n.Children)...)
	case markdown.List:
		tag, class := "ul", ""
		if n.Ordered {
			tag = "ol"
		}
		if n.Tight {
			class = "tight"
		}
		list := Make(tag, class, u.blocks(n.Children)...)
		return list.At("dir", "auto").If(n.Ordered && n.Start != 1, "start", strconv.Itoa(n.Start))
	case markdown.Item:
		item := El("li")
		if n.Task != markdown.NoTask {
			item.Class = "task"
			word := "todo"
			if n.Task == markdown.DoneTask {
				word = "done"
			}
			item.Add(Make("span", "check "+word).With("role", "img", "aria-label", u.label(word)))
		}
		return item.Add(u.blocks(n.Children)...)
	case markdown.Table:
		return u.table(n)
	case markdown.CodeBlock:
		return u.code(n.Lang(), n.Text)
	case markdown.Rule:
		return El("hr")
	case markdown.Details:
		kids := n.Children
		summary := El("summary dir=auto")
		if len(kids) > 0 && kids[0].Kind == markdown.Summary {
			summary.Add(u.inline(kids[0].Children)...)
			kids = kids[1:]
		} else {
			summary.Add(Text(u.label("showMore")))
		}
		return El("details.fold", summary).Add(u.blocks(kids)...)
	case markdown.Footnote:
		return El("div.footnote", T("sup", n.Info), El("div", u.blocks(n.Children)...))
	}
	return El("p dir=auto", u.inline([]*markdown.Node{n})...)
}

func (u *UI) blocks(list []*markdown.Node) []*Node {
	out := make([]*Node, len(list))
	for i, n := range list {
		out[i] = u.block(n)
	}
	return out
}

func (u *UI) table(n *markdown.Node) *Node {
	head, body := El("thead"), El("tbody")
	for i, row := range n.Children {
		tr := El("tr")
		for _, c := range row.Children {
			tag := "td"
			if c.Header {
				tag = "th"
			}
			cell := Make(tag, [...]string{"", "at-left", "at-center", "at-right"}[c.Align], u.inline(c.Children)...)
			tr.Add(cell.At("dir", "auto").If(c.Header, "scope", "col"))
		}
		if i == 0 {
			head.Add(tr)
		} else {
			body.Add(tr)
		}
	}
	return scroll(u.label("table"), El("table part=table", head, body))
}

// scroll makes a box that scrolls sideways and that the keyboard reaches.
func scroll(label string, n *Node) *Node {
	return El("div.scroll role=region tabindex=0", n).At("aria-label", label)
}

// maxLang is how long a language's name is shown.
const maxLang = 30

func (u *UI) code(lang, code string) *Node {
	shown := lang
	if len(shown) > maxLang {
		shown = ""
	}
	if u.settled {
		if slot := u.place("code", lang, code, code); slot != nil {
			return El("div.drawn", slot)
		}
	}
	label := u.label("code")
	if shown != "" {
		label += " " + shown
	}
	return El("figure.code part=code", El("figcaption.code-bar", T("span.lang", shown),
		button("copy", u.label("copy"), "copy", "").At("part", "copy-button")),
		El("pre tabindex=0 role=region dir=ltr", T("code", code)).At("aria-label", label),
	)
}

// place gives the place of what the page draws itself of a text; nil: it does not. What the page has not drawn yet is
// shown as it is written.
func (u *UI) place(kind, name, text, written string) *Node {
	u.places++
	id := u.making.id + "." + strconv.Itoa(u.places)
	if u.Draws == nil || !u.Draws(kind, name, id, text) {
		return nil
	}
	u.making.drawn = true
	return T("slot.custom", written).At("name", Slot(kind, id))
}

// formula shows mathematics: by the page's own renderer, or as it is written.
func (u *UI) formula(n *markdown.Node) *Node {
	name := "inline"
	if n.Level > 0 {
		name = "display"
	}
	shown := Make("span", "math "+name).At("dir", "ltr")
	if slot := u.place("math", name, n.Text[2:len(n.Text)-2], n.Text); slot != nil {
		return shown.Add(slot)
	}
	return shown.Add(Text(n.Text))
}

func (u *UI) inline(list []*markdown.Node) []*Node {
	out := make([]*Node, 0, len(list))
	for _, n := range list {
		switch n.Kind {
		case markdown.Text:
			out = append(out, Text(n.Text))
		case markdown.Emphasis:
			out = append(out, El("em", u.inline(n.Children)...))
		case markdown.Strong:
			out = append(out, El("strong", u.inline(n.Children)...))
		case markdown.Strike:
			out = append(out, El("del", u.inline(n.Children)...))
		case markdown.Code:
			out = append(out, T("code", n.Text))
		case markdown.Break:
			out = append(out, El("br"))
		case markdown.Sub:
			out = append(out, El("sub", u.inline(n.Children)...))
		case markdown.Sup:
			out = append(out, El("sup", u.inline(n.Children)...))
		case markdown.Kbd:
			out = append(out, El("kbd", u.inline(n.Children)...))
		case markdown.Note:
			out = append(out, T("sup", n.Text))
		case markdown.Math:
			out = append(out, u.formula(n))
		case markdown.Link:
			out = append(out, u.link(n.URL, n.Title, u.inline(n.Children)))
		case markdown.Image:
			out = append(out, u.image(n.URL, n.Text))
		}
	}
	return out
}

// link makes a link that leads where it may, or a text that looks like one that does not.
func (u *UI) link(url, title string, kids []*Node) *Node {
	address, ok := markdown.SafeURL(url)
	if !ok {
		return El("span.dead", kids...)
	}
	if len(kids) == 0 {
		kids = []*Node{Text(address)}
	}
	return El("a target=_blank", kids...).
		With("href", address, "rel", "noopener noreferrer nofollow").
		If(title != "", "title", title)
}

// image makes a Markdown image: always one that is fetched, so it waits for a click.
func (u *UI) image(url, alt string) *Node {
	if url == "" { // half an image, see package markdown
		return Text(alt)
	}
	if markdown.DataImage(url) {
		return u.media("image", url, alt)
	}
	address, ok := markdown.SafeSource(url)
	if !ok {
		return T("span.dead", alt)
	}
	return u.remote("image", address, alt)
}
