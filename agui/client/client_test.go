package client_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"aguiwasm/agui"
	"aguiwasm/agui/client"
	"aguiwasm/agui/server"
	"aguiwasm/state"
	"aguiwasm/state/rejoin"
	"aguiwasm/state/thread"
)

// site serves an agent, and what each request's body said.
func site(t *testing.T, agent server.Agent) (c *client.Client, bodies func() []string) {
	t.Helper()
	var mu sync.Mutex
	var seen []string
	handler := server.Handler(agent, server.Options{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		seen = append(seen, string(body))
		mu.Unlock()
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return &client.Client{URL: s.URL, Strict: true}, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return seen
	}
}

func conversation(t *testing.T, c *client.Client, o client.Options) *client.Conversation {
	t.Helper()
	conversation, err := client.NewConversation(c, o)
	if err != nil {
		t.Fatal(err)
	}
	return conversation
}

func echo(_ context.Context, in *agui.Input, run *server.Run) error {
	return run.Text("You said: " + server.LastText(in))
}

// roles gives the roles of a body's messages.
func roles(t *testing.T, body string) string {
	t.Helper()
	var in struct{ Messages []struct{ Role string } }
	if err := json.Unmarshal([]byte(body), &in); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, m := range in.Messages {
		list = append(list, m.Role)
	}
	return strings.Join(list, " ")
}

func TestErrors(t *testing.T) {
	const started = `data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}` + "\n\n"
	answer := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = []string{kind}
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	stream := func(body string) http.HandlerFunc { return answer(200, "text/event-stream", body) }
	tests := []struct {
		name    string
		handler http.HandlerFunc
		change  func(*client.Client)
		code    agui.Code
		words   string // of the message
		breaks  bool   // the server had begun to answer, and did not end
	}{
		{"an address that is none", nil, func(c *client.Client) { c.URL = ":" }, agui.CodeBadInput, "URL", false},
		{"headers that cannot be made", nil, func(c *client.Client) {
			c.Header = func(context.Context) (http.Header, error) { return nil, errors.New("no token") }
		}, agui.CodeBadInput, "no token", false},
		{"nobody there", nil, func(c *client.Client) { c.URL = "http://127.0.0.1:1/" }, agui.CodeNetwork, "reached",
			false},
		{"a cut connection", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, started)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, nil, agui.CodeNetwork, "broke", true},
		{"a refusal", answer(429, "application/json", `{"detail":"too many runs"}`), nil, agui.CodeHTTPStatus,
			"too many runs", false},
		{"another type", answer(200, "text/html", "<p>"), nil, agui.CodeBadContentType, "text/html", false},
		{"no type, no stream", answer(200, "", "hello"), nil, agui.CodeBadContentType, "", false},
		{"no content", answer(204, "", ""), nil, agui.CodeIncompleteStream, "", false},
		{"nothing", stream(""), nil, agui.CodeIncompleteStream, "", true},
		{"half a run", stream(started), nil, agui.CodeIncompleteStream, "", true},
		{"a large event", stream(started), func(c *client.Client) { c.MaxEventBytes = 20 }, agui.CodeEventTooLarge,
			"20", false},
		{"the agent's own error", stream(started + `data: {"type":"RUN_ERROR","message":"no model","code":"x"}` +
			"\n\n"), nil, agui.CodeRunError, "no model", false},
		{"a malformed event", stream(started + "data: {\n\n"), nil, agui.CodeBadEvent, "", false},
		{"a breach of the rules", stream(started + `data: {"type":"TEXT_MESSAGE_END","messageId":"m"}` + "\n\n"), nil,
			agui.CodeProtocol, "", false},
	}
	for _, tt := range tests {
		for _, reconnect := range []string{"", "sse-id"} {
			t.Run(tt.name+reconnect, func(t *testing.T) {
				s := httptest.NewServer(tt.handler)
				defer s.Close()
				c := &client.Client{URL: s.URL, Strict: true}
				if tt.change != nil {
					tt.change(c)
				}
				_, err := all(conversation(t, c, client.Options{Reconnect: reconnect}).Send(t.Context(), "x"))
				want := tt.code
				if reconnect != "" && tt.breaks {
					want = rejoin.CodeNotResumable // no event had an id
				}
				var known *agui.Error
				if !errors.As(err, &known) || known.Code != want || !strings.Contains(known.Message, tt.words) {
					t.Errorf("got %v, want %s", err, want)
				}
				if !errors.Is(err, &agui.Error{Code: tt.code}) {
					t.Errorf("%v does not say why", err)
				}
				var status *client.StatusError
				if tt.code == agui.CodeHTTPStatus {
					if n, ok := client.Status(err); n != 429 || !ok || !errors.As(err, &status) ||
						status.RetryAfter != 7*time.Second {
						t.Errorf("status %d %+v", n, status)
					}
				} else if _, ok := client.Status(err); ok {
					t.Error("a status where there is none")
				}
			})
		}
	}
}

func TestNewConversationNamesWhatIsWrong(t *testing.T) {
	for want, o := range map[string]client.Options{
		"Messages[0].role": {Messages: `[{"role":"robot"}]`}, "State": {State: "{"},
		"JSON":       {Tools: []client.Tool{{Name: "x", Parameters: "{"}}},
		"context[0]": {Context: `[{}]`}, "smoke-signs": {Reconnect: "smoke-signs"},
	} {
		if _, err := client.NewConversation(&client.Client{}, o); agui.CodeOf(err) != agui.CodeBadInput ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("want %s, got %v", want, err)
		}
	}
}

func TestHistory(t *testing.T) {
	for history, want := range map[thread.History]string{
		thread.HistoryFull: "system user / system user assistant user",
		thread.HistoryNew:  "system user / user",
	} {
		c, bodies := site(t, echo)
		conversation := conversation(t, c, client.Options{System: "Be brief.", History: history})
		for _, words := range []string{"one", "two"} {
			if _, err := all(conversation.Send(t.Context(), words)); err != nil {
				t.Fatal(err)
			}
		}
		if got := roles(t, bodies()[0]) + " / " + roles(t, bodies()[1]); got != want {
			t.Errorf("%v: got %s, want %s", history, got, want)
		}
	}
}

func TestBranch(t *testing.T) {
	c, bodies := site(t, echo)
	first := conversation(t, c, client.Options{ThreadID: "t"})
	runID := ""
	for i, words := range []string{"one", "two"} {
		for e, err := range first.Send(t.Context(), words) {
			if err != nil {
				t.Fatal(err)
			}
			if e, ok := e.(*agui.RunStarted); ok && i == 0 {
				runID = e.RunID
			}
		}
	}
	branch, err := first.Branch(runID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all(branch.Send(t.Context(), "three")); err != nil {
		t.Fatal(err)
	}
	if body := bodies()[2]; !strings.Contains(body, `"parentRunId":"`+runID+`"`) || strings.Contains(body, `"two"`) ||
		roles(t, body) != "user assistant user" {
		t.Errorf("the branch's request: %s", body)
	}
	if strings.Contains(first.Messages(), "three") || !strings.Contains(branch.Messages(), "three") {
		t.Error("the branch is not apart")
	}
	if _, err := first.Branch("nothing"); agui.CodeOf(err) != agui.CodeBadInput {
		t.Errorf("an unknown run: %v", err)
	}
}

func TestStateOfTheClient(t *testing.T) {
	c, bodies := site(t, func(_ context.Context, _ *agui.Input,
		run *server.Run) error {
		return run.SetStateKey("seen", true)
	})
	conversation := conversation(t, c, client.Options{State: `{"n":1}`})
	if err := conversation.PatchState(
		`[{"op":"replace","path":"/n","value":2},{"op":"add","path":"/list","value":[]}]`); err != nil {
		t.Fatal(err)
	}
	var failed *state.PatchError
	if err := conversation.PatchState(
		`[{"op":"replace","path":"/n","value":3},{"op":"remove","path":"/none"}]`); agui.CodeOf(
		err) != agui.CodeBadInput || !errors.As(err, &failed) {
		t.Errorf("got %v", err)
	}
	for _, bad := range []string{"{", `{"op":"add"}`} {
		if err := conversation.PatchState(bad); agui.CodeOf(err) != agui.CodeBadInput {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if err := conversation.SetState("nope"); agui.CodeOf(err) != agui.CodeBadInput {
		t.Errorf("got %v", err)
	}
	if _, err := all(conversation.Run(t.Context())); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(bodies()[0], `"state":{"n":2,"list":[]}`) ||
		conversation.State() != `{"n":2,"list":[],"seen":true}` {
		t.Errorf("%s %s", bodies()[0], conversation.State())
	}
}

func TestQuestionsAreAnsweredAtOnce(t *testing.T) {
	c, bodies := site(t, func(_ context.Context, in *agui.Input, run *server.Run) error {
		if len(in.Resume) > 0 {
			return run.Text("answered")
		}
		_, err := run.Interrupt(server.Interrupt{ID: "one"})
		_, again := run.Interrupt(server.Interrupt{ID: "two"})
		return errors.Join(err, again)
	})
	asked := 0
	conversation := conversation(t, c,
		client.Options{OnInterrupt: func(_ context.Context, open []agui.Interrupt) ([]agui.ResumeEntry, error) {
			asked++
			yes, err := client.Resolve(open[0].ID, "yes")
			return []agui.ResumeEntry{yes, client.Cancel(open[1].ID)}, err
		}})
	if _, err := all(conversation.Send(t.Context(), "x")); err != nil || asked != 1 {
		t.Fatalf("%v, asked %d times", err, asked)
	}
	want :=
		`"resume":[{"interruptId":"one","status":"resolved","payload":"yes"},{"interruptId":"two","status":"cancelled"}]`
	if got := bodies()[1]; !strings.Contains(got, want) || len(conversation.Interrupts()) != 0 {
		t.Errorf("got %s", got)
	}
}

func TestToolsWithoutFollowUps(t *testing.T) {
	c, bodies := site(t, func(_ context.Context, in *agui.Input, run *server.Run) error {
		_, err := run.ToolCall("f", struct{}{})
		return err
	})
	called := 0
	tool := client.Tool{Name: "f",
		Call: func(context.Context, json.RawMessage) (string, error) { called++; return "", nil }}
	if _, err := all(conversation(t, c, client.Options{Tools: []client.Tool{tool}, MaxToolRounds: -1}).
		Send(t.Context(), "x")); agui.CodeOf(err) != agui.CodeBadInput {
		t.Errorf("no round is allowed: %v", err)
	}
	if len(bodies()) != 1 || called != 0 {
		t.Errorf("%d requests, %d calls", len(bodies()), called)
	}
	tool.Call = nil // offered, and answered by nobody here
	if _, err := all(conversation(t, c, client.Options{Tools: []client.Tool{tool}}).
		Send(t.Context(), "x")); err != nil || len(bodies()) != 2 {
		t.Errorf("%v, %d requests", err, len(bodies()))
	}
}

func TestCancel(t *testing.T) {
	for _, reconnect := range []string{"", "sse-id"} {
		gone := make(chan struct{})
		c, _ := site(t, func(ctx context.Context, _ *agui.Input, run *server.Run) error {
			_, _ = run.Message().WriteString("begin")
			<-ctx.Done() // a stall
			close(gone)
			return ctx.Err()
		})
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		stop := errors.New("enough")
		conversation := conversation(t, c, client.Options{Reconnect: reconnect})
		var failure error
		for e, err := range conversation.Send(ctx, "x") {
			if failure = err; err == nil && e.EventType() == agui.TypeTextMessageContent {
				if _, err := all(conversation.Send(ctx, "too early")); agui.CodeOf(err) != agui.CodeBadInput ||
					!conversation.Running() {
					t.Errorf("a second run at once: %v", err)
				}
				cancel(stop)
			}
		}
		if agui.CodeOf(failure) != agui.CodeNetwork || !errors.Is(failure, stop) || conversation.Running() {
			t.Errorf("got %v", failure)
		}
		<-gone
		if got := conversation.Messages(); !strings.Contains(got, "begin") {
			t.Errorf("what came is lost: %s", got)
		}
	}
}

func TestLeavingTheLoop(t *testing.T) {
	for _, reconnect := range []string{"", "sse-id"} {
		c, _ := site(t, echo)
		conversation := conversation(t, c, client.Options{Reconnect: reconnect})
		for range conversation.Send(t.Context(), "x") {
			break
		}
		if types, err := all(conversation.Send(t.Context(), "y")); err != nil || len(types) != 5 {
			t.Errorf("the next run: %v %v", types, err)
		}
	}
}

// TestReadersBesideARun reads a conversation from other goroutines, and from the warnings' function, while a run
// changes it.
func TestReadersBesideARun(t *testing.T) {
	for _, reconnect := range []string{"", "sse-id"} {
		c, _ := site(t, teller)
		conversation := conversation(t, c, client.Options{Reconnect: reconnect})
		c.Warn = func(agui.Warning) { _ = conversation.Messages() }
		done := make(chan struct{})
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
						if !json.Valid([]byte(conversation.Messages())) || !json.Valid([]byte(conversation.State())) {
							t.Error("half a change was seen")
						}
						_, _, _, _ = conversation.Interrupts(), conversation.Outcome(), conversation.Result(),
							conversation.Usage()
					}
				}
			})
		}
		if _, err := all(conversation.Send(t.Context(), "tell")); err != nil {
			t.Error(err)
		}
		close(done)
		readers.Wait()
	}
}

// TestProtobuf talks to a server that answers in the protocol's protobuf encoding.
func TestProtobuf(t *testing.T) {
	text, err := os.ReadFile("../proto/testdata/samples.json")
	if err != nil {
		t.Fatal(err)
	}
	var samples []struct{ Name, Message string }
	if err := json.Unmarshal(text, &samples); err != nil {
		t.Fatal(err)
	}
	var body []byte
	for _, kind := range []string{"RUN_STARTED", "STATE_SNAPSHOT", "RUN_FINISHED"} {
		for _, s := range samples {
			if strings.HasPrefix(s.Name, `{"type":"`+kind) {
				message, _ := base64.StdEncoding.DecodeString(s.Message)
				body = append(binary.BigEndian.AppendUint32(body, uint32(len(message))), message...)
				break
			}
		}
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Accept"); got != "application/vnd.ag-ui.event+proto, text/event-stream" {
			t.Errorf("asks for %s", got)
		}
		w.Header().Set("Content-Type", "application/vnd.ag-ui.event+proto")
		w.Write(body)
	}))
	defer s.Close()
	types, err := all(conversation(t, &client.Client{URL: s.URL, Protobuf: true}, client.Options{}).Run(t.Context()))
	if err != nil || strings.Join(types, " ") != "RUN_STARTED STATE_SNAPSHOT RUN_FINISHED" {
		t.Errorf("%v %v", types, err)
	}
}
