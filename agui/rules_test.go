package agui

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

const (
	startedData  = `{"type":"RUN_STARTED","threadId":"t1","runId":"r1"}`
	finishedData = `{"type":"RUN_FINISHED","threadId":"t1","runId":"r1"}`
)

// summary lists the events of a run in short: "TEXT_START m1", "RUN_FINISHED".
func summary(events []Event) []string {
	var out []string
	short := strings.NewReplacer("TEXT_MESSAGE_", "TEXT_", "REASONING_MESSAGE_", "THOUGHT_", "TOOL_CALL_", "CALL_")
	for _, ev := range events {
		s := short.Replace(string(ev.EventType()))
		switch e := ev.(type) {
		case *TextMessageStart:
			s += " " + e.MessageID
			if e.Role != RoleAssistant {
				s += " as " + string(e.Role)
			}
		case *TextMessageContent:
			s += " " + e.MessageID + "+" + e.Delta.Body()
		case *TextMessageEnd:
			s += " " + e.MessageID
		case *ReasoningMessageStart:
			s += " " + e.MessageID
		case *ReasoningMessageContent:
			s += " " + e.MessageID + "+" + e.Delta.Body()
		case *ReasoningMessageEnd:
			s += " " + e.MessageID
		case *ReasoningStart:
			s += " " + e.MessageID
		case *ReasoningEnd:
			s += " " + e.MessageID
		case *ToolCallStart:
			s += " " + e.ToolCallID
			if e.Continues {
				s += " again"
			}
		case *ToolCallArgs:
			s += " " + e.ToolCallID + "+" + e.Delta.Body()
		case *ToolCallEnd:
			s += " " + e.ToolCallID
			if e.Incomplete {
				s += " incomplete"
			}
		}
		if tag := ev.Common().SubagentRunID; tag != nil && !strings.HasPrefix(s, "SUBAGENT") {
			s += " of " + *tag
		}
		out = append(out, s)
	}
	return out
}

// events makes data of lines such as `TEXT_MESSAGE_START "messageId":"m"`.
func events(lines ...string) []string {
	var out []string
	for _, l := range lines {
		typ, rest, _ := strings.Cut(l, " ")
		if rest != "" {
			rest = "," + rest
		}
		out = append(out, `{"type":"`+typ+`"`+rest+`}`)
	}
	return out
}

// Each row breaks one rule with the last event of the stream. In strict mode that event ends the run and everything
// before it was emitted; in lenient mode the repair shows in what came out, and the only warnings are of that rule.
func TestRules(t *testing.T) {
	tests := []struct {
		name    string
		rule    rule
		history string // messages
		first   bool   // no RUN_STARTED before
		in      []string
		then    []string // what comes after the fault, in lenient mode
		lenient []string // what comes of all, without RUN_STARTED before and RUN_FINISHED after
		// badEvent says that strict mode has a malformed event there, not a breach.
		badEvent bool
	}{
		{name: "an event comes first", rule: firstEvent, first: true, in: events(`CUSTOM "name":"n","value":1`),
			lenient: []string{"RUN_STARTED", "CUSTOM"}},
		{name: "RUN_FINISHED comes first", rule: firstEvent, first: true,
			in: events(`RUN_FINISHED "threadId":"t1","runId":"r1"`), then: nil,
			lenient: []string{"RUN_STARTED", "RUN_FINISHED"}},
		{name: "a chunk comes first", rule: firstEvent, first: true,
			in:      events(`TEXT_MESSAGE_CHUNK "messageId":"m","delta":"a"`),
			lenient: []string{"RUN_STARTED", "TEXT_START m", "TEXT_CONTENT m+a", "TEXT_END m"}},
		{name: "a run in a run", rule: oneRun,
			in:      []string{`{"type":"TEXT_MESSAGE_START","messageId":"m"}`, startedData},
			then:    events(`TEXT_MESSAGE_END "messageId":"m"`),
			lenient: []string{"TEXT_START m", "RUN_STARTED", "TEXT_END m"}},
		{name: "a run in a run, with history", rule: oneRun,
			in: []string{`{"type":"TEXT_MESSAGE_START","messageId":"m","subagentRunId":"s"}`,
				`{"type":"RUN_STARTED","threadId":"t1","runId":"r1","input":{"threadId":"t1","runId":"r1","messages":[{"id":"m","role":"assistant"}]}}`}, then: events(`TEXT_MESSAGE_END "messageId":"m","subagentRunId":"s"`), lenient: []string{"TEXT_START m of s", "RUN_STARTED", "TEXT_END m of s"}},
		{name: "text after RUN_FINISHED", rule: afterEnd,
			in:      []string{finishedData, `{"type":"TEXT_MESSAGE_START","messageId":"m"}`},
			then:    events(`TEXT_MESSAGE_END "messageId":"m"`),
			lenient: []string{"RUN_FINISHED", "TEXT_START m", "TEXT_END m"}},
		{name: "text after RUN_ERROR", rule: afterEnd,
			in:      events(`RUN_ERROR "message":"a"`, `TEXT_MESSAGE_START "messageId":"m"`),
			lenient: []string{"RUN_ERROR"}},
		{name: "a result after RUN_FINISHED", rule: afterEnd,
			in: []string{finishedData,
				`{"type":"TOOL_CALL_RESULT","messageId":"q","toolCallId":"c","content":"x"}`},
			lenient: []string{"RUN_FINISHED", "CALL_RESULT"}},
		{name: "RUN_FINISHED after RUN_FINISHED", rule: afterEnd, in: []string{finishedData, finishedData},
			lenient: []string{"RUN_FINISHED"}},
		{name: "a chunk after RUN_FINISHED", rule: afterEnd,
			in:      []string{finishedData, `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"m"}`},
			lenient: []string{"RUN_FINISHED", "TEXT_START m", "TEXT_CONTENT m+m", "TEXT_END m"}},
		{name: "lines of one frame", rule: oneObject,
			in: []string{`{"type":"STEP_STARTED","stepName":"a"}` + "\n" +
				`{"type":"STEP_FINISHED","stepName":"a"}`},
			lenient: []string{"STEP_STARTED", "STEP_FINISHED"}, badEvent: true},
		{name: "an END that names no message", rule: messageID, in: events(`TEXT_MESSAGE_END "messageId":null`),
			lenient: []string{}, badEvent: true},
		{name: "text that names no message", rule: messageID,
			in: events(`TEXT_MESSAGE_START "messageId":"m"`, `TEXT_MESSAGE_START "messageId":"n"`,
				`TEXT_MESSAGE_END "messageId":"n"`, `TEXT_MESSAGE_CONTENT "delta":"a"`),
			then:     events(`TEXT_MESSAGE_END "messageId":"m"`),
			lenient:  []string{"TEXT_START m", "TEXT_START n", "TEXT_END n", "TEXT_CONTENT m+a", "TEXT_END m"},
			badEvent: true},
		{name: "reasoning that names no message", rule: messageID,
			in:      events(`REASONING_MESSAGE_START "role":"reasoning"`),
			then:    events(`REASONING_MESSAGE_END "messageId":"id-1"`),
			lenient: []string{"THOUGHT_START id-1", "THOUGHT_END id-1"}, badEvent: true},
		{name: "RUN_ERROR after RUN_ERROR", rule: afterEnd,
			in: events(`RUN_ERROR "message":"a"`, `RUN_ERROR "message":"b"`), lenient: []string{"RUN_ERROR"}},
		{name: "text starts twice", rule: startOnce,
			in:   events(`TEXT_MESSAGE_START "messageId":"m"`, `TEXT_MESSAGE_START "messageId":"m"`),
			then: events(`TEXT_MESSAGE_END "messageId":"m"`), lenient: []string{"TEXT_START m", "TEXT_END m"}},
		{name: "reasoning starts twice", rule: startOnce,
			in: events(`REASONING_MESSAGE_START "messageId":"m","role":"reasoning"`,
				`REASONING_MESSAGE_START "messageId":"m","role":"reasoning"`),
			then:    events(`REASONING_MESSAGE_END "messageId":"m"`),
			lenient: []string{"THOUGHT_START m", "THOUGHT_END m"}},
		{name: "a span starts twice", rule: startOnce,
			in:   events(`REASONING_START "messageId":"m"`, `REASONING_START "messageId":"m"`),
			then: events(`REASONING_END "messageId":"m"`), lenient: []string{"REASONING_START m", "REASONING_END m"}},
		{name: "a call starts twice", rule: startOnce,
			in: events(`TOOL_CALL_START "toolCallId":"c","toolCallName":"f"`,
				`TOOL_CALL_START "toolCallId":"c","toolCallName":"f"`), then: events(`TOOL_CALL_END "toolCallId":"c"`),
			lenient: []string{"CALL_START c", "CALL_END c"}},
		{name: "unknown text", rule: contentOpen,
			in:      events(`TEXT_MESSAGE_CONTENT "messageId":"m","delta":"a","subagentRunId":"s"`),
			then:    events(`TEXT_MESSAGE_CONTENT "messageId":"m","delta":"b"`, `TEXT_MESSAGE_END "messageId":"m"`),
			lenient: []string{"TEXT_START m of s", "TEXT_CONTENT m+a of s", "TEXT_CONTENT m+b", "TEXT_END m"}},
		{name: "text after its end", rule: contentOpen,
			in: events(`TEXT_MESSAGE_START "messageId":"m"`, `TEXT_MESSAGE_END "messageId":"m"`,
				`TEXT_MESSAGE_CONTENT "messageId":"m","delta":"a"`), then: events(`TEXT_MESSAGE_END "messageId":"m"`),
			lenient: []string{"TEXT_START m", "TEXT_END m", "TEXT_START m", "TEXT_CONTENT m+a", "TEXT_END m"}},
		{name: "text of a known user", rule: contentOpen, history: `[{"id":"u","role":"user","content":"q"}]`,
			in:      events(`TEXT_MESSAGE_CONTENT "messageId":"u","delta":"a"`),
			then:    events(`TEXT_MESSAGE_END "messageId":"u"`),
			lenient: []string{"TEXT_START u as user", "TEXT_CONTENT u+a", "TEXT_END u"}},
		{name: "unknown reasoning", rule: contentOpen,
			in:      events(`REASONING_MESSAGE_CONTENT "messageId":"m","delta":"a"`),
			then:    events(`REASONING_MESSAGE_END "messageId":"m"`),
			lenient: []string{"THOUGHT_START m", "THOUGHT_CONTENT m+a", "THOUGHT_END m"}},
		{name: "arguments of an unknown call", rule: argsOpen,
			in: events(`TOOL_CALL_ARGS "toolCallId":"c","delta":"1"`)},
		{name: "arguments of a call in the history", rule: argsOpen,
			history: `[{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}}]}]`,
			in:      events(`TOOL_CALL_ARGS "toolCallId":"c","delta":"1"`), lenient: []string{"CALL_ARGS c+1"}},
		{name: "arguments after the end", rule: argsOpen,
			in: events(`TOOL_CALL_START "toolCallId":"c","toolCallName":"f"`, `TOOL_CALL_END "toolCallId":"c"`,
				`TOOL_CALL_ARGS "toolCallId":"c","delta":"1"`),
			lenient: []string{"CALL_START c", "CALL_END c", "CALL_ARGS c+1"}},
		{name: "text ends unopened", rule: endOpen, in: events(`TEXT_MESSAGE_END "messageId":"m"`)},
		{name: "reasoning ends unopened", rule: endOpen, in: events(`REASONING_MESSAGE_END "messageId":"m"`)},
		{name: "a span ends unopened", rule: endOpen,
			in: events(`REASONING_MESSAGE_START "messageId":"m","role":"reasoning"`,
				`REASONING_END "messageId":"m"`),
			then:    events(`REASONING_MESSAGE_END "messageId":"m"`),
			lenient: []string{"THOUGHT_START m", "THOUGHT_END m"}},
		{name: "a call ends unopened", rule: endOpen, in: events(`TOOL_CALL_END "toolCallId":"c"`)},
		{name: "all is open at the end", rule: finishClosed,
			in: append(events(`STEP_STARTED "stepName":"a"`, `REASONING_START "messageId":"z2"`,
				`REASONING_MESSAGE_START "messageId":"z2","role":"reasoning"`, `REASONING_START "messageId":"z1"`,
				`TOOL_CALL_START "toolCallId":"c2","toolCallName":"f","subagentRunId":"s"`,
				`TOOL_CALL_START "toolCallId":"c1","toolCallName":"f"`, `TEXT_MESSAGE_START "messageId":"m2"`,
				`TEXT_MESSAGE_START "messageId":"m1"`, `SUBAGENT_STARTED "subagentRunId":"s","name":"n"`),
				finishedData),
			lenient: []string{"STEP_STARTED", "REASONING_START z2", "THOUGHT_START z2", "REASONING_START z1",
				"CALL_START c2 of s", "CALL_START c1", "TEXT_START m2", "TEXT_START m1", "SUBAGENT_STARTED",
				"TEXT_END m2", "TEXT_END m1", "CALL_END c2 incomplete of s", "CALL_END c1 incomplete", "THOUGHT_END z2",
				"REASONING_END z2", "REASONING_END z1", "RUN_FINISHED"}},
		{name: "a step is open at the end", rule: finishClosed, in: append(events(`STEP_STARTED "stepName":"a"`),
			finishedData), lenient: []string{"STEP_STARTED", "RUN_FINISHED"}},
		{name: "a subagent is open at the end", rule: finishClosed,
			in:      append(events(`SUBAGENT_STARTED "subagentRunId":"s","name":"n"`), finishedData),
			lenient: []string{"SUBAGENT_STARTED", "RUN_FINISHED"}},
		{name: "a step starts twice", rule: stepPairs,
			in:      events(`STEP_STARTED "stepName":"a"`, `STEP_STARTED "stepName":"a"`),
			then:    events(`STEP_FINISHED "stepName":"a"`),
			lenient: []string{"STEP_STARTED", "STEP_STARTED", "STEP_FINISHED"}},
		{name: "a step of another owner ends", rule: stepPairs,
			in:      events(`STEP_STARTED "stepName":"a"`, `STEP_FINISHED "stepName":"a","subagentRunId":""`),
			then:    events(`STEP_FINISHED "stepName":"a"`),
			lenient: []string{"STEP_STARTED", "STEP_FINISHED of ", "STEP_FINISHED"}},
		{name: "a subagent starts twice", rule: subagentPairs,
			in: events(`SUBAGENT_STARTED "subagentRunId":"s","name":"n"`,
				`SUBAGENT_STARTED "subagentRunId":"s","name":"n"`),
			then:    events(`SUBAGENT_FINISHED "subagentRunId":"s"`),
			lenient: []string{"SUBAGENT_STARTED", "SUBAGENT_STARTED", "SUBAGENT_FINISHED"}},
		{name: "a subagent starts after its end", rule: subagentPairs,
			in: events(`SUBAGENT_STARTED "subagentRunId":"s","name":"n"`,
				`SUBAGENT_ERROR "subagentRunId":"s","message":"x"`, `SUBAGENT_STARTED "subagentRunId":"s","name":"n"`),
			then:    events(`SUBAGENT_FINISHED "subagentRunId":"s"`),
			lenient: []string{"SUBAGENT_STARTED", "SUBAGENT_ERROR", "SUBAGENT_STARTED", "SUBAGENT_FINISHED"}},
		{name: "a subagent under an unknown one", rule: subagentPairs,
			in:      events(`SUBAGENT_STARTED "subagentRunId":"s","name":"n","parentSubagentRunId":"q"`),
			then:    events(`SUBAGENT_FINISHED "subagentRunId":"s"`),
			lenient: []string{"SUBAGENT_STARTED", "SUBAGENT_FINISHED"}},
		{name: "a subagent ends that is not active", rule: subagentPairs,
			in: events(`SUBAGENT_FINISHED "subagentRunId":"s"`), lenient: []string{"SUBAGENT_FINISHED"}},
		{name: "text of another owner", rule: oneOwner,
			in: events(`TEXT_MESSAGE_START "messageId":"m"`,
				`TEXT_MESSAGE_CONTENT "messageId":"m","delta":"a","subagentRunId":"s"`),
			then:    events(`TEXT_MESSAGE_END "messageId":"m"`),
			lenient: []string{"TEXT_START m", "TEXT_CONTENT m+a of s", "TEXT_END m"}},
		{name: "a restart by another owner", rule: oneOwner,
			in: events(`TEXT_MESSAGE_START "messageId":"m","subagentRunId":"s"`, `TEXT_MESSAGE_END "messageId":"m"`,
				`TEXT_MESSAGE_START "messageId":"m","subagentRunId":"t"`),
			then:    events(`TEXT_MESSAGE_END "messageId":"m","subagentRunId":"s"`),
			lenient: []string{"TEXT_START m of s", "TEXT_END m", "TEXT_START m of t", "TEXT_END m of s"}},
		{name: "a call under another's message", rule: oneOwner,
			in: events(`TEXT_MESSAGE_START "messageId":"m","subagentRunId":"s"`, `TEXT_MESSAGE_END "messageId":"m"`,
				`TOOL_CALL_START "toolCallId":"c","toolCallName":"f","parentMessageId":"m","subagentRunId":"t"`),
			then:    events(`TOOL_CALL_END "toolCallId":"c","subagentRunId":"s"`),
			lenient: []string{"TEXT_START m of s", "TEXT_END m", "CALL_START c of t", "CALL_END c of s"}},
		{name: "a call moves to another's message", rule: oneOwner,
			in: events(`TEXT_MESSAGE_START "messageId":"m","subagentRunId":"s"`, `TEXT_MESSAGE_END "messageId":"m"`,
				`TOOL_CALL_START "toolCallId":"c","toolCallName":"f"`, `TOOL_CALL_END "toolCallId":"c"`,
				`TOOL_CALL_START "toolCallId":"c","toolCallName":"f","parentMessageId":"m"`),
			then: events(`TOOL_CALL_END "toolCallId":"c"`),
			lenient: []string{"TEXT_START m of s", "TEXT_END m", "CALL_START c", "CALL_END c", "CALL_START c",
				"CALL_END c"}},
		{name: "an encrypted value of another owner's call", rule: oneOwner,
			in: events(`TOOL_CALL_START "toolCallId":"c","toolCallName":"f","subagentRunId":"s"`,
				`TOOL_CALL_END "toolCallId":"c"`,
				`REASONING_ENCRYPTED_VALUE "subtype":"tool-call","entityId":"c","encryptedValue":"e","subagentRunId":"t"`), lenient: []string{"CALL_START c of s", "CALL_END c", "REASONING_ENCRYPTED_VALUE of t"}},
		{name: "an activity of another owner", rule: oneOwner,
			in: events(`ACTIVITY_SNAPSHOT "messageId":"p","activityType":"P","content":{}`,
				`ACTIVITY_SNAPSHOT "messageId":"p","activityType":"P","content":{},"replace":false,"subagentRunId":"s"`,
				`ACTIVITY_DELTA "messageId":"p","activityType":"P","patch":[],"subagentRunId":"s"`),
			lenient: []string{"ACTIVITY_SNAPSHOT", "ACTIVITY_SNAPSHOT of s", "ACTIVITY_DELTA of s"}},
		{name: "reasoning of a snapshot", rule: oneOwner,
			in: events(`MESSAGES_SNAPSHOT "messages":[{"id":"z","role":"reasoning","content":"","subagentRunId":"s"}]`,
				`REASONING_START "messageId":"z","subagentRunId":"t"`), then: events(`REASONING_END "messageId":"z"`),
			lenient: []string{"MESSAGES_SNAPSHOT", "REASONING_START z of t", "REASONING_END z"}},
		{name: "a first text chunk without id", rule: chunkID, in: events(`TEXT_MESSAGE_CHUNK "delta":"a"`),
			then:    events(`TEXT_MESSAGE_CHUNK "delta":"b"`),
			lenient: []string{"TEXT_START id-1", "TEXT_CONTENT id-1+a", "TEXT_CONTENT id-1+b", "TEXT_END id-1"}},
		{name: "a first tool chunk without id", rule: chunkID,
			in:      events(`TOOL_CALL_CHUNK "toolCallName":"f","delta":"a"`),
			lenient: []string{"CALL_START id-1", "CALL_ARGS id-1+a", "CALL_END id-1"}},
		{name: "a first tool chunk without name", rule: chunkName,
			in: events(`TOOL_CALL_CHUNK "toolCallId":"c","delta":"a"`)},
		{name: "a tool chunk without anything", rule: chunkName, in: events(`TOOL_CALL_CHUNK "delta":"a"`)},
		{name: "a nameless chunk of a call that ended", rule: chunkName,
			in: events(`TEXT_MESSAGE_CHUNK "messageId":"m"`, `TOOL_CALL_START "toolCallId":"c","toolCallName":"f"`,
				`TOOL_CALL_END "toolCallId":"c"`, `TEXT_MESSAGE_CHUNK "messageId":"m"`,
				`TOOL_CALL_CHUNK "toolCallId":"c","delta":"a"`),
			lenient: []string{"TEXT_START m", "TEXT_END m", "CALL_START c", "CALL_END c", "TEXT_START m",
				"CALL_ARGS c+a", "TEXT_END m"}},
		{name: "a chunk changes the name", rule: chunkAgrees,
			in: events(`TEXT_MESSAGE_CHUNK "messageId":"m","delta":"a"`,
				`TEXT_MESSAGE_CHUNK "name":"n","delta":"b"`),
			lenient: []string{"TEXT_START m", "TEXT_CONTENT m+a", "TEXT_CONTENT m+b", "TEXT_END m"}},
		{name: "a chunk changes the parent", rule: chunkAgrees,
			in: events(`TOOL_CALL_CHUNK "toolCallId":"c","toolCallName":"f"`,
				`TOOL_CALL_CHUNK "parentMessageId":"m","delta":"b"`),
			lenient: []string{"CALL_START c", "CALL_ARGS c+b", "CALL_END c"}},
		{name: "a chunk changes the subagent", rule: chunkAgrees,
			in: events(`REASONING_MESSAGE_CHUNK "messageId":"z","subagentRunId":"s"`,
				`REASONING_MESSAGE_CHUNK "messageId":"z","delta":"b","subagentRunId":"t"`),
			lenient: []string{"THOUGHT_START z of s", "THOUGHT_CONTENT z+b of s", "THOUGHT_END z of s"}},
		{name: "a chunk with two candidates", rule: chunkClear,
			in: events(`TEXT_MESSAGE_CHUNK "messageId":"m","subagentRunId":"s"`,
				`TEXT_MESSAGE_CHUNK "messageId":"n","subagentRunId":"t"`,
				`TEXT_MESSAGE_CHUNK "messageId":"m","delta":"a"`, `TEXT_MESSAGE_CHUNK "delta":"b"`),
			lenient: []string{"TEXT_START m of s", "TEXT_START n of t", "TEXT_CONTENT m+a of s",
				"TEXT_CONTENT m+b of s", "TEXT_END m of s", "TEXT_END n of t"}},
		{name: "a chunk with two candidates, the second used last", rule: chunkClear,
			in: events(`TEXT_MESSAGE_CHUNK "messageId":"m","subagentRunId":"s"`,
				`TEXT_MESSAGE_CHUNK "messageId":"n","subagentRunId":"t"`, `TEXT_MESSAGE_CHUNK "delta":"b"`),
			lenient: []string{"TEXT_START m of s", "TEXT_START n of t", "TEXT_CONTENT n+b of t", "TEXT_END m of s",
				"TEXT_END n of t"}},
	}
	tested := map[rule]bool{}
	for _, tt := range tests {
		tested[tt.rule] = true
		history := func(t *testing.T) *talk {
			if tt.history == "" {
				return newTalk()
			}
			messages, err := ParseMessages(tt.history, "messages", InputOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return newTalk(messages...)
		}
		in := tt.in
		if !tt.first {
			in = append([]string{startedData}, in...)
		}
		t.Run("strict/"+tt.name, func(t *testing.T) {
			before := run(true, history(t), in[:len(in)-1]...)
			if CodeOf(before.err) == CodeProtocol {
				t.Fatalf("the fault is not in the last event: %v", before.err)
			}
			r := run(true, history(t), in...)
			var e *Error
			if tt.badEvent {
				if CodeOf(r.err) != CodeBadEvent {
					t.Errorf("got %v, want bad_event", r.err)
				}
				return
			}
			if !errors.As(r.err, &e) || e.Code != CodeProtocol || !strings.HasSuffix(e.Message, rules[tt.rule].Says) ||
				e.Event != in[len(in)-1] {
				t.Errorf("got %v about %v, want a breach of %q", r.err, e, rules[tt.rule].Says)
			}
			// What closed a chunk's stream may stand between them and the fault.
			if got, want := summary(r.events), summary(before.events); len(got) < len(want) ||
				!slices.Equal(got[:len(want)], want) {
				t.Errorf("before the fault came\n%q, want\n%q", got, want)
			}
		})
		t.Run("lenient/"+tt.name, func(t *testing.T) {
			all := append(slices.Clone(in), tt.then...)
			last := len(tt.lenient) - 1
			ends := last >= 0 && (tt.lenient[last] == "RUN_FINISHED" || tt.lenient[last] == "RUN_ERROR")
			if !ends {
				all = append(all, finishedData)
			}
			r := run(false, history(t), all...)
			if r.err != nil && CodeOf(r.err) != CodeRunError {
				t.Fatal(r.err)
			}
			got := summary(r.events)
			if !tt.first {
				got = got[1:]
			}
			if !ends {
				got = got[:len(got)-1]
			}
			if !slices.Equal(got, tt.lenient) {
				t.Errorf("got\n%q, want\n%q", got, tt.lenient)
			}
			if len(r.warnings) != 1 {
				t.Errorf("%d warnings: %v", len(r.warnings), r.warnings)
			}
			for _, w := range r.warnings {
				if w.Code != WarnRepaired || !strings.HasSuffix(w.Message, "(rule "+rules[tt.rule].Name+")") ||
					!strings.Contains(w.Message, rules[tt.rule].Repair) || !strings.HasPrefix(in[len(in)-1], w.Event) ||
					w.Event == "" {
					t.Errorf("the warning is %+v", w)
				}
			}
		})
	}
	for i, r := range Rules() {
		if !tested[rule(i)] || r.Name == "" || r.Says == "" || r.Repair == "" {
			t.Errorf("rule %d (%s) has no test or no words", i, r.Name)
		}
	}
}
