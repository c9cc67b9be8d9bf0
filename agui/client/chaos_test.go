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
	first  int // bytes of the first body that come
	legs   int
	broken int  // bodies that broke
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
	left := c.first
	if c.legs > 1 {
		left = 20 + c.random.IntN(900)
	}
	response.Body = &cutBody{response.Body, left, c}
	return response, nil
}

// cutBody gives a body in small pieces, and breaks after some bytes.
type cutBody struct {
	io.ReadCloser
	left int
	of   *chaos
}

func (b *cutBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.of.broken++
		return 0, errors.New("chaos")
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left, 1+b.of.random.IntN(60))])
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
	if err := errors.Join(run.ToolResult(call, "found"), run.SetStateKey("n", 1),
		run.SetStateKey("list", []int{1, 2, 3})); err != nil {
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

// TestReconnect: each run is broken at least once, behind its first event, and comes through whole in one leg more than
// broke.
func TestReconnect(t *testing.T) {
	for _, dialect := range []string{"sse-id", "tanstack", "copilotkit"} {
		t.Run(dialect, func(t *testing.T) {
			site := httptest.NewServer(server.Handler(teller, server.Options{Store: &server.Store{}}))
			defer site.Close()
			seeds := uint64(16)
			if testing.Short() {
				seeds = 4
			}
			for seed := range seeds {
				random := rand.New(rand.NewPCG(seed, 7))
				transport := &chaos{random: random, cuts: 1 + random.IntN(5), first: 250 + random.IntN(900),
					repeat: seed%2 == 0}
				c := &client.Client{URL: site.URL + "/agent/a/run", HTTP: &http.Client{Transport: transport},
					Strict: true}
				c.Warn = func(w agui.Warning) { t.Errorf("seed %d: %s: %s", seed, w.Code, w.Message) }
				conversation, err := client.NewConversation(c,
					client.Options{Reconnect: dialect, State: `{"keep":"a text that is longer than a patch"}`})
				if err != nil {
					t.Fatal(err)
				}
				text, finished := "", 0
				for e, err := range conversation.Send(t.Context(), "tell") {
					if err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
					switch e := e.(type) {
					case *agui.TextMessageContent:
						text += e.Delta.Decode()
					case *agui.RunFinished:
						finished++
					}
				}
				if transport.broken == 0 || transport.legs != transport.broken+1 {
					t.Errorf("seed %d: %d legs, of which %d broke", seed, transport.legs, transport.broken)
				}
				var want strings.Builder
				for i := range 40 {
					fmt.Fprintf(&want, "word%d ", i)
				}
				if text != want.String() || finished != 1 {
					t.Errorf("seed %d: %d ends, text %q", seed, finished, text)
				}
				if got :=
					conversation.State(); got != `{"keep":"a text that is longer than a patch","n":2,"list":[1,2,3]}` {
					t.Errorf("seed %d: state %s", seed, got)
				}
				if got := conversation.Messages(); strings.Count(got, `"found"`) != 1 ||
					strings.Count(got, "Let me see. So.") != 1 {
					t.Errorf("seed %d: %s", seed, got)
				}
			}
		})
	}
}

// TestCutBeforeTheFirstEvent, scenario 3: where nothing that came says how to come back, the run is not asked for
// again.
func TestCutBeforeTheFirstEvent(t *testing.T) {
	begun := make(chan struct{}, 100)
	site := httptest.NewServer(server.Handler(func(ctx context.Context, in *agui.Input, run *server.Run) error {
		begun <- struct{}{}
		return teller(ctx, in, run)
	}, server.Options{Store: &server.Store{}}))
	defer site.Close()
	for dialect, want := range map[string]agui.Code{"sse-id": "not_resumable", "tanstack": "not_resumable",
		"copilotkit": ""} {
		t.Run(dialect, func(t *testing.T) {
			for left := range 60 {
				transport := &chaos{random: rand.New(rand.NewPCG(uint64(left), 7)), cuts: 1, first: left}
				c := &client.Client{URL: site.URL + "/agent/a/run", HTTP: &http.Client{Transport: transport},
					Strict: true}
				conversation, err := client.NewConversation(c, client.Options{Reconnect: dialect})
				if err != nil {
					t.Fatal(err)
				}
				_, err = all(conversation.Send(t.Context(), "tell"))
				<-begun
				if legs := map[bool]int{true: 2, false: 1}[want == ""]; agui.CodeOf(err) != want ||
					transport.legs != legs || len(begun) > 0 {
					t.Errorf("cut after %d bytes: %v in %d legs", left, err, transport.legs)
				}
			}
		})
	}
}

// TestReconnectAgno speaks agno's dialect: cursors in the events, and a resume by the same POST with a marker.
func TestReconnectAgno(t *testing.T) {
	event := func(i int, rest string) string {
		return fmt.Sprintf(`data: {"type":%s,"metadata":{"agnoBackground":{"eventIndex":%d,"subIndex":0}}}`+"\n\n",
			rest, i)
	}
	all := []string{
		event(0, `"RUN_STARTED","threadId":"t","runId":"r"`),
		event(1, `"TEXT_MESSAGE_START","messageId":"m","role":"assistant"`),
		event(2, `"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"one "`),
		event(3, `"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"two"`),
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
	third, _ := client.NewConversation(&client.Client{URL: hydrate.URL},
		client.Options{ThreadID: "joined", Reconnect: "hydrate"})
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
		{"no event stream", func(w http.ResponseWriter) {
			w.Header().
				Set("Content-Type", "text/html")
			io.WriteString(w, "<p>")
		}, "resume_refused"},
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
			conversation, _ := client.NewConversation(&client.Client{URL: site.URL},
				client.Options{Reconnect: "sse-id"})
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
