package session

import "strings"

// HeaderFault says what keeps a browser from sending a header, or "". Browsers say so too, but in words that hold the
// value (Firefox, WebKit), and that may be a secret: no error of ours may tell it. The rules are the Fetch standard's,
// for a header's name and for its value once the white space around it is off.
func HeaderFault(name, value string) string {
	if name == "" || strings.ContainsFunc(name, func(c rune) bool { return !isToken(c) }) {
		return "a header's name holds a character that HTTP does not allow there"
	}
	value = strings.Trim(value, "\t\n\r ")
	if strings.ContainsFunc(value, func(c rune) bool { return c == 0 || c == '\n' || c == '\r' || c > 0xff }) {
		return "the value of the header " + name + " holds a character that HTTP does not allow there"
	}
	return ""
}

// isToken reports whether a character may stand in a token (RFC 9110, 5.6.2).
func isToken(c rune) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
		strings.ContainsRune("!#$%&'*+-.^_`|~", c)
}
