package state

import "aguiwasm/agui/rawjson"

// Text is a growing JSON string, such as a message's text or a tool call's arguments. It keeps the escapes as they
// came, so that halves of a surrogate pair which come in two deltas make one character again, and it grows without
// copying what is there: in blocks that are never moved. The zero value is "".
type Text struct {
	blocks [][]byte // bodies of JSON strings, without quotes
	length int
}

// The blocks double in size from the first to the largest.
const (
	firstBlock = 64
	lastBlock  = 32 << 10
)

// Len gives the length of the escaped text in bytes, without the quotes.
func (t *Text) Len() int { return t.length }

// Append adds a JSON string's text.
func (t *Text) Append(s rawjson.String) {
	body := s.Body()
	t.length += len(body)
	for len(body) > 0 {
		n := len(t.blocks)
		if n == 0 || len(t.blocks[n-1]) == cap(t.blocks[n-1]) {
			size := firstBlock
			if n > 0 {
				size = min(2*cap(t.blocks[n-1]), lastBlock)
			}
			t.blocks = append(t.blocks, make([]byte, 0, max(size, len(body))))
			n++
		}
		block := &t.blocks[n-1]
		part := body[:min(len(body), cap(*block)-len(*block))]
		*block = append(*block, part...)
		body = body[len(part):]
	}
}

// AppendJSON appends the text as a JSON string, quotes included.
func (t *Text) AppendJSON(dst []byte) []byte {
	dst = append(dst, '"')
	for _, b := range t.blocks {
		dst = append(dst, b...)
	}
	return append(dst, '"')
}

// String gives the decoded text (WTF-8).
func (t *Text) String() string {
	if t.length == 0 {
		return ""
	}
	return rawjson.String(t.AppendJSON(make([]byte, 0, t.length+2))).Decode()
}

// fork gives a text that begins as t and grows on its own. Both share the blocks that are there.
func (t *Text) fork() Text {
	f := Text{length: t.length, blocks: make([][]byte, len(t.blocks))}
	for i, b := range t.blocks {
		f.blocks[i] = b[:len(b):len(b)]
	}
	return f
}
