package state_test

import (
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/state"
)

// What streams make of the snapshots in strict mode where comparing with the reference client once showed a fault.
func TestStreamsOnceWrong(t *testing.T) {
	for _, c := range []struct {
		name, messages, state, events string // one event a line; RUN_STARTED is put before them
		want, wantState               string // "" is not asked
		err                           agui.Code
	}{
		{
			name:   "an empty parent id names no message",
			events: `{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"f","parentMessageId":""}`,
			want:   `[{"id":"c1","role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"f","arguments":""}}]}]`,
		},
		{
			name: "a snapshot makes the message of an open call a user's",
			events: `{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"f","parentMessageId":"m1"}
				{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m1","role":"user","content":"q"}]}
				{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{}"}`,
			want: `[{"id":"m1","role":"user","content":"q"},{"id":"m1:call","role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}]`,
		},
		{
			name: "a snapshot holds the message of an open call without the call",
			events: `{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"f","parentMessageId":"m1"}
				{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m1","role":"assistant","content":"q"}]}
				{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{}"}`,
			want: `[{"id":"m1","role":"assistant","content":"q","toolCalls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}]`,
		},
		{
			name:     "a call that stands twice in a message: the first one is meant",
			messages: `[{"id":"m1","role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"1"}},{"id":"c1","type":"function","function":{"name":"g","arguments":"2"}}]}]`,
			events:   `{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"h"}`,
			want:     `[{"id":"m1","role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"h","arguments":"1"}},{"id":"c1","type":"function","function":{"name":"g","arguments":"2"}}]}]`,
		},
		{
			name: "a chunk that returns to a call appends, though a start without arguments stood between",
			events: `{"type":"TOOL_CALL_CHUNK","toolCallId":"c1","toolCallName":"f","delta":"1"}
				{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"f"}
				{"type":"TOOL_CALL_END","toolCallId":"c1"}
				{"type":"TOOL_CALL_CHUNK","toolCallId":"c1","toolCallName":"f","delta":"2"}`,
			want: `[{"id":"c1","role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"12"}}]}]`,
		},
		{
			name:     "a replay without content that starts again in the run goes on",
			messages: `[{"id":"m1","role":"user","content":"a"}]`,
			events: `{"type":"TEXT_MESSAGE_START","messageId":"m1"}
				{"type":"TEXT_MESSAGE_END","messageId":"m1"}
				{"type":"TEXT_MESSAGE_START","messageId":"m1"}
				{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"b"}`,
			want: `[{"id":"m1","role":"user","content":"ab"}]`,
		},
		{
			name: "a second snapshot keeps the message of an open call that stands beside a user's",
			events: `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m1","role":"user","content":"a"}]}
				{"type":"TOOL_CALL_START","toolCallId":"m1","toolCallName":"f"}
				{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m1","role":"user","content":"b"}]}`,
			want: `[{"id":"m1","role":"user","content":"b"},{"id":"m1:call","role":"assistant","toolCalls":[{"id":"m1","type":"function","function":{"name":"f","arguments":""}}]}]`,
		},
		{
			name: "history holds a known result id for another call",
			events: `{"type":"TOOL_CALL_RESULT","messageId":"t1","toolCallId":"c1","content":"a"}
				{"type":"RUN_FINISHED","threadId":"t1","runId":"r1"}
				{"type":"RUN_STARTED","threadId":"t1","runId":"r2","input":{"threadId":"t1","runId":"r2","messages":[{"id":"t1","role":"tool","toolCallId":"c2","content":"b"}],"tools":[],"context":[]}}`,
			want: `[{"id":"t1","role":"tool","toolCallId":"c1","content":"a"}]`,
			err:  agui.CodeIncompleteStream,
		},
		{
			name: "a retired event without a start does not go on in a message whose id is empty",
			events: `{"type":"REASONING_MESSAGE_START","messageId":"","role":"reasoning"}
				{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"a"}`,
			want: `[{"id":"","role":"reasoning","content":""},{"id":"id-1","role":"reasoning","content":"a"}]`,
		},
		{
			name:     "a replay of an empty id stays one over a snapshot",
			messages: `[{"id":"","role":"assistant","content":"a"},{"id":"r1","role":"reasoning","content":""}]`,
			events: `{"type":"TEXT_MESSAGE_START","messageId":""}
				{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"r1","role":"reasoning","content":""}]}
				{"type":"TEXT_MESSAGE_CONTENT","messageId":"","delta":"b"}`,
			want: `[{"id":"","role":"assistant","content":"b"},{"id":"r1","role":"reasoning","content":""}]`,
		},
		{
			name: "an activity whose content a patch made null can be patched again",
			events: `{"type":"ACTIVITY_SNAPSHOT","messageId":"a1","activityType":"T","content":{"a":1}}
				{"type":"ACTIVITY_DELTA","messageId":"a1","activityType":"T","patch":[{"op":"replace","path":"","value":null}]}
				{"type":"ACTIVITY_DELTA","messageId":"a1","activityType":"T","patch":[{"op":"remove","path":"/none"}]}
				{"type":"ACTIVITY_DELTA","messageId":"a1","activityType":"T","patch":[{"op":"add","path":"/b","value":2}]}`,
			want: `[{"id":"a1","role":"activity","activityType":"T","content":{"b":2}}]`,
		},
		{
			name: "what survives behind a message of the same id follows the message that it followed",
			events: `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m1","role":"user","content":"a"}]}
				{"type":"TEXT_MESSAGE_START","messageId":"m2"}
				{"type":"TOOL_CALL_START","toolCallId":"m1","toolCallName":"f"}
				{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m1","role":"user","content":"b"},{"id":"m2","role":"assistant","content":"c"}]}`,
			want: `[{"id":"m1","role":"user","content":"b"},{"id":"m2","role":"assistant","content":"c"},{"id":"m1:call","role":"assistant","toolCalls":[{"id":"m1","type":"function","function":{"name":"f","arguments":""}}]}]`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.messages == "" {
				c.messages = "[]"
			}
			if c.state == "" {
				c.state = "{}"
			}
			in, err := agui.ParseInput(`{"threadId":"t1","runId":"r1","messages":`+c.messages+`,"state":`+c.state+`}`,
				agui.InputOptions{})
			if err != nil {
				t.Fatal(err)
			}
			store := state.New(in.Messages, in.State)
			p := agui.NewPipeline(agui.Options{
				Strict: true, ThreadID: "t1", RunID: "r1", Known: store,
				Emit: func(ev agui.Event) bool {
					store.Apply(ev, nil, nil)
					return true
				},
			})
			err = p.Push(`{"type":"RUN_STARTED","threadId":"t1","runId":"r1"}`)
			for line := range strings.Lines(c.events) {
				if err == nil && strings.TrimSpace(line) != "" {
					err = p.Push(strings.TrimSpace(line))
				}
			}
			if err == nil && c.err != "" {
				err = p.End()
			}
			if got := agui.CodeOf(err); got != c.err {
				t.Errorf("the error is %v, want %q", err, c.err)
			}
			if got := string(store.AppendMessages(nil)); c.want != "" && !rawjson.Equal(got, c.want) {
				t.Errorf("messages\n got %s\nwant %s", got, c.want)
			}
			if got := string(store.AppendState(nil)); c.wantState != "" && !rawjson.Equal(got, c.wantState) {
				t.Errorf("state\n got %s\nwant %s", got, c.wantState)
			}
		})
	}
}
