package ui

import (
	"fmt"
	"strings"
	"testing"

	"aguiwasm/agui/rawjson"
	"aguiwasm/wasm/view/model"
)

// BenchmarkFrame is what one frame costs in Go with 500 messages there, while the last one grows.
func BenchmarkFrame(b *testing.B) {
	chat := &model.Conversation{}
	u := &UI{Labels: model.English, Chat: chat, Remote: func(string) bool { return false },
		Custom: func(string, string, string, model.Status) bool { return false }}
	var set, ids []string
	for i := range 500 {
		set = append(set, fmt.Sprintf(`{"id":"m%d","role":"assistant","content":%s}`, i,
			rawjson.Quote("### Hi\n\nsome **text** with `code`\n\n- one\n- two\n")))
		ids = append(ids, fmt.Sprintf(`"m%d"`, i))
	}
	words := strings.Split(strings.Repeat("The **quick** brown `fox` jumps over the *lazy* dog. ", 40), " ")
	chat.Apply(`{"set":[` + strings.Join(set, ",") + `],"ids":[` + strings.Join(ids, ",") +
		`],"running":true,"events":[{"type":"TEXT_MESSAGE_START","messageId":"m499"}]}`)
	f := &Frame{Entries: chat.Timeline(), Limit: 600}
	u.Root(f)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		more := words[i%len(words)] + " "
		if i++; i%100 == 0 {
			more += "\n\n"
		}
		chat.Apply(fmt.Sprintf(`{"append":[["m499",%s]]}`, rawjson.Quote(more)))
		u.Root(f)
	}
}
