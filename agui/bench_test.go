package agui

import "testing"

// BenchmarkPush is the way of one event of about 100 bytes from its text to Emit.
func BenchmarkPush(b *testing.B) {
	content := `{"type":"TEXT_MESSAGE_CONTENT","messageId":"msg_0123456789abcdef","delta":"a few words of text, "}`
	args := `{"type":"TOOL_CALL_ARGS","toolCallId":"call_0123456789abcdef","delta":"{\"city\":\"Paris\"}"}`
	tagged := `{"type":"TEXT_MESSAGE_CONTENT","messageId":"msg_s","delta":"a few words, ","subagentRunId":"sub_1"}`
	chunk := `{"type":"TEXT_MESSAGE_CHUNK","messageId":"msg_chunk","delta":"a few words of text, "}`
	for _, bb := range []struct{ name, data string }{{"content", content}, {"args", args}, {"tagged", tagged},
		{"chunk", chunk}} {
		b.Run(bb.name, func(b *testing.B) {
			n := 0
			p := NewPipeline(Options{Emit: func(Event) bool { n++; return true }})
			for _, data := range []string{
				`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`,
				`{"type":"TEXT_MESSAGE_START","messageId":"msg_0123456789abcdef"}`,
				`{"type":"TEXT_MESSAGE_START","messageId":"msg_s","subagentRunId":"sub_1"}`,
				`{"type":"TOOL_CALL_START","toolCallId":"call_0123456789abcdef","toolCallName":"weather"}`,
			} {
				if err := p.Push(data); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(int64(len(bb.data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := p.Push(bb.data); err != nil {
					b.Fatal(err)
				}
			}
			if n < b.N {
				b.Fatal("events were lost")
			}
		})
	}
}
