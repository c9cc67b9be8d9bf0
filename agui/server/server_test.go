package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"aguiwasm/agui"
	"aguiwasm/agui/client"
	"aguiwasm/agui/server"
)

func serve(t *testing.T, agent server.Agent, o server.Options) *client.Client {
	t.Helper()
	s := httptest.NewServer(server.Handler(agent, o))
	t.Cleanup(s.Close)
	return &client.Client{URL: s.URL + "/agent", Strict: true,
		Warn: func(w agui.Warning) { t.Errorf("%s: %s", w.Code, w.Message) }}
}

func talk(t *testing.T, c *client.Client, o client.Options) *client.Conversation {
	t.Helper()
	conversation, err := client.NewConversation(c, o)
	if err != nil {
		t.Fatal(err)
	}
	return conversation
}

// all runs through a stream and gives its types, and the error that ended it.
func all(events func(func(agui.Event, error) bool)) (types []string, failure error) {
	for e, err := range events {
		if err != nil {
			return types, err
		}
		types = append(types, string(e.EventType()))
	}
	return types, nil
}

func TestText(t *testing.T) {
	c := serve(t, func(_ context.Context, in *agui.Input, run *server.Run) error {
		return run.Text("You said: " + server.LastText(in))
	}, server.Options{})
	conversation := talk(t, c, client.Options{System: "Be brief.", ThreadID: "t1"})
	types, err := all(conversation.Send(t.Context(), "héllo \U0001F600"))
	if err != nil {
		t.Fatal(err)
	}
	want := "RUN_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END RUN_FINISHED"
	if got := strings.Join(types, " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := conversation.Messages(); !strings.Contains(got, `"You said: héllo 😀"`) ||
		!strings.Contains(got, `"Be brief."`) {
		t.Error(got)
	}
}

func TestWhatIsLeftOpenIsClosed(t *testing.T) {
	c := serve(t, func(_ context.Context, _ *agui.Input, run *server.Run) error {
		run.Message().WriteString("half")
		run.Reasoning().WriteString("hm")
		run.Emit(agui.NewStepStarted("s"))
		run.Emit(agui.NewToolCallStart("c", "f"))
		outer, _ := run.Subagent("outer")
		inner, _ := outer.Subagent("inner")
		inner.Message().WriteString("deep")
		return nil
	}, server.Options{})
	if _, err := all(talk(t, c, client.Options{}).Send(t.Context(), "x")); err != nil {
		t.Fatal(err)
	}
}

func TestFailures(t *testing.T) {
	tests := []struct {
		name    string
		agent   server.Agent
		message string
	}{
		{"an error", func(context.Context, *agui.Input,
			*server.Run) error {
			return errors.New("no model")
		}, "no model"},
		{"a panic", func(context.Context, *agui.Input, *server.Run) error { panic("secret") }, "The agent failed."},
		{"an event against the rules", func(_ context.Context, _ *agui.Input, run *server.Run) error {
			_ = run.Emit(agui.NewTextMessageEnd("m"))
			return nil
		}, "m"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var told error
			c := serve(t, tt.agent, server.Options{OnError: func(_ *agui.Input, err error) { told = err }})
			_, err := all(talk(t, c, client.Options{}).Send(t.Context(), "x"))
			if agui.CodeOf(err) != agui.CodeRunError || !strings.Contains(err.Error(), tt.message) ||
				strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v", err)
			}
			if told == nil {
				t.Error("OnError was not told")
			}
		})
	}
}

func TestState(t *testing.T) {
	c := serve(t, func(_ context.Context, in *agui.Input, run *server.Run) error {
		var s map[string]any
		if err := json.Unmarshal([]byte(in.State), &s); err != nil {
			return err
		}
		s["n"] = 1
		if err := run.SetState(s); err != nil {
			return err
		}
		s["n"] = 2
		if err := run.SetState(s); err != nil {
			return err
		}
		id, err := run.Activity("", "search", map[string]any{"found": []int{}, "query": "a long question that stays"})
		if err != nil {
			return err
		}
		_, err = run.Activity(id, "search", map[string]any{"found": []int{1}, "query": "a long question that stays"})
		return err
	}, server.Options{})
	conversation :=
		talk(t, c,
			client.Options{State: `{"big":12345678901234567890,"keep":"a text that is longer than the patch is, by a good deal of words"}`})
	types, err := all(conversation.Run(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(types[1:5], " "); got != "STATE_DELTA STATE_DELTA ACTIVITY_SNAPSHOT ACTIVITY_DELTA" {
		t.Error(got)
	}
	if got := conversation.State(); !strings.Contains(got, `"n":2`) {
		t.Error(got)
	}
	if got := conversation.Messages(); !strings.Contains(got, `"found":[1]`) {
		t.Error(got)
	}
}

func TestToolsOfTheProgram(t *testing.T) {
	c := serve(t, func(_ context.Context, in *agui.Input, run *server.Run) error {
		if last := in.Messages[len(in.Messages)-1]; last.Role == agui.RoleTool {
			return run.Text("It is " + last.Raw)
		}
		for _, city := range []string{"Lisbon", "Porto", "nowhere"} {
			if _, err := run.ToolCall("weather", map[string]string{"city": city}); err != nil {
				return err
			}
		}
		return nil
	}, server.Options{})
	conversation := talk(t, c, client.Options{Tools: []client.Tool{{
		Name: "weather", Description: "The weather of a city",
		Call: func(_ context.Context, arguments json.RawMessage) (string, error) {
			var a struct{ City string }
			if err := json.Unmarshal(arguments, &a); err != nil {
				return "", err
			}
			switch a.City {
			case "Porto":
				panic("storm")
			case "nowhere":
				return "", errors.New("no such city")
			}
			return "sunny in " + a.City, nil
		},
	}}})
	if _, err := all(conversation.Send(t.Context(), "weather?")); err != nil {
		t.Fatal(err)
	}
	got := conversation.Messages()
	for _, want := range []string{`"sunny in Lisbon"`, `"the tool panicked"`, `"no such city"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
}

func TestToolRoundsAreBounded(t *testing.T) {
	c := serve(t, func(_ context.Context, _ *agui.Input, run *server.Run) error {
		_, err := run.ToolCall("again", struct{}{})
		return err
	}, server.Options{})
	calls := 0
	conversation := talk(t, c, client.Options{MaxToolRounds: 3, Tools: []client.Tool{{
		Name: "again", Call: func(context.Context, json.RawMessage) (string, error) { calls++; return "ok", nil },
	}}})
	if _, err := all(conversation.Send(t.Context(), "x")); agui.CodeOf(err) != agui.CodeBadInput || calls != 3 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

func TestInterrupts(t *testing.T) {
	c := serve(t, func(_ context.Context, in *agui.Input, run *server.Run) error {
		if len(in.Resume) > 0 {
			return run.Text("answered: " + in.Resume[0].Raw)
		}
		_, err := run.Interrupt(server.Interrupt{ID: "i1", Message: "Sure?", Reason: "confirmation"})
		return err
	}, server.Options{})
	conversation := talk(t, c, client.Options{})
	if _, err := all(conversation.Send(t.Context(), "x")); err != nil {
		t.Fatal(err)
	}
	open := conversation.Interrupts()
	if len(open) != 1 || open[0].ID != "i1" {
		t.Fatalf("open: %v", open)
	}
	if _, err := all(conversation.Send(t.Context(), "y")); agui.CodeOf(err) != agui.CodeBadInput {
		t.Errorf("a run past the question: %v", err)
	}
	answer, err := client.Resolve("i1", map[string]bool{"approved": true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all(conversation.Resume(t.Context(), answer)); err != nil {
		t.Fatal(err)
	}
	if got := conversation.Messages(); !strings.Contains(got, `answered`) || len(conversation.Interrupts()) != 0 {
		t.Error(got)
	}
}

func TestBadInputNamesTheField(t *testing.T) {
	s := httptest.NewServer(server.Handler(
		func(context.Context, *agui.Input, *server.Run) error { return nil }, server.Options{}))
	defer s.Close()
	for _, tt := range []struct{ body, want string }{
		{`{`, "JSON"}, {`[]`, "object"}, {`{"runId":"r"}`, "threadId"},
		{`{"threadId":"t","runId":"r","messages":[{"role":"user","content":"x"}],"tools":[],"context":[]}`,
			"messages[0].id"},
		{`{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":5}],"tools":[],"context":[]}`,
			"messages[0].content"},
		{`{"threadId":"t","runId":"r","messages":[],"tools":[{"name":"x"}],"context":[]}`, "tools[0].description"},
	} {
		response, err := http.Post(s.URL, "application/json", strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != 422 || !strings.Contains(string(text), tt.want) {
			t.Errorf("%s: %d %s", tt.body, response.StatusCode, text)
		}
	}
}

func TestAClientThatGoesEndsTheAgent(t *testing.T) {
	gone := make(chan error, 1)
	c := serve(t, func(ctx context.Context, _ *agui.Input, run *server.Run) error {
		m := run.Message()
		for {
			if _, err := m.WriteString("word "); err != nil {
				gone <- ctx.Err()
				return err
			}
			time.Sleep(time.Millisecond)
		}
	}, server.Options{})
	for e := range c.Run(t.Context(), &agui.Input{}) {
		if e.EventType() == agui.TypeTextMessageContent {
			break
		}
	}
	select {
	case err := <-gone:
		if err == nil {
			t.Error("the context goes on")
		}
	case <-time.After(10 * time.Second):
		t.Error("the agent goes on")
	}
}

func TestStore(t *testing.T) {
	release := make(chan struct{})
	c := serve(t, func(_ context.Context, _ *agui.Input, run *server.Run) error {
		m := run.Message()
		m.WriteString("one ")
		<-release
		m.WriteString("two")
		return m.Close()
	}, server.Options{Store: &server.Store{}})
	in := &agui.Input{ThreadID: "t 1", RunID: "r:1"}
	for e := range c.Run(t.Context(), in) {
		if e.EventType() == agui.TypeTextMessageContent {
			break // the client goes; the run goes on
		}
	}
	if _, err := all(c.Run(t.Context(), &agui.Input{ThreadID: "t 1"})); err == nil ||
		!strings.Contains(err.Error(), "under way") {
		t.Errorf("a second run in a busy thread: %v", err)
	}
	close(release)
	get := func(query string) string {
		t.Helper()
		response, err := http.Get(c.URL + query)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, _ := io.ReadAll(response.Body)
		return string(text)
	}
	whole := get("?runId=r:1&offset=-1")
	if strings.Count(whole, "data: ") != 6 || !strings.Contains(whole, "id: r%3A1:0\n") {
		t.Errorf("the whole run:\n%s", whole)
	}
	rest := get("?runId=r:1&offset=r%253A1:2")
	if strings.Count(rest, "data: ") != 3 || strings.Contains(rest, "one") || !strings.Contains(rest, "two") {
		t.Errorf("what came after a cursor:\n%s", rest)
	}
	if text := get("?runId=r:1&offset=other:2"); !strings.Contains(text, "cursor") {
		t.Error(text)
	}
	if text := get("?runId=nobody"); !strings.Contains(text, "no run") {
		t.Error(text)
	}
	body := string(in.AppendBody(nil, "", ""))
	response, err := http.Post(c.URL+"/connect", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(response.Body)
	response.Body.Close()
	if string(text) != whole {
		t.Errorf("connect:\n%s", text)
	}
}

func TestStop(t *testing.T) {
	c := serve(t, func(ctx context.Context, _ *agui.Input, run *server.Run) error {
		if err := run.Text("begin"); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	}, server.Options{Store: &server.Store{}})
	stop := func(body string) string {
		t.Helper()
		response, err := http.Post(c.URL+"/stop/t1", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, _ := io.ReadAll(response.Body)
		return strings.TrimSpace(string(text))
	}
	outcome := ""
	for e, err := range c.Run(t.Context(), &agui.Input{ThreadID: "t1", RunID: "r1"}) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case *agui.TextMessageEnd:
			if got := stop(`{"runId":"r0"}`); got != `{"stopped":false}` {
				t.Error(got)
			}
			if got := stop(`{"runId":"r1"}`); got != `{"stopped":true}` {
				t.Error(got)
			}
		case *agui.RunFinished:
			outcome = e.Common().Raw
		}
	}
	if !strings.Contains(outcome, `"outcome":{"type":"cancelled"}`) {
		t.Errorf("a run that was stopped ends with %s", outcome)
	}
}

func TestChunksGoOutAsTheyAre(t *testing.T) {
	s := httptest.NewServer(server.Handler(func(_ context.Context, _ *agui.Input, run *server.Run) error {
		return errors.Join(
			run.Emit(agui.NewTextMessageChunk(agui.WithText("messageId", "m"), agui.WithText("delta", "a"))),
			run.Emit(agui.NewTextMessageChunk(agui.WithText("delta", "b"))),
			run.Text("c"),
			run.Emit(agui.NewToolCallChunk(agui.WithText("toolCallId", "k"), agui.WithText("toolCallName", "f"),
				agui.WithText("delta", "{}"))),
		)
	}, server.Options{}))
	defer s.Close()
	response, err := http.Post(s.URL, "application/json",
		strings.NewReader(`{"threadId":"t","runId":"r","messages":[],"tools":[],"context":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	var types []string
	for line := range strings.Lines(string(text)) {
		var e struct{ Type string }
		if data, ok := strings.CutPrefix(line, "data: "); ok && json.Unmarshal([]byte(data), &e) == nil {
			types = append(types, e.Type)
		}
	}
	want :=
		"RUN_STARTED TEXT_MESSAGE_CHUNK TEXT_MESSAGE_CHUNK TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END TOOL_CALL_CHUNK RUN_FINISHED"
	if got := strings.Join(types, " "); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if !strings.Contains(string(text), `"pendingToolCallIds":["k"]`) {
		t.Errorf("the call that waits is not named: %s", text)
	}
}

func TestAcceptAnswersInTheAgentsPlace(t *testing.T) {
	type key struct{}
	c := serve(t, func(ctx context.Context, _ *agui.Input, run *server.Run) error {
		return run.Text(fmt.Sprint(ctx.Value(key{})))
	}, server.Options{Store: &server.Store{},
		Accept: func(w http.ResponseWriter, r *http.Request, in *agui.Input) bool {
			if r.Header.Get("Authorization") == "" {
				http.Error(w, `{"error":"who are you?"}`, http.StatusUnauthorized)
				return false
			}
			*r = *r.WithContext(context.WithValue(r.Context(), key{}, in.ThreadID+" of mine"))
			return true
		}})
	_, err := all(c.Run(t.Context(), &agui.Input{}))
	if status, _ := client.Status(err); status != 401 || !strings.Contains(err.Error(), "who are you?") {
		t.Errorf("got %v", err)
	}
	c.Header = func(context.Context) (http.Header, error) { return http.Header{"Authorization": {"me"}}, nil }
	conversation := talk(t, c, client.Options{ThreadID: "t"})
	if _, err := all(conversation.Run(t.Context())); err != nil ||
		!strings.Contains(conversation.Messages(), "t of mine") {
		t.Errorf("%v %s", err, conversation.Messages())
	}
}

func TestAnAgentMayBreakTheConnection(t *testing.T) {
	c := serve(t, func(_ context.Context, _ *agui.Input, run *server.Run) error {
		_ = run.Text("half")
		panic(http.ErrAbortHandler)
	}, server.Options{})
	if types, err := all(c.Run(t.Context(), &agui.Input{})); agui.CodeOf(err) != agui.CodeNetwork || len(types) != 4 {
		t.Errorf("%v after %v", err, types)
	}
	c = serve(t, func(_ context.Context, _ *agui.Input, run *server.Run) error { panic(http.ErrAbortHandler) },
		server.Options{Store: &server.Store{}})
	if _, err := all(c.Run(t.Context(), &agui.Input{})); agui.CodeOf(err) != agui.CodeRunError {
		t.Errorf("kept: %v", err)
	}
}

func TestOneMemberOfTheState(t *testing.T) {
	c := serve(t, func(_ context.Context, _ *agui.Input, run *server.Run) error {
		return errors.Join(run.SetStateKey("plan", []int{1}), run.SetStateKey("plan", []int{1, 2}),
			run.SetStateKey("plan", []int{1, 2}))
	}, server.Options{})
	conversation :=
		talk(t, c,
			client.Options{State: `{"big":12345678901234567890,"keep":"a text that is longer than the patch is, by a good deal of words"}`})
	if types, err := all(conversation.Run(t.Context())); err != nil ||
		strings.Join(types, " ") != "RUN_STARTED STATE_DELTA STATE_DELTA RUN_FINISHED" {
		t.Errorf("%v %v", types, err)
	}
	if got :=
		conversation.State(); got != `{"big":12345678901234567890,"keep":"a text that is longer than the patch is, by a good deal of words","plan":[1,2]}` {
		t.Error(got)
	}
	if types, _ := all(c.Run(t.Context(), &agui.Input{State: "[]"})); types[1] != "STATE_SNAPSHOT" {
		t.Error(types)
	}
}
