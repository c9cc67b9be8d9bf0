package state

import (
	"slices"
	"testing"
)

// A call that comes behind RUN_FINISHED waits for its result as those before it; what the outcome has judged it judged for good.
func TestCallsBehindTheEndArePending(t *testing.T) {
	call := func(id string) []string {
		return []string{`TOOL_CALL_START "toolCallId":"` + id + `","toolCallName":"f"`, `TOOL_CALL_END "toolCallId":"` + id + `"`}
	}
	const end = `RUN_FINISHED "threadId":"t","runId":"r"`
	result := func(id string) []string {
		return []string{`TOOL_CALL_RESULT "messageId":"m` + id + `","toolCallId":"` + id + `","content":"x"`}
	}
	for _, c := range []struct {
		name   string
		events [][]string
		want   []string
	}{
		{"a late call", [][]string{{begin}, call("a"), {end}, call("b")}, []string{"a", "b"}},
		{"its result", [][]string{{begin}, call("a"), {end}, call("b"), result("b"), result("a")}, nil},
		{"a result before the call", [][]string{{begin, end}, result("b"), call("b")}, nil},
		{"in the order of their starts", [][]string{{begin, end, `TOOL_CALL_START "toolCallId":"a","toolCallName":"f"`}, call("b"), {`TOOL_CALL_END "toolCallId":"a"`}}, []string{"a", "b"}},
		{"not before its end", [][]string{{begin, end, `TOOL_CALL_START "toolCallId":"a","toolCallName":"f"`}}, nil},
		{"beside a list that could not know it", [][]string{{begin}, call("a"), call("b"), {end + `,"outcome":{"type":"success","pendingToolCallIds":["a"]}`}, call("c")}, []string{"a", "c"}},
		{"a call that the list left out comes again", [][]string{{begin}, call("a"), call("b"),
			{end + `,"outcome":{"type":"success","pendingToolCallIds":["b"]}`}, call("a")}, []string{"b"}},
		{"after a question", [][]string{{begin, end + `,"outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"r"}]}`}, call("a")}, []string{"a"}},
		{"after an orphan went", [][]string{{begin, `TOOL_CALL_START "toolCallId":"a","toolCallName":"f","parentMessageId":"m"`,
			`MESSAGES_SNAPSHOT "messages":[{"id":"m","role":"assistant","content":"x"}]`, end}, call("b")}, []string{"b"}},
		{"another run", [][]string{{begin}, {end}, call("a"), {begin, end}}, nil},
	} {
		s := New(nil, "")
		apply(t, s, slices.Concat(c.events...)...)
		if got := s.PendingToolCallIDs(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
