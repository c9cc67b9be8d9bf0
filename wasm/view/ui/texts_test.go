package ui

import (
	"strconv"
	"strings"
	"testing"

	"aguiwasm/wasm/view/vnode"
)

// answer is a UI over one answer of an agent.
func answer(t *testing.T, text string) *UI {
	t.Helper()
	return screen(t, `{"ids":["a"],"set":[{"id":"a","role":"assistant","content":`+strconv.Quote(text)+`}]}`)
}

// shape writes a tree as tags and texts.
func shape(n *vnode.Node) string {
	if n.Tag == "" {
		return n.Text
	}
	out := "<" + n.Tag
	if name, ok := n.Attr("name"); ok {
		out += " " + name
	}
	out += ">"
	for _, k := range n.Kids {
		out += shape(k)
	}
	return out
}

func TestFormulasAndTags(t *testing.T) {
	for text, want := range map[string]string{
		`a \(x_1\)`:        `<div><p>a <span>\(x_1\)`,
		"$$\nx\n$$":        "<div><p><span>$$\nx\n$$",
		"H<sub>2</sub>":    "<div><p>H<sub>2",
		"<kbd>C</kbd>":     "<div><p><kbd>C",
		"a[^1]\n\n[^1]: b": "<div><p>a<sup>1<div><sup>1<div><p>b",
		"<details>\n<summary>*s*</summary>\n\nb\n\n</details>": "<div><details><summary><em>s<p>b",
		"<details>\nb\n</details>":                             "<div><details><summary>Show more<p>b",
	} {
		if got := shape(find(answer(t, text).root(), "md")); got != want {
			t.Errorf("%q\ngot  %s\nwant %s", text, got, want)
		}
	}
}

// TestDirection gives each block a direction of its own, and the message none.
func TestDirection(t *testing.T) {
	md := find(answer(t, "# a\n\nb\n\n- c\n\n| d |\n|---|\n| e |\n\n> f").root(), "md")
	if _, ok := md.Attr("dir"); ok {
		t.Error("the message has a direction")
	}
	walk(md, func(n *vnode.Node) {
		if dir, _ := n.Attr("dir"); strings.Contains(" p h3 ul td th ", " "+n.Tag+" ") && dir != "auto" {
			t.Errorf("%s has the direction %q", n.Tag, dir)
		}
	})
}

// TestPlaces gives the page the formulas and the code that it draws, under names that stay, and code once it is whole.
func TestPlaces(t *testing.T) {
	u := screen(t, `{"ids":["a"],"running":true,"events":[{"type":"RUN_STARTED"},{"type":"TEXT_MESSAGE_START","messageId":"a"}],`+
		`"set":[{"id":"a","role":"assistant","content":"\\(x\\)\n\n`+"```mermaid\\ngraph"+`"}]}`)
	var asked []string
	u.Draws = func(kind, name, id, text string) bool {
		asked = append(asked, kind+" "+name+" "+id+" "+text)
		return kind == "math" || name == "mermaid"
	}
	want := func(shapeOf string, list ...string) {
		t.Helper()
		asked = nil
		if got := shape(find(u.root(), "md")); got != shapeOf {
			t.Errorf("got  %s\nwant %s", got, shapeOf)
		}
		if strings.Join(asked, "|") != strings.Join(list, "|") {
			t.Errorf("asked %q", asked)
		}
	}
	want("<div><p><span><slot agui-math-a.1>\\(x\\)<figure><figcaption><span>mermaid<button>Copy<pre><code>graph\n",
		"math inline a.1 x")
	u.Chat.Apply(`{"append":[["a","\n` + "```" + `\n\n$$y$$ and \\(z"]]}`)
	const both = "<div><p><span><slot agui-math-a.1>\\(x\\)<div><slot agui-code-a.2>graph\n<p>"
	want(both+"<span><slot agui-math-a.3>$$y$$ and \\(z", "code mermaid a.2 graph\n", "math display a.3 y")
	u.Chat.Apply(`{"append":[["a","\\)"]]}`)
	want(both+"<span><slot agui-math-a.3>$$y$$ and <span><slot agui-math-a.4>\\(z\\)",
		"code mermaid a.2 graph\n", "math display a.3 y", "math inline a.4 z")
	u.Draws = func(string, string, string, string) bool { return false }
	u.Redraw()
	want("<div><p><span>\\(x\\)<figure><figcaption><span>mermaid<button>Copy<pre><code>graph\n" +
		"<p><span>$$y$$ and <span>\\(z\\)")
}

// TestPictures shows a picture that its address holds, and loads another after a click, wherever in a text it stands.
func TestPictures(t *testing.T) {
	u := answer(t, "![dot](data:image/png;base64,QQ==)\n\n![far](https://example.org/a.png)\n\nend")
	if n := find(u.root(), "picture"); n == nil {
		t.Error("a picture in its address is not shown")
	}
	if n := find(u.root(), "load"); n == nil {
		t.Fatal("there is no button for what has to be fetched")
	}
	u.Remote = func(string) bool { return true }
	u.Loaded()
	if n := find(u.root(), "load"); n != nil {
		t.Error("what a click allowed is not loaded")
	}
	for _, url := range []string{
		"data:image/png;base64," + strings.Repeat("QQQQ", 1<<20/3+99), "data:text/html;base64,QQ==", "data:image/png,QQ",
		"data:image/svg+xml,<svg>",
	} {
		if n := find(answer(t, "![x]("+url+")").root(), "picture"); n != nil {
			t.Errorf("%.60s is shown", url)
		}
	}
}
