package demo

import (
	"net/http"
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/agui/client"
)

func conversation(t *testing.T, url, thread, dialect string) *client.Conversation {
	t.Helper()
	o := client.Options{ThreadID: thread, Reconnect: dialect}
	c, err := client.NewConversation(&client.Client{URL: url, Strict: true}, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func drain(events func(func(agui.Event, error) bool)) (last error) {
	for _, err := range events {
		last = err
	}
	return last
}

// TestHydrate, scenarios 40 and 41: a thread is loaded as its last finished run left it, with its question; a run that
// is broken off leaves nothing.
func TestHydrate(t *testing.T) {
	url := serve(t) + "?dialect=hydrate"
	first := conversation(t, url, "t1", "")
	for _, words := range []string{"Make a plan and share it as state", "Delete the old logs, ask for my approval"} {
		if err := drain(first.Send(t.Context(), words)); err != nil {
			t.Fatal(err)
		}
	}
	if len(first.Interrupts()) != 1 {
		t.Fatalf("it asks %v", first.Interrupts())
	}
	check := func(what string) *client.Conversation {
		t.Helper()
		again := conversation(t, url, "t1", "hydrate")
		if err := drain(again.Join(t.Context())); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if again.Messages() != first.Messages() || again.State() != first.State() || len(again.Interrupts()) != 1 {
			t.Errorf("%s: %s\n%s\n%v", what, again.Messages(), again.State(), again.Interrupts())
		}
		return again
	}
	check("finished")
	broken := conversation(t, strings.Replace(url, "?", "?cut=300&", 1), "t1", "")
	if err := drain(broken.Send(t.Context(), "markdown")); agui.CodeOf(err) != agui.CodeNetwork {
		t.Errorf("broken off: %v", err)
	}
	again := check("after a run that was broken off")
	question := again.Interrupts()[0].ID
	answer, _ := client.Resolve(question, map[string]bool{"approved": true})
	if err := drain(again.Resume(t.Context(), answer)); err != nil || !strings.Contains(again.Messages(), "deleted") {
		t.Errorf("answered: %v %s", err, again.Messages())
	}
	unknown := conversation(t, url, "nobody's", "hydrate")
	if err := drain(unknown.Join(t.Context())); err != nil || unknown.Messages() != "[]" {
		t.Errorf("an unknown thread: %v %s", err, unknown.Messages())
	}
}

// TestReattach, scenario 36: agno's way gives the running run's messages, then the rest, and stops it by its own route.
func TestReattach(t *testing.T) {
	url := serve(t) + "/agent?dialect=agno"
	run := func(words, speed string) (late bool) {
		thread := "t-" + words + speed
		first := conversation(t, url+"&speed="+speed, thread, "")
		going := make(chan error, 1)
		begun := make(chan struct{})
		go func() {
			var once bool
			var last error
			for e, err := range first.Send(t.Context(), words) {
				if _, ok := e.(*agui.TextMessageContent); ok && !once {
					once = true
					close(begun)
				}
				last = err
			}
			going <- last
		}()
		<-begun
		second := conversation(t, url, thread, "agno")
		if err := drain(second.Join(t.Context())); err != nil {
			t.Fatal(err)
		}
		if err := <-going; err != nil {
			t.Fatal(err)
		}
		whole, joined := first.Messages(), second.Messages()
		if joined == "[]" {
			return true // the run had ended: nothing is there to attach to
		}
		if rest := joined[1:]; len(rest) < 100 || !strings.HasSuffix(whole, rest) {
			t.Errorf("%s joined:\n%s\nwant the end of:\n%s", words, joined, whole)
		}
		return false
	}
	for _, words := range []string{"markdown", "Use a server tool: the weather in Lisbon"} {
		if run(words, "40") && run(words, "8") && run(words, "1") {
			t.Errorf("%s: nothing was joined at any pace", words)
		}
	}
	if none := post(t, url, `{"thread_id":"nobody's"}`); none.status != 422 {
		t.Errorf("a run that is none: %d", none.status)
	}
	url = strings.Replace(url, "/agent", "/agent/reattach", 1)
	if none := post(t, url, `{"thread_id":"nobody's"}`); none.status != 404 {
		t.Errorf("an unknown thread: %d", none.status)
	}
}

func TestStopByAgnosRoute(t *testing.T) {
	url := serve(t) + "/agent?dialect=agno&speed=10"
	c, err := client.NewConversation(&client.Client{URL: url}, client.Options{Reconnect: "agno", AgentID: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	stopped := false
	for e, err := range c.Send(t.Context(), "markdown") {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := e.(*agui.TextMessageContent); ok && !stopped {
			stopped, err = c.Stop(t.Context())
			if !stopped || err != nil {
				t.Fatalf("stop: %t, %v", stopped, err)
			}
		}
	}
	if c.Outcome() != `{"type":"cancelled"}` {
		t.Errorf("it ended with %s", c.Outcome())
	}
}

func TestUnknownDialect(t *testing.T) {
	url := serve(t)
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		request, _ := http.NewRequest(method, url+"?dialect=tanstak", strings.NewReader("{}"))
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body := make([]byte, 300)
		n, _ := response.Body.Read(body)
		response.Body.Close()
		if text := string(body[:n]); response.StatusCode != 400 || !strings.Contains(text, "tanstak") ||
			!strings.Contains(text, "sse-id, tanstack, agno, copilotkit, hydrate") {
			t.Errorf("%s: %d %s", method, response.StatusCode, text)
		}
	}
}
