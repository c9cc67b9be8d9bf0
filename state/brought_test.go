package state

import (
	"strings"
	"testing"

	"aguiwasm/agui"
)

// TestContentAfterASnapshot: what comes without a START of its own goes on with a message that a snapshot of this run
// brought; a START begins a replay of it.
func TestContentAfterASnapshot(t *testing.T) {
	const begin, snapshot = `RUN_STARTED "threadId":"t","runId":"r"`,
		`MESSAGES_SNAPSHOT "messages":[{"id":"m","role":"assistant","content":"Hello "},{"id":"q","role":"reasoning","content":"h"}]`
	for _, tt := range []struct {
		name      string
		in        []string
		text, why string
	}{
		{"content alone", []string{snapshot, `TEXT_MESSAGE_CONTENT "messageId":"m","delta":"world"`,
			`REASONING_MESSAGE_CONTENT "messageId":"q","delta":"m"`}, "Hello world", "hm"},
		{"chunks", []string{snapshot, `TEXT_MESSAGE_CHUNK "messageId":"m","delta":"wor"`,
			`TEXT_MESSAGE_CHUNK "delta":"ld"`,
			`REASONING_MESSAGE_CHUNK "messageId":"q","delta":"m"`}, "Hello world", "hm"},
		{"a START", []string{snapshot, `TEXT_MESSAGE_START "messageId":"m"`,
			`TEXT_MESSAGE_CONTENT "messageId":"m","delta":"world"`,
			`REASONING_MESSAGE_START "messageId":"q","role":"reasoning"`,
			`REASONING_MESSAGE_CONTENT "messageId":"q","delta":"m"`}, "world", "m"},
	} {
		s := storeOf(t, "", "")
		p := agui.NewPipeline(agui.Options{Known: s, Emit: func(e agui.Event) bool {
			s.Apply(e, nil, nil)
			return true
		}})
		for _, e := range append([]string{begin}, tt.in...) {
			typ, fields, _ := strings.Cut(e, " ")
			if err := p.Push(`{"type":"` + typ + `",` + fields + `}`); err != nil {
				t.Fatal(err)
			}
		}
		want := `[{"id":"m","role":"assistant","content":"` + tt.text + `"},{"id":"q","role":"reasoning","content":"` +
			tt.why + `"}]`
		if got := string(s.AppendMessages(nil)); got != want {
			t.Errorf("%s: got %s", tt.name, got)
		}
	}
}
