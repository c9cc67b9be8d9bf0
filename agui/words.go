package agui

import (
	"strings"

	"aguiwasm/agui/rawjson"
)

// ServerWords finds what a server's own error says to a person, at most 200 characters: of a JSON object the first of
// the named members that is a string (or an object with a string message), of a JSON string its text, of any other text
// its first line. A page of HTML says nothing. It is for who shows why a request was refused, as package agui/client
// does:
//
//	agui.ServerWords(body, "error", "message", "detail", "errorText")
func ServerWords(data string, names ...string) string {
	text := strings.TrimSpace(data)
	if rawjson.Check(text, rawjson.MaxDepth) != nil {
		if text == "" || text[0] == '<' || text[0] == '{' || text[0] == '[' {
			return ""
		}
		line, _, _ := strings.Cut(text, "\n")
		return excerpt(strings.ToValidUTF8(strings.TrimSpace(line), "\uFFFD"), excerptLimit)
	}
	switch rawjson.KindOf(text) {
	case rawjson.Str:
		return excerpt(rawjson.String(text).Decode(), excerptLimit)
	case rawjson.Object:
		for _, name := range names {
			v, _ := rawjson.Get(text, name)
			if rawjson.KindOf(v) == rawjson.Object {
				v, _ = rawjson.Get(v, "message")
			}
			if rawjson.KindOf(v) == rawjson.Str && len(v) > 2 {
				return excerpt(rawjson.String(v).Decode(), excerptLimit)
			}
		}
	}
	return ""
}
