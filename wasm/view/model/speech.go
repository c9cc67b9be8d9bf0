package model

import (
	"strings"
	"unicode/utf8"

	"aguiwasm/wasm/view/markdown"
)

// Speech decides what a screen reader hears of messages that grow: whole sentences, once each, without marks.
type Speech struct {
	spoken map[string]int // message id to how much of its text was said
}

// maxSpoken is how much of one piece is said, in bytes: a wall of text helps nobody, and the message itself can be
// read.
const maxSpoken = 1000

// Known marks a message as there already: only what comes later is said.
func (s *Speech) Known(id, text string) {
	if s.spoken == nil {
		s.spoken = map[string]int{}
	}
	s.spoken[id] = len(text)
}

// Next gives what is to be said now, or "": the sentences that ended since the last time; where no more comes (open is
// false), the rest.
func (s *Speech) Next(id, text string, open bool) string {
	from := s.spoken[id]
	if from > len(text) { // the text was replaced
		from = 0
	}
	end := len(text)
	if open {
		end = from + sentenceEnd(text[from:])
	}
	if end <= from {
		return ""
	}
	if s.spoken == nil {
		s.spoken = map[string]int{}
	}
	s.spoken[id] = end
	said := Plain(markdown.Parse(text[from:end]))
	if len(said) > maxSpoken {
		cut := maxSpoken
		for cut > 0 && !utf8.RuneStart(said[cut]) {
			cut--
		}
		said = said[:cut] + "…"
	}
	return said
}

// sentenceEnd gives the index after the last sentence that ended.
func sentenceEnd(s string) int {
	end := 0
	for i, r := range s {
		switch r {
		case '\n', '。', '！', '？', '؟', '।':
			end = i + utf8.RuneLen(r)
		case '.', '!', '?', ':', ';', '…':
			next := i + utf8.RuneLen(r)
			if next < len(s) && (s[next] == ' ' || s[next] == '\n') {
				end = next
			}
		}
	}
	return end
}

// Plain gives the text of nodes without marks. Code blocks are left out: nobody wants to hear them unasked.
func Plain(nodes []*markdown.Node) string {
	var b strings.Builder
	plain(&b, nodes)
	return strings.TrimSpace(b.String())
}

func plain(b *strings.Builder, nodes []*markdown.Node) {
	for _, n := range nodes {
		switch n.Kind {
		case markdown.Text, markdown.Code, markdown.Image:
			b.WriteString(n.Text)
		case markdown.CodeBlock, markdown.Rule:
		case markdown.Break:
			b.WriteByte(' ')
		default:
			plain(b, n.Children)
			if n.Kind <= markdown.Rule {
				b.WriteByte(' ')
			}
		}
	}
}
