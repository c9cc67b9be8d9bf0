package server_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"aguiwasm/agui"
	"aguiwasm/agui/client"
	"aguiwasm/agui/server"
)

const emptyInput = `{"threadId":"t","runId":"r","messages":[],"tools":[],"context":[]}`

// request makes one request of a handler and gives the answer.
func request(h http.Handler, method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func nothing(context.Context, *agui.Input, *server.Run) error { return nil }

// TestOrigins: pages of the origins that are listed may ask and read, and no others; a cache keeps no answer for the
// wrong one.
func TestOrigins(t *testing.T) {
	const page, other = "https://app.example", "https://other.example"
	tests := []struct {
		name        string
		origins     []string
		origin      string
		allowed     string
		credentials bool
	}{
		{"none listed", nil, page, "", false},
		{"listed", []string{"https://a.example", page}, page, page, true},
		{"not listed", []string{page}, other, "", false},
		{"a part of one is not it", []string{page}, page + ".evil.example", "", false},
		{"another port", []string{page}, page + ":8443", "", false},
		{"every page", []string{"*"}, other, "*", false},
		{"every page, in a frame without an origin", []string{"*"}, "null", "*", false},
		{"listed beside every page", []string{"*", page}, page, page, true},
		{"no origin", []string{page}, "", "", false},
	}
	for _, tt := range tests {
		h := server.Handler(nothing, server.Options{Origins: tt.origins})
		for _, method := range []string{http.MethodOptions, http.MethodPost, http.MethodGet} {
			t.Run(tt.name+" "+method, func(t *testing.T) {
				header := []string{"Origin", tt.origin}
				if tt.origin == "" {
					header = nil
				}
				path, body := "/agent", emptyInput
				switch method {
				case http.MethodGet:
					path, body = "/agent/capabilities", ""
				case http.MethodOptions:
					body = ""
					header = append(header, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers",
						"authorization,x-mine")
				}
				got := request(h, method, path, body, header...)
				head := got.Header()
				if allowed := head.Get("Access-Control-Allow-Origin"); allowed != tt.allowed {
					t.Errorf("Allow-Origin %q, want %q", allowed, tt.allowed)
				}
				if credentials :=
					head.Get("Access-Control-Allow-Credentials") == "true"; credentials != tt.credentials {
					t.Errorf("Allow-Credentials %t", credentials)
				}
				if varies := head.Get("Vary") == "Origin"; varies != (tt.origins != nil) {
					t.Errorf("Vary: %q", head.Get("Vary"))
				}
				headers := head.Get("Access-Control-Allow-Headers")
				if wants := method == http.MethodOptions &&
					tt.allowed != ""; wants != strings.Contains(headers, "content-type") ||
					wants != strings.Contains(headers, "last-event-id") ||
					wants != strings.Contains(headers, "x-mine") ||
					wants != strings.Contains(head.Get("Access-Control-Allow-Methods"), "POST") {
					t.Errorf("Allow-Headers %q, Allow-Methods %q", headers, head.Get("Access-Control-Allow-Methods"))
				}
				if want := map[string]int{http.MethodOptions: 204, http.MethodPost: 200,
					http.MethodGet: 200}[method]; got.Code != want {
					t.Errorf("status %d", got.Code)
				}
			})
		}
	}
	// What is refused must be readable for the page, or its author sees a network error.
	h := server.Handler(nothing, server.Options{Origins: []string{page}})
	if got := request(h, http.MethodPost, "/agent", `{}`, "Origin", page); got.Code != 422 || got.Header().
		Get("Access-Control-Allow-Origin") != page {
		t.Errorf("a refusal: %d %v", got.Code, got.Header())
	}
}

func TestCapabilities(t *testing.T) {
	tests := []struct {
		name         string
		capabilities any
		status       int
		want         string
	}{
		{"none", nil, 200, "{}"},
		{"a value", map[string]any{"streaming": true, "name": "<a> & b"}, 200, `{"name":"<a> & b","streaming":true}`},
		{"JSON as it is", json.RawMessage(`{"big":12345678901234567890}`), 200, `{"big":12345678901234567890}`},
		{"what JSON cannot hold", map[string]any{"f": func() {}}, 500,
			`{"error":"The answer cannot be written as JSON."}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := server.Handler(nothing, server.Options{Capabilities: tt.capabilities})
			for _, path := range []string{"/agent/capabilities", "/agent/capabilities/"} {
				got := request(h, http.MethodGet, path, "")
				if got.Code != tt.status || strings.TrimSpace(got.Body.String()) != tt.want || got.Header().
					Get("Content-Type") != "application/json" {
					t.Errorf("%s: %d %s %s", path, got.Code, got.Header().Get("Content-Type"), got.Body)
				}
			}
		})
	}
}

// TestRefusals: each status that Handler's text lists.
func TestRefusals(t *testing.T) {
	h := server.Handler(nothing, server.Options{MaxBody: 100, Store: &server.Store{}})
	request(h, http.MethodPost, "/agent", emptyInput)
	tests := []struct {
		name, method, path, body string
		header                   []string
		status                   int
		says                     string
	}{
		{"a method", http.MethodPut, "/agent", "", nil, 405, "POST"},
		{"a GET of nothing", http.MethodGet, "/agent", "", nil, 405, "POST"},
		{"no JSON's type", http.MethodPost, "/agent", emptyInput, []string{"Content-Type", "text/plain"}, 415,
			"application/json"},
		{"a type with a parameter", http.MethodPost, "/agent", `{}`,
			[]string{"Content-Type", "Application/JSON; charset=utf-8"}, 422, "threadId"},
		{"too large", http.MethodPost, "/agent", strings.Repeat(" ", 101), nil, 413, "100 bytes"},
		{"malformed", http.MethodPost, "/agent", strings.Replace(emptyInput, `"t"`, `5`, 1), nil, 422, "threadId"},
		{"a run again", http.MethodPost, "/agent", emptyInput, nil, 409, "begun before"},
		{"an unknown run", http.MethodGet, "/agent?runId=x", "", nil, 404, "no run"},
		{"an unknown run after an event", http.MethodPost, "/agent", strings.Replace(emptyInput, `"r"`, `"x"`, 1),
			[]string{"Last-Event-ID", "x:1"}, 404, "no run"},
		{"a run of another thread", http.MethodPost, "/agent", strings.Replace(emptyInput, `"t"`, `"x"`, 1),
			[]string{"Last-Event-ID", "r:0"}, 404, "no run"},
		{"a cursor beyond the end", http.MethodGet, "/agent?runId=r&offset=r:9", "", nil, 422, "cursor"},
		{"a stop that is no JSON", http.MethodPost, "/agent/stop/t", "x", nil, 422, "JSON"},
		{"a stop by another site's form", http.MethodPost, "/agent/stop/t", "", []string{"Content-Type", "text/plain"},
			415, "application/json"},
		{"a thread without a name", http.MethodPost, "/agent/connect", `{}`, nil, 422, "threadId"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := request(h, tt.method, tt.path, tt.body, tt.header...)
			var body struct{ Error string }
			if err := json.Unmarshal(got.Body.Bytes(), &body); err != nil || got.Code != tt.status ||
				!strings.Contains(body.Error, tt.says) {
				t.Errorf("%d %s", got.Code, got.Body)
			}
		})
	}
	if got := request(h, http.MethodPut, "/agent", ""); !strings.Contains(got.Header().Get("Allow"), "POST") {
		t.Error("405 does not say what is allowed")
	}
}

// TestAcceptReturn: who comes back to a kept thread is looked at before anything of it is told or stopped.
func TestAcceptReturn(t *testing.T) {
	asked := ""
	h := server.Handler(func(_ context.Context, _ *agui.Input,
		run *server.Run) error {
		return run.Text("secret")
	}, server.Options{
		Store: &server.Store{},
		AcceptReturn: func(w http.ResponseWriter, r *http.Request, threadID string) bool {
			asked += threadID + " "
			if r.Header.Get("Authorization") == "" {
				http.Error(w, "who are you?", http.StatusUnauthorized)
			}
			return r.Header.Get("Authorization") != ""
		},
	})
	if got := request(h, http.MethodPost, "/agent", emptyInput); got.Code != 200 || asked != "" {
		t.Fatalf("a run: %d, asked %q", got.Code, asked)
	}
	for _, tt := range []struct{ method, path, body, cursor string }{
		{http.MethodGet, "/agent?runId=r", "", ""},
		{http.MethodPost, "/agent", emptyInput, "r:0"},
		{http.MethodPost, "/agent/connect", emptyInput, ""},
		{http.MethodPost, "/agent/stop/t", "{}", ""},
	} {
		asked = ""
		if got := request(h, tt.method, tt.path, tt.body, "Last-Event-ID", tt.cursor); got.Code != 401 ||
			strings.Contains(got.Body.String(), "secret") {
			t.Errorf("%s %s: %d %s", tt.method, tt.path, got.Code, got.Body)
		}
		if got := request(h, tt.method, tt.path, tt.body, "Last-Event-ID", tt.cursor, "Authorization",
			"me"); got.Code != 200 {
			t.Errorf("%s %s: %d %s", tt.method, tt.path, got.Code, got.Body)
		}
		if asked != "t t " {
			t.Errorf("%s %s: asked for %q", tt.method, tt.path, asked)
		}
	}
}

// TestWhatAnErrorTells: an agent's error reaches the client as Agent's text says.
func TestWhatAnErrorTells(t *testing.T) {
	for _, tt := range []struct {
		name          string
		failure       error
		message, code string
	}{
		{"a plain one", io.ErrUnexpectedEOF, "unexpected EOF", ""},
		{"one with a code", &agui.Error{Code: agui.CodeNetwork, Message: "The model cannot be reached."},
			"The model cannot be reached.", "network"},
		{"one that hides", hidden{}, "Something is wrong.", "quota"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := serve(t, func(context.Context, *agui.Input, *server.Run) error { return tt.failure }, server.Options{})
			for e := range c.Run(t.Context(), &agui.Input{}) {
				if e, ok := e.(*agui.RunError); ok {
					code := ""
					_ = json.Unmarshal([]byte(e.Code), &code)
					if e.Message.Decode() != tt.message || code != tt.code {
						t.Errorf("got %s", e.Raw)
					}
					return
				}
			}
			t.Error("no RUN_ERROR")
		})
	}
}

type hidden struct{}

func (hidden) Error() string        { return "password=1234" }
func (hidden) ForClients() string   { return "Something is wrong." }
func (hidden) RunErrorCode() string { return "quota" }

// TestStopAgnoRun: a Go client stops a run by agno's route, and its reader gets the end that the server made.
func TestStopAgnoRun(t *testing.T) {
	store := &server.Store{}
	agent := server.Handler(func(ctx context.Context, _ *agui.Input, run *server.Run) error {
		if err := run.Emit(agui.NewCustom("begun", "1",
			agui.With("metadata", `{"agnoBackground":{"eventIndex":0,"subIndex":0}}`))); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	}, server.Options{Store: store})
	cancels := make(chan string, 4)
	var refuse bool
	mux := http.NewServeMux()
	mux.Handle("POST /agui", agent)
	mux.HandleFunc("POST /agents/{agent}/runs/{run}/cancel", func(w http.ResponseWriter, r *http.Request) {
		cancels <- r.PathValue("agent") + "/" + r.PathValue("run")
		if refuse {
			http.Error(w, `{"detail":"The run belongs to somebody else."}`, http.StatusForbidden)
			return
		}
		agent.ServeHTTP(httptest.NewRecorder(), func() *http.Request {
			stop := httptest.NewRequest(http.MethodPost, "/stop/t%201",
				strings.NewReader(`{"runId":"`+r.PathValue("run")+`"}`))
			stop.Header.Set("Content-Type", "application/json")
			return stop
		}())
		w.WriteHeader(http.StatusOK)
	})
	site := httptest.NewServer(mux)
	defer site.Close()
	conversation := talk(t, &client.Client{URL: site.URL + "/agui"},
		client.Options{ThreadID: "t 1", Reconnect: "agno", AgentID: "my agent"})
	runID := ""
	for e, err := range conversation.Send(t.Context(), "go") {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case *agui.RunStarted:
			runID = e.RunID
		case *agui.Custom:
			refuse = true
			if asked, err := conversation.Stop(t.Context()); asked || agui.CodeOf(err) != agui.CodeHTTPStatus ||
				!strings.Contains(err.Error(), "somebody else") {
				t.Errorf("a stop that is refused: %t, %v", asked, err)
			}
			refuse = false
			if asked, err := conversation.Stop(t.Context()); !asked || err != nil {
				t.Fatalf("stop: %t, %v", asked, err)
			}
		}
	}
	for range 2 {
		if got := <-cancels; got != "my agent/"+runID {
			t.Errorf("asked to cancel %s", got)
		}
	}
	if got := conversation.Outcome(); got != `{"type":"cancelled"}` {
		t.Errorf("the run ended with %s", got)
	}
	if asked, err := conversation.Stop(t.Context()); asked || err != nil {
		t.Errorf("nothing runs: %t, %v", asked, err)
	}

	// Without the agent's name there is no route to ask.
	nameless := talk(t, &client.Client{URL: site.URL + "/agui"}, client.Options{Reconnect: "agno"})
	for e, err := range nameless.Send(t.Context(), "go") {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := e.(*agui.Custom); ok {
			if asked, err := nameless.Stop(t.Context()); asked || err != nil || len(cancels) > 0 {
				t.Errorf("without a name: %t, %v", asked, err)
			}
			break
		}
	}
	request(agent, http.MethodPost, "/stop/"+nameless.ThreadID(), "{}")
}
