package ui

import (
	"strings"

	"aguiwasm/web/markdown"
	"aguiwasm/web/view/model"
	. "aguiwasm/web/view/vnode"
)

// parts shows the parts of a content.
func (u *UI) parts(parts []model.Part) []*Node {
	out := make([]*Node, 0, len(parts))
	for i := range parts {
		out = append(out, u.part(&parts[i]))
	}
	return out
}

func (u *UI) part(p *model.Part) *Node {
	if p.Kind == "text" {
		if p.Text == "" {
			return nil
		}
		return El("div", "plain", Text(p.Text)).With("dir", "auto")
	}
	name := p.Filename
	switch p.Kind {
	case "image", "audio", "video", "document":
	default:
		return El("p", "note", Text(u.Labels.Fill("unsupported", p.Kind))).With("dir", "auto")
	}
	switch p.Source {
	case "data":
		if p.Kind == "document" || !plays(p.Kind, p.MIME) {
			return u.download(name, p)
		}
		url := u.Blob(p.MIME, p.Value)
		if url == "" {
			return El("p", "note", Text(u.Labels.Fill("unsupported", p.Kind)))
		}
		return u.media(p.Kind, url, name)
	case "url":
		if p.Kind == "document" {
			title := name
			if title == "" {
				title = tail(p.Value)
			}
			if _, ok := markdown.SafeURL(p.Value); !ok {
				return El("p", "note dead", Text(title)).With("dir", "auto")
			}
			return El("p", "doc", u.link(p.Value, "", []*Node{Text(u.Labels.Fill("open", title))})).With("part", "document")
		}
		address, ok := markdown.SafeSource(p.Value)
		if !ok {
			return El("p", "note dead", Text(u.label(p.Kind)))
		}
		return u.remote(p.Kind, address, name)
	}
	if name == "" {
		name = p.Value
	}
	return El("p", "doc", Text(u.label("file")+": "+short(name, 120))).With("dir", "auto", "part", "document")
}

// plays reports whether data of that type may be shown as that kind.
func plays(kind, mime string) bool {
	return strings.HasPrefix(strings.ToLower(mime), kind+"/")
}

// download offers data as a file. Its type is never told to the browser: opened by address, a page's own HTML or SVG
// would run as the page's.
func (u *UI) download(name string, p *model.Part) *Node {
	url := u.Blob("application/octet-stream", p.Value)
	if name == "" {
		name = u.label("document")
	}
	if url == "" {
		return El("p", "note", Text(name)).With("dir", "auto")
	}
	return El("p", "doc", El("a", "", Text(u.Labels.Fill("download", name))).
		With("href", url, "download", fileName(name))).With("part", "document", "dir", "auto")
}

// media shows what is there, from an address of the page's own or one that may be fetched.
func (u *UI) media(kind, url, name string) *Node {
	label := name
	if label == "" {
		label = u.label(kind)
	}
	switch kind {
	case "audio":
		return El("audio", "audio").With("controls", "", "preload", "metadata", "src", url, "aria-label", label, "part", "audio")
	case "video":
		return El("video", "video").With("controls", "", "preload", "metadata", "playsinline", "", "src", url, "aria-label", label, "part", "video")
	}
	return El("img", "picture").With("referrerpolicy", "no-referrer", "decoding", "async", "alt", label, "src", url, "part", "image")
}

// remote shows media that has to be fetched, or a button that does so.
func (u *UI) remote(kind, url, name string) *Node {
	if u.Remote(url) {
		return u.media(kind, url, name)
	}
	u.making.waits = true
	what := name
	if what == "" {
		what = u.label(kind)
	}
	words := u.Labels.Fill("load", short(what, 80))
	if h := host(url); h != "" {
		words += " " + u.Labels.Fill("from", h)
	}
	return button("load", words, "load", url).With("part", "load-button")
}

// host gives an address's host, or "".
func host(url string) string {
	i := strings.Index(url, "//")
	if i < 0 {
		return ""
	}
	h := url[i+2:]
	if j := strings.IndexAny(h, "/?#\\"); j >= 0 {
		h = h[:j]
	}
	if j := strings.LastIndexByte(h, '@'); j >= 0 { // what stands before it is no host, however it looks
		h = h[j+1:]
	}
	return short(h, 80)
}

// tail gives the last piece of an address's path.
func tail(url string) string {
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		url = url[:i]
	}
	if t := url[strings.LastIndexByte(url, '/')+1:]; t != "" {
		return short(t, 80)
	}
	return short(url, 80)
}

// fileName leaves out what a file's name must not hold.
func fileName(s string) string {
	return short(strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) || (r >= 0x202A && r <= 0x202E) || (r >= 0x2066 && r <= 0x2069) {
			return '_'
		}
		return r
	}, s), 120)
}

// short cuts a text after n runes.
func short(s string, n int) string {
	count := 0
	for i := range s {
		if count == n {
			return s[:i] + "…"
		}
		count++
	}
	return s
}
