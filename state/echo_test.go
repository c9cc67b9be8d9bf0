package state

import (
	"strings"
	"testing"
)

// counting is a turn of an agent that counts its ids from the start in each turn.
func counting(n, text, args, result string) []string {
	return []string{
		`RUN_STARTED "threadId":"t","runId":"r` + n + `","input":{"threadId":"t","runId":"r` + n +
			`","messages":[{"id":"u` + n + `","role":"user","content":"q"}],"tools":[],"context":[]}`,
		`TEXT_MESSAGE_START "messageId":"m"`, `TEXT_MESSAGE_CONTENT "messageId":"m","delta":"` + text + `"`,
		`TEXT_MESSAGE_END "messageId":"m"`,
		`TOOL_CALL_START "toolCallId":"c","toolCallName":"f","parentMessageId":"m"`,
		`TOOL_CALL_ARGS "toolCallId":"c","delta":"` + args + `"`, `TOOL_CALL_END "toolCallId":"c"`,
		`TOOL_CALL_RESULT "messageId":"q` + n + `","toolCallId":"c","content":"` + result + `"`,
		`RUN_FINISHED "threadId":"t","runId":"r` + n + `"`,
	}
}

// counted is what such a turn leaves.
func counted(n, suffix, text, args, result string) string {
	return `{"id":"u` + n + `","role":"user","content":"q"},{"id":"m` + suffix + `","role":"assistant","content":"` +
		text + `","toolCalls":[` + callJSON("c"+suffix, "f", args) +
		`]},{"id":"q` + n + `","role":"tool","toolCallId":"c` + suffix + `","content":"` + result + `"}`
}

// A server that replays the thread with each response, and counts ids from the start in each turn: what is replayed
// lands where it was.
func TestTurnsOfThePast(t *testing.T) {
	one, two, three := counting("1", "one", "1", "A"), counting("2", "two", "2", "B"), counting("3", "three", "3", "C")
	whole := counted("1", "", "one", "1", "A") + "," + counted("2", ":2", "two", "2", "B") + "," +
		counted("3", ":3", "three", "3", "C")
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
		{"with a new turn behind", [][]string{one, two, three, counting("4", "four", "4", "D")},
			whole + "," + counted("4", ":4", "four", "4", "D"), 2},
		{"a new turn behind half of it", [][]string{one, counting("4", "four", "4", "D")},
			whole + "," + counted("4", ":4", "four", "4", "D"), 2},
		{"a turn told otherwise", [][]string{counting("2", "zwei", "22", "BB")},
			counted("1", "", "one", "1", "A") + "," + counted("2", ":2", "zwei", "22", "BB") + "," +
				counted("3", ":3", "three", "3", "C"), 0},
		{"the last one goes on in a run that says no input",
			[][]string{one, {begin, `TEXT_MESSAGE_START "messageId":"m"`,
				`TEXT_MESSAGE_CONTENT "messageId":"m","delta":"3!"`, finish}},
			counted("1", "", "one", "1", "A") + "," + counted("2", ":2", "two", "2", "B") + "," +
				counted("3", ":3", "3!", "3", "C"), 0},
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

// A page may set its own list back while the stream of an id used again is under way: each message keeps the id that
// the agent knows, and the stream goes on where it was.
func TestPagesListUnderAnIDUsedAgain(t *testing.T) {
	one, two := counting("1", "one", "1", "A"), counting("2", "two", "2", "B")
	for _, c := range []struct {
		name string
		at   int                   // how many events of the second turn come before the page's list
		edit func(m string) string // of the page's list
		want string
	}{
		{"a text under way", 3, nil, counted("1", "", "one", "1", "A") + "," + counted("2", ":2", "two", "2", "B")},
		{"a text that may still be a repetition", 2, nil,
			counted("1", "", "one", "1", "A") + "," + counted("2", ":2", "two", "2", "B")},
		{"before its call", 4, nil, counted("1", "", "one", "1", "A") + "," + counted("2", ":2", "two", "2", "B")},
		{"a call that may still be a repetition", 5, nil,
			counted("1", "", "one", "1", "A") + "," + counted("2", ":2", "two", "2", "B")},
		{"a call under way", 6, nil, counted("1", "", "one", "1", "A") + "," + counted("2", ":2", "two", "2", "B")},
		{"before its result", 7, nil, counted("1", "", "one", "1", "A") + "," + counted("2", ":2", "two", "2", "B")},
		{"behind its result", 8, nil, counted("1", "", "one", "1", "A") + "," + counted("2", ":2", "two", "2", "B")},
		{"the page writes into the earlier turn", 3,
			func(m string) string { return strings.Replace(m, `"one"`, `"eins"`, 1) },
			counted("1", "", "eins", "1", "A") + "," + counted("2", ":2", "two", "2", "B")},
		{"the page takes the second text and its call out", 8,
			func(m string) string { return m[:strings.Index(m, `,{"id":"m:2"`)] + "]" },
			counted("1", "", "one", "1", "A") + `,{"id":"u2","role":"user","content":"q"}`},
	} {
		s := New(nil, "")
		apply(t, s, one...)
		apply(t, s, two[:c.at]...)
		m := newMirror(s)
		before := string(s.AppendMessages(nil))
		given := before
		if c.edit != nil {
			given = c.edit(given)
		}
		agents := string(s.AppendMessagesForAgent(nil))
		var ch Changes
		s.SetMessages(checkedMessages(t, given), &ch)
		m.apply(&ch, "")
		m.check(t, s, c.name)
		if given == before {
			if ch.Len() > 0 {
				t.Errorf("%s: the same list is a change", c.name)
			}
			if got := string(s.AppendMessagesForAgent(nil)); got != agents {
				t.Errorf("%s: the agent gets %s\nwant %s", c.name, got, agents)
			}
		}
		apply(t, s, two[c.at:]...)
		if got := string(s.AppendMessages(nil)); got != "["+c.want+"]" {
			t.Errorf("%s: %s\nwant [%s]", c.name, got, c.want)
		}
		// A third turn counts from the start as well.
		apply(t, s, counting("3", "three", "3", "C")...)
		want := strings.NewReplacer("m:2", "m", "c:2", "c", "m:3", "m", "c:3", "c")
		page := string(s.AppendMessages(nil))
		if got := string(s.AppendMessagesForAgent(nil)); got != want.Replace(page) {
			t.Errorf("%s: then the agent gets %s\nof %s", c.name, got, page)
		}
	}
}

// What shares its id with a message of another kind keeps it towards the agent too, when the page sets its own list
// back.
func TestPagesListOfTwoKindsUnderOneID(t *testing.T) {
	s := New(nil, "")
	apply(t, s, begin, `TEXT_MESSAGE_START "messageId":"x"`, `TEXT_MESSAGE_CONTENT "messageId":"x","delta":"a"`,
		`REASONING_MESSAGE_START "messageId":"x","role":"reasoning"`,
		`REASONING_MESSAGE_CONTENT "messageId":"x","delta":"b"`,
		`TOOL_CALL_RESULT "messageId":"x","toolCallId":"c","content":"r"`)
	page, agents := string(s.AppendMessages(nil)), string(s.AppendMessagesForAgent(nil))
	var ch Changes
	s.SetMessages(checkedMessages(t, page), &ch)
	if got := string(s.AppendMessagesForAgent(nil)); ch.Len() > 0 || got != agents {
		t.Errorf("%d changes, the agent gets %s\nwant %s", ch.Len(), got, agents)
	}
	apply(t, s, `REASONING_MESSAGE_CONTENT "messageId":"x","delta":"c"`,
		`TEXT_MESSAGE_CONTENT "messageId":"x","delta":"d"`)
	want := strings.NewReplacer(`"a"`, `"ad"`, `"b"`, `"bc"`).Replace(page)
	if got := string(s.AppendMessages(nil)); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// A fork of a conversation takes an id for what it meant last.
func TestForkUnderAnIDUsedAgain(t *testing.T) {
	s := New(nil, "")
	apply(t, s, counting("1", "one", "1", "A")...)
	apply(t, s, counting("2", "two", "2", "B")...)
	f := s.Fork()
	apply(t, f, begin, `TEXT_MESSAGE_START "messageId":"m"`, `TEXT_MESSAGE_CONTENT "messageId":"m","delta":"zwei"`,
		`TEXT_MESSAGE_END "messageId":"m"`,
		`TOOL_CALL_RESULT "messageId":"q2","toolCallId":"c","content":"BB"`, finish)
	if got, want := string(f.AppendMessages(nil)),
		"["+counted("1", "", "one", "1", "A")+","+counted("2", ":2", "zwei", "2", "BB")+"]"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// What comes of an id used again stands where its START came, with its own metadata and calls; a snapshot that does not
// hold the earlier one, or a call that the earlier one does not have, shows that it is another.
func TestPlaceOfAnIDUsedAgain(t *testing.T) {
	const history = `[{"id":"m","role":"assistant","content":"ab"},{"id":"u","role":"user","content":"q"}]`
	const first = `{"id":"m","role":"assistant","content":"ab"},{"id":"u","role":"user","content":"q"},`
	start := `TEXT_MESSAGE_START "messageId":"m"`
	delta := func(s string) string { return `TEXT_MESSAGE_CONTENT "messageId":"m","delta":"` + s + `"` }
	activity := `ACTIVITY_SNAPSHOT "messageId":"a","activityType":"T","content":{}`
	for _, c := range []struct {
		name   string
		events []string
		want   string
	}{
		{"before what came since", []string{begin, start, activity, delta("x")}, first +
			`{"id":"m:2","role":"assistant","content":"x"},{"id":"a","role":"activity","activityType":"T","content":{}}`},
		{"before the result of a call that nobody knows", []string{begin, start,
			`TOOL_CALL_RESULT "messageId":"t","toolCallId":"c","content":"r"`, delta("x")}, first +
			`{"id":"m:2","role":"assistant","content":"x"},{"id":"t","role":"tool","toolCallId":"c","content":"r"}`},
		{"a call that the earlier one lacks", []string{begin, start, delta("a"), `TOOL_CALL_START "toolCallId":"c","toolCallName":"f","parentMessageId":"m"`},
			first + `{"id":"m:2","role":"assistant","content":"a","toolCalls":[` + callJSON("c", "f", "") + `]}`},
		{"its own metadata", []string{begin, start + `,"metadata":{"k":1}`, delta("a") + `,"metadata":{"l":2}`, delta("x")},
			first + `{"id":"m:2","role":"assistant","content":"ax","metadata":{"k":1,"l":2}}`},
		{"a repetition's metadata", []string{begin, start + `,"metadata":{"k":1}`, delta("ab"), `TEXT_MESSAGE_END "messageId":"m"`},
			`{"id":"m","role":"assistant","content":"ab","metadata":{"k":1}},{"id":"u","role":"user","content":"q"}`},
		{"a snapshot without the earlier one", []string{begin, start, delta("a"), snapshotOf(), delta("b")},
			`{"id":"m:2","role":"assistant","content":"ab"}`},
	} {
		s := storeOf(t, history, "")
		apply(t, s, c.events...)
		if got := string(s.AppendMessages(nil)); got != "["+c.want+"]" {
			t.Errorf("%s: %s\nwant [%s]", c.name, got, c.want)
		}
	}
}

// Questions and calls that wait are named by the page's ids.
func TestWhatWaitsUnderAnIDUsedAgain(t *testing.T) {
	s := New(nil, "")
	apply(t, s, counting("1", "one", "1", "A")...)
	two := counting("2", "two", "2", "B")
	end := `RUN_FINISHED "threadId":"t","runId":"r2","outcome":`
	apply(t, s, append(two[:7:7], end+`{"type":"success","pendingToolCallIds":["c"]}`)...)
	if got := s.PendingToolCallIDs(); len(got) != 1 || got[0] != "c:2" {
		t.Errorf("%q wait", got)
	}
	apply(t, s, begin, end+`{"type":"interrupt","interrupts":[{"id":"i","reason":"tool_call","toolCallId":"c"}]}`)
	if got := s.Interrupts(); len(got) != 1 || got[0].Raw != `{"id":"i","reason":"tool_call","toolCallId":"c:2"}` {
		t.Errorf("the question is %v", got)
	}
}
