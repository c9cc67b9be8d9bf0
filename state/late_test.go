package state

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"aguiwasm/agui"
)

// A call that comes behind RUN_FINISHED waits for its result as those before it; what the outcome has judged it judged
// for good.
func TestCallsBehindTheEndArePending(t *testing.T) {
	call := func(id string) []string {
		return []string{`TOOL_CALL_START "toolCallId":"` + id + `","toolCallName":"f"`,
			`TOOL_CALL_END "toolCallId":"` + id + `"`}
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
		{"in the order of their starts", [][]string{{begin, end, `TOOL_CALL_START "toolCallId":"a","toolCallName":"f"`},
			call("b"), {`TOOL_CALL_END "toolCallId":"a"`}}, []string{"a", "b"}},
		{"not before its end", [][]string{{begin, end, `TOOL_CALL_START "toolCallId":"a","toolCallName":"f"`}}, nil},
		{"beside a list that could not know it",
			[][]string{{begin}, call("a"), call("b"),
				{end + `,"outcome":{"type":"success","pendingToolCallIds":["a"]}`}, call("c")}, []string{"a", "c"}},
		{"in the order of their starts beside a list",
			[][]string{{begin}, call("a"), {end + `,"outcome":{"type":"success","pendingToolCallIds":["a"]}`,
				`TOOL_CALL_START "toolCallId":"b","toolCallName":"f"`}, call("c"), {`TOOL_CALL_END "toolCallId":"b"`}},
			[]string{"a", "b", "c"}},
		{"a call that the list left out comes again", [][]string{{begin}, call("a"), call("b"),
			{end + `,"outcome":{"type":"success","pendingToolCallIds":["b"]}`}, call("a")}, []string{"b"}},
		{"after a question",
			[][]string{{begin, end + `,"outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"r"}]}`},
				call("a")}, []string{"a"}},
		{"after an orphan went",
			[][]string{{begin, `TOOL_CALL_START "toolCallId":"a","toolCallName":"f","parentMessageId":"m"`,
				`MESSAGES_SNAPSHOT "messages":[{"id":"m","role":"assistant","content":"x"}]`, end}, call("b")},
			[]string{"b"}},
		{"a snapshot brings its result",
			[][]string{{begin}, call("a"), call("b"), {end, snapshotOf(resultMessage("a"))}}, []string{"b"}},
		{"a snapshot brings that of one that the list named", [][]string{{begin}, call("a"), call("b"),
			{end + `,"outcome":{"type":"success","pendingToolCallIds":["a","b"]}`, snapshotOf(resultMessage("a"))}},
			[]string{"b"}},
		{"those of all that it named", [][]string{{begin}, call("a"), call("b"),
			{end + `,"outcome":{"type":"success","pendingToolCallIds":["a"]}`, snapshotOf(resultMessage("a")),
				snapshotOf()}}, nil},
		{"a snapshot takes its result away",
			[][]string{{begin}, call("a"), {snapshotOf(resultMessage("a")), end, snapshotOf()}}, []string{"a"}},
		{"that of one that the list left out", [][]string{{begin}, call("a"), call("b"),
			{snapshotOf(resultMessage("a")), end + `,"outcome":{"type":"success","pendingToolCallIds":["b"]}`,
				snapshotOf()}}, []string{"b"}},
		{"a result that the run itself brought stays one",
			[][]string{{begin}, call("a"), result("a"), {end, snapshotOf()}}, nil},
		{"the list names a call whose result came first",
			[][]string{{begin}, result("a"), {end + `,"outcome":{"type":"success","pendingToolCallIds":["a"]}`},
				call("a")}, []string{"a"}},
		{"another run", [][]string{{begin}, {end}, call("a"), {begin, end}}, nil},
	} {
		s := New(nil, "")
		apply(t, s, slices.Concat(c.events...)...)
		if got := s.PendingToolCallIDs(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func snapshotOf(messages ...string) string {
	return `MESSAGES_SNAPSHOT "messages":[` + strings.Join(messages, ",") + `]`
}

func resultMessage(call string) string {
	return `{"id":"t` + call + `","role":"tool","toolCallId":"` + call + `","content":"x"}`
}

// Calls that only this client knew go at the run's end, behind it at the response's, and where a run is cut off.
func TestOrphansGoAtTheResponsesEnd(t *testing.T) {
	const (
		end    = `RUN_FINISHED "threadId":"t","runId":"r"`
		start  = `TOOL_CALL_START "toolCallId":"a","toolCallName":"f","parentMessageId":"m"`
		ending = `TOOL_CALL_END "toolCallId":"a"`
	)
	without := snapshotOf(`{"id":"m","role":"assistant","content":"x"}`)
	for _, c := range []struct {
		name   string
		events []string
		stays  bool
	}{
		{"behind the end", []string{begin, end, start, without, ending}, false},
		{"cut off", []string{begin, start, without}, false},
		{"before another run", []string{begin, end, start, without, ending, begin, end}, false},
		{"it got arguments", []string{begin, end, start, without, `TOOL_CALL_ARGS "toolCallId":"a","delta":"{}"`,
			ending}, true},
		{"it got a result", []string{begin, end, start, without, ending,
			`TOOL_CALL_RESULT "messageId":"q","toolCallId":"a","content":"y"`}, true},
		{"cut off with arguments", []string{begin, start, without, `TOOL_CALL_ARGS "toolCallId":"a","delta":"{"`},
			true},
	} {
		s := New(nil, "")
		apply(t, s, c.events...)
		m := newMirror(s)
		var ch Changes
		s.EndResponse(&ch)
		m.apply(&ch, "")
		m.check(t, s, c.name)
		if s.HasToolCall("a") != c.stays {
			t.Errorf("%s: the call stays %v, want %v", c.name, s.HasToolCall("a"), c.stays)
		}
		if !c.stays && slices.Contains(s.PendingToolCallIDs(), "a") {
			t.Errorf("%s: what is gone is pending", c.name)
		}
		ch.Reset()
		if s.EndResponse(&ch); ch.Len() > 0 {
			t.Errorf("%s: ended twice it changes again", c.name)
		}
	}
}

// Calls of one id in several places are gone in all of them.
func TestOrphansOfOneIDGoTogether(t *testing.T) {
	calls := `"toolCalls":[` + callJSON("c", "f", "1") + "," + callJSON("d", "f", "2") + "," + callJSON("c", "f", "3") +
		"]"
	s := storeOf(t, `[{"id":"m","role":"assistant",`+calls+`},{"id":"n","role":"assistant",`+calls+`}]`, "")
	apply(t, s, begin, `TOOL_CALL_START "toolCallId":"c","toolCallName":"f"`,
		snapshotOf(`{"id":"m","role":"assistant","toolCalls":[`+callJSON("d", "f", "2")+`]}`,
			`{"id":"n","role":"assistant","content":"x"}`), finish)
	want := `[{"id":"m","role":"assistant","toolCalls":[` + callJSON("d", "f", "2") +
		`]},{"id":"n","role":"assistant","content":"x"}]`
	if got := string(s.AppendMessages(nil)); got != want || s.HasToolCall("c") || !s.HasToolCall("d") {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// A message or call that repeats an earlier turn's so far goes on from a snapshot that holds it.
func TestASnapshotEndsARepetition(t *testing.T) {
	const users = `{"id":"u","role":"user","content":"q"}`
	s := storeOf(t, `[{"id":"m","role":"assistant","content":"one","toolCalls":[`+callJSON("c", "f", "{}")+`]},`+users+
		`]`, "")
	warned := apply(t, s,
		begin, `TEXT_MESSAGE_START "messageId":"m","role":"assistant"`,
		`TOOL_CALL_START "toolCallId":"c","toolCallName":"f"`,
		`TEXT_MESSAGE_CONTENT "messageId":"m","delta":"o"`, `TOOL_CALL_ARGS "toolCallId":"c","delta":"{"`,
		snapshotOf(`{"id":"m","role":"assistant","content":"two","toolCalls":[`+callJSON("c", "f", "[")+`]}`, users),
		`TEXT_MESSAGE_CONTENT "messageId":"m","delta":"!"`, `TOOL_CALL_ARGS "toolCallId":"c","delta":"]"`,
		`TEXT_MESSAGE_END "messageId":"m"`, `TOOL_CALL_END "toolCallId":"c"`)
	want := `[{"id":"m","role":"assistant","content":"two!","toolCalls":[` + callJSON("c", "f", "[]") + `]},` + users +
		`]`
	if got := string(s.AppendMessages(nil)); got != want || len(warned) > 0 {
		t.Errorf("%s\nwant %s\n%q", got, want, warned)
	}
}

// Calls that come whole behind the run's end wait in the order of their STARTs, behind those that the outcome named;
// each says of itself alone that it waits, and its result that it does not.
func TestManyLateCalls(t *testing.T) {
	start := func(id string) string { return `TOOL_CALL_START "toolCallId":"` + id + `","toolCallName":"f"` }
	end := func(id string) string { return `TOOL_CALL_END "toolCallId":"` + id + `"` }
	result := func(id string) string {
		return `TOOL_CALL_RESULT "messageId":"r` + id + `","toolCallId":"` + id + `","content":"x"`
	}
	named := `RUN_FINISHED "threadId":"t","runId":"r","outcome":{"type":"success","pendingToolCallIds":["n","c"]}`
	snapshot := `MESSAGES_SNAPSHOT "messages":[{"id":"a","role":"assistant","toolCalls":[` + callJSON("a", "f", "") +
		`]},` +
		`{"id":"b","role":"assistant","toolCalls":[` + callJSON("b", "f", "") +
		`]},{"id":"x","role":"tool","toolCallId":"b","content":"y"}]`
	for _, c := range []struct {
		name   string
		events []string
		want   string
	}{
		{"crossed", []string{finish, start("a"), start("b"), start("c"), end("c"), end("a"), end("b")}, "a b c"},
		{"behind those that were there",
			[]string{start("o"), end("o"), finish, start("a"), start("b"), end("b"), end("a")}, "o a b"},
		{"behind those that were named", []string{named, start("a"), start("c"), end("c"), end("a")}, "n c a"},
		{"ended again", []string{finish, start("a"), end("a"), end("a")}, "a"},
		{"answered before its end", []string{finish, start("a"), result("a"), end("a")}, ""},
		{"answered behind it", []string{finish, start("a"), end("a"), start("b"), end("b"), result("a")}, "b"},
		{"a snapshot between", []string{finish, start("a"), start("b"), end("a"), snapshot, start("c"), end("c")},
			"a c"},
	} {
		s := New(nil, "")
		apply(t, s, append([]string{begin}, c.events...)...)
		if got := strings.Join(s.PendingToolCallIDs(), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}

	s := New(nil, "")
	apply(t, s, begin, finish, start("a"), end("a"))
	list, err := agui.ParseMessages(`[{"id":"a","role":"assistant","toolCalls":[`+callJSON("a", "f", "")+`]},`+
		`{"id":"x","role":"tool","toolCallId":"a","content":"y"}]`, "messages", agui.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.SetMessages(list, nil)
	apply(t, s, start("b"), end("b"))
	if got := s.PendingToolCallIDs(); len(got) != 1 || got[0] != "b" {
		t.Errorf("behind a page's answer: %q", got)
	}

	s = New(nil, "")
	apply(t, s, begin, finish)
	var ch Changes
	said := 0
	const n = 1000
	for i := range n {
		id := fmt.Sprint(i)
		for _, e := range []string{start(id), end(id)} {
			s.Apply(event(t, e), &ch, func(agui.Warning) {})
		}
	}
	for i := range n {
		s.Apply(event(t, result(fmt.Sprint(i))), &ch, func(agui.Warning) {})
	}
	for i := range ch.Len() {
		if c := ch.At(i); c.Path[0].Key == "pendingToolCallIds" {
			said += len(c.Value)
		}
	}
	if len(s.PendingToolCallIDs()) > 0 || said == 0 || said > n*len(`"999"`) {
		t.Errorf("%d wait, and %d bytes said so", len(s.PendingToolCallIDs()), said)
	}
}
