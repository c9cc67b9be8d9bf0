package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"aguiwasm/agui"
	"aguiwasm/agui/client"
	"aguiwasm/agui/server"
)

const (
	startedID = "id: r:0\n" + startedR
	openedID  = "id: r:1\n" + `data: {"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`
	helID     = "id: r:2\n" + `data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"Hel"}`
	loID      = "id: r:3\n" + `data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"lo"}`
	closedID  = "id: r:4\n" + `data: {"type":"TEXT_MESSAGE_END","messageId":"m"}`
	endedID   = "id: r:5\n" + finishedR
)

// cutThen serves a run that breaks after "Hel", and then what each further request, counted from 1, is answered with.
func cutThen(t *testing.T, second func(n int32, w http.ResponseWriter, r *http.Request)) *httptest.Server {
	t.Helper()
	var n atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if leg := n.Add(1); leg > 1 {
			second(leg-1, w, r)
			return
		}
		say(w, startedID, openedID, helID)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(site.Close)
	return site
}

func rest(w http.ResponseWriter) { say(w, loID, closedID, endedID) }

// TestWaitsAndRefusals, scenarios 18, 19 and 63: what a server answers to the request for the rest.
func TestWaitsAndRefusals(t *testing.T) {
	var foreign atomic.Int32
	stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		foreign.Add(1)
		rest(w)
	}))
	defer stranger.Close()
	strangers := strings.Replace(stranger.URL, "127.0.0.1", "localhost", 1)
	for _, tt := range []struct {
		name   string
		second func(n int32, w http.ResponseWriter, r *http.Request)
		code   agui.Code
		waits  time.Duration
	}{
		{"18: Retry-After is a floor", func(n int32, w http.ResponseWriter, r *http.Request) {
			if n == 1 {
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			rest(w)
		}, "", time.Second},
		{"19: a 401, then a fresh token", func(n int32, w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "token 3" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			rest(w)
		}, "", 0},
		{"19: a 401 twice", func(n int32, w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
		}, agui.CodeHTTPStatus, 0},
		{"63: a redirect within the origin", func(n int32, w http.ResponseWriter, r *http.Request) {
			if n == 1 {
				http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
				return
			}
			rest(w)
		}, "", 0},
		{"63: a redirect to a foreign origin", func(n int32, w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, strangers+"/take", http.StatusTemporaryRedirect)
		}, "resume_refused", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			site := cutThen(t, tt.second)
			asked := 0
			c := &client.Client{URL: site.URL, Strict: true, Header: func(context.Context) (http.Header, error) {
				asked++
				return http.Header{"Authorization": {"token " + string(rune('0'+asked))}, "X-Key": {"secret"}}, nil
			}}
			conversation, _ := client.NewConversation(c, client.Options{ThreadID: "t", Reconnect: "sse-id"})
			begin := time.Now()
			_, err := all(conversation.Send(t.Context(), "x"))
			if agui.CodeOf(err) != tt.code {
				t.Errorf("got %v", err)
			}
			if time.Since(begin) < tt.waits {
				t.Errorf("it waited %v", time.Since(begin))
			}
			want := `"Hello"`
			if tt.code != "" {
				want = `"Hel"`
			}
			if text := conversation.Messages(); !strings.Contains(text, want) {
				t.Errorf("it has %s", text)
			}
			if foreign.Load() > 0 {
				t.Error("a stranger was asked")
			}
		})
	}
}

// TestEvictedRuns, scenario 31: what the server has forgotten stays.
func TestEvictedRuns(t *testing.T) {
	site := httptest.NewServer(server.Handler(func(_ context.Context, in *agui.Input, run *server.Run) error {
		return run.Text("on " + server.LastText(in))
	}, server.Options{Store: &server.Store{MaxRuns: 1}}))
	defer site.Close()
	c := &client.Client{URL: site.URL + "/agent/a/run", Strict: true}
	first, _ := client.NewConversation(c, client.Options{ThreadID: "t", Reconnect: "copilotkit"})
	for _, words := range []string{"one", "two", "three"} {
		if _, err := all(first.Send(t.Context(), words)); err != nil {
			t.Fatal(err)
		}
	}
	before := first.Messages()
	if _, err := all(first.Join(t.Context())); err != nil || first.Messages() != before {
		t.Errorf("%v\n%s\nwant\n%s", err, first.Messages(), before)
	}
	second, _ := client.NewConversation(c, client.Options{ThreadID: "t", Reconnect: "copilotkit"})
	if _, err := all(second.Join(t.Context())); err != nil || second.Messages() != before {
		t.Errorf("who comes anew: %v %s", err, second.Messages())
	}
}

// TestOldQuestions, scenarios 43 and 44: a replay asks what its last run asks, and an expired question may only be
// cancelled.
func TestOldQuestions(t *testing.T) {
	site := httptest.NewServer(server.Handler(func(_ context.Context, in *agui.Input, run *server.Run) error {
		if len(in.Resume) > 0 {
			return run.Text("answered with " + in.Resume[0].Status)
		}
		_, err := run.Interrupt(server.Interrupt{
			ID: "about " + server.LastText(in), Message: "?", ExpiresAt: "2020-01-01T00:00:00Z",
		})
		return err
	}, server.Options{Store: &server.Store{}}))
	defer site.Close()
	c := &client.Client{URL: site.URL + "/agent/a/run", Strict: true}
	for _, dialect := range []string{"copilotkit", "tanstack"} {
		thread := "t-" + dialect
		first, _ := client.NewConversation(c, client.Options{ThreadID: thread})
		_, _ = all(first.Send(t.Context(), "one"))
		if _, err := all(first.Resume(t.Context(), client.Cancel("about one"))); err != nil {
			t.Fatal(err)
		}
		_, _ = all(first.Send(t.Context(), "two"))
		second, _ := client.NewConversation(c, client.Options{ThreadID: thread, Reconnect: dialect})
		if _, err := all(second.Join(t.Context())); err != nil {
			t.Fatal(err)
		}
		if open := second.Interrupts(); len(open) != 1 || open[0].ID != "about two" {
			t.Errorf("%s: open is %v", dialect, open)
		}
		answer, _ := client.Resolve("about two", true)
		if _, err := all(second.Resume(t.Context(), answer)); agui.CodeOf(err) != agui.CodeBadInput {
			t.Errorf("%s: an expired question was answered: %v", dialect, err)
		}
		if _, err := all(second.Resume(t.Context(), client.Cancel("about two"))); err != nil {
			t.Errorf("%s: and could not be cancelled: %v", dialect, err)
		}
	}
}

// TestLateStop, scenario 33: a stop that comes when the next run has begun leaves that one alone.
func TestLateStop(t *testing.T) {
	release := make(chan struct{})
	h := server.Handler(func(ctx context.Context, in *agui.Input, run *server.Run) error {
		if server.LastText(in) == "short" {
			return nil
		}
		<-release
		return run.Text("whole")
	}, server.Options{Store: &server.Store{}})
	site := httptest.NewServer(h)
	defer site.Close()
	c := &client.Client{URL: site.URL + "/agent/a/run", Strict: true}
	conversation, _ := client.NewConversation(c, client.Options{ThreadID: "t"})
	runID := ""
	for e := range conversation.Send(t.Context(), "short") {
		if e, ok := e.(*agui.RunStarted); ok {
			runID = e.RunID
		}
	}
	for e, err := range conversation.Send(t.Context(), "long") {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := e.(*agui.RunStarted); ok {
			for _, route := range [][2]string{
				{"/agent/a/stop/t", `{"runId":"` + runID + `"}`}, {"/agents/a/runs/" + runID + "/cancel", ""},
			} {
				response, err := http.Post(site.URL+route[0], "application/json", strings.NewReader(route[1]))
				if err != nil {
					t.Fatal(err)
				}
				text, _ := io.ReadAll(response.Body)
				response.Body.Close()
				if got := strings.TrimSpace(string(text)); got != `{"stopped":false}` {
					t.Errorf("%s: %s", route[0], got)
				}
			}
			close(release)
		}
	}
	if got := conversation.Messages(); !strings.Contains(got, "whole") {
		t.Error(got)
	}
}

// TestAnsweredIDs, scenario 56: a server that answers under ids of its own is asked for those.
func TestAnsweredIDs(t *testing.T) {
	var asked atomic.Value
	site := cutThen(t, func(_ int32, w http.ResponseWriter, r *http.Request) {
		asked.Store(r.URL.RawQuery)
		rest(w)
	})
	conversation, _ := client.NewConversation(&client.Client{URL: site.URL},
		client.Options{ThreadID: "mine", Reconnect: "tanstack"})
	if _, err := all(conversation.Send(t.Context(), "x")); err != nil {
		t.Fatal(err)
	}
	if got, _ := asked.Load().(string); got != "runId=r&offset=r%3A2" {
		t.Errorf("asked for %s", got)
	}
}

// TestHydratingByMistake, scenario 42: a server that runs, or refuses, where the page thought that it tells what it has
// is asked once, and its error is the join's.
func TestHydratingByMistake(t *testing.T) {
	for name, answer := range map[string]func(w http.ResponseWriter){
		"it runs and fails": func(w http.ResponseWriter) {
			say(w, startedR, `data: {"type":"RUN_ERROR","message":"no messages"}`)
		},
		"it fails at once": func(w http.ResponseWriter) { say(w, `data: {"type":"RUN_ERROR","message":"no messages"}`) },
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				answer(w)
			}))
			defer site.Close()
			conversation, _ := client.NewConversation(&client.Client{URL: site.URL},
				client.Options{ThreadID: "t", Reconnect: "hydrate"})
			_, err := all(conversation.Join(t.Context()))
			if agui.CodeOf(err) != agui.CodeRunError || asked.Load() != 1 {
				t.Errorf("%v, asked %d times", err, asked.Load())
			}
		})
	}
}

// TestSlowReaders, scenario 64: what a run is read on from is the last event that was taken, not the last that came.
func TestSlowReaders(t *testing.T) {
	const events = 1000
	var mu atomic.Int64 // how many were taken
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from := 0
		if last := r.Header.Get("Last-Event-ID"); last != "" {
			fmt.Sscan(strings.TrimPrefix(last, "r:"), &from)
			if int64(from) > mu.Load() {
				t.Errorf("asked from %d, and %d were taken", from, mu.Load())
			}
			from++
		}
		for i := from; i < events; i++ {
			data := fmt.Sprintf(`data: {"type":"CUSTOM","name":"n","value":%d}`, i)
			switch i {
			case 0:
				data = startedR
			case events - 1:
				data = finishedR
			}
			fmt.Fprintf(w, "id: r:%d\n%s\n\n", i, data)
		}
		if from == 0 {
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	}))
	defer site.Close()
	conversation, _ := client.NewConversation(&client.Client{URL: site.URL, Strict: true},
		client.Options{ThreadID: "t", Reconnect: "sse-id"})
	n := int64(0)
	for _, err := range conversation.Send(t.Context(), "x") {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n%100 == 0 {
			time.Sleep(2 * time.Millisecond)
		}
		mu.Store(n)
	}
	if n != events {
		t.Errorf("%d events", n)
	}
}
