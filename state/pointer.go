package state

import (
	"strconv"
	"strings"
)

// parsePointer splits an RFC 6901 pointer into its decoded reference tokens. "" is the root and has none.
// reason is "" where the pointer is well formed.
func parsePointer(p string) (tokens []string, reason string) {
	if p == "" {
		return nil, ""
	}
	if p[0] != '/' {
		return nil, "the pointer does not begin with a slash"
	}
	tokens = strings.Split(p[1:], "/")
	for i, t := range tokens {
		if strings.IndexByte(t, '~') < 0 {
			continue
		}
		var b strings.Builder
		for j := 0; j < len(t); j++ {
			if t[j] != '~' {
				b.WriteByte(t[j])
				continue
			}
			j++
			switch {
			case j < len(t) && t[j] == '0':
				b.WriteByte('~')
			case j < len(t) && t[j] == '1':
				b.WriteByte('/')
			default:
				return nil, "the pointer holds a ~ that is neither ~0 nor ~1"
			}
		}
		tokens[i] = b.String()
	}
	return tokens, ""
}

// arrayIndex reads a reference token as an index: digits without a leading zero (RFC 6901 section 4).
func arrayIndex(token string) (i int, ok bool) {
	if token == "" || len(token) > 9 || token[0] == '0' && len(token) > 1 {
		return 0, false
	}
	for _, c := range []byte(token) {
		if c < '0' || c > '9' {
			return 0, false
		}
		i = i*10 + int(c-'0')
	}
	return i, true
}

// isInteger tells an index that is only too large from a token that is not an index.
func isInteger(token string) bool {
	for _, c := range []byte(token) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return token != "" && (token[0] != '0' || len(token) == 1)
}

// showToken and showPath name a place in a message for a person, cut to a bearable length.
func showToken(t string) string { return strconv.Quote(cut(t, 60)) }

func showPath(p string) string {
	if p == "" {
		return "the root"
	}
	return cut(p, 120)
}

// cut shortens s at a character's border.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
