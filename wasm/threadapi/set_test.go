package threadapi

import (
	"strconv"
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/state"
)

// A message put behind all others is taken alone; that gives what taking the whole list anew gives.
func TestAddedMessages(t *testing.T) {
	begin := func() (*Registry, *Entry) {
		n := 0
		r := New(func() string { n++; return "id" + strconv.Itoa(n) }, func() int64 { return 0 })
		r.Do("new", 0,
			`{"messages":[{"id":"u1","role":"user","content":"a"},{"id":"m1","role":"assistant","content":"b"}],"state":{}}`)
		e := r.Get(1)
		// A second kind of message of one id, so that the page's id is another than the wire's.
		for _, ev := range []agui.Event{&agui.ReasoningMessageStart{MessageID: "m1"},
			&agui.ReasoningMessageEnd{MessageID: "m1"}} {
			e.Store().Apply(ev, nil, nil)
		}
		return r, e
	}
	have := `"u1","m1","m1:reasoning"`
	for _, c := range []struct {
		list  string
		alone bool
	}{
		{have + `,{"id":"u2","role":"user","content":"x","odd":1}`, true},
		{have + `,{"role":"user","content":"no id"}`, true},
		{have + `,{"id":"s","role":"system","content":"x"},{"id":"a","role":"assistant","content":"y"}`, true},
		{have + `,{"id":"v","role":"activity","activityType":"t","content":{"a":1}}`, true},
		{have, true},
		{have + `,{"id":"u1","role":"user","content":"twice"}`, false},
		{have + `,{"id":"n","role":"user","content":""},{"id":"n","role":"user","content":""}`, false},
		{have + `,{"id":"t","role":"tool","toolCallId":"c","content":"x"}`, false},
		{have +
			`,{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}}]}`, false},
		{`"u1","m1"`, false},
		{`"m1","u1","m1:reasoning"`, false},
		{`"u1",{"id":"u2","role":"user","content":"x"},"m1","m1:reasoning"`, false},
		{`{"id":"u2","role":"user","content":"x"}`, false},
	} {
		r, e := begin()
		if got := `"` + e.Store().Message(2).ID() + `"`; !strings.HasSuffix(have, got) {
			t.Fatalf("the third message is %s", got)
		}
		if _, alone := r.added(e.Store(), "["+c.list+"]"); alone != c.alone {
			t.Errorf("%s: taken alone %t", c.list, alone)
		}
		r, e = begin()
		got := r.Do("set", 1, `{"changes":true,"messages":[`+c.list+`]}`)
		tree := string(e.Store().AppendTree(nil))
		r, e = begin()
		messages, err := r.arrange(e.Store(), "["+c.list+"]", "", false)
		if err != nil {
			t.Fatal(err)
		}
		var ch state.Changes
		e.Store().SetMessages(messages, &ch)
		if want := e.ops(&ch); got != want {
			t.Errorf("%s:\nthe changes are %s\nwant            %s", c.list, got, want)
		}
		if want := string(e.Store().AppendTree(nil)); tree != want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.list, tree, want)
		}
	}
	r, _ := begin()
	if got := r.Do("set", 1, `{"messages":[`+have+`,{"role":"user","content":5}]}`); !strings.Contains(got,
		"messages[3].content") {
		t.Error(got)
	}
}

// How a run ended is said once, here: by what it told, what a hook kept from it, and what is open.
func TestOutcome(t *testing.T) {
	for _, c := range []struct{ outcome, said, want string }{
		{``, ``, "success"}, {`{"type":"success"}`, "success", "success"},
		{`{"type":"cancelled"}`, "cancelled", "cancelled"},
		{`{"type":"interrupt","interrupts":[{"id":"i","reason":"r"}]}`, "interrupt", "interrupt"},
		{`{"type":"interrupt","interrupts":[]}`, "interrupt", "interrupt"},
		{`{"type":"later"}`, "later", "success"},
		{"-", "interrupt", "interrupt"}, {"-", "cancelled", "cancelled"},
	} {
		r := New(func() string { return "x" }, func() int64 { return 0 })
		r.Do("new", 0,
			`{"messages":[{"id":"u","role":"user","content":"a"},{"id":"v","role":"activity","activityType":"t","content":{}}]}`)
		if got := r.Do("prepare", 1, `{"threadId":"t","runId":"r"}`); !strings.Contains(got, `"send":[true,false]`) {
			t.Errorf("an activity is sent: %s", got)
		}
		e := r.Get(1)
		if _, _, err := r.Begin(e, `{"threadId":"t","runId":"r"}`); err != nil {
			t.Fatal(err)
		}
		p := agui.NewPipeline(agui.Options{ThreadID: "t", RunID: "r", Known: e.Store(), Emit: func(ev agui.Event) bool {
			e.Store().Apply(ev, nil, nil)
			e.Observe(ev, nil)
			return true
		}})
		events := []string{`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`}
		switch c.outcome {
		case "-": // a hook kept it
		case "":
			events = append(events, `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`)
		default:
			events = append(events, `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":`+c.outcome+`}`)
		}
		for _, ev := range events {
			if err := p.Push(ev); err != nil {
				t.Fatal(err)
			}
		}
		said := ""
		if c.said != "" {
			said = `,"said":"` + c.said + `"`
		}
		if got := r.Do("finish", 1, `{"handled":[],"round":0,"limit":10`+said+`}`); !strings.Contains(got,
			`"outcome":"`+c.want+`"`) {
			t.Errorf("%s said %s: %s", c.outcome, c.said, got)
		}
	}
}

// Messages that the page names by their ids stay what they are towards the agent, also where an id was used again.
func TestNamedMessagesUnderAnIDUsedAgain(t *testing.T) {
	r := newRegistry()
	h := create(t, r, `{"messages":[`+u1+`],"state":{}}`)
	e := r.Get(h)
	turn := func(events ...string) {
		t.Helper()
		for _, text := range events {
			ev, err := agui.Decode(text, agui.DecodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			e.Store().Apply(ev, nil, nil)
		}
	}
	call := func(n string) {
		turn(`{"type":"RUN_STARTED","threadId":"t","runId":"r`+n+`"}`,
			`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f"}`,
			`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"`+n+`"}`, `{"type":"TOOL_CALL_END","toolCallId":"c"}`,
			`{"type":"TEXT_MESSAGE_START","messageId":"m"}`, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"`+
				n+`"}`)
	}
	call("1")
	turn(`{"type":"RUN_FINISHED","threadId":"t","runId":"r1"}`)
	do(t, r, "set", h, `{"messages":["u1","c","m",`+u2+`]}`)
	call("2")
	agents := string(e.Store().AppendMessagesForAgent(nil))
	do(t, r, "set", h, `{"messages":["u1","c","m","u2","c:2","m:2"]}`, `{"ops":[]}`)
	if got := string(e.Store().AppendMessagesForAgent(nil)); got != agents {
		t.Errorf("the agent gets %s\nwant %s", got, agents)
	}
	turn(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"!"}`,
		`{"type":"TOOL_CALL_RESULT","messageId":"q","toolCallId":"c","content":"two"}`)
	// what the page does not know yet
	do(t, r, "set", h, `{"messages":["u1","c","m","u2","c:2"],"base":["u1","c","m","u2","c:2"]}`)
	text := func(id, n string) string { return `{"id":"` + id + `","role":"assistant","content":"` + n + `"}` }
	called := func(message, id, n string) string {
		return `{"id":"` + message + `","role":"assistant","toolCalls":[{"id":"` + id +
			`","type":"function","function":{"name":"f","arguments":"` + n + `"}}]}`
	}
	later := called("c:2", "c:2", "2") + `,{"id":"q","role":"tool","toolCallId":"c:2","content":"two"},` +
		text("m:2", "2!") + "]"
	holds(t, e, "["+u1+","+called("c", "c", "1")+","+text("m", "1")+","+u2+","+later, "{}")
	do(t, r, "set", h, `{"changes":true,"messages":["u2"],"base":["u1","u2"]}`)
	holds(t, e, "["+u2+","+called("c", "c", "1")+","+text("m", "1")+","+later, "{}")
}
