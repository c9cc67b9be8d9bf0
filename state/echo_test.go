package state

import "testing"

// counting is a turn of an agent that counts its ids from the start in each turn.
func counting(n, text, args, result string) []string {
	return []string{
		`RUN_STARTED "threadId":"t","runId":"r` + n + `","input":{"threadId":"t","runId":"r` + n + `","messages":[{"id":"u` + n + `","role":"user","content":"q"}],"tools":[],"context":[]}`,
		`TEXT_MESSAGE_START "messageId":"m"`, `TEXT_MESSAGE_CONTENT "messageId":"m","delta":"` + text + `"`, `TEXT_MESSAGE_END "messageId":"m"`,
		`TOOL_CALL_START "toolCallId":"c","toolCallName":"f","parentMessageId":"m"`, `TOOL_CALL_ARGS "toolCallId":"c","delta":"` + args + `"`, `TOOL_CALL_END "toolCallId":"c"`,
		`TOOL_CALL_RESULT "messageId":"q` + n + `","toolCallId":"c","content":"` + result + `"`,
		`RUN_FINISHED "threadId":"t","runId":"r` + n + `"`,
	}
}

// counted is what such a turn leaves.
func counted(n, suffix, text, args, result string) string {
	return `{"id":"u` + n + `","role":"user","content":"q"},{"id":"m` + suffix + `","role":"assistant","content":"` + text + `","toolCalls":[` + callJSON("c"+suffix, "f", args) +
		`]},{"id":"q` + n + `","role":"tool","toolCallId":"c` + suffix + `","content":"` + result + `"}`
}

// A server that replays the thread with each response, and counts ids from the start in each turn: what is replayed lands where it was.
func TestTurnsOfThePast(t *testing.T) {
	one, two, three := counting("1", "one", "1", "A"), counting("2", "two", "2", "B"), counting("3", "three", "3", "C")
	whole := counted("1", "", "one", "1", "A") + "," + counted("2", ":2", "two", "2", "B") + "," + counted("3", ":3", "three", "3", "C")
	for _, c := range []struct {
		name string
		then [][]string
		want string
		warn int
	}{
		{"once", nil, whole, 0},
		{"again", [][]string{one, two, three}, whole, 0},
		{"again and again", [][]string{one, two, three, one, two, three}, whole, 0},
		{"some turns", [][]string{two, one}, whole, 0},
		{"a turn that breaks off, then the whole", [][]string{one[:3], one, two, three}, whole, 0},
		{"with a new turn behind", [][]string{one, two, three, counting("4", "four", "4", "D")}, whole + "," + counted("4", ":4", "four", "4", "D"), 2},
		{"a new turn behind half of it", [][]string{one, counting("4", "four", "4", "D")}, whole + "," + counted("4", ":4", "four", "4", "D"), 2},
		{"a turn told otherwise", [][]string{counting("2", "zwei", "22", "BB")},
			counted("1", "", "one", "1", "A") + "," + counted("2", ":2", "zwei", "22", "BB") + "," + counted("3", ":3", "three", "3", "C"), 0},
		{"the last one goes on in a run that says no input", [][]string{one, {begin, `TEXT_MESSAGE_START "messageId":"m"`, `TEXT_MESSAGE_CONTENT "messageId":"m","delta":"3!"`, finish}},
			counted("1", "", "one", "1", "A") + "," + counted("2", ":2", "two", "2", "B") + "," + counted("3", ":3", "3!", "3", "C"), 0},
	} {
		s := New(nil, "")
		for _, turn := range [][]string{one, two, three} {
			apply(t, s, turn...)
		}
		warned := 0
		for _, turn := range c.then {
			if turn[len(turn)-1][:4] != "RUN_" {
				apply(t, s, turn...)
				s.EndRun()
				continue
			}
			warned += len(apply(t, s, turn...))
		}
		if got := string(s.AppendMessages(nil)); got != "["+c.want+"]" || warned != c.warn {
			t.Errorf("%s: %d warnings, %s\nwant %d, [%s]", c.name, warned, got, c.warn, c.want)
		}
		if pending := s.PendingToolCallIDs(); len(pending) > 0 {
			t.Errorf("%s: %q wait", c.name, pending)
		}
	}
}
