package markdown

import "strings"

// SafeURL gives the address as a browser would read it and whether a link may lead there: http, https, mailto, tel
// and relative ones may. Everything else (javascript:, data:, vbscript:, blob:, file:, unknown schemes) may not.
func SafeURL(url string) (string, bool) {
	url = clean(url)
	if url == "" {
		return "", false
	}
	switch Scheme(url) {
	case "", "http", "https", "mailto", "tel":
		return url, true
	}
	return "", false
}

// SafeSource is [SafeURL] for images and other media: http, https and relative ones.
func SafeSource(url string) (string, bool) {
	url = clean(url)
	switch Scheme(url) {
	case "", "http", "https":
		return url, url != ""
	}
	return "", false
}

// maxDataImage is how long a data: address of a picture may be: 1 MiB in base64.
const maxDataImage = 1<<20*4/3 + 64

// DataImage reports whether an address holds a picture itself, of a type that browsers show and at most 1 MiB.
func DataImage(url string) bool {
	kind, data, _ := strings.Cut(url, ";base64,")
	switch strings.ToLower(kind) {
	case "data:image/png", "data:image/jpeg", "data:image/gif", "data:image/webp", "data:image/avif",
		"data:image/svg+xml": // in an <img> nothing of it runs
		return data != "" && len(url) <= maxDataImage
	}
	return false
}

// Scheme gives the scheme in lower case, or "" for a relative address.
func Scheme(url string) string {
	url = clean(url)
	for i := 0; i < len(url); i++ {
		c := url[i]
		switch {
		case c == ':':
			if i == 0 {
				return ""
			}
			return strings.ToLower(url[:i])
		case letter(c), i > 0 && (digit(c) || c == '+' || c == '-' || c == '.'):
		default:
			return ""
		}
	}
	return ""
}

// clean does what the URL standard does before it looks for a scheme: control characters and spaces around go, tabs
// and line ends inside go. Without this "java\tscript:" would pass as relative.
func clean(url string) string {
	url = strings.TrimFunc(url, func(r rune) bool { return r <= ' ' })
	if !strings.ContainsAny(url, "\t\n\r") {
		return url
	}
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, url)
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }
