package ui

import (
	"strings"
	"unicode/utf8"

	"aguiwasm/wasm/view/markdown"
	"aguiwasm/wasm/view/model"
	. "aguiwasm/wasm/view/vnode"
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
		return T("div.plain dir=auto", p.Text)
	}
	name := p.Filename
	switch p.Kind {
	case "image", "audio", "video", "document":
	default:
		return T("p.note dir=auto", u.Labels.Fill("unsupported", p.Kind))
	}
	switch p.Source {
	case "data":
		if p.Kind == "document" || !plays(p.Kind, p.MIME) {
			return u.download(name, p)
		}
		url := u.Blob(p.MIME, p.Value)
		if url == "" {
			return T("p.note", u.Labels.Fill("unsupported", p.Kind))
		}
		return u.media(p.Kind, url, name)
	case "url":
		if p.Kind == "document" {
			title := name
			if title == "" {
				title = tail(p.Value)
			}
			if _, ok := markdown.SafeURL(p.Value); !ok {
				return T("p.note.dead dir=auto", title)
			}
			return El("p.doc part=document", u.link(p.Value, "", []*Node{Text(u.Labels.Fill("open", title))}))
		}
		address, ok := markdown.SafeSource(p.Value)
		if !ok {
			return T("p.note.dead", u.label(p.Kind))
		}
		return u.remote(p.Kind, address, name)
	}
	if name == "" {
		name = p.Value
	}
	return T("p.doc dir=auto part=document", u.label("file")+": "+short(name, 120))
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
		return T("p.note dir=auto", name)
	}
	return El("p.doc part=document dir=auto", T("a", u.Labels.Fill("download", name)).
		With("href", url, "download", fileName(name)))
}

// media shows what is there, from an address of the page's own or one that may be fetched.
func (u *UI) media(kind, url, name string) *Node {
	label := name
	if label == "" {
		label = u.label(kind)
	}
	switch kind {
	case "audio":
		return El("audio.audio controls= preload=metadata part=audio").With("src", url, "aria-label", label)
	case "video":
		return El("video.video controls= preload=metadata playsinline= part=video").
			With("src", url, "aria-label", label)
	}
	return El("img.picture referrerpolicy=no-referrer decoding=async part=image").With("alt", label, "src", url)
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
	host := host
	if u.Host != nil {
		host = u.Host
	}
	if h := host(url); h != "" {
		if n := utf8.RuneCountInString(h); n > 80 {
			h = "…" + string([]rune(h)[n-80:]) // whose it is says the end
		}
		words += " " + u.Labels.Fill("from", h)
	}
	return button("load", words, "load", url).At("part", "load-button")
}

// host gives an address's host, or "", where no browser reads it.
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
	return h
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
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) || (r >= 0x202A && r <= 0x202E) ||
			(r >= 0x2066 && r <= 0x2069) {
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
