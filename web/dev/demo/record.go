package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Recording is a run told at once, for a page that has no agent behind it.
type Recording struct {
	Name     string           `json:"name"`
	Title    string           `json:"title"`
	Prompt   string           `json:"prompt"`
	Response recordedResponse `json:"response"`
	// Times are the milliseconds, from the start, at which each frame of the body would come.
	Times []int64 `json:"times"`
	// Broken says that the connection breaks after the body.
	Broken bool `json:"broken,omitempty"`
	// After holds the runs that may follow: "resolved" and "cancelled" answer its interrupts, "tool" its calls of the
	// page's tools.
	After map[string]*Recording `json:"after,omitempty"`
}

type recordedResponse struct {
	Status      int    `json:"status"`
	ContentType string `json:"contentType"`
	Body        string `json:"body"`
}

// The ids of a recorded run; whoever replays it puts its own in their place. A run that follows has the id RecordedNext
// and names things of the first by RecordedRun.
const (
	RecordedThread  = "THREAD"
	RecordedRun     = "RUN"
	RecordedNext    = "NEXT"
	RecordedMessage = "MESSAGE"
)

// recordedTools are the tools that the first page offers (web/page/parts/tools.js).
const recordedTools = `[
	{"name": "set_accent_color", "description": "Colours the page's buttons and marks.", "parameters": {"type": "object",
		"properties": {"color": {"type": "string", "enum": ["blue", "green", "purple", "orange"]}}, "required": ["color"]}},
	{"name": "get_page_facts", "description": "Tells the page's language, width and colour scheme.",
		"parameters": {"type": "object", "properties": {}}}
]`

// recordedResults are what the page's tools answer in a recording.
var recordedResults = map[string]string{"set_accent_color": "done", "get_page_facts": "(the facts)"}

// Record tells the scenario of that name into memory, and what may follow it.
func Record(name string) (*Recording, error) {
	for _, s := range scenarios {
		if s.Name != name {
			continue
		}
		user := obj{"id": RecordedMessage, "role": "user", "content": s.Prompt}
		h := New(Options{Speed: -1})
		first, err := h.record(s.Scenario, RecordedRun, []any{user}, nil)
		if err != nil {
			return nil, err
		}
		return first, first.follow(user, h.threads.take(RecordedThread))
	}
	return nil, fmt.Errorf("record: no scenario %q", name)
}

// follow records what may come after a run: an answer of either kind to its interrupts, the results of the page's
// tools.
func (r *Recording) follow(user obj, questions []openInterrupt) error {
	r.After = map[string]*Recording{}
	if len(questions) > 0 {
		for _, status := range []string{"resolved", "cancelled"} {
			h := New(Options{Speed: -1})
			h.threads.set(RecordedThread, questions)
			var resume []any
			for _, q := range questions {
				resume = append(resume, obj{"interruptId": q.id, "status": status})
			}
			next, err := h.record(resumed.Scenario, RecordedNext, []any{user}, resume)
			if err != nil {
				return err
			}
			r.After[status] = next
		}
	}
	calls, results := r.pageCalls()
	if len(calls) == 0 {
		return nil
	}
	assistant := obj{"id": RecordedRun + "-m", "role": "assistant", "toolCalls": calls}
	next, err := New(Options{Speed: -1}).
		record(toolAnswered.Scenario, RecordedNext, append([]any{user, assistant}, results...), nil)
	r.After["tool"] = next
	return err
}

// pageCalls finds the calls of the page's tools in a recorded run and makes their results.
func (r *Recording) pageCalls() (calls, results []any) {
	for line := range strings.SplitSeq(r.Response.Body, "\n") {
		data, ok := strings.CutPrefix(line, "data: ")
		var e struct{ Type, ToolCallID, ToolCallName string }
		if !ok || json.Unmarshal([]byte(data), &e) != nil || e.Type != "TOOL_CALL_START" {
			continue
		}
		if result, ok := recordedResults[e.ToolCallName]; ok {
			calls = append(calls, obj{"id": e.ToolCallID, "type": "function",
				"function": obj{"name": e.ToolCallName, "arguments": "{}"}})
			results = append(results, obj{"id": e.ToolCallID + "-result", "role": "tool", "toolCallId": e.ToolCallID,
				"content": result})
		}
	}
	return calls, results
}

func (h *Handler) record(s Scenario, run string, messages, resume []any) (*Recording, error) {
	input := obj{
		"threadId": RecordedThread, "runId": run, "state": obj{}, "context": []any{}, "forwardedProps": obj{},
		"messages": messages, "tools": json.RawMessage(recordedTools),
	}
	if resume != nil {
		input["resume"] = resume
	}
	into := &recorder{header: http.Header{}, plan: &plan{}}
	ctx := context.WithValue(context.Background(), planKey{}, into.plan)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(encode(input)))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	r := &Recording{Name: s.Name, Title: s.Title, Prompt: s.Prompt}
	func() {
		defer func() { r.Broken = recover() == http.ErrAbortHandler }()
		h.plain.ServeHTTP(into, request)
	}()
	if into.status != http.StatusOK {
		return nil, fmt.Errorf("record %s: %d %s", s.Name, into.status, into.body.String())
	}
	r.Times, r.Response = into.times, recordedResponse{into.status, into.header.Get("Content-Type"), into.body.String()}
	return r, nil
}

// recorder is an http.ResponseWriter into memory; each write is one frame.
type recorder struct {
	header http.Header
	plan   *plan
	status int
	body   strings.Builder
	times  []int64
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) { r.status = status }

func (r *recorder) Write(frame []byte) (int, error) {
	r.times = append(r.times, r.plan.elapsed.Milliseconds())
	return r.body.Write(frame)
}
