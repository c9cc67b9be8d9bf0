package state

import (
	"fmt"
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
)

// storeOf makes a store of messages and a state, as text.
func storeOf(t testing.TB, messages, state string) *Store {
	t.Helper()
	list, err := agui.ParseMessages(or(messages, "[]"), "messages", agui.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return New(list, state)
}

// event reads one event: TYPE and members, in short.
func event(t testing.TB, short string) agui.Event {
	t.Helper()
	text := short
	if short[0] != '{' {
		typ, rest, _ := strings.Cut(short, " ")
		text = `{"type":"` + typ + `"`
		if rest != "" {
			text += "," + rest
		}
		text += "}"
	}
	ev, err := agui.Decode(text, agui.DecodeOptions{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return ev
}

// apply applies events and checks the mirror after each. It gives the codes of the warnings, in order.
func apply(t testing.TB, s *Store, events ...string) (warnings []string) {
	t.Helper()
	m := newMirror(s)
	var ch Changes
	for _, e := range events {
		ev := event(t, e)
		ch.Reset()
		s.Apply(ev, &ch, func(w agui.Warning) {
			if w.Event != ev.Common().Raw || w.Message == "" {
				t.Errorf("a warning without its event or message: %+v", w)
			}
			warnings = append(warnings, string(w.Code))
		})
		m.apply(&ch, ev.Common().Raw)
		m.check(t.(*testing.T), s, e)
	}
	return warnings
}

const (
	begin  = `RUN_STARTED "threadId":"t","runId":"r"`
	finish = `RUN_FINISHED "threadId":"t","runId":"r"`
	user   = `{"id":"u","role":"user","content":"q"}`
)

func callJSON(id, name, args string) string {
	return `{"id":"` + id + `","type":"function","function":{"name":"` + name + `","arguments":` +
		string(rawjson.Quote(args)) + `}}`
}

// TestSection7 has a case for each sentence of PROTOCOL.md's section 7 that speaks of messages.
func TestSection7(t *testing.T) {
	tests := []struct {
		name, messages string
		events         []string
		want           string
		warnings       string
	}{
		{"metadata folds key by key, the last value wins, no recursion", "", []string{begin,
			`TEXT_MESSAGE_START "messageId":"m","metadata":{"a":{"x":1},"b":1}`,
			`TEXT_MESSAGE_CONTENT "messageId":"m","delta":"","metadata":{"a":{"y":2}}`,
			`TEXT_MESSAGE_END "messageId":"m","metadata":{"c":null}`},
			`[{"id":"m","role":"assistant","content":"","metadata":{"a":{"y":2},"b":1,"c":null}}]`, ""},
		{"a tool call's metadata folds into the call", "", []string{begin,
			`TOOL_CALL_START "toolCallId":"c","toolCallName":"f","metadata":{"a":1}`,
			`TOOL_CALL_ARGS "toolCallId":"c","delta":"1","metadata":{"b":2}`,
			`TOOL_CALL_END "toolCallId":"c","metadata":{"a":3}`},
			`[{"id":"c","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"1"},"metadata":{"a":3,"b":2}}]}]`, ""},
		{"toolCalls of a message that is no assistant's stay as they came",
			`[{"id":"r","role":"reasoning","content":"a","toolCalls":[{"id":"c","x":[]}]}]`, []string{begin,
				`REASONING_MESSAGE_START "messageId":"r","role":"reasoning"`,
				`REASONING_MESSAGE_CONTENT "messageId":"r","delta":"b"`},
			`[{"id":"r","role":"reasoning","content":"b","toolCalls":[{"id":"c","x":[]}]}]`, ""},
		{"RUN_STARTED brings the messages whose ids are unknown", `[` + user + `]`, []string{
			begin +
				`,"input":{"threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":"other"},{"id":"v","role":"user","content":"w"}]}`},
			`[` + user + `,{"id":"v","role":"user","content":"w"}]`, ""},
		{"RUN_STARTED brings another kind under a known id", `[` + user + `]`, []string{
			begin + `,"input":{"threadId":"t","runId":"r","messages":[{"id":"u","role":"reasoning","content":"w"}]}`},
			`[` + user + `,{"id":"u:reasoning","role":"reasoning","content":"w"}]`, "id_collision"},
		{"TEXT_MESSAGE_START appends with name and owner", `[` + user + `]`,
			[]string{begin, `TEXT_MESSAGE_START "messageId":"m","role":"system","name":"n","subagentRunId":"s"`},
			`[` + user + `,{"id":"m","role":"system","content":"","name":"n","subagentRunId":"s"}]`, ""},
		{"TEXT_MESSAGE_START of a call's message appends to it", "",
			[]string{begin, `TOOL_CALL_START "toolCallId":"c","toolCallName":"f","parentMessageId":"m"`,
				`TEXT_MESSAGE_START "messageId":"m"`, `TEXT_MESSAGE_CONTENT "messageId":"m","delta":"x"`},
			`[{"id":"m","role":"assistant","toolCalls":[` + callJSON("c", "f", "") + `],"content":"x"}]`, ""},
		{"TEXT_MESSAGE_START of a message closed in this run goes on", "",
			[]string{begin, `TEXT_MESSAGE_START "messageId":"m"`, `TEXT_MESSAGE_CONTENT "messageId":"m","delta":"a"`,
				`TEXT_MESSAGE_END "messageId":"m"`,
				`TEXT_MESSAGE_START "messageId":"m"`, `TEXT_MESSAGE_CONTENT "messageId":"m","delta":"b"`},
			`[{"id":"m","role":"assistant","content":"ab"}]`, ""},
		{"a replay's first content replaces the text, the next appends",
			`[{"id":"m","role":"assistant","content":"old"}]`, []string{begin, `TEXT_MESSAGE_START "messageId":"m"`,
				`TEXT_MESSAGE_CONTENT "messageId":"m","delta":"a"`, `TEXT_MESSAGE_CONTENT "messageId":"m","delta":"b"`},
			`[{"id":"m","role":"assistant","content":"ab"}]`, ""},
		{"a replay's empty first content replaces too", `[{"id":"m","role":"assistant","content":"old"}]`,
			[]string{begin, `TEXT_MESSAGE_START "messageId":"m"`,
				`TEXT_MESSAGE_CONTENT "messageId":"m","delta":""`, `TEXT_MESSAGE_CONTENT "messageId":"m","delta":"b"`},
			`[{"id":"m","role":"assistant","content":"b"}]`, ""},
		{"a replay without content keeps the text, and the role", `[{"id":"m","role":"user","content":"old"}]`,
			[]string{begin, `TEXT_MESSAGE_START "messageId":"m","role":"assistant"`,
				`TEXT_MESSAGE_END "messageId":"m"`},
			`[{"id":"m","role":"user","content":"old"}]`, ""},
		{"a second run replays the first one's message", "", []string{begin, `TEXT_MESSAGE_START "messageId":"m"`,
			`TEXT_MESSAGE_CONTENT "messageId":"m","delta":"a"`, `TEXT_MESSAGE_END "messageId":"m"`, finish,
			begin, `TEXT_MESSAGE_START "messageId":"m"`, `TEXT_MESSAGE_CONTENT "messageId":"m","delta":"b"`},
			`[{"id":"m","role":"assistant","content":"b"}]`, ""},
		{"RUN_STARTED inside a run resets nothing", "", []string{begin, `TEXT_MESSAGE_START "messageId":"m"`,
			`TEXT_MESSAGE_CONTENT "messageId":"m","delta":"a"`, `TEXT_MESSAGE_END "messageId":"m"`, begin,
			`TEXT_MESSAGE_START "messageId":"m"`, `TEXT_MESSAGE_CONTENT "messageId":"m","delta":"b"`},
			`[{"id":"m","role":"assistant","content":"ab"}]`, ""},
		{"content that is no string counts as empty",
			`[{"id":"m","role":"user","content":[{"type":"text","text":"a"}]}]`,
			[]string{begin, `TEXT_MESSAGE_CONTENT "messageId":"m","delta":"x"`,
				`TEXT_MESSAGE_CONTENT "messageId":"m","delta":"y"`},
			`[{"id":"m","role":"user","content":"xy"}]`, ""},
		{"a message without content takes an empty delta", `[{"id":"m","role":"assistant"}]`,
			[]string{begin, `TEXT_MESSAGE_CONTENT "messageId":"m","delta":""`},
			`[{"id":"m","role":"assistant","content":""}]`, ""},
		{"halves of a pair in two deltas are one character", "",
			[]string{begin, `TEXT_MESSAGE_START "messageId":"m"`,
				`TEXT_MESSAGE_CONTENT "messageId":"m","delta":"\ud83d"`,
				`TEXT_MESSAGE_CONTENT "messageId":"m","delta":"\ude80"`},
			`[{"id":"m","role":"assistant","content":"🚀"}]`, ""},

		{"a call without a parent makes its own message", `[` + user + `]`,
			[]string{begin, `TOOL_CALL_START "toolCallId":"c","toolCallName":"f","subagentRunId":"s"`},
			`[` + user + `,{"id":"c","role":"assistant","toolCalls":[` + callJSON("c", "f", "") +
				`],"subagentRunId":"s"}]`, ""},
		{"a call goes into its parent, which keeps its owner", `[{"id":"m","role":"assistant","content":"a"}]`,
			[]string{begin,
				`TOOL_CALL_START "toolCallId":"c","toolCallName":"f","parentMessageId":"m","subagentRunId":"s"`,
				`TOOL_CALL_START "toolCallId":"d","toolCallName":"g","parentMessageId":"m"`},
			`[{"id":"m","role":"assistant","content":"a","toolCalls":[` + callJSON("c", "f", "") + `,` +
				callJSON("d", "g", "") + `]}]`, ""},
		{"a parent that is missing is made", "",
			[]string{begin, `TOOL_CALL_START "toolCallId":"c","toolCallName":"f","parentMessageId":"m"`},
			`[{"id":"m","role":"assistant","toolCalls":[` + callJSON("c", "f", "") + `]}]`, ""},
		{"a parent of another role: under the call's id", `[` + user + `]`,
			[]string{begin, `TOOL_CALL_START "toolCallId":"c","toolCallName":"f","parentMessageId":"u"`},
			`[` + user + `,{"id":"c","role":"assistant","toolCalls":[` + callJSON("c", "f", "") + `]}]`, ""},
		{"into the assistant message of the call's id", `[{"id":"c","role":"assistant","content":"a"}]`,
			[]string{begin, `TOOL_CALL_START "toolCallId":"c","toolCallName":"f"`},
			`[{"id":"c","role":"assistant","content":"a","toolCalls":[` + callJSON("c", "f", "") + `]}]`, ""},
		{"another kind has the call's id", `[{"id":"c","role":"reasoning","content":"a"}]`,
			[]string{begin, `TOOL_CALL_START "toolCallId":"c","toolCallName":"f"`,
				`TOOL_CALL_ARGS "toolCallId":"c","delta":"1"`},
			`[{"id":"c","role":"reasoning","content":"a"},{"id":"c:call","role":"assistant","toolCalls":[` +
				callJSON("c", "f", "1") + `]}]`, "id_collision"},
		{"a user's message has the call's id", `[{"id":"c","role":"user","content":"a"}]`,
			[]string{begin, `TOOL_CALL_START "toolCallId":"c","toolCallName":"f"`},
			`[{"id":"c","role":"user","content":"a"},{"id":"c:call","role":"assistant","toolCalls":[` +
				callJSON("c", "f", "") + `]}]`, "id_collision"},
		{"a replayed call: the first arguments replace", `[{"id":"m","role":"assistant","toolCalls":[` +
			callJSON("c", "f", "old") + `]}]`,
			[]string{begin, `TOOL_CALL_START "toolCallId":"c","toolCallName":"f","parentMessageId":"x"`,
				`TOOL_CALL_ARGS "toolCallId":"c","delta":"a"`, `TOOL_CALL_ARGS "toolCallId":"c","delta":"b"`},
			`[{"id":"m","role":"assistant","toolCalls":[` + callJSON("c", "f", "ab") + `]}]`, ""},
		{"a replayed call without arguments keeps them", `[{"id":"m","role":"assistant","toolCalls":[` +
			callJSON("c", "f", "old") + `]}]`, []string{begin, `TOOL_CALL_START "toolCallId":"c","toolCallName":"f"`,
			`TOOL_CALL_END "toolCallId":"c"`},
			`[{"id":"m","role":"assistant","toolCalls":[` + callJSON("c", "f", "old") + `]}]`, ""},
		{"a replayed call takes its new name", `[{"id":"m","role":"assistant","toolCalls":[` +
			callJSON("c", "f", "old") + `]}]`, []string{begin, `TOOL_CALL_START "toolCallId":"c","toolCallName":"g"`},
			`[{"id":"m","role":"assistant","toolCalls":[` + callJSON("c", "g", "old") + `]}]`, "odd_field"},
		{"the same name in another spelling is the same", `[{"id":"m","role":"assistant","toolCalls":[` + callJSON("c",
			"f", "old") + `]}]`, []string{begin, `TOOL_CALL_START "toolCallId":"c","toolCallName":"\u0066"`},
			`[{"id":"m","role":"assistant","toolCalls":[` + callJSON("c", "f", "old") + `]}]`, ""},
		{"arguments of an unknown call go nowhere", "", []string{begin, `TOOL_CALL_ARGS "toolCallId":"c","delta":"a"`},
			`[]`, ""},

		{"a result stands behind its call and results already there", `[{"id":"m","role":"assistant","toolCalls":[` +
			callJSON("c", "f", "") + `,` + callJSON("d", "f", "") +
			`]},{"id":"r","role":"tool","toolCallId":"c","content":"1"},` + user + `]`,
			[]string{begin,
				`TOOL_CALL_RESULT "messageId":"s","toolCallId":"d","content":[{"type":"text","text":"2"}],"subagentRunId":"x","metadata":{"k":1}`},
			`[{"id":"m","role":"assistant","toolCalls":[` + callJSON("c", "f", "") + `,` + callJSON("d", "f", "") +
				`]},{"id":"r","role":"tool","toolCallId":"c","content":"1"},{"id":"s","role":"tool","toolCallId":"d","content":[{"type":"text","text":"2"}],"subagentRunId":"x","metadata":{"k":1}},` + user + `]`, ""},
		{"a result without an owner stands at the end", `[` + user + `]`,
			[]string{begin, `TOOL_CALL_RESULT "messageId":"s","toolCallId":"d","content":"2"`},
			`[` + user + `,{"id":"s","role":"tool","toolCallId":"d","content":"2"}]`, ""},
		{"a known result of the same call is replaced in place",
			`[{"id":"s","role":"tool","toolCallId":"d","content":"1"},` + user + `]`,
			[]string{begin, `TOOL_CALL_RESULT "messageId":"s","toolCallId":"d","content":"2"`},
			`[{"id":"s","role":"tool","toolCallId":"d","content":"2"},` + user + `]`, ""},
		{"a known result of another call: both stay", `[{"id":"s","role":"tool","toolCallId":"d","content":"1"}]`,
			[]string{begin, `TOOL_CALL_RESULT "messageId":"s","toolCallId":"e","content":"2"`,
				`TOOL_CALL_RESULT "messageId":"s","toolCallId":"e","content":"3"`},
			`[{"id":"s","role":"tool","toolCallId":"d","content":"1"},{"id":"s:e","role":"tool","toolCallId":"e","content":"3"}]`, "id_collision"},
		{"a result under the id of a text", `[{"id":"s","role":"assistant","content":"1"}]`,
			[]string{begin, `TOOL_CALL_RESULT "messageId":"s","toolCallId":"e","content":"2"`},
			`[{"id":"s","role":"assistant","content":"1"},{"id":"s:tool","role":"tool","toolCallId":"e","content":"2"}]`, "id_collision"},

		{"the snapshot's messages in its order, the others go",
			`[{"id":"a","role":"user","content":"1"},{"id":"b","role":"user","content":"2"},{"id":"c","role":"user","content":"3"}]`, []string{begin,
				`MESSAGES_SNAPSHOT "messages":[{"id":"c","role":"user","content":"3"},{"id":"d","role":"user","content":"4"},{"id":"a","role":"user","content":"x"}]`},
			`[{"id":"c","role":"user","content":"3"},{"id":"d","role":"user","content":"4"},{"id":"a","role":"user","content":"x"}]`, ""},
		{"activities and reasoning survive behind what they followed",
			`[` + user +
				`,{"id":"p","role":"activity","activityType":"t","content":{}},{"id":"q","role":"reasoning","content":"h"},{"id":"a","role":"assistant","content":"1"},{"id":"q2","role":"reasoning","content":"h"}]`, []string{begin,
				`MESSAGES_SNAPSHOT "messages":[{"id":"n","role":"user","content":"0"},` + user +
					`,{"id":"b","role":"assistant","content":"2"}]`},
			`[{"id":"n","role":"user","content":"0"},` + user +
				`,{"id":"p","role":"activity","activityType":"t","content":{}},{"id":"q","role":"reasoning","content":"h"},{"id":"q2","role":"reasoning","content":"h"},{"id":"b","role":"assistant","content":"2"}]`, ""},
		{"nothing before them: first", `[{"id":"q","role":"reasoning","content":"h"},` + user + `]`,
			[]string{begin, `MESSAGES_SNAPSHOT "messages":[{"id":"n","role":"user","content":"0"},` + user + `]`},
			`[{"id":"q","role":"reasoning","content":"h"},{"id":"n","role":"user","content":"0"},` + user + `]`, ""},
		{"activities go where the snapshot holds one",
			`[` + user + `,{"id":"p","role":"activity","activityType":"t","content":{}}]`, []string{begin,
				`MESSAGES_SNAPSHOT "messages":[` + user +
					`,{"id":"z","role":"activity","activityType":"t","content":{"a":1}}]`},
			`[` + user + `,{"id":"z","role":"activity","activityType":"t","content":{"a":1}}]`, ""},
		{"reasoning goes where the snapshot holds some, be it malformed",
			`[` + user + `,{"id":"q","role":"reasoning","content":"h"}]`, []string{begin,
				`MESSAGES_SNAPSHOT "messages":[` + user + `,{"id":"z","role":"reasoning"}]`}, `[` + user + `]`, ""},
		{"an open message survives and goes on", `[` + user + `]`,
			[]string{begin, `TEXT_MESSAGE_START "messageId":"m"`, `TEXT_MESSAGE_CONTENT "messageId":"m","delta":"a"`,
				`MESSAGES_SNAPSHOT "messages":[` + user + `,{"id":"n","role":"assistant","content":"2"}]`,
				`TEXT_MESSAGE_CONTENT "messageId":"m","delta":"b"`},
			`[` + user + `,{"id":"m","role":"assistant","content":"ab"},{"id":"n","role":"assistant","content":"2"}]`,
			""},
		{"a closed message does not", `[` + user + `]`, []string{begin, `TEXT_MESSAGE_START "messageId":"m"`,
			`TEXT_MESSAGE_END "messageId":"m"`, `MESSAGES_SNAPSHOT "messages":[` + user + `]`}, `[` + user + `]`, ""},
		{"open reasoning survives where the snapshot holds other reasoning", `[]`,
			[]string{begin, `REASONING_MESSAGE_START "messageId":"q","role":"reasoning"`,
				`MESSAGES_SNAPSHOT "messages":[{"id":"z","role":"reasoning","content":"h"}]`,
				`REASONING_MESSAGE_CONTENT "messageId":"q","delta":"b"`},
			`[{"id":"q","role":"reasoning","content":"b"},{"id":"z","role":"reasoning","content":"h"}]`, ""},
		{"an open id takes the snapshot's content, even where a replay was pending",
			`[{"id":"m","role":"assistant","content":"old"}]`,
			[]string{begin, `TEXT_MESSAGE_START "messageId":"m"`,
				`MESSAGES_SNAPSHOT "messages":[{"id":"m","role":"assistant","content":"new"}]`,
				`TEXT_MESSAGE_CONTENT "messageId":"m","delta":"!"`},
			`[{"id":"m","role":"assistant","content":"new!"}]`, ""},
		{"so does an open call", `[{"id":"m","role":"assistant","toolCalls":[` + callJSON("c", "f", "old") + `]}]`,
			[]string{begin, `TOOL_CALL_START "toolCallId":"c","toolCallName":"f"`,
				`MESSAGES_SNAPSHOT "messages":[{"id":"m","role":"assistant","toolCalls":[` + callJSON("c", "f", "new") +
					`]}]`, `TOOL_CALL_ARGS "toolCallId":"c","delta":"!"`},
			`[{"id":"m","role":"assistant","toolCalls":[` + callJSON("c", "f", "new!") + `]}]`, ""},
		{"an open call stays in its message where the snapshot holds only the message", ``,
			[]string{begin, `TOOL_CALL_START "toolCallId":"c","toolCallName":"f","parentMessageId":"m"`,
				`TOOL_CALL_ARGS "toolCallId":"c","delta":"1"`,
				`MESSAGES_SNAPSHOT "messages":[{"id":"m","role":"assistant","content":"x"}]`,
				`TOOL_CALL_ARGS "toolCallId":"c","delta":"2"`},
			`[{"id":"m","role":"assistant","content":"x","toolCalls":[` + callJSON("c", "f", "12") + `]}]`, ""},
		{"a call that the snapshot holds lives only there", ``,
			[]string{begin, `TEXT_MESSAGE_START "messageId":"m"`,
				`TOOL_CALL_START "toolCallId":"c","toolCallName":"f","parentMessageId":"m"`,
				`MESSAGES_SNAPSHOT "messages":[{"id":"n","role":"assistant","toolCalls":[` + callJSON("c", "f", "1") +
					`]}]`, `TOOL_CALL_ARGS "toolCallId":"c","delta":"2"`},
			`[{"id":"m","role":"assistant","content":""},{"id":"n","role":"assistant","toolCalls":[` +
				callJSON("c", "f", "12") + `]}]`, ""},
		{"an id twice with one kind: the last one, at the first one's place", ``,
			[]string{begin, `MESSAGES_SNAPSHOT "messages":[{"id":"m","role":"user","content":"1"},` + user +
				`,{"id":"m","role":"assistant","content":"2"}]`},
			`[{"id":"m","role":"assistant","content":"2"},` + user + `]`, "id_collision"},

		{"ACTIVITY_SNAPSHOT appends", ``,
			[]string{begin,
				`ACTIVITY_SNAPSHOT "messageId":"p","activityType":"t","content":{"a":1},"subagentRunId":"s","metadata":{"k":1},"replace":false`},
			`[{"id":"p","role":"activity","activityType":"t","content":{"a":1},"subagentRunId":"s","metadata":{"k":1}}]`, ""},
		{"ACTIVITY_SNAPSHOT replaces content, type and owner, and keeps metadata", ``,
			[]string{begin,
				`ACTIVITY_SNAPSHOT "messageId":"p","activityType":"t","content":{"a":1},"subagentRunId":"s","metadata":{"k":1}`, `ACTIVITY_SNAPSHOT "messageId":"p","activityType":"u","content":{"b":1},"metadata":{"l":1}`},
			`[{"id":"p","role":"activity","activityType":"u","content":{"b":1},"metadata":{"k":1,"l":1}}]`, ""},
		{"with replace false only the metadata folds", ``,
			[]string{begin,
				`ACTIVITY_SNAPSHOT "messageId":"p","activityType":"t","content":{"a":1},"subagentRunId":"s"`,
				`ACTIVITY_SNAPSHOT "messageId":"p","activityType":"u","content":{"b":1},"replace":false,"metadata":{"l":1}`},
			`[{"id":"p","role":"activity","activityType":"t","content":{"a":1},"subagentRunId":"s","metadata":{"l":1}}]`, ""},
		{"ACTIVITY_DELTA takes the type over where it applied", ``,
			[]string{begin, `ACTIVITY_SNAPSHOT "messageId":"p","activityType":"t","content":{"a":1}`,
				`ACTIVITY_DELTA "messageId":"p","activityType":"u","patch":[{"op":"add","path":"/b","value":2}],"metadata":{"l":1}`},
			`[{"id":"p","role":"activity","activityType":"u","content":{"a":1,"b":2},"metadata":{"l":1}}]`, ""},
		{"ACTIVITY_DELTA that fails leaves content and type, metadata folds", ``,
			[]string{begin, `ACTIVITY_SNAPSHOT "messageId":"p","activityType":"t","content":{"a":1}`,
				`ACTIVITY_DELTA "messageId":"p","activityType":"u","patch":[{"op":"add","path":"/b","value":2},{"op":"remove","path":"/c"}],"metadata":{"l":1}`},
			`[{"id":"p","role":"activity","activityType":"t","content":{"a":1},"metadata":{"l":1}}]`, "patch_failed"},
		{"ACTIVITY_DELTA of an unknown id is ignored, and told once", ``,
			[]string{begin, `ACTIVITY_DELTA "messageId":"p","activityType":"u","patch":[]`,
				`ACTIVITY_DELTA "messageId":"p","activityType":"u","patch":[]`}, `[]`, "patch_failed"},
		{"several results under one id in a snapshot", ``,
			[]string{begin,
				`MESSAGES_SNAPSHOT "messages":[{"id":"r","role":"tool","toolCallId":"a","content":"1"},{"id":"r","role":"tool","toolCallId":"b","content":"2"}]`},
			`[{"id":"r","role":"tool","toolCallId":"a","content":"1"},{"id":"r:b","role":"tool","toolCallId":"b","content":"2"}]`, "id_collision"},
		{"entries of one id that share a member: the last counts", ``,
			[]string{begin,
				`MESSAGES_SNAPSHOT "messages":[{"id":"A","role":"assistant","content":"1"},{"id":"A","role":"assistant","content":"2","toolCalls":[]}]`},
			`[{"id":"A","role":"assistant","content":"2","toolCalls":[]}]`, "id_collision"},
		{"entries of one id with calls of their own are one list", ``,
			[]string{begin,
				`MESSAGES_SNAPSHOT "messages":[{"id":"A","role":"assistant","content":"","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}}]},{"id":"A","role":"assistant","content":"x","toolCalls":[{"id":"d","type":"function","function":{"name":"f","arguments":""}}]}]`},
			`[{"id":"A","role":"assistant","content":"x","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}},{"id":"d","type":"function","function":{"name":"f","arguments":""}}]}]`, "repaired"},
		{"a snapshot owns one activity type", ``,
			[]string{begin, `ACTIVITY_SNAPSHOT "messageId":"p","activityType":"t","content":{}`,
				`ACTIVITY_SNAPSHOT "messageId":"q","activityType":"u","content":{}`,
				`MESSAGES_SNAPSHOT "messages":[{"id":"z","role":"activity","activityType":"v","content":{}}],"metadata":{"@ag-ui/client":{"authoritativeActivityTypes":["t"]}}`},
			`[{"id":"q","role":"activity","activityType":"u","content":{}},{"id":"z","role":"activity","activityType":"v","content":{}}]`, ""},
		{"an orphan that gets arguments stays", ``,
			[]string{begin, `TOOL_CALL_START "toolCallId":"c","toolCallName":"f","parentMessageId":"m"`,
				`MESSAGES_SNAPSHOT "messages":[{"id":"m","role":"assistant","content":"x"}]`,
				`TOOL_CALL_ARGS "toolCallId":"c","delta":"1"`, `TOOL_CALL_END "toolCallId":"c"`, finish},
			`[{"id":"m","role":"assistant","content":"x","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"1"}}]}]`, ""},
		{"an orphan that gets nothing is gone", ``,
			[]string{begin, `TOOL_CALL_START "toolCallId":"c","toolCallName":"f","parentMessageId":"m"`,
				`MESSAGES_SNAPSHOT "messages":[{"id":"m","role":"assistant","content":"x"}]`,
				`TOOL_CALL_END "toolCallId":"c"`, finish},
			`[{"id":"m","role":"assistant","content":"x"}]`, ""},
		{"ACTIVITY_DELTA of another kind's id", `[` + user + `]`,
			[]string{begin, `ACTIVITY_DELTA "messageId":"u","activityType":"u","patch":[]`}, `[` + user + `]`,
			"id_collision"},

		{"one id, four kinds", ``, []string{begin, `TEXT_MESSAGE_START "messageId":"m"`,
			`REASONING_MESSAGE_START "messageId":"m","role":"reasoning"`,
			`ACTIVITY_SNAPSHOT "messageId":"m","activityType":"t","content":{}`,
			`TOOL_CALL_RESULT "messageId":"m","toolCallId":"c","content":"r"`,
			`TEXT_MESSAGE_CONTENT "messageId":"m","delta":"t"`, `REASONING_MESSAGE_CONTENT "messageId":"m","delta":"h"`,
			`ACTIVITY_DELTA "messageId":"m","activityType":"t","patch":[{"op":"add","path":"/a","value":1}]`},
			`[{"id":"m","role":"assistant","content":"t"},{"id":"m:reasoning","role":"reasoning","content":"h"},{"id":"m:activity","role":"activity","activityType":"t","content":{"a":1}},{"id":"m:tool","role":"tool","toolCallId":"c","content":"r"}]`, "id_collision id_collision id_collision"},
		{"the made id is taken too",
			`[{"id":"m","role":"user","content":""},{"id":"m:reasoning","role":"user","content":""}]`,
			[]string{begin, `REASONING_MESSAGE_START "messageId":"m","role":"reasoning"`},
			`[{"id":"m","role":"user","content":""},{"id":"m:reasoning","role":"user","content":""},{"id":"m:reasoning:reasoning","role":"reasoning","content":""}]`, "id_collision"},
		{"a surviving message yields its id to the snapshot's", ``,
			[]string{begin, `ACTIVITY_SNAPSHOT "messageId":"m","activityType":"t","content":{"a":1}`,
				`TEXT_MESSAGE_START "messageId":"m"`, `TEXT_MESSAGE_END "messageId":"m"`,
				`MESSAGES_SNAPSHOT "messages":[{"id":"m","role":"assistant","content":""}]`,
				`ACTIVITY_DELTA "messageId":"m","activityType":"t","patch":[{"op":"remove","path":"/a"}]`},
			`[{"id":"m:activity","role":"activity","activityType":"t","content":{}},{"id":"m","role":"assistant","content":""}]`, "id_collision id_collision"},

		{"REASONING_MESSAGE as text", ``,
			[]string{begin, `REASONING_MESSAGE_START "messageId":"q","role":"reasoning","subagentRunId":"s"`,
				`REASONING_MESSAGE_CONTENT "messageId":"q","delta":"h","metadata":{"a":1}`,
				`REASONING_MESSAGE_END "messageId":"q"`},
			`[{"id":"q","role":"reasoning","content":"h","subagentRunId":"s","metadata":{"a":1}}]`, ""},
		{"replayed reasoning", `[{"id":"q","role":"reasoning","content":"old"}]`,
			[]string{begin, `REASONING_MESSAGE_START "messageId":"q","role":"reasoning"`,
				`REASONING_MESSAGE_CONTENT "messageId":"q","delta":"h"`},
			`[{"id":"q","role":"reasoning","content":"h"}]`, ""},
		{"encrypted values", `[{"id":"m","role":"assistant","content":"","toolCalls":[` + callJSON("c", "f", "") +
			`]},{"id":"r","role":"tool","toolCallId":"c","content":""},{"id":"p","role":"activity","activityType":"t","content":{}}]`, []string{begin,
			`REASONING_ENCRYPTED_VALUE "subtype":"message","entityId":"m","encryptedValue":"1"`,
			`REASONING_ENCRYPTED_VALUE "subtype":"message","entityId":"m","encryptedValue":"2"`,
			`REASONING_ENCRYPTED_VALUE "subtype":"tool-call","entityId":"c","encryptedValue":"3"`,
			`REASONING_ENCRYPTED_VALUE "subtype":"message","entityId":"r","encryptedValue":"4"`,
			`REASONING_ENCRYPTED_VALUE "subtype":"message","entityId":"p","encryptedValue":"5"`,
			`REASONING_ENCRYPTED_VALUE "subtype":"tool-call","entityId":"m","encryptedValue":"6"`},
			`[{"id":"m","role":"assistant","content":"","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""},"encryptedValue":"3"}],"encryptedValue":"2"},{"id":"r","role":"tool","toolCallId":"c","content":"","encryptedValue":"4"},{"id":"p","role":"activity","activityType":"t","content":{}}]`, ""},
		{"unknown members stay",
			`[{"x":1,"id":"m","role":"assistant","content":"a","toolCalls":[{"y":2,"id":"c","type":"function","function":{"z":3,"name":"f","arguments":"1"}}]}]`, []string{begin, `TEXT_MESSAGE_CONTENT "messageId":"m","delta":"b"`, `TOOL_CALL_ARGS "toolCallId":"c","delta":"2"`},
			`[{"x":1,"id":"m","role":"assistant","content":"ab","toolCalls":[{"y":2,"id":"c","type":"function","function":{"z":3,"name":"f","arguments":"12"}}]}]`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := storeOf(t, tt.messages, "")
			warnings := apply(t, s, tt.events...)
			if got := string(s.AppendMessages(nil)); !rawjson.Equal(got, tt.want) {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
			if got := strings.Join(warnings, " "); got != tt.warnings {
				t.Errorf("warnings %q, want %q", got, tt.warnings)
			}
			checkStore(t, s)
		})
	}
}

func TestRunFields(t *testing.T) {
	tests := []struct {
		name   string
		events []string
		want   string // of the tree, without messages and state
	}{
		{"before any run", nil, `{"stateInSync":true,"interrupts":[],"pendingToolCallIds":[]}`},
		{"a success", []string{begin, finish},
			`{"stateInSync":true,"interrupts":[],"pendingToolCallIds":[],"outcome":{"type":"success"}}`},
		{"result and usage", []string{begin, finish + `,"result":{"a":null},"usage":[{"inputTokens":1}]`},
			`{"stateInSync":true,"interrupts":[],"pendingToolCallIds":[],"outcome":{"type":"success"},"result":{"a":null},"usage":[{"inputTokens":1}]}`},
		{"the next run takes them away", []string{begin, finish + `,"result":1,"usage":[]`, begin},
			`{"stateInSync":true,"interrupts":[],"pendingToolCallIds":[]}`},
		{"interrupts, nulls out", []string{begin,
			finish + `,"outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"x","message":null}]}`},
			`{"stateInSync":true,"interrupts":[{"id":"i","reason":"x"}],"pendingToolCallIds":[],"outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"x"}]}}`},
		{"interrupts stay while the next run goes",
			[]string{begin, finish + `,"outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"x"}]}`, begin},
			`{"stateInSync":true,"interrupts":[{"id":"i","reason":"x"}],"pendingToolCallIds":[]}`},
		{"an error keeps them, and has usage",
			[]string{begin, finish + `,"outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"x"}]}`, begin,
				`RUN_ERROR "message":"no","usage":[{"totalTokens":1}]`},
			`{"stateInSync":true,"interrupts":[{"id":"i","reason":"x"}],"pendingToolCallIds":[],"usage":[{"totalTokens":1}]}`},
		{"a later run does not clear them",
			[]string{begin, finish + `,"outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"x"}]}`, begin,
				finish + `,"outcome":{"type":"cancelled"}`},
			`{"stateInSync":true,"interrupts":[{"id":"i","reason":"x"}],"pendingToolCallIds":[],"outcome":{"type":"cancelled"}}`},
		{"an answer retires them", []string{begin,
			finish + `,"outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"x"},{"id":"j","reason":"x"}]}`,
			begin +
				`,"input":{"threadId":"t","runId":"r","messages":[],"tools":[],"context":[],"resume":[{"interruptId":"i","status":"resolved"}]}`, finish},
			`{"stateInSync":true,"interrupts":[{"id":"j","reason":"x"}],"pendingToolCallIds":[],"outcome":{"type":"success"}}`},
		{"a result after the end is pending no more",
			[]string{begin, `TOOL_CALL_START "toolCallId":"c","toolCallName":"f"`, `TOOL_CALL_END "toolCallId":"c"`,
				finish, `TOOL_CALL_RESULT "messageId":"r","toolCallId":"c","content":""`},
			`{"stateInSync":true,"interrupts":[],"pendingToolCallIds":[],"outcome":{"type":"success"}}`},
		{"the outcome's list of pending calls", []string{begin, `TOOL_CALL_START "toolCallId":"c","toolCallName":"f"`,
			`TOOL_CALL_END "toolCallId":"c"`, finish + `,"outcome":{"type":"success","pendingToolCallIds":["x"]}`},
			`{"stateInSync":true,"interrupts":[],"pendingToolCallIds":["x"],"outcome":{"type":"success","pendingToolCallIds":["x"]}}`},
		{"an empty list names none", []string{begin, `TOOL_CALL_START "toolCallId":"c","toolCallName":"f"`,
			`TOOL_CALL_END "toolCallId":"c"`, finish + `,"outcome":{"type":"success","pendingToolCallIds":[]}`},
			`{"stateInSync":true,"interrupts":[],"pendingToolCallIds":["c"],"outcome":{"type":"success","pendingToolCallIds":[]}}`},
		{"else the calls of this run without a result",
			[]string{begin, `TOOL_CALL_START "toolCallId":"c","toolCallName":"f"`,
				`TOOL_CALL_START "toolCallId":"d","toolCallName":"f"`,
				`TOOL_CALL_START "toolCallId":"e","toolCallName":"f"`,
				`TOOL_CALL_RESULT "messageId":"r","toolCallId":"d","content":""`, finish},
			`{"stateInSync":true,"interrupts":[],"pendingToolCallIds":["c","e"],"outcome":{"type":"success"}}`},
		{"not those of the run before",
			[]string{begin, `TOOL_CALL_START "toolCallId":"c","toolCallName":"f"`, finish, begin, finish},
			`{"stateInSync":true,"interrupts":[],"pendingToolCallIds":[],"outcome":{"type":"success"}}`},
		{"an outcome that is no object", []string{begin, finish + `,"outcome":"well"`},
			`{"stateInSync":true,"interrupts":[],"pendingToolCallIds":[],"outcome":"well"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := storeOf(t, "", "")
			apply(t, s, tt.events...)
			got := rawjson.Edit(string(s.AppendTree(nil)), func(name rawjson.String, v string) (string, bool) {
				return v, name != `"messages"` && name != `"state"`
			})
			if !rawjson.Equal(got, tt.want) {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestStateInSync(t *testing.T) {
	s := storeOf(t, "", `{"a":1}`)
	var message string
	fail := event(t, `STATE_DELTA "delta":[{"op":"add","path":"/b","value":1},{"op":"remove","path":"/no/way"}]`)
	s.Apply(fail, nil, func(w agui.Warning) { message = w.Message })
	if message != `STATE_DELTA: operation 1 (remove /no/way) cannot be applied: there is no member "no"` {
		t.Errorf("the warning says %q", message)
	}
	if s.StateInSync() || string(s.AppendState(nil)) != `{"a":1}` {
		t.Errorf("after the failure: %v %s", s.StateInSync(), s.AppendState(nil))
	}
	apply(t, s, `STATE_DELTA "delta":[{"op":"add","path":"/b","value":1}]`)
	if s.StateInSync() || string(s.AppendState(nil)) != `{"a":1,"b":1}` {
		t.Errorf("later patches apply, out of sync: %v %s", s.StateInSync(), s.AppendState(nil))
	}
	apply(t, s, `STATE_SNAPSHOT "snapshot":null`)
	if !s.StateInSync() || string(s.AppendState(nil)) != `null` {
		t.Errorf("after the snapshot: %v %s", s.StateInSync(), s.AppendState(nil))
	}
}

func TestIncompleteCalls(t *testing.T) {
	s := storeOf(t, `[{"id":"m","role":"assistant","toolCalls":[`+callJSON("h", "f", "{}")+`]}]`, "")
	apply(t, s, begin, `TOOL_CALL_START "toolCallId":"a","toolCallName":"f"`, `TOOL_CALL_END "toolCallId":"a"`,
		`TOOL_CALL_START "toolCallId":"b","toolCallName":"f"`, `TOOL_CALL_START "toolCallId":"c","toolCallName":"f"`)
	s.Apply(&agui.ToolCallEnd{Base: agui.Base{Type: agui.TypeToolCallEnd}, ToolCallID: "b", Incomplete: true}, nil, nil)
	apply(t, s, `RUN_ERROR "message":"no"`)
	for id, want := range map[string]bool{"h": false, "a": false, "b": true, "c": true} {
		if s.Incomplete(id) != want {
			t.Errorf("%s: %v, want %v", id, s.Incomplete(id), want)
		}
	}
}

// TestIdentity looks at what is recorded: a change to one thing must not send, or re-make, another.
func TestIdentity(t *testing.T) {
	three := `[` + user +
		`,{"id":"m","role":"assistant","content":"a","n":10},{"id":"t","role":"tool","toolCallId":"c","content":"x"}]`
	show := func(ch *Changes) string {
		var parts []string
		for i := range ch.Len() {
			c := ch.At(i)
			value := c.Value
			if c.Ref != nil {
				value = "@" + steps(c.Ref)
			}
			if c.Op == Move || c.Op == Copy {
				value = "from " + steps(c.From)
			}
			parts = append(parts, fmt.Sprintf("%d %s %s", c.Op, steps(c.Path), value))
		}
		return strings.Join(parts, "; ")
	}
	tests := []struct{ name, before, event, want string }{
		{"an equal snapshot changes nothing", three,
			`MESSAGES_SNAPSHOT "messages":` + strings.Replace(three, `"n":10`, ` "n" : 1e1`, 1), ""},
		{"one message more", three, `MESSAGES_SNAPSHOT "messages":` + three[:len(three)-1] +
			`,{"id":"z","role":"user","content":""}]`, "1 messages.3 @messages.3"},
		{"one message changed", three, `MESSAGES_SNAPSHOT "messages":` + strings.Replace(three, `"a"`, `"b"`, 1),
			"0 messages.1 @messages.1"},
		{"one with a null changed", three, `MESSAGES_SNAPSHOT "messages":` + strings.Replace(three, `"a"`,
			`"b","name":null`, 1), `0 messages.1 {"id":"m","role":"assistant","content":"b","n":10}`},
		{"one message gone", three, `MESSAGES_SNAPSHOT "messages":[` + user +
			`,{"id":"t","role":"tool","toolCallId":"c","content":"x"}]`, "6 messages [0,2]"},
		{"all new", three, `MESSAGES_SNAPSHOT "messages":[{"id":"z","role":"user","content":""}]`,
			"0 messages @messages"},
		{"all gone", three, `MESSAGES_SNAPSHOT "messages":[]`, "6 messages []"},
		{"moved, with a new one between", three,
			`MESSAGES_SNAPSHOT "messages":[{"id":"t","role":"tool","toolCallId":"c","content":"x"},{"id":"z","role":"user","content":""},` + user + `]`, "6 messages [2,[0],0]; 0 messages.1 @messages.1"},
		{"the same state", three, `STATE_SNAPSHOT "snapshot":{}`, ""},
		{"a state that differs", three, `STATE_SNAPSHOT "snapshot":{"a":null}`, `0 state {"a":null}`},
		{"a state", three, `STATE_SNAPSHOT "snapshot":{"a":"a value that is long enough"}`, "0 state @snapshot"},
		{"the same value", three,
			`STATE_DELTA "delta":[{"op":"add","path":"","value":{}},{"op":"add","path":"/a","value":1},{"op":"replace","path":"/a","value":1}]`, "0 state @delta.0.value; 0 state.a @delta.1.value"},
		{"a move and a copy", three,
			`STATE_DELTA "delta":[{"op":"add","path":"/a","value":[0]},{"op":"move","from":"/a/0","path":"/b"},{"op":"copy","from":"/b","path":"/a/-"}]`, "0 state.a @delta.0.value; 4 state.b from state.a.0; 5 state.a.0 from state.b"},
		{"text", three, `TEXT_MESSAGE_CONTENT "messageId":"m","delta":"x"`, "3 messages.1.content @delta"},
		{"no text", three, `TEXT_MESSAGE_CONTENT "messageId":"m","delta":""`, ""},
		{"a known encrypted value", `[{"id":"m","role":"assistant","content":"","encryptedValue":"x"}]`,
			`REASONING_ENCRYPTED_VALUE "subtype":"message","entityId":"m","encryptedValue":"x"`, ""},
		{"the same result again", three, `TOOL_CALL_RESULT "messageId":"t","toolCallId":"c","content":"x"`, ""},
		{"the same activity again", `[{"id":"p","role":"activity","activityType":"t","content":{"a":[1,2],"b":1}}]`,
			`ACTIVITY_SNAPSHOT "messageId":"p","activityType":"t","content":{"b":1,"a":[1,2]}`, ""},
		{"a run without pending calls", three, begin, ""},
		{"a long result is not sent twice", `[]`, `TOOL_CALL_RESULT "messageId":"t","toolCallId":"c","content":"` +
			strings.Repeat("x", 300) + `"`,
			`1 messages.0 {"id":"t","role":"tool","toolCallId":"c","content":""}; 0 messages.0.content @content`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := storeOf(t, tt.before, "")
			versions := map[string]uint64{}
			texts := map[string]string{}
			for i := range s.Len() {
				m := s.Message(i)
				versions[m.ID()], texts[m.ID()] = m.Version(), string(m.AppendJSON(nil))
			}
			var ch Changes
			s.Apply(event(t, tt.event), &ch, nil)
			if got := show(&ch); got != tt.want {
				t.Errorf("recorded\n%s\nwant\n%s", got, tt.want)
			}
			for i := range s.Len() {
				m := s.Message(i)
				before, known := texts[m.ID()]
				changed := !known || !rawjson.Equal(before, string(m.AppendJSON(nil)))
				if risen := !known || m.Version() != versions[m.ID()]; risen != changed {
					t.Errorf("%s: changed %v, version risen %v", m.ID(), changed, risen)
				}
			}
		})
	}
}

func steps(path []Step) string {
	var parts []string
	for _, s := range path {
		if s.IsIndex {
			parts = append(parts, fmt.Sprint(s.Index))
		} else {
			parts = append(parts, s.Key)
		}
	}
	return strings.Join(parts, ".")
}

// TestForAgent: the wire's ids, no activities, and every number, escape and key as it came.
func TestForAgent(t *testing.T) {
	odd :=
		`{"id":"o","role":"user","content":[{"type":"text","text":"\u00e9\ud83d\/"}],"x":1.0e+02,"big":12345678901234567890}`
	s := storeOf(t, `[`+odd+`]`, `{"n":1.50,"s":"\ude80"}`)
	apply(t, s, begin, `ACTIVITY_SNAPSHOT "messageId":"m","activityType":"t","content":{}`,
		`TEXT_MESSAGE_START "messageId":"m"`, `TEXT_MESSAGE_CONTENT "messageId":"m","delta":"\ud83d"`,
		`STATE_DELTA "delta":[{"op":"add","path":"/b","value":2.0}]`)
	if got, want := string(s.AppendMessagesForAgent(nil)),
		`[`+odd+`,{"id":"m","role":"assistant","content":"\ud83d"}]`; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if got, want := string(s.AppendState(nil)), `{"n":1.50,"s":"\ude80","b":2.0}`; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if m, ok := s.Find("m:text"); !ok || m.WireID() != "m" || m.Text() != "\xed\xa0\xbd" {
		t.Errorf("m:text is %v %q", ok, m.Text())
	}
}

func TestSetters(t *testing.T) {
	s := storeOf(t, `[`+user+`,{"id":"m","role":"assistant","toolCalls":[`+callJSON("c", "f", "{}")+
		`]},{"id":"z","role":"user","content":"later"}]`, `{"a":{"b":1}}`)
	m := newMirror(s)
	var ch Changes
	step := func(name string, want int, f func()) {
		ch.Reset()
		f()
		if ch.Len() != want {
			t.Errorf("%s recorded %d changes, want %d", name, ch.Len(), want)
		}
		m.apply(&ch, "")
		m.check(t, s, name)
	}
	messages := func(text string) []agui.Message {
		list, err := agui.ParseMessages(text, "messages", agui.InputOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	step("AddToolResult", 1, func() {
		s.AddToolResult(messages(`[{"id":"r","role":"tool","toolCallId":"c","content":"ok"}]`)[0], &ch)
	})
	if got := s.Message(2).ID(); got != "r" {
		t.Errorf("the result stands elsewhere: %s", got)
	}
	step("AddMessage", 1, func() { s.AddMessage(messages(`[{"id":"n","role":"user","content":"x"}]`)[0], &ch) })
	step("SetMessages, equal", 0, func() { s.SetMessages(messages(string(s.AppendMessages(nil))), &ch) })
	step("SetMessages", 1, func() { s.SetMessages(messages(`[{"id":"n","role":"user","content":"x"},`+user+`]`), &ch) })
	step("PatchState", 2, func() {
		if err := s.PatchState(`[{"op":"add","path":"/a/c","value":[1]},{"op":"copy","from":"/a","path":"/d"}]`,
			&ch); err != nil {
			t.Fatal(err)
		}
	})
	step("PatchState, refused", 0, func() {
		if err := s.PatchState(`[{"op":"add","path":"/x","value":1},{"op":"add","path":"/y/z","value":1}]`,
			&ch); err == nil {
			t.Error("want an error")
		}
		if err := s.PatchState(`[`, &ch); err == nil {
			t.Error("want an error")
		}
	})
	before := s.Snapshot()
	text := string(s.AppendTree(nil))
	step("SetState", 1, func() { s.SetState(`[1]`, &ch) })
	step("SetInterrupts", 1, func() { s.SetInterrupts([]agui.Interrupt{{ID: "i", Raw: `{"id":"i"}`}}, &ch) })
	step("AddMessage again", 1, func() {
		s.AddMessage(messages(`[{"id":"n","role":"user","content":"same id"}]`)[0],
			&ch)
	})
	fork := s.Fork()
	step("Restore", 3, func() { s.Restore(before, &ch) })
	if got := string(s.AppendTree(nil)); got != text {
		t.Errorf("restored %s, want %s", got, text)
	}
	if fork.Len() != 3 || string(fork.AppendState(nil)) != `[1]` || len(fork.Interrupts()) != 1 {
		t.Errorf("the fork followed: %s", fork.AppendTree(nil))
	}
}

func TestKnown(t *testing.T) {
	s := storeOf(t, `[{"id":"m","role":"assistant","content":"","toolCalls":[`+callJSON("c", "f", "")+
		`],"subagentRunId":"s"},{"id":"t","role":"tool","toolCallId":"c","content":""}]`, "")
	apply(t, s, begin, `REASONING_MESSAGE_START "messageId":"m","role":"reasoning"`)
	var known agui.Known = s
	for _, tt := range []struct {
		kind, id string
		role     agui.Role
	}{{"text", "m", agui.RoleAssistant}, {"reasoning", "m", agui.RoleReasoning}, {"tool", "t", agui.RoleTool},
		{"activity", "m", ""}, {"text", "m:reasoning", ""}} {
		role, ok := known.MessageRole(tt.kind, tt.id)
		if role != tt.role || ok != (tt.role != "") {
			t.Errorf("%s %s: role %q", tt.kind, tt.id, role)
		}
	}
	if !known.HasToolCall("c") || known.HasToolCall("m") {
		t.Error("tool calls")
	}
}

func TestReading(t *testing.T) {
	s := storeOf(t, `[{"id":"m","role":"assistant","content":"h\u0069","toolCalls":[`+callJSON("c", "f", `{"a":`)+`]}]`,
		"")
	for range 2 { // closed, then opened
		m := s.Message(0)
		if m.Text() != "hi" || m.Role() != agui.RoleAssistant || m.Calls() != 1 || m.Field("content") == "" ||
			m.Field("nothing") != "" {
			t.Errorf("the message reads %q %s %d", m.Text(), m.Role(), m.Calls())
		}
		if c := m.Call(0); c.ID() != "c" || c.Name() != "f" || c.Arguments() != `{"a":` ||
			Complete(c.Arguments()) != `{}` {
			t.Errorf("the call reads %s %s %q", c.ID(), c.Name(), c.Arguments())
		}
		list := s.ThreadMessages()
		if len(list) != 1 || list[0].ID != "m" || len(list[0].ToolCalls) != 1 ||
			list[0].ToolCalls[0].Arguments.Decode() != `{"a":` || list[0].Raw != string(m.AppendJSON(nil)) {
			t.Errorf("the thread's list is %+v", list)
		}
		apply(t, s, `TEXT_MESSAGE_CONTENT "messageId":"m","delta":"","metadata":{"a":1}`)
	}
}

// TestLargeObjectSnapshots: a map that a view shares is copied before it changes.
func TestLargeObjectSnapshots(t *testing.T) {
	var parts []string
	for i := range 100 {
		parts = append(parts, fmt.Sprintf(`"k%d":%d`, i, i))
	}
	d := doc(t, "{"+strings.Join(parts, ",")+"}")
	if err := d.Patch(`[{"op":"replace","path":"/k50","value":0}]`); err != nil {
		t.Fatal(err)
	}
	v := d.Snapshot()
	old := v.Document()
	if err := d.Patch(`[{"op":"remove","path":"/k0"},{"op":"add","path":"/new","value":1}]`); err != nil {
		t.Fatal(err)
	}
	if _, ok := old.Get("/k0"); !ok {
		t.Error("the view's document lost a member")
	}
	if _, ok := old.Get("/new"); ok {
		t.Error("the view's document has a member that came later")
	}
	for i := 1; i < 90; i++ {
		if err := d.Patch(fmt.Sprintf(`[{"op":"remove","path":"/k%d"}]`, i)); err != nil {
			t.Fatal(err)
		}
		if v, ok := d.Get("/k95"); !ok || v != "95" {
			t.Fatalf("after %d removals k95 is %q", i, v)
		}
	}
	if d.String() != `{"k90":90,"k91":91,"k92":92,"k93":93,"k94":94,"k95":95,"k96":96,"k97":97,"k98":98,"k99":99,"new":1}` {
		t.Errorf("got %s", d)
	}
}

// TestEqualSnapshots: a state or an activity that is given again, in another spelling, after patches opened it, keeps
// its identity.
func TestEqualSnapshots(t *testing.T) {
	s := storeOf(t, "", "")
	apply(t, s, `STATE_SNAPSHOT "snapshot":{"a":{"b":[1,{"c":2}],"x":0},"d":10}`,
		`STATE_DELTA "delta":[{"op":"replace","path":"/a/b/1/c","value":3},{"op":"remove","path":"/a/x"},{"op":"add","path":"/a/y","value":"\u0061"}]`)
	for text, equal := range map[string]bool{
		`{"a":{"b":[1,{"c":3}],"y":"a"},"d":10}`:                      true,
		` { "a" : { "b" : [1.0,{"\u0063":3}],"y":"a" } , "d" : 1e1 }`: true,
		`{"d":10,"a":{"y":"a","b":[1,{"c":3}]}}`:                      true,
		`{"d":10,"d":11,"a":{"y":"a","b":[1,{"c":3}]},"d":10}`:        true,
		`{"a":{"b":[1,{"c":9}],"b":[1,{"c":3}],"y":"a"},"d":10}`:      true,
		`{"a":{"b":[1,{"c":3}],"b":[1,{"c":9}],"y":"a"},"d":10}`:      false,
		`{"a":{"b":[1,{"c":3}],"y":"a"}}`:                             false,
		`{"a":{"b":[1,{"c":3}],"y":"a"},"d":10,"e":1}`:                false,
		`{"a":{"b":[1,{"c":3},0],"y":"a"},"d":10}`:                    false,
		`{"a":{"b":[1],"y":"a"},"d":10}`:                              false,
		`{"a":{"b":[1,{"c":3}],"z":"a"},"d":10}`:                      false,
		`{"a":{"b":{"0":1},"y":"a"},"d":10}`:                          false,
		`{"a":[],"d":10}`:                                             false,
		`[]`:                                                          false,
		`null`:                                                        false,
	} {
		before := s.Snapshot()
		var ch Changes
		s.Apply(event(t, `STATE_SNAPSHOT "snapshot":`+text), &ch, nil)
		if (ch.Len() == 0) != equal || !rawjson.Equal(string(s.AppendState(nil)), strings.TrimSpace(text)) {
			t.Errorf("%s: %d changes, the state is %s", text, ch.Len(), s.AppendState(nil))
		}
		s.Restore(before, nil)
	}
}

// TestChangesLetGo: Reset keeps the memory of ordinary changes, not that of a huge patch.
func TestChangesLetGo(t *testing.T) {
	s := storeOf(t, "", `{"l":[]}`)
	var ch Changes
	small := event(t, `STATE_DELTA "delta":[{"op":"add","path":"/l/-","value":0}]`)
	huge := event(t, `STATE_DELTA "delta":[`+strings.Repeat(`{"op":"add","path":"/l/-","value":0},`, 2*keepChanges)+
		`{"op":"add","path":"/l/-","value":0}]`)
	s.Apply(small, &ch, nil)
	ch.Reset()
	if cap(ch.list) == 0 {
		t.Error("an ordinary change's memory is let go")
	}
	s.Apply(huge, &ch, nil)
	ch.Reset()
	if cap(ch.list) != 0 || cap(s.state.undo) > 1024 {
		t.Error("a huge patch's memory is kept")
	}
}
