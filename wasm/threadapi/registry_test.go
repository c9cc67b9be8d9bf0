package threadapi

import (
	"strconv"
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/agui/rawjson"
	"aguiwasm/state"
	"aguiwasm/wasm/session"
)

func newRegistry() *Registry { return New(nil, func() int64 { return 1_700_000_000_000 }) }

// do answers an operation; the answer must contain each part.
func do(t *testing.T, r *Registry, op string, handle int, text string, parts ...string) string {
	t.Helper()
	answer := r.Do(op, handle, text)
	for _, p := range parts {
		if !strings.Contains(answer, p) {
			t.Errorf("%s %s: %s does not contain %s", op, text, answer, p)
		}
	}
	return answer
}

func create(t *testing.T, r *Registry, text string) int {
	t.Helper()
	do(t, r, "new", 0, text, `{"handle":`)
	return r.last
}

func holds(t *testing.T, e *Entry, messages, state string) {
	t.Helper()
	if got := string(e.Store().AppendMessages(nil)); got != messages {
		t.Errorf("messages: %s, want %s", got, messages)
	}
	if got := string(e.Store().AppendState(nil)); got != state {
		t.Errorf("state: %s, want %s", got, state)
	}
}

const (
	u1 = `{"id":"u1","role":"user","content":"\ud83d","n":1.0}`
	u2 = `{"id":"u2","role":"user","content":"b"}`
	u3 = `{"id":"u3","role":"user","content":"c"}`
)

func TestWhatThePageNamesIsKeptAsItCame(t *testing.T) {
	r := newRegistry()
	h := create(t, r, `{"messages":[`+u1+`,`+u2+`],"state":{"big":12345678901234567890,"a":1.0},"interrupts":[]}`)
	e := r.Get(h)
	do(t, r, "set", h, `{"messages":["u2",`+u3+
		`,"u1","gone"],"patch":[{"op":"add","path":"/x","value":2},{"op":"remove","path":"/a"},{"op":"remove","path":"/a"}]}`, `{"ops":[]}`)
	holds(t, e, `[`+u2+`,`+u3+`,`+u1+`]`, `{"big":12345678901234567890,"x":2}`)
	do(t, r, "set", h, `{"state":[1]}`, `{"ops":[]}`)
	holds(t, e, `[`+u2+`,`+u3+`,`+u1+`]`, `[1]`)
}

func TestAMergeKeepsWhatCameInBetween(t *testing.T) {
	r := newRegistry()
	h := create(t, r, `{"messages":[`+u1+`],"state":{}}`)
	e := r.Get(h)
	m, err := agui.ParseMessages("["+u2+"]", "", agui.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	e.Store().AddMessage(m[0], nil)
	do(t, r, "set", h, `{"changes":true,"messages":["u1",`+u3+`],"base":["u1"]}`, `{"ops":[`, `"u3"`)
	holds(t, e, `[`+u1+`,`+u3+`,`+u2+`]`, `{}`)
	// What the page took away stays away, and nothing else does.
	do(t, r, "set", h, `{"changes":true,"messages":["u3"],"base":["u1","u3"]}`, `{"ops":[`)
	holds(t, e, `[`+u3+`,`+u2+`]`, `{}`)
}

func TestTheConversationCorrectsThePage(t *testing.T) {
	r := newRegistry()
	answer := do(t, r, "new", 0, `{"messages":[`+u1+`,{"id":"u1","role":"assistant","content":"x","name":null}]}`)
	if !strings.Contains(answer, `"ops":[0,["messages",1],{"id":"u1:text","role":"assistant","content":"x"}]`) {
		t.Errorf("got %s", answer)
	}
	do(t, r, "set", r.last,
		`{"messages":["u1","u1:text",{"id":"p","role":"user","content":[{"type":"binary","mimeType":"image/png","data":"AA=="}]}]}`, `"ops":[0,["messages",2],`, `"source"`)
}

func TestMalformedThingsAreNamed(t *testing.T) {
	r := newRegistry()
	do(t, r, "new", 0, `{"messages":[`+u1+`,{"id":"x","role":"user"}]}`, `"bad_input"`, `messages[1].content`)
	do(t, r, "new", 0, `{"messages":[],"interrupts":[{"reason":"x"}]}`, `"bad_input"`, `pendingInterrupts[0].id`)
	h := create(t, r, `{"messages":[`+u1+`]}`)
	do(t, r, "set", h, `{"messages":["u1",{"id":"x","role":"nobody"}]}`, `"bad_input"`, `messages[1].role`)
	do(t, r, "prepare", h, `{"threadId":"t","runId":"r","tools":[{"name":1}]}`, `"bad_input"`, `tools[0].name`)
	do(t, r, "patch", h, `{"patch":[{"op":"remove","path":"/no"}]}`, `"bad_input"`, `/no`)
	do(t, r, "branch", h, `{"runId":"r"}`, `"bad_input"`)
	do(t, r, "nonsense", h, `{}`, `"internal"`)
	do(t, r, "set", 99, `{}`, `"internal"`)
	do(t, r, "set", h, `{"state":`+strings.Repeat("[", 2000)+strings.Repeat("]", 2000)+`}`, `"bad_input"`)
	do(t, r, "set", h, `nonsense`, `"bad_input"`)
	holds(t, r.Get(h), `[`+u1+`]`, `{}`)
}

// converse runs a thread through a stream of events and gives the request's body.
func converse(t *testing.T, r *Registry, h int, input string, events ...string) string {
	t.Helper()
	e := r.Get(h)
	in, body, err := r.Begin(e, input)
	if err != nil {
		t.Fatal(err)
	}
	s := session.New(session.Config{Store: e.Store(), Paths: &e.Paths, Observe: e.Observe, ThreadID: in.ThreadID,
		RunID: in.RunID, Deliver: func([]byte) {}})
	s.Push([]byte("data: " + strings.Join(events, "\n\ndata: ") + "\n\n"))
	s.End()
	return body
}

// TestClosedAsItBegins: a run that nobody looked into before closes calls as it begins, and the page's copy follows
// before the first event; one that was prepared has done so.
func TestClosedAsItBegins(t *testing.T) {
	const asked = `{"id":"a1","role":"assistant","toolCalls":[{"id":"c1","type":"function",` +
		`"function":{"name":"f","arguments":"{}"}}]}`
	const input = `{"threadId":"t","runId":"r1","tools":[],"context":[],"forwardedProps":{},"unanswered":"close"}`
	for _, prepared := range []bool{false, true} {
		r := newRegistry()
		h := create(t, r, `{"messages":[`+u1+`,`+asked+`],"state":{}}`)
		e := r.Get(h)
		if prepared {
			do(t, r, "prepare", h, input, `"send":null`)
		}
		_, body, err := r.Begin(e, input)
		if err != nil {
			t.Fatal(err)
		}
		told := ""
		session.New(session.Config{Store: e.Store(), Paths: &e.Paths, Observe: e.Observe, Began: &e.Began,
			Deliver: func(b []byte) { told += string(b) }})
		if !strings.Contains(body, `"toolCallId":"c1"`) {
			t.Errorf("prepared %v: the request leaves the call without an answer: %s", prepared, body)
		}
		closed := strings.HasPrefix(told, "[[5,") && strings.Contains(told, `"toolCallId":"c1"`)
		if closed == prepared || prepared && told != "" {
			t.Errorf("prepared %v: the page is told %q", prepared, told)
		}
	}
}

func TestARunOfAThread(t *testing.T) {
	r := newRegistry()
	h := create(t, r, `{"messages":[`+u1+`],"state":{"big":12345678901234567890}}`)
	input :=
		`{"threadId":"t","runId":"r1","tools":[{"name":"f","description":"d"}],"context":[],"forwardedProps":{"x":1.0}}`
	do(t, r, "prepare", h, input, `{"threadId":"t","runId":"r1","forwardedProps":{"x":1.0},"send":null}`)
	body := converse(t, r, h, input,
		`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`,
		`{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"f","parentMessageId":"a1"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{\"n\":1.0}"}`,
		`{"type":"TOOL_CALL_END","toolCallId":"c1"}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r1"}`)
	want := `{"threadId":"t","runId":"r1","protocolVersion":"1.0","state":{"big":12345678901234567890},"messages":[` +
		u1 + `],"tools":[{"name":"f","description":"d"}],"context":[],"forwardedProps":{"x":1.0}}`
	if body != want {
		t.Errorf("sends\n%s\nwant\n%s", body, want)
	}
	do(t, r, "prepare", h, input, `"under way"`[1:len(`"under way"`)-1])
	do(t, r, "finish", h, `{"handled":["f"],"round":0,"limit":10}`,
		`{"calls":[{"id":"c1","name":"f","arguments":"{\"n\":1.0}","message":"a1"}],"outcome":"success","names":["r1"],"parentRunId":""}`)

	do(t, r, "clone", h, `{}`, `{"handle":2,"ops":[]}`)
	do(t, r, "branch", h, `{"runId":"r1"}`, `{"handle":3,"ops":[]}`)
	if r.Len() != 3 {
		t.Errorf("%d threads", r.Len())
	}
	if body := converse(t, r, 3, strings.Replace(input, "r1", "r2", 1)); !strings.Contains(body,
		`"parentRunId":"r1"`) || !strings.Contains(body, `"toolCalls"`) {
		t.Errorf("the branch sends %s", body)
	}
	for i := 1; i <= 3; i++ {
		do(t, r, "free", i, `{}`, `{}`)
	}
	if r.Len() != 0 {
		t.Errorf("%d threads are left", r.Len())
	}
}

func TestHistoryNewSendsTheRest(t *testing.T) {
	r := newRegistry()
	h := create(t, r, `{"messages":[`+u1+`]}`)
	input := func(run string) string { return `{"threadId":"t","runId":"` + run + `","history":"new"}` }
	converse(t, r, h, input("r1"), `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`)
	do(t, r, "finish", h, `{}`)
	do(t, r, "set", h, `{"messages":["u1",`+u2+`]}`)
	do(t, r, "prepare", h, input("r2"), `"send":[false,true]`)
	if body := converse(t, r, h, input("r2")); !strings.Contains(body, `"messages":[`+u2+`]`) {
		t.Errorf("sends %s", body)
	}
}

func TestPathsAreWrittenOutAroundThePagesOwnChanges(t *testing.T) {
	r := newRegistry()
	h := create(t, r, `{"messages":[],"state":{"s":""}}`)
	e := r.Get(h)
	converse(t, r, h, `{"threadId":"t","runId":"r"}`, `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`,
		`{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/s","value":"x"}]}`)
	for i := range 2 {
		answer := do(t, r, "patch", h, `{"patch":[{"op":"add","path":"/s","value":`+strconv.Itoa(i)+`}]}`)
		if answer != `{"ops":[0,["state","s"],`+strconv.Itoa(i)+`]}` {
			t.Errorf("got %s", answer)
		}
	}
	var ch state.Changes
	if got := e.ops(&ch); got != `{"ops":[]}` {
		t.Errorf("no changes are %s", got)
	}
}

func TestInterruptsThatThePageRemembered(t *testing.T) {
	r := newRegistry()
	h := create(t, r,
		`{"messages":[],"interrupts":[{"id":"i1","reason":"confirmation","expiresAt":"2020-01-01T00:00:00Z"}]}`)
	do(t, r, "prepare", h, `{"threadId":"t","runId":"r","resume":[{"interruptId":"i1","status":"resolved"}]}`,
		`"bad_input"`, `2020-01-01`)
	do(t, r, "prepare", h, `{"threadId":"t","runId":"r","resume":[{"interruptId":"i1","status":"cancelled"}]}`,
		`"resume":[{"interruptId":"i1","status":"cancelled"}]`)
	do(t, r, "set", h, `{"interrupts":[]}`)
	do(t, r, "prepare", h, `{"threadId":"t","runId":"r"}`, `"send":null`)
}

func TestTheBodyOfARequestThatWentThroughMiddleware(t *testing.T) {
	r := newRegistry()
	h := create(t, r, `{"messages":[`+u1+`,`+u2+
		`,{"id":"ac","role":"activity","activityType":"x","content":{}}],"state":{"big":12345678901234567890}}`)
	e := r.Get(h)
	in, body, err := r.Body(e, `{"threadId":"t","runId":"r","messages":["u1",`+u3+
		`,"ac"],"tools":[],"context":[],"forwardedProps":{"by":"middleware"}}`)
	want := `{"threadId":"t","runId":"r","protocolVersion":"1.0","state":{"big":12345678901234567890},"messages":[` +
		u1 + `,` + u3 + `],"tools":[],"context":[],"forwardedProps":{"by":"middleware"}}`
	if err != nil || body != want || in.RunID != "r" {
		t.Errorf("sends %s (%v), want %s", body, err, want)
	}
	_, body, err = r.Body(e, `{"threadId":"t","runId":"r","messages":[],"state":[1]}`)
	if err != nil || !strings.Contains(body, `"state":[1],"messages":[]`) {
		t.Errorf("sends %s (%v)", body, err)
	}
	for _, bad := range []string{`{"messages":[{"id":"x"}]}`, `{"messages":[],"tools":5}`, `[]`} {
		if _, _, err := r.Body(e, bad); agui.CodeOf(err) != agui.CodeBadInput {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestComplete(t *testing.T) {
	r := New(func() string { return "id" }, func() int64 { return 0 })
	for text, want := range map[string]string{
		"": "{}", "[1": "{}", `"x`: "{}", "nonsense": "{}", `{"a":1}}`: `{"a":1}`, `{"a":12`: "{}",
		`{"a":12,`: `{"a":12}`,
		`{"a":tru`: "{}", `{"a":true`: `{"a":true}`, `{"a":"x","b`: `{"a":"x"}`, `{"a":"x\ud83d`: `{"a":"x"}`,
		`{"a":[1,{"b":"c`: `{"a":[1,{"b":"c"}]}`,
	} {
		if got := r.Do("complete", 0, `{"text":`+string(rawjson.AppendQuote(nil, text))+`}`); got != `{"value":`+want+
			`}` {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestPendingOncePerThread: the calls of two agents that have not run yet are told apart by their threads, and one that
// an agent of the same thread has given to its handler is given to no other.
func TestPendingOncePerThread(t *testing.T) {
	r := newRegistry()
	stored := `{"messages":[{"id":"m","role":"assistant","toolCalls":[{"id":"call_0","type":"function",` +
		`"function":{"name":"f","arguments":"{}"}}]}],"interrupts":[]}`
	for _, c := range []struct{ thread, calls string }{
		{"t1", `{"calls":[{"id":"call_0"`}, {"t2", `{"calls":[{"id":"call_0"`}, {"t1", `{"calls":[]}`},
	} {
		do(t, r, "pending", create(t, r, stored), `{"threadId":"`+c.thread+`","handled":["f"],"id":""}`, c.calls)
	}
}
