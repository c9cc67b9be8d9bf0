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
		r.Do("new", 0, `{"messages":[{"id":"u1","role":"user","content":"a"},{"id":"m1","role":"assistant","content":"b"}],"state":{}}`)
		e := r.Get(1)
		// A second kind of message of one id, so that the page's id is another than the wire's.
		for _, ev := range []agui.Event{&agui.ReasoningMessageStart{MessageID: "m1"}, &agui.ReasoningMessageEnd{MessageID: "m1"}} {
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
		{have + `,{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}}]}`, false},
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
	if got := r.Do("set", 1, `{"messages":[`+have+`,{"role":"user","content":5}]}`); !strings.Contains(got, "messages[3].content") {
		t.Error(got)
	}
}

// How a run ended is said once, here: by what it told, what a hook kept from it, and what is open.
func TestOutcome(t *testing.T) {
	for _, c := range []struct{ outcome, said, want string }{
		{``, ``, "success"}, {`{"type":"success"}`, "success", "success"}, {`{"type":"cancelled"}`, "cancelled", "cancelled"},
		{`{"type":"interrupt","interrupts":[{"id":"i","reason":"r"}]}`, "interrupt", "interrupt"},
		{`{"type":"interrupt","interrupts":[]}`, "interrupt", "interrupt"},
		{`{"type":"later"}`, "later", "success"},
		{"-", "interrupt", "interrupt"}, {"-", "cancelled", "cancelled"},
	} {
		r := New(func() string { return "x" }, func() int64 { return 0 })
		r.Do("new", 0, `{"messages":[{"id":"u","role":"user","content":"a"},{"id":"v","role":"activity","activityType":"t","content":{}}]}`)
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
		if got := r.Do("finish", 1, `{"handled":[],"round":0,"limit":10`+said+`}`); !strings.Contains(got, `"outcome":"`+c.want+`"`) {
			t.Errorf("%s said %s: %s", c.outcome, c.said, got)
		}
	}
}
