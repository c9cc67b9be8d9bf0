package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/agui/client"
	"aguiwasm/agui/server"
)

// chaos breaks the bodies of the first responses at random places, and lets later requests ask for more than they need.
type chaos struct {
	random *rand.Rand
	cuts   int // bodies that are still to break
	legs   int
	repeat bool // ask from an earlier cursor, so that events come twice
}

func (c *chaos) RoundTrip(r *http.Request) (*http.Response, error) {
	c.legs++
	if last := r.Header.Get("Last-Event-ID"); c.repeat && last != "" {
		r = r.Clone(r.Context())
		i := strings.LastIndexByte(last, ':')
		var n int
		fmt.Sscan(last[i+1:], &n)
		r.Header.Set("Last-Event-ID", fmt.Sprint(last[:i+1], c.random.IntN(n+1)))
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || c.cuts == 0 {
		return response, err
	}
	c.cuts--
	response.Body = &cutBody{response.Body, 20 + c.random.IntN(900), c.random}
	return response, nil
}

// cutBody gives a body in small pieces, and breaks after some bytes.
type cutBody struct {
	io.ReadCloser
	left   int
	random *rand.Rand
}

func (b *cutBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("chaos")
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left, 1+b.random.IntN(60))])
	b.left -= n
	return n, err
}

// teller is an agent whose run has each kind of thing in it.
func teller(_ context.Context, in *agui.Input, run *server.Run) error {
	r := run.Reasoning()
	_, _ = r.WriteString("Let me see. ")
	_, _ = r.WriteString("So.")
	if err := r.Close(); err != nil {
		return err
	}
	call, err := run.ToolCall("look", map[string]string{"for": "words"})
	if err != nil {
		return err
	}
	if err := errors.Join(run.ToolResult(call, "found"), run.SetStateKey("n", 1), run.SetStateKey("list", []int{1, 2, 3})); err != nil {
		return err
	}
	m := run.Message()
	for i := range 40 {
		if _, err := fmt.Fprintf(m, "word%d ", i); err != nil {
			return err
		}
	}
	return errors.Join(m.Close(), run.SetStateKey("n", 2), run.Custom("done", 1))
}

func TestReconnect(t *testing.T) {
	for _, dialect := range []string{"sse-id", "tanstack", "copilotkit"} {
		t.Run(dialect, func(t *testing.T) {
			site := httptest.NewServer(server.Handler(teller, server.Options{Store: &server.Store{}}))
			defer site.Close()
			legs := 0
			seeds := uint64(16)
			if testing.Short() {
				seeds = 4
			}
			for seed := range seeds {
				random := rand.New(rand.NewPCG(seed, 7))
				transport := &chaos{random: random, cuts: random.IntN(6), repeat: seed%2 == 0}
				c := &client.Client{URL: site.URL + "/agent/a/run", HTTP: &http.Client{Transport: transport}, Strict: true}
				c.Warn = func(w agui.Warning) { t.Errorf("seed %d: %s: %s", seed, w.Code, w.Message) }
				conversation, err := client.NewConversation(c, client.Options{Reconnect: dialect, State: `{"keep":"a text that is longer than a patch"}`})
				if err != nil {
					t.Fatal(err)
				}
				text, finished := "", 0
				for e, err := range conversation.Send(t.Context(), "tell") {
					if err != nil {
						if agui.CodeOf(err) == "not_resumable" || agui.CodeOf(err) == agui.CodeNetwork {
							break // it broke before anything said how to come back
						}
						t.Fatalf("seed %d: %v", seed, err)
					}
					switch e := e.(type) {
					case *agui.TextMessageContent:
						text += e.Delta.Decode()
					case *agui.RunFinished:
						finished++
					}
				}
				if finished == 0 && text == "" {
					continue
				}
				legs += transport.legs
				var want strings.Builder
				for i := range 40 {
					fmt.Fprintf(&want, "word%d ", i)
				}
				if text != want.String() || finished != 1 {
					t.Errorf("seed %d: %d ends, text %q", seed, finished, text)
				}
				if got := conversation.State(); got != `{"keep":"a text that is longer than a patch","n":2,"list":[1,2,3]}` {
					t.Errorf("seed %d: state %s", seed, got)
				}
				if got := conversation.Messages(); strings.Count(got, `"found"`) != 1 || strings.Count(got, "Let me see. So.") != 1 {
					t.Errorf("seed %d: %s", seed, got)
				}
			}
			if legs < int(seeds) {
				t.Errorf("only %d legs: little was cut", legs)
			}
		})
	}
}

// TestReconnectAgno speaks agno's dialect: cursors in the events, and a resume by the same POST with a marker.
func TestReconnectAgno(t *testing.T) {
	event := func(i int, rest string) string {
		return fmt.Sprintf(`data: {"type":%s,"metadata":{"agnoBackground":{"eventIndex":%d,"subIndex":0}}}`+"\n\n", rest, i)
	}
	all := []string{
		event(0, `"RUN_STARTED","threadId":"t","runId":"r"`), event(1, `"TEXT_MESSAGE_START","messageId":"m","role":"assistant"`),
		event(2, `"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"one "`), event(3, `"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"two"`),
		event(4, `"TEXT_MESSAGE_END","messageId":"m"`), event(5, `"RUN_FINISHED","threadId":"t","runId":"r"`),
	}
	legs := 0
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		if legs++; legs == 1 {
			if !strings.Contains(string(body), `"agnoBackground":{"enabled":true}`) {
				t.Errorf("the first request: %s", body)
			}
			io.WriteString(w, strings.Join(all[:3], ""))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		if !strings.Contains(string(body), `"lastEventIndex":2,"lastSubIndex":0`) {
			t.Errorf("the second request: %s", body)
		}
		io.WriteString(w, strings.Join(all[2:], ""))
	}))
	defer site.Close()
	conversation, err := client.NewConversation(&client.Client{URL: site.URL}, client.Options{Reconnect: "agno"})
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for e, err := range conversation.Send(t.Context(), "x") {
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := e.(*agui.TextMessageContent); ok {
			text += e.Delta.Decode()
		}
	}
	if text != "one two" || legs != 2 {
		t.Errorf("%q in %d legs", text, legs)
	}
}

// TestJoin reads a thread that other clients wrote to, by each dialect that can.
func TestJoin(t *testing.T) {
	site := httptest.NewServer(server.Handler(teller, server.Options{Store: &server.Store{}}))
	defer site.Close()
	c := &client.Client{URL: site.URL + "/agent/a/run"}
	first, _ := client.NewConversation(c, client.Options{ThreadID: "joined"})
	if _, err := all(first.Send(t.Context(), "tell")); err != nil {
		t.Fatal(err)
	}
	second, _ := client.NewConversation(c, client.Options{ThreadID: "joined", Reconnect: "copilotkit"})
	if _, err := all(second.Join(t.Context())); err != nil {
		t.Fatal(err)
	}
	if got := second.Messages(); !strings.Contains(got, "word39") || strings.Count(got, `"found"`) != 1 {
		t.Errorf("joined: %s", got)
	}
	if got := second.State(); got != `{"n":2,"list":[1,2,3]}` {
		t.Errorf("joined: %s", got)
	}

	hydrate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, `data: {"type":"RUN_STARTED","threadId":"joined","runId":"r"}`+"\n\n"+
			`data: {"type":"STATE_SNAPSHOT","snapshot":{"a":1}}`+"\n\n"+
			`data: {"type":"MESSAGES_SNAPSHOT","messages":[{"id":"1","role":"user","content":"hi"}]}`+"\n\n"+
			`data: {"type":"RUN_FINISHED","threadId":"joined","runId":"r"}`+"\n\n")
	}))
	defer hydrate.Close()
	third, _ := client.NewConversation(&client.Client{URL: hydrate.URL}, client.Options{ThreadID: "joined", Reconnect: "hydrate"})
	if _, err := all(third.Join(t.Context())); err != nil {
		t.Fatal(err)
	}
	if third.State() != `{"a":1}` || !strings.Contains(third.Messages(), `"hi"`) {
		t.Errorf("hydrated: %s %s", third.State(), third.Messages())
	}
	if _, err := all(first.Join(t.Context())); agui.CodeOf(err) != agui.CodeBadInput {
		t.Errorf("no dialect: %v", err)
	}
}

// TestLost says why there is no coming back.
func TestLost(t *testing.T) {
	const started = `id: 1` + "\n" + `data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}` + "\n\n"
	for _, tt := range []struct {
		name   string
		second func(w http.ResponseWriter)
		want   agui.Code
	}{
		{"the server has it no more", func(w http.ResponseWriter) { w.WriteHeader(404) }, "resume_gone"},
		{"the thread is busy", func(w http.ResponseWriter) { w.WriteHeader(409) }, "busy"},
		{"it may not", func(w http.ResponseWriter) { w.WriteHeader(403) }, agui.CodeHTTPStatus},
		{"no event stream", func(w http.ResponseWriter) { w.Header().Set("Content-Type", "text/html"); io.WriteString(w, "<p>") }, "resume_refused"},
		{"the run begins anew", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, strings.Replace(started, "id: 1", "id: 9", 1))
		}, "resume_refused"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			legs := 0
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if legs++; legs > 1 {
					tt.second(w)
					return
				}
				w.Header().Set("Content-Type", "text/event-stream")
				io.WriteString(w, started)
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			}))
			defer site.Close()
			conversation, _ := client.NewConversation(&client.Client{URL: site.URL}, client.Options{Reconnect: "sse-id"})
			if _, err := all(conversation.Send(t.Context(), "x")); agui.CodeOf(err) != tt.want {
				t.Errorf("got %v", err)
			}
		})
	}
}

func all(events func(func(agui.Event, error) bool)) (types []string, failure error) {
	for e, err := range events {
		if err != nil {
			return types, err
		}
		types = append(types, string(e.EventType()))
	}
	return types, nil
}
