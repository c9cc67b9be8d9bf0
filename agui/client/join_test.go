package client_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/agui/client"
	"aguiwasm/agui/proto"
	"aguiwasm/agui/server"
)

func say(w http.ResponseWriter, events ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		io.WriteString(w, e+"\n\n")
	}
}

const (
	startedR  = `data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}`
	finishedR = `data: {"type":"RUN_FINISHED","threadId":"t","runId":"r"}`
)

// TestJoinTanstack loads a thread that comes as one JSON object, and then reads the run that is under way.
func TestJoinTanstack(t *testing.T) {
	running := true
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			t.Errorf("%s: joining starts nothing", r.Method)
		}
		if r.URL.Query().Get("threadId") == "t" {
			w.Header().Set("Content-Type", "application/json")
			active := "null"
			if running {
				active = `{"runId":"r"}`
			}
			io.WriteString(w,
				`{"messages":[{"id":"1","role":"user","parts":[{"type":"text","content":"hi"}]}],"activeRun":`+active+
					`,"interrupts":null}`)
			return
		}
		if r.URL.Query().Get("runId") != "r" || r.URL.Query().Get("offset") != "-1" {
			t.Errorf("asked for %s", r.URL)
		}
		say(w, "id: a1\n"+startedR, "id: a2\n"+`data: {"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`,
			"id: a3\n"+`data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"hello"}`,
			"id: a4\n"+`data: {"type":"TEXT_MESSAGE_END","messageId":"m"}`, "id: a5\n"+finishedR)
	}))
	defer site.Close()
	for _, running = range []bool{true, false} {
		conversation, _ := client.NewConversation(&client.Client{URL: site.URL},
			client.Options{ThreadID: "t", Reconnect: "tanstack"})
		if _, err := all(conversation.Join(t.Context())); err != nil {
			t.Fatal(err)
		}
		got := conversation.Messages()
		if strings.Count(got, `"hi"`) != 1 || strings.Count(got, "hello") != map[bool]int{true: 1, false: 0}[running] {
			t.Errorf("running %t: %s", running, got)
		}
	}
}

// TestJoinAgno reads the run under way by /reattach; 404 is a thread where nothing runs.
func TestJoinAgno(t *testing.T) {
	known := true
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path != "/agui/reattach" || !strings.Contains(string(body), `"thread_id":"t"`) {
			t.Errorf("asked %s with %s", r.URL, body)
		}
		if !known {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		say(w, startedR,
			`data: {"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"assistant","content":"Hel"}]}`,
			`data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"lo"}`,
			`data: {"type":"TEXT_MESSAGE_END","messageId":"m"}`, finishedR)
	}))
	defer site.Close()
	options := client.Options{
		ThreadID: "t", Reconnect: "agno", Messages: `[{"id":"u","role":"user","content":"what this program knows"}]`,
	}
	conversation, _ := client.NewConversation(&client.Client{URL: site.URL + "/agui"}, options)
	if _, err := all(conversation.Join(t.Context())); err != nil {
		t.Fatal(err)
	}
	if got := conversation.Messages(); strings.Count(got, "Hello") != 1 ||
		!strings.Contains(got, "what this program knows") {
		t.Errorf("joined: %s", got)
	}
	known = false
	before := conversation.Messages()
	if events, err := all(conversation.Join(t.Context())); err != nil || len(events) > 0 ||
		conversation.Messages() != before {
		t.Errorf("nothing there: %v %v %s", events, err, conversation.Messages())
	}
}

// TestConversationStop stops a run on its server, and its reader gets the end that the server made.
func TestConversationStop(t *testing.T) {
	stopped := make(chan struct{}, 2)
	site := httptest.NewServer(server.Handler(slow(stopped), server.Options{Store: &server.Store{}}))
	defer site.Close()
	c := &client.Client{URL: site.URL + "/agent/a/run"}
	conversation, _ := client.NewConversation(c, client.Options{Reconnect: "copilotkit"})
	if asked, err := conversation.Stop(t.Context()); asked || err != nil {
		t.Errorf("nothing runs: %t, %v", asked, err)
	}
	ended := false
	for e, err := range conversation.Send(t.Context(), "go") {
		if err != nil {
			t.Fatal(err)
		}
		switch e.(type) {
		case *agui.TextMessageContent:
			if asked, err := conversation.Stop(t.Context()); !asked || err != nil {
				t.Fatalf("stop: %t, %v", asked, err)
			}
		case *agui.RunFinished:
			ended = true
		}
	}
	<-stopped
	if !ended || conversation.Running() {
		t.Errorf("ended %t, running %t", ended, conversation.Running())
	}

	without, _ := client.NewConversation(c, client.Options{Reconnect: "sse-id"})
	said := false
	for e, err := range without.Send(t.Context(), "go") {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := e.(*agui.TextMessageContent); ok {
			if asked, err := without.Stop(t.Context()); asked || err != nil {
				t.Errorf("no stop in this dialect: %t, %v", asked, err)
			}
			said = true
			break
		}
	}
	if !said {
		t.Error("it said nothing")
	}
}

// slow is an agent that talks until it is stopped.
func slow(stopped chan<- struct{}) server.Agent {
	return func(ctx context.Context, _ *agui.Input, run *server.Run) error {
		m := run.Message()
		if _, err := m.WriteString("on and on"); err != nil {
			return err
		}
		<-ctx.Done()
		stopped <- struct{}{}
		return ctx.Err()
	}
}

// TestReconnectProto: every answer comes as protobuf, the first breaks in the middle of a message, and the thread is
// read again.
func TestReconnectProto(t *testing.T) {
	var whole []byte
	cut := 0
	for i, m := range []string{
		"YgoKAggLEgF0GgFy",         // RUN_STARTED t r
		"ChAKABIBbRoJYXNzaXN0YW50", // TEXT_MESSAGE_START m
		"EgwKAggBEgFtGgNIZWw=",     // "Hel"
		"EgsKAggBEgFtGgJsbw==",     // "lo"
		"GgcKAggCEgFt",             // TEXT_MESSAGE_END m
		"agoKAggMEgF0GgFy",         // RUN_FINISHED t r
	} {
		b, err := base64.StdEncoding.DecodeString(m)
		if err != nil {
			t.Fatal(err)
		}
		whole = append(binary.BigEndian.AppendUint32(whole, uint32(len(b))), b...)
		if i == 2 {
			cut = len(whole)
		}
	}
	for at := cut; at < len(whole); at++ {
		legs := 0
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasPrefix(r.Header.Get("Accept"), proto.ContentType) {
				t.Errorf("accepts %s", r.Header.Get("Accept"))
			}
			w.Header().Set("Content-Type", proto.ContentType)
			if legs++; legs == 1 {
				_, _ = w.Write(whole[:at])
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			}
			if r.URL.Path != "/agent/a/connect" {
				t.Errorf("the second request goes to %s", r.URL)
			}
			_, _ = w.Write(whole)
		}))
		conversation, _ := client.NewConversation(
			&client.Client{URL: site.URL + "/agent/a/run", Protobuf: true, Strict: true},
			client.Options{ThreadID: "t", Reconnect: "copilotkit"})
		text := ""
		for e, err := range conversation.Send(t.Context(), "x") {
			if err != nil {
				t.Fatalf("cut at %d: %v", at, err)
			}
			if e, ok := e.(*agui.TextMessageContent); ok {
				text += e.Delta.Decode()
			}
		}
		site.Close()
		if text != "Hello" || legs != 2 {
			t.Errorf("cut at %d: %q in %d legs", at, text, legs)
		}
	}
}
