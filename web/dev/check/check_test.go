package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"aguiwasm/agui"
	"aguiwasm/agui/server"
	"aguiwasm/web/dev/demo"
)

func ask(t *testing.T, handler http.Handler) *Report {
	t.Helper()
	s := httptest.NewServer(handler)
	defer s.Close()
	c := &checker{url: s.URL, http: s.Client(), wait: 20 * time.Second}
	return c.report(t.Context())
}

// TestGoodAgents: the demo agent, and the smallest one of package server, have nothing to be told.
func TestGoodAgents(t *testing.T) {
	for name, handler := range map[string]http.Handler{
		"demo": demo.New(demo.Options{Speed: -1}),
		"server": server.Handler(func(_ context.Context, in *agui.Input, run *server.Run) error {
			return run.Text(server.LastText(in))
		}, server.Options{Origins: []string{"*"}}),
	} {
		report := ask(t, handler)
		if len(report.Scenarios) != 10 {
			t.Errorf("%s: %d scenarios", name, len(report.Scenarios))
		}
		for _, s := range report.Scenarios {
			for _, f := range s.Findings {
				t.Errorf("%s, %s: %s", name, s.Name, f.Message)
			}
			if s.Outcome == "" {
				t.Errorf("%s, %s: no outcome", name, s.Name)
			}
		}
	}
}

func TestResumable(t *testing.T) {
	report := ask(t, server.Handler(func(_ context.Context, in *agui.Input, run *server.Run) error {
		return run.Text(server.LastText(in))
	}, server.Options{Store: &server.Store{}}))
	if !report.Resumable || report.Errors > 0 {
		text, _ := json.Marshal(report)
		t.Errorf("%s", text)
	}
}

// TestWaysBack: a cut run is come back to as its server has it, and nothing is asked that could run again elsewhere.
func TestWaysBack(t *testing.T) {
	kept := func() http.Handler {
		return server.Handler(func(_ context.Context, in *agui.Input, run *server.Run) error {
			return run.Text(server.LastText(in))
		}, server.Options{Store: &server.Store{}})
	}
	// story tells a run whose events are dressed as a dialect has it; from counts the events that the client has.
	story := func(w http.ResponseWriter, body []byte, from int, dress string) {
		var in struct{ ThreadID, RunID string }
		_ = json.Unmarshal(body, &in)
		w.Header().Set("Content-Type", "text/event-stream")
		for i, e := range []string{
			`"type":"RUN_STARTED","threadId":"$T","runId":"$R"`, `"type":"TEXT_MESSAGE_START","messageId":"m"`,
			`"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"`,
			`"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"b"`,
			`"type":"TEXT_MESSAGE_END","messageId":"m"`, `"type":"RUN_FINISHED","threadId":"$T","runId":"$R"`,
		} {
			if i >= from {
				words := strings.NewReplacer("$T", in.ThreadID, "$R", in.RunID, "$N", strconv.Itoa(i), "$E", e)
				io.WriteString(w, words.Replace(dress)+"\n\n")
			}
		}
	}
	const plain, marked = `data: {$E}`, `data: {$E,"metadata":{"agnoBackground":{"eventIndex":$N,"subIndex":0}}}`
	agno := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		from := 0
		if strings.Contains(string(body), `"lastEventIndex":3`) {
			from = 4
		}
		story(w, body, from, marked)
	})
	copilotkit := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path != "/agent/a/run" && r.URL.Path != "/agent/a/connect" {
			http.NotFound(w, r)
			return
		}
		story(w, body, 0, plain)
	})
	// careless answers every POST with a run, and gives ids that it cannot go on from.
	careless := func(posts *int) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPost {
				http.NotFound(w, r)
				return
			}
			*posts++
			body, _ := io.ReadAll(r.Body)
			story(w, body, 0, "id: $N\n"+plain)
		})
	}
	for _, tt := range []struct {
		name    string
		handler http.Handler
		path    string
		dialect string
		outcome string
		note    string
		faults  int
	}{
		{"ids and GET", kept(), "/agent", "", "resumable", "tanstack", 0},
		{"ids and GET, by its name", kept(), "/agent", "tanstack", "resumable", "tanstack", 0},
		{"Last-Event-ID, by its name", kept(), "/agent", "sse-id", "resumable", "sse-id", 0},
		{"connect, by its name", kept(), "/agent/a/run", "copilotkit", "resumable", "copilotkit", 0},
		{"connect without ids", copilotkit, "/agent/a/run", "", "resumable", "copilotkit", 0},
		{"agno's marker", agno, "/agui", "", "resumable", "agno", 0},
		{"nothing", copilotkit, "/agent/a/connect", "", "not resumable", "no id", 0},
		{"snapshots alone", kept(), "/agent", "hydrate", "not resumable", "cannot be come back to", 0},
		{"ids without a way", careless(new(int)), "/agent", "", "not resumable", "-resume sse-id", 0},
		{"Last-Event-ID that starts again", careless(new(int)), "/agent", "sse-id", "not resumable", "begins anew", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := httptest.NewServer(tt.handler)
			defer s.Close()
			c := &checker{url: s.URL + tt.path, http: s.Client(), wait: 20 * time.Second, dialect: tt.dialect}
			var got Scenario
			c.resume(t.Context(), &got)
			if got.Outcome != tt.outcome || !strings.Contains(got.Note, tt.note) || len(got.Findings) != tt.faults {
				t.Errorf("%+v", got)
			}
		})
	}
	posts := 0
	s := httptest.NewServer(careless(&posts))
	defer s.Close()
	c := &checker{url: s.URL + "/agent", http: s.Client(), wait: 20 * time.Second}
	if c.resume(t.Context(), &Scenario{}); posts != 1 {
		t.Errorf("without being told, %d requests that could run", posts)
	}
}

// TestProtobuf: the protocol's second encoding is judged by the same rules, not as a wrong type.
func TestProtobuf(t *testing.T) {
	const started, finished = "\x00\x00\x00\x0cb\n\n\x02\x08\x0b\x12\x01t\x1a\x01r",
		"\x00\x00\x00\x0cj\n\n\x02\x08\x0c\x12\x01t\x1a\x01r"
	in, err := agui.ParseInput(`{"threadId":"t","runId":"r"}`, agui.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]string{started + finished: "", started: "incomplete_stream",
		started + finished[:9]: "incomplete_stream"} {
		a := &answer{status: http.StatusOK, contentType: "application/vnd.ag-ui.event+proto", body: []byte(body)}
		a.judge(in)
		got := ""
		for _, f := range a.findings {
			got += f.Rule
		}
		if got != want {
			t.Errorf("%q: found %q, not %q", body, got, want)
		}
	}
}

// TestFaults serves every fault that is known of servers: the checker finds something wherever a client ends or mends.
func TestFaults(t *testing.T) {
	for _, file := range []string{"faults.json", "conformance/cases.json"} {
		text, err := os.ReadFile("../../../wasm/session/testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		var cases []struct {
			Name, Kind, Verify string
			Input              json.RawMessage
			Response           struct {
				Status      int
				ContentType string
				Body        *string
			}
			Expect struct {
				Outcome  any
				Warnings []string
			}
		}
		if err := json.Unmarshal(text, &cases); err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, tt := range cases {
			members := `"threadId":"t1","runId":"r1"`
			if given := strings.TrimSpace(string(tt.Input)); len(given) > 2 {
				members += "," + strings.TrimSuffix(strings.TrimPrefix(given, "{"), "}")
			}
			in, err := agui.ParseInput("{"+members+"}", agui.InputOptions{})
			if err != nil {
				t.Fatalf("%s: %v", tt.Name, err)
			}
			a := &answer{status: tt.Response.Status, contentType: tt.Response.ContentType}
			if tt.Response.Body != nil {
				a.body = []byte(*tt.Response.Body)
			}
			a.judge(in)
			wrong := len(tt.Expect.Warnings) > 0 && tt.Verify == ""
			if outcome, ok := tt.Expect.Outcome.(string); ok && tt.Verify == "" && outcome != "complete" &&
				outcome != "run_error" {
				wrong = true
			}
			if wrong {
				found++
			}
			if wrong && len(a.findings) == 0 {
				t.Errorf("%s, %s: nothing was found", tt.Kind, tt.Name)
			}
			for _, f := range a.findings {
				if f.Section == "" || f.Rule == "" || f.Message == "" ||
					!slices.Contains([]string{"error", "repair"}, f.Level) {
					t.Errorf("%s: %+v", tt.Name, f)
				}
			}
		}
		if found < 10 {
			t.Errorf("%s has only %d faults", file, found)
		}
		t.Logf("%s: %d of %d cases are faults", file, found, len(cases))
	}
}

// TestProgram runs the program as a shell does: what it prints, and the exit code for CI.
func TestProgram(t *testing.T) {
	stream := func(events ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			var in struct{ ThreadID, RunID string }
			_ = json.Unmarshal(body, &in)
			w.Header().Set("Content-Type", "text/event-stream")
			for _, e := range events {
				io.WriteString(w, "data: "+strings.NewReplacer("$T", in.ThreadID, "$R", in.RunID).Replace(e)+"\n\n")
			}
		}
	}
	const started, finished = `{"type":"RUN_STARTED","threadId":"$T","runId":"$R"}`,
		`{"type":"RUN_FINISHED","threadId":"$T","runId":"$R"}`
	mended := stream(started, `{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`, finished)
	for _, tt := range []struct {
		name    string
		handler http.Handler
		args    []string
		exit    int
		says    []string
	}{
		{"a good agent", demo.New(demo.Options{Speed: -1}), nil, 0, []string{" 1. ", "10. ", "0 errors, 0 things"}},
		{"one that is mended", mended, nil, 0, []string{"repair, rule ", "(section 6)", "0 errors"}},
		{"one that is mended, strictly", mended, []string{"-strict"}, 1, []string{"repair, rule "}},
		{"one that loses something", stream(started), nil, 1, []string{"error, rule incomplete_stream (section 8)"}},
		{"as JSON", stream(started), []string{"-json"}, 1,
			[]string{`"rule": "incomplete_stream"`, `"section": "8"`, `"level": "error"`, `"resumable": false`}},
		{"with a header", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && r.Header.Get("X-Key") != "k" {
				t.Error("the header is not sent")
			}
			w.WriteHeader(http.StatusTeapot)
		}), []string{"-header", "X-Key: k"}, 1, []string{"error, rule http_status (section 1)"}},
		{"no URL", nil, []string{"a", "b"}, 2, nil},
		{"a flag that is none", nil, []string{"-wrong"}, 2, nil},
		{"a dialect that is none", nil, []string{"-resume", "mine"}, 2, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := httptest.NewServer(tt.handler)
			defer s.Close()
			var out, complain strings.Builder
			if exit := run(append(tt.args, s.URL), &out, &complain); exit != tt.exit {
				t.Errorf("exits with %d, not %d", exit, tt.exit)
			}
			for _, want := range tt.says {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%q is not in\n%s", want, out.String())
				}
			}
			if tt.exit == 2 && complain.String() == "" {
				t.Error("nothing says what is wrong")
			}
			if slices.Contains(tt.args, "-json") && !json.Valid([]byte(out.String())) {
				t.Error("that is no JSON")
			}
		})
	}
}
